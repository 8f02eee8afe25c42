"""Which table is a model's, under whatever name, and which tables get another one."""

from collections.abc import Callable

from tests.planner.making import model

from lamina.compiler.graph import CompiledModel
from lamina.planner.naming import Evidence, find_places, find_quarantines, possible_renames, renames_of
from lamina.planner.recover import Identity
from lamina.values.coverage import Coverage, Mark
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.names import Fingerprint, ModelName, TableName
from lamina.values.plan import Rename

IDENTITY = Identity(projects=("shop",), environment="prod", stores=("s1",))
ORDERS = model("sales.orders").replace(target=TableName("sales.orders_by_day"))
TOTALS = model("sales.totals")
OLD, NEW = TableName("sales.orders"), TableName("sales.orders_by_day")


def mark_of(**models: str) -> Callable[[TableName], Mark | None]:
    """Return the marks of tables, by their last names: the model of ours that made each, or `other/` and one."""

    def found(table: TableName) -> Mark | None:
        name = models.get(table.rpartition(".")[2])
        if name is None:
            return None
        return Mark(
            commit="c1",
            run_id="run-1",
            token=1,
            project="other" if name.startswith("other/") else "shop",
            environment="prod",
            store="s1",
            model=name.removeprefix("other/"),
            fingerprint=Fingerprint("f"),
            slices=(),
            pins={},
            coverage=Coverage(),
        )

    return found


def evidence_of(rows: dict[str, str], marks: Callable[[TableName], Mark | None], **recorded: str) -> Evidence:
    return Evidence(
        recorded={ModelName(f"sales.{name}"): pointer for name, pointer in recorded.items()},
        rows={TableName(table): pointer for table, pointer in rows.items()},
        mark_of=marks,
        home_of=lambda pointer: TableName(pointer.partition("/")[0]),
        identity=IDENTITY,
    )


def places(
    rows: dict[str, str], marks: Callable[[TableName], Mark | None], *models: CompiledModel, **recorded: str
) -> dict[str, str | None]:
    """Return where tables are; `recorded` are pointers by the last names of models."""
    found = find_places(models or (ORDERS,), evidence_of(rows, marks, **recorded))
    return {name.rpartition(".")[2]: None if place is None else place.table for name, place in found.items()}


def never(table: TableName) -> Mark | None:
    raise AssertionError(f"{table} was looked into")


def test_a_table_that_is_where_it_is_recorded_is_not_looked_into() -> None:
    assert places({NEW: "p1"}, never, orders="p1") == {"orders": NEW}
    assert places({OLD: "p1"}, never, orders="p1") == {"orders": OLD}


def test_i3_a_lost_or_older_state_finds_the_table_by_its_mark() -> None:
    for recorded in ({}, {"orders": "p0"}):
        assert places({OLD: "p1"}, mark_of(orders="sales.orders"), **recorded) == {"orders": OLD}
        assert places({NEW: "p1"}, mark_of(orders_by_day="sales.orders"), **recorded) == {"orders": NEW}


def test_a_table_that_cannot_be_read_is_found_by_its_folder() -> None:
    assert places({OLD: "home/p2"}, mark_of(), orders="home/p1") == {"orders": OLD}
    assert places({OLD: "elsewhere/p2"}, mark_of(), orders="home/p1") == {"orders": None}
    assert places({OLD: "home/p2"}, mark_of(orders="sales.totals"), orders="home/p1") == {"orders": None}


def test_a_table_of_others_is_not_the_models() -> None:
    assert places({OLD: "p1"}, mark_of(orders="other/sales.orders")) == {"orders": None}
    assert places({OLD: "p1"}, mark_of(orders="sales.totals")) == {"orders": None}
    assert places({OLD: "p1"}, mark_of()) == {"orders": None}


def test_a_name_that_another_table_keeps_is_not_taken_from_it() -> None:
    rows: dict[str, str] = {OLD: "p1", NEW: "p2"}
    for other in ({}, {"orders_by_day": "other/a"}, {"orders_by_day": "sales.removed"}):
        assert places(rows, mark_of(orders="sales.orders", **other), orders="p1") == {"orders": NEW}


def test_two_models_swap_the_names_of_their_tables() -> None:
    swapped = TOTALS.replace(target=OLD), ORDERS.replace(target=TableName("sales.totals"))
    rows = {OLD: "p1", "sales.totals": "p2"}
    found = places(rows, mark_of(totals="sales.totals", orders="sales.orders"), *swapped, orders="p1", totals="p2")
    assert found == {"totals": "sales.totals", "orders": OLD}


def test_a_model_whose_name_becomes_free_has_no_table_yet() -> None:
    fresh = model("sales.fresh").replace(target=OLD)
    found = places({OLD: "p1"}, mark_of(orders="sales.orders"), ORDERS, fresh, orders="p1")
    assert found == {"orders": OLD, "fresh": None}


def test_a_chain_that_ends_at_a_name_of_others_stays_as_it_is() -> None:
    blocked = TOTALS.replace(target=TableName("sales.taken"))
    waiting = ORDERS.replace(target=TableName("sales.totals"))
    rows = {OLD: "p1", "sales.totals": "p2", "sales.taken": "p3"}
    found = places(
        rows, mark_of(orders="sales.orders", totals="sales.totals"), blocked, waiting, orders="p1", totals="p2"
    )
    assert found == {"totals": "sales.taken", "orders": "sales.totals"}


def test_only_tables_that_are_called_otherwise_are_renamed() -> None:
    facts = ModelFacts(coverage=Coverage(), target=TargetFacts(status="ours"))
    (found,) = renames_of((ORDERS, TOTALS), {ORDERS.name: facts.replace(called=OLD), TOTALS.name: facts})
    assert (found.model, found.before, found.after) == (ORDERS.name, OLD, NEW)
    assert found.reason == (
        "its table is called `sales.orders`, and its model now says `sales.orders_by_day`; nothing is rebuilt"
    )


def quarantines(
    rows: dict[str, str], marks: Callable[[TableName], Mark | None], *models: CompiledModel, **recorded: str
) -> dict[str, str]:
    """Return quarantines that get other names, by the last names of models."""
    evidence = evidence_of(rows, marks, **recorded)
    found = find_quarantines(models, evidence, find_places(models, evidence))
    return {name.rpartition(".")[2]: table for name, table in found.items()}


def test_a_quarantine_is_called_after_its_table_and_not_looked_into_where_it_is_so() -> None:
    beside = {"sales.totals": "totals/p1", "sales.totals__quarantine": "totals__quarantine/p1"}
    assert quarantines(beside, never, TOTALS, totals="totals/p1") == {}
    rows: dict[str, str] = {OLD: "orders/p1", f"{OLD}__quarantine": "orders__quarantine/p1"}
    marks = mark_of(orders="sales.orders", orders__quarantine="sales.orders")
    assert quarantines(rows, marks, ORDERS, orders="orders/p1") == {"orders": f"{OLD}__quarantine"}


def test_a_quarantine_is_no_table_of_its_model() -> None:
    rows = {f"{OLD}__quarantine": "orders__quarantine/p1"}
    assert places(rows, mark_of(orders__quarantine="sales.orders")) == {"orders": None}


def test_a_quarantine_whose_name_others_have_stays_and_its_table_is_renamed() -> None:
    rows: dict[str, str] = {OLD: "orders/p1", f"{OLD}__quarantine": "q/p1", f"{NEW}__quarantine": "foreign/p1"}
    marks = mark_of(orders="sales.orders", orders__quarantine="sales.orders")
    assert quarantines(rows, marks, ORDERS, orders="orders/p1") == {}
    assert places(rows, marks, orders="orders/p1") == {"orders": OLD}


def test_of_several_quarantines_the_one_beside_the_folder_of_the_table_is_taken() -> None:
    rows: dict[str, str] = {OLD: "home/p1", "sales.a__quarantine": "a/p1", "sales.b__quarantine": "home__quarantine/p1"}
    marks = mark_of(orders="sales.orders", a__quarantine="sales.orders", b__quarantine="sales.orders")
    assert quarantines(rows, marks, ORDERS, orders="home/p1") == {"orders": "sales.b__quarantine"}


def test_two_models_swap_their_quarantines_too() -> None:
    swapped = TOTALS.replace(target=OLD), ORDERS.replace(target=TableName("sales.totals"))
    rows: dict[str, str] = {OLD: "orders/1", "sales.totals": "totals/1"}
    rows |= {f"{OLD}__quarantine": "orders__quarantine/1", "sales.totals__quarantine": "totals__quarantine/1"}
    marks = mark_of(
        totals="sales.totals",
        orders="sales.orders",
        totals__quarantine="sales.totals",
        orders__quarantine="sales.orders",
    )
    found = quarantines(rows, marks, *swapped, orders="orders/1", totals="totals/1")
    assert found == {"totals": "sales.totals__quarantine", "orders": f"{OLD}__quarantine"}


def test_what_changed_since_it_was_planned_is_not_renamed() -> None:
    rename = Rename(model=ORDERS.name, before=OLD, after=NEW, reason="")
    assert possible_renames((rename,), {OLD: "p1"}) == (rename,)
    assert possible_renames((rename,), {}) == ()
    assert possible_renames((rename,), {OLD: "p1", NEW: "p2"}) == ()
    back = Rename(model=TOTALS.name, before=NEW, after=OLD, reason="")
    assert possible_renames((rename, back), {OLD: "p1", NEW: "p2"}) == (rename, back)

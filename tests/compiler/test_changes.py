"""What became of a model between two versions of a project, and who reads what changed."""

from typing import Any

import pytest
from tests.compiler.graphs import ephemeral, graph, model

from lamina.compiler.graph import CompiledModel, Graph, LineageEdge
from lamina.compiler.identity.changes import compare
from lamina.project.model import ModelSettings
from lamina.project.project import Variable
from lamina.project.strategy import TimeInterval
from lamina.values.change import ModelChange
from lamina.values.codec import to_builtins
from lamina.values.names import ColumnName, Fingerprint, TableName
from lamina.values.schema import DataType

COLUMNS = "id int, amount int"
ORDERS = model("sales.orders", "SELECT id, amount FROM raw.orders WHERE amount > 0", columns=COLUMNS)


def only(old: CompiledModel, new: CompiledModel) -> ModelChange:
    """Return the change of a project's only model."""
    (change,) = compare(graph(old), graph(new))
    return change


def columns(change: ModelChange) -> dict[str, str]:
    return {item.name: item.change for item in change.columns}


@pytest.mark.parametrize(
    ("text", "schema", "expected", "changed"),
    [
        ("SELECT id, amount FROM raw.orders WHERE amount > 0", COLUMNS, "unchanged", {}),
        ("SELECT o.id, o.amount -- all\nFROM raw.orders o WHERE amount > 0", COLUMNS, "metadata", {}),
        ("SELECT /* all */ id, amount FROM raw.orders WHERE amount > 0", COLUMNS, "metadata", {}),
        ("SELECT id, amount FROM raw.orders WHERE amount > 1", COLUMNS, "rows_changed", {}),
        ("SELECT DISTINCT id, amount FROM raw.orders WHERE amount > 0", COLUMNS, "rows_changed", {}),
        (
            "SELECT id, amount * 2 AS amount FROM raw.orders WHERE amount > 0",
            COLUMNS,
            "column_changed",
            {"amount": "changed"},
        ),
        (
            "SELECT id, amount, 1 AS one FROM raw.orders WHERE amount > 0",
            f"{COLUMNS}, one int",
            "column_added",
            {"one": "added"},
        ),
        (
            "SELECT id, 1 AS one, amount FROM raw.orders WHERE amount > 0",
            "id int, one int, amount int",
            "column_added",
            {"one": "added"},
        ),
        ("SELECT id FROM raw.orders WHERE amount > 0", "id int", "column_removed", {"amount": "removed"}),
        (
            "SELECT id, amount AS total FROM raw.orders WHERE amount > 0",
            "id int, total int",
            "column_removed",
            {"amount": "removed", "total": "added"},
        ),
        (
            "SELECT amount, id FROM raw.orders WHERE amount > 0",
            "amount int, id int",
            "column_changed",
            {"id": "changed", "amount": "changed"},
        ),
        (
            "SELECT id, amount FROM raw.orders WHERE amount > 0",
            "id int, amount bigint",
            "column_changed",
            {"amount": "changed"},
        ),
    ],
)
def test_class_and_columns_of_a_change(text: str, schema: str, expected: str, changed: dict[str, str]) -> None:
    change = only(ORDERS, model("sales.orders", text, columns=schema))
    assert (change.change, columns(change)) == (expected, changed)


def test_a_column_of_a_cte_changes_only_the_columns_built_on_it() -> None:
    text = "WITH a AS (SELECT id, amount + {} AS more, day FROM raw.orders) SELECT * FROM a"
    schema = "id int, more int, day date"
    change = only(*(model("sales.orders", text.format(n), columns=schema) for n in (1, 2)))
    assert (change.change, columns(change)) == ("column_changed", {"more": "changed"})


def test_a_column_of_a_cte_that_is_filtered_by_changes_the_rows() -> None:
    text = "WITH a AS (SELECT id, amount + {} AS more FROM raw.orders) SELECT id FROM a WHERE more > 1"
    assert only(*(model("sales.orders", text.format(n), columns="id int") for n in (1, 2))).change == "rows_changed"


def test_settings_that_change_no_row_are_metadata() -> None:
    change = only(ORDERS, ORDERS.replace(settings=ModelSettings(owner="sales", cron="@daily")))
    assert (change.change, change.blast_radius) == ("metadata", ())


def test_a_layout_changes_no_row() -> None:
    was, now = (ORDERS.replace(rows_fingerprint=Fingerprint("r"), fingerprint=Fingerprint(name)) for name in "ab")
    now = now.replace(settings=now.settings.replace(partitioned_by=("id",)))
    assert only(was, now).change == "metadata"


def test_another_grid_changes_no_row_unless_slices_or_dates_depend_on_it() -> None:
    def cut(unit: str, kind: str = "timestamp", **settings: Any) -> CompiledModel:
        strategy = TimeInterval(ColumnName("id")).replace(
            granularity=unit, batch_size=settings.pop("batch_size", "auto")
        )
        found = model("sales.orders", ORDERS.text, columns=f"id {kind}", settings=ModelSettings(strategy, **settings))
        return found.replace(gridless_fingerprint=Fingerprint("query"))

    assert only(cut("day"), cut("week")).change == "metadata"
    assert only(cut("day"), cut("day", timezone="Europe/Berlin")).change == "metadata"
    assert only(cut("day", "date"), cut("week", "date")).change == "metadata"
    assert only(cut("day", "date"), cut("day", "date", timezone="Europe/Berlin")).change == "rows_changed"
    assert only(cut("day"), cut("week", batch_size=1)).change == "rows_changed"
    other = cut("week").replace(gridless_fingerprint=Fingerprint("another query"))
    assert only(cut("day"), other).change == "rows_changed"


def test_a_type_that_cannot_be_seen_is_not_another_type() -> None:
    hidden = model(
        "sales.orders", "SELECT id, amount FROM raw.orders WHERE amount > 0", columns="id unknown, amount int"
    )
    assert columns(only(ORDERS, hidden)) == {}


def test_a_strategy_changes_the_rows() -> None:
    daily = ModelSettings(strategy=TimeInterval(time_column=ColumnName("id")))
    change = only(ORDERS, model("sales.orders", ORDERS.text, columns=COLUMNS, settings=daily))
    assert change.change == "rows_changed"


def test_a_variable_it_reads_changes_the_rows() -> None:
    minimum = Variable(name="minimum", type=DataType("int"), value="1")
    text = "SELECT id, amount FROM raw.orders WHERE amount > @minimum"
    versions = [model("sales.orders", text, variables=(minimum.replace(value=value),)) for value in ("1", "2")]
    assert only(*versions).change == "rows_changed"


def test_models_are_added_removed_and_renamed() -> None:
    other = model("sales.other", "SELECT 1 AS id", columns="id int")
    assert [(c.model, c.change) for c in compare(graph(), graph(other))] == [("sales.other", "added")]
    assert [(c.model, c.change) for c in compare(graph(other), graph())] == [("sales.other", "removed")]
    moved = model("sales.moved", other.text, columns="id int")
    (change,) = compare(graph(other), graph(moved))
    assert (change.model, change.change, change.renamed_from) == ("sales.moved", "renamed", "sales.other")


def test_two_models_with_the_same_code_are_not_taken_for_renamed() -> None:
    old = [model(f"sales.{name}", "SELECT 1 AS id") for name in ("a", "b")]
    new = [model(f"sales.{name}", "SELECT 1 AS id") for name in ("c", "d")]
    classes = {change.model: change.change for change in compare(graph(*old), graph(*new))}
    assert classes == {"sales.a": "removed", "sales.b": "removed", "sales.c": "added", "sales.d": "added"}


def test_a_column_of_an_ephemeral_input_changes_the_columns_built_on_it() -> None:
    def version(expression: str) -> Graph:
        recent = ephemeral("sales.recent", f"SELECT id, {expression} AS amount FROM raw.orders")
        reader = model("sales.orders", "SELECT id, amount FROM sales.recent", columns=COLUMNS, inlined=(recent,))
        return graph(reader, recent)

    changes = {str(change.model): change for change in compare(version("amount"), version("amount * 2"))}
    assert changes["sales.orders"].change == "column_changed"
    assert columns(changes["sales.orders"]) == {"amount": "changed"}


def project(orders: CompiledModel) -> Graph:
    """Return `orders`, a reader of each of its columns, one that filters by one, and a chain of two."""
    return graph(
        orders,
        model(
            "marts.ids", "SELECT id FROM sales.orders", reads={"sales.orders": "id"}, lineage={"id": "sales.orders.id"}
        ),
        model(
            "marts.revenue",
            "SELECT id, amount AS total FROM sales.orders",
            reads={"sales.orders": "id amount"},
            lineage={"id": "sales.orders.id", "total": "sales.orders.amount"},
        ),
        model(
            "marts.large",
            "SELECT id FROM sales.orders WHERE amount > 100",
            reads={"sales.orders": "id amount"},
            deciding={"sales.orders": "amount"},
            lineage={"id": "sales.orders.id"},
        ),
        model(
            "marts.totals",
            "SELECT total FROM marts.revenue",
            reads={"marts.revenue": "total"},
            lineage={"total": "marts.revenue.total"},
        ),
        model("marts.copy", "SELECT * FROM marts.ids", reads={"marts.ids": None}, lineage={"id": "marts.ids.id"}),
    )


def radius(new: CompiledModel) -> dict[str, tuple[str, ...] | None]:
    changes = {str(change.model): change for change in compare(project(ORDERS), project(new))}
    return {item.model: item.columns for item in changes["sales.orders"].blast_radius}


def test_a_changed_column_reaches_those_who_read_it() -> None:
    text = "SELECT id, amount * 2 AS amount FROM raw.orders WHERE amount > 0"
    assert radius(model("sales.orders", text, columns=COLUMNS)) == {
        "marts.large": None,  # it filters by the column: its rows may change
        "marts.revenue": ("total",),
        "marts.totals": ("total",),
    }


def test_changed_rows_reach_everyone_downstream() -> None:
    everyone = ("marts.copy", "marts.ids", "marts.large", "marts.revenue", "marts.totals")
    found = radius(model("sales.orders", "SELECT id, amount FROM raw.orders", columns=COLUMNS))
    assert found == dict.fromkeys(everyone)


def test_an_added_column_does_not_reach_readers_of_other_columns() -> None:
    text = "SELECT id, amount, 1 AS one FROM raw.orders WHERE amount > 0"
    assert radius(model("sales.orders", text, columns=f"{COLUMNS}, one int")) == {}


def test_a_change_prints_its_class_under_that_name() -> None:
    printed = to_builtins(only(ORDERS, ORDERS))
    assert printed["class"] == "unchanged"


def test_a_type_that_changed_is_named_with_the_one_before() -> None:
    text = "SELECT id, CAST(amount AS double) AS amount FROM raw.orders WHERE amount > 0"
    new = model("sales.orders", text, columns="id int, amount double")
    (amount,) = only(
        ORDERS, new.replace(columns=model("a.b", "SELECT 1", columns="id int, amount double").columns)
    ).columns
    assert (amount.name, amount.before, amount.after) == ("amount", "int", "double")


def test_columns_listed_instead_of_a_star_are_as_they_were() -> None:
    edges = tuple(
        LineageEdge(ColumnName(name), TableName("raw.orders"), ColumnName(name), "direct") for name in ("id", "amount")
    )
    star = model("sales.orders", "SELECT * FROM raw.orders", columns=COLUMNS).replace(lineage=edges)
    text = "SELECT id, amount + 1 AS amount FROM raw.orders"
    computed = (edges[0], edges[1].replace(kind="expression"))
    named = model("sales.orders", text, columns=COLUMNS).replace(lineage=computed)
    assert columns(only(star, named)) == {"amount": "changed"}

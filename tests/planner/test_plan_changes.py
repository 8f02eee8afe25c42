"""Which changes of code a plan tells: against what was built, of what was requested, by their cause."""

from tests.compiler.projects import ephemeral, graph_of, model, source
from tests.planner.making import plan

from lamina.compiler.graph import Graph
from lamina.compiler.identity.changes import compare
from lamina.planner.plan_changes import plan_changes
from lamina.project.model import CheckSettings
from lamina.values.change import ModelChange
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, ModelName
from lamina.values.plan import Build, Selection

ORDERS = source("raw.orders", "id bigint, amount int")
PAID = "SELECT id, amount FROM raw.orders WHERE amount > 0"
SUMS = model("mart.sums", "SELECT sum(amount) AS total FROM mart.paid")
COUNTS = model("mart.counts", "SELECT count(*) AS n FROM raw.orders")


def shown(
    old: Graph, new: Graph, *, built: tuple[str, ...], asked: tuple[str, ...] | None = None, works: tuple[str, ...] = ()
) -> dict[str, ModelChange]:
    """Return what a plan tells, by model."""
    builds = (Build(model=ModelName(name), intervals=(WHOLE,), reason="", mode="replace_all") for name in works)
    chosen = tuple(ModelName(name) for name in asked) if asked is not None else None
    made = plan(*builds, selection=Selection(models=chosen))
    there = {ModelName(name) for name in built}
    return {item.model: item for item in plan_changes(compare(old, new), old, new, plan=made, built=there)}


def test_a_model_without_rows_is_added_whatever_its_text_was() -> None:
    old = graph_of(ORDERS, COUNTS)
    new = graph_of(ORDERS, model("mart.counts", "SELECT count(id) AS n, 1 AS one FROM raw.orders"))
    assert shown(old, new, built=("mart.counts",))["mart.counts"].change != "added"
    change = shown(old, new, built=())["mart.counts"]
    assert (change.change, [item.change for item in change.columns]) == ("added", ["added", "added"])


def test_an_ephemeral_model_is_named_in_what_inlines_it() -> None:
    inner = ephemeral("mart.base", "SELECT id, amount FROM raw.orders")
    paid = ephemeral("mart.paid", "SELECT id, amount FROM mart.base WHERE amount > 0")
    edited = ephemeral("mart.base", "SELECT id, amount FROM raw.orders WHERE id > 7")
    old, new = graph_of(ORDERS, inner, paid, SUMS), graph_of(ORDERS, edited, paid, SUMS)
    changes = shown(old, new, built=("mart.sums",))
    assert "mart.base" in changes["mart.sums"].through
    assert changes["mart.base"].through == ()


def test_an_edit_of_its_own_is_no_fault_of_the_ephemeral_model() -> None:
    sums = model("mart.sums", "SELECT sum(amount) + 1 AS total FROM mart.paid")
    old = graph_of(ORDERS, ephemeral("mart.paid", PAID), SUMS)
    new = graph_of(ORDERS, ephemeral("mart.paid", PAID + " AND id > 7"), sums)
    assert shown(old, new, built=("mart.sums",))["mart.sums"].through == ()


def test_only_what_was_requested_or_is_built_is_reported() -> None:
    old = graph_of(ORDERS, ephemeral("mart.paid", PAID), SUMS, COUNTS)
    counts = model("mart.counts", "SELECT count(id) AS n FROM raw.orders")
    new = graph_of(ORDERS, ephemeral("mart.paid", PAID + " AND id > 7"), SUMS, counts)
    every = ("mart.sums", "mart.counts")
    assert set(shown(old, new, built=every)) == {"mart.paid", "mart.sums", "mart.counts"}
    assert set(shown(old, new, built=every, asked=("mart.counts",))) == {"mart.counts"}
    assert set(shown(old, new, built=every, asked=("mart.counts",), works=("mart.sums",))) == {
        "mart.counts",
        "mart.sums",
    }


def test_a_changed_check_is_a_change_of_metadata() -> None:
    check = CheckSettings(type="not_null", column=ColumnName("n"))
    old = graph_of(ORDERS, COUNTS)
    new = graph_of(ORDERS, model("mart.counts", COUNTS.text, checks=(check,), tags=("core",)))
    change = shown(old, new, built=("mart.counts",))["mart.counts"]
    assert (change.change, set(change.settings)) == ("metadata", {"checks", "tags"})


def test_what_is_as_it_was_is_not_reported() -> None:
    graph = graph_of(ORDERS, COUNTS)
    assert shown(graph, graph, built=()) == {}

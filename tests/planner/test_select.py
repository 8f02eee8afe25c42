"""Selection: names, tags, paths, sources and reach, combined by comma, space and exclusion."""

import re

import pytest

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.select import EmptySelection, InvalidSelector, find_model, select
from lamina.project.model import ModelSettings
from lamina.project.source import SourceTable
from lamina.values.names import Fingerprint, ModelName, SourceName, TableName

# raw.o -> st.orders -> sales.daily -> sales.weekly;  raw.c -> st.customers -> sales.daily;  main.alone
READS = {
    "st.orders": ("raw.o",),
    "st.customers": ("raw.c",),
    "sales.daily": ("st.orders", "st.customers"),
    "sales.weekly": ("sales.daily",),
    "main.alone": (),
}
TAGS = {"sales.daily": ("core",), "sales.weekly": ("core", "slow")}
LAYERS = (("main.alone", "st.customers", "st.orders"), ("sales.daily",), ("sales.weekly",))


def model(name: str) -> CompiledModel:
    schema, _, table = name.partition(".")
    return CompiledModel(
        name=ModelName(name),
        kind="sql",
        path=f"models/{schema}/{table}.sql",
        text="",
        settings=ModelSettings(tags=TAGS.get(name, ())),
        target=TableName(name),
        layer=0,
        depends_on=tuple(TableName(item) for item in READS[name]),
        inputs=(),
        columns=(),
        lineage=(),
        fingerprint=Fingerprint(""),
    )


GRAPH = Graph(
    project="shop",
    models=tuple(model(name) for name in sorted(READS)),
    sources=tuple(SourceTable(name=SourceName(name), type="files", location=name) for name in ("raw.c", "raw.o")),
    layers=tuple(tuple(ModelName(name) for name in layer) for layer in LAYERS),
    diagnostics=(),
)
ALL = "main.alone st.customers st.orders sales.daily sales.weekly"


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        ("", ALL),
        ("*", ALL),
        ("sales.daily", "sales.daily"),
        ("daily", "sales.daily"),
        ("st.*", "st.customers st.orders"),
        ("tag:core", "sales.daily sales.weekly"),
        ("tag:sl*", "sales.weekly"),
        ("path:models/st", "st.customers st.orders"),
        ("path:models/st/orders.sql", "st.orders"),
        ("path:models/*/daily.sql", "sales.daily"),
        ("+daily", "st.customers st.orders sales.daily"),
        ("daily+", "sales.daily sales.weekly"),
        ("1+weekly", "sales.daily sales.weekly"),
        ("orders+1", "st.orders sales.daily"),
        ("+daily+", "st.customers st.orders sales.daily sales.weekly"),
        ("@orders", "st.customers st.orders sales.daily sales.weekly"),
        ("source:raw", "st.customers st.orders"),
        ("source:raw.o", "st.orders"),
        ("source:raw.o+", "st.orders sales.daily sales.weekly"),
        ("tag:core,tag:slow", "sales.weekly"),
        ("alone weekly", "main.alone sales.weekly"),
        ("+weekly,path:models/st", "st.customers st.orders"),
    ],
)
def test_a_selector_names_models_in_graph_order(selectors: str, expected: str) -> None:
    include = (selectors,) if selectors else ()
    assert " ".join(select(GRAPH, include, ())) == expected


def test_repeated_selectors_add_up_and_exclusion_wins() -> None:
    assert select(GRAPH, ("tag:core", "alone"), ("+weekly,tag:slow",)) == ("main.alone", "sales.daily")
    assert " ".join(select(GRAPH, (), ("path:models/st tag:core",))) == "main.alone"


@pytest.mark.parametrize("selector", ["tag:none", "nope*", "daily,alone"])
def test_a_selection_without_models_is_an_error(selector: str) -> None:
    with pytest.raises(EmptySelection) as caught:
        select(GRAPH, (selector,), ())
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("include", "exclude", "message"),
    [
        (("tag:none",), (), "the selection `tag:none` matches no model"),
        (("",), (), "the selection is empty"),
        (("daily",), ("tag:core", "d*"), "the selection `daily` without `tag:core d*` leaves no model"),
        ((), ("*",), "the selection `*` without `*` leaves no model"),
    ],
)
def test_an_empty_selection_is_reported_as_it_was_written(
    include: tuple[str, ...], exclude: tuple[str, ...], message: str
) -> None:
    with pytest.raises(EmptySelection, match=re.escape(message)):
        select(GRAPH, include, exclude)


def test_a_way_to_select_without_a_pattern_is_not_taken_for_a_misspelling() -> None:
    with pytest.raises(InvalidSelector) as caught:
        select(GRAPH, ("tag:",), ())
    assert caught.value.hint == "write it after the colon: `tag:x`"


def test_a_misspelt_name_is_an_error_even_beside_good_ones() -> None:
    with pytest.raises(EmptySelection) as caught:
        select(GRAPH, ("weekly", "dayly"), ())
    assert caught.value.hint == "did you mean `daily`?"


@pytest.mark.parametrize("selector", ["+", "a++", "tags:core", "tag:", "state:modified", "@"])
def test_what_is_no_selector_is_wrong_usage(selector: str) -> None:
    with pytest.raises(InvalidSelector) as caught:
        select(GRAPH, (selector,), ())
    assert caught.value.exit_code == 64


def test_a_deep_chain_is_walked_without_recursion() -> None:
    names = [f"m.x{number}" for number in range(3000)]
    chain = GRAPH.replace(
        models=tuple(
            model("main.alone").replace(
                name=ModelName(name), depends_on=(TableName(names[index - 1]),) if index else ()
            )
            for index, name in enumerate(names)
        ),
        layers=tuple((ModelName(name),) for name in names),
    )
    assert len(select(chain, (f"+{names[-1]}",), ())) == 3000


def test_a_bare_name_finds_its_model_only_if_it_is_the_only_one() -> None:
    found = find_model(GRAPH, "Daily")
    assert found is not None
    assert found.name == "sales.daily"
    twin = model("main.alone").replace(name=ModelName("main.daily"))
    twins = GRAPH.replace(models=(*GRAPH.models, twin))
    assert find_model(twins, "daily") is None
    with pytest.raises(EmptySelection, match="`daily` could be more than one model") as refused:
        select(twins, ("daily",), ())
    assert refused.value.hint == "write one of `sales.daily`, `main.daily`"
    assert select(GRAPH, ("Daily",), ()) == ("sales.daily",)

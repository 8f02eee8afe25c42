"""Tables that checks look values up in: built before, no inputs, and what is seen of them is followed."""

from pathlib import Path

from tests.compiler.projects import compile_project, load_project

from lamina.compiler.graph import Graph
from lamina.planner.broken import find_broken
from lamina.planner.select import upstreams_of
from lamina.values.names import ModelName, TableName

CHECK = '[[checks]]\ntype = "relationships"\ncolumn = "id"\nto = "{}"\nfield = "{}"\n'


def compiled(folder: Path, **models: tuple[str, str]) -> Graph:
    """Compile models, each a query and its settings, in the schema `m`."""
    (folder / "models" / "m").mkdir(parents=True, exist_ok=True)
    (folder / "lamina.toml").write_text('[project]\nname = "shop"\n')
    for name, (query, settings) in models.items():
        (folder / "models" / "m" / f"{name}.sql").write_text(query)
        (folder / "models" / "m" / f"{name}.toml").write_text(settings)
    return compile_project(load_project(str(folder), {}))


def test_a_model_is_built_after_what_its_checks_look_into(tmp_path: Path) -> None:
    graph = compiled(tmp_path, a=("SELECT 1 AS id", CHECK.format("z", "id")), z=("SELECT 1 AS id", ""))
    assert graph.layers == (("m.z",), ("m.a",))
    model = graph.model(ModelName("m.a"))
    assert (model.depends_on, model.inputs) == ((), ()), "it is no input, so that its changes make nothing stale"
    assert model.others_looked_up == (TableName("m.z"),)
    assert upstreams_of(graph, (ModelName("m.a"),)) == ("m.z",)


def test_its_own_table_orders_nothing(tmp_path: Path) -> None:
    graph = compiled(tmp_path, a=("SELECT 1 AS id", CHECK.format("m.a", "id")))
    assert (graph.layers, graph.diagnostics) == ((("m.a",),), ())
    assert graph.model(ModelName("m.a")).others_looked_up == ()


def test_a_loop_through_a_check_is_found_at_the_check(tmp_path: Path) -> None:
    graph = compiled(tmp_path, a=("SELECT 1 AS id", CHECK.format("z", "id")), z=("SELECT id FROM m.a", ""))
    (found,) = graph.diagnostics
    assert (found.code, str(found.place)) == ("L202", "models/m/a.toml:4:1")


def test_what_looks_into_a_model_that_does_not_compile_is_left_out(tmp_path: Path) -> None:
    graph = compiled(tmp_path, a=("SELECT 1 AS id", CHECK.format("z", "id")), z=("SELECT FROM", ""))
    broken = find_broken(graph, graph.diagnostics)
    assert broken is not None
    assert broken.readers == {"m.a": "m.z"}


def test_the_code_of_a_model_is_the_same_with_other_checks(tmp_path: Path) -> None:
    models = {"z": ("SELECT 1 AS id", "")}
    before = compiled(tmp_path, a=("SELECT 1 AS id", ""), **models)
    after = compiled(tmp_path, a=("SELECT 1 AS id", CHECK.format("z", "id")), **models)
    name = ModelName("m.a")
    assert before.model(name).fingerprint == after.model(name).fingerprint

"""How a source is detected is known to the models that read it, also through an ephemeral one."""

from pathlib import Path

from tests.compiler.projects import compile_root

from lamina.values.names import ModelName


def test_readers_of_a_source_without_a_detector_know_it(tmp_path: Path) -> None:
    files = {
        "lamina.toml": '[project]\nname = "shop"\n',
        "sources/raw.toml": (
            '[source.raw]\ntype = "files"\npath = "data"\n'
            '[source.raw.tables.orders]\ndetect = "always"\ncolumns = [{ name = "id", type = "int" }]\n'
            '[source.raw.tables.names]\ncolumns = [{ name = "id", type = "int" }]\n'
        ),
        "models/sales/parts.sql": "SELECT id FROM raw.orders",
        "models/sales/parts.toml": '[strategy]\ntype = "ephemeral"\n',
        "models/sales/orders.sql": "SELECT i.id FROM sales.parts AS i JOIN raw.names AS n ON n.id = i.id",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    seen = {
        use.name: use.is_always_new for use in compile_root(str(tmp_path), {}).model(ModelName("sales.orders")).inputs
    }
    assert seen == {"raw.orders": True, "raw.names": False}
    source = tmp_path / "sources/raw.toml"
    source.write_text(source.read_text().replace('detect = "always"', 'detect = "auto"'))
    again = compile_root(str(tmp_path), {}).model(ModelName("sales.orders"))
    assert not any(use.is_always_new for use in again.inputs)

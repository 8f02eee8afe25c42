"""The project's modules behind a Python model, found without running any of them."""

import pytest

from lamina.compiler.identity.modules import imported_modules, source_hash

MODEL = "models/sales/orders.py"


def modules_of(text: str, files: dict[str, str]) -> dict[str, str]:
    return imported_modules(MODEL, text, read=files.get)


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("import prices", "prices.py"),
        ("import prices as p", "prices.py"),
        ("import lib.prices", "lib/prices.py"),
        ("import lib.prices", "lib/__init__.py"),
        ("from lib import prices", "lib/prices.py"),
        ("from lib.prices import rate", "lib/prices.py"),
        ("from prices import *", "prices.py"),
        ("from lib import prices", "lib/prices/__init__.py"),
        ("from . import prices", "models/sales/prices.py"),
        ("from .prices import rate", "models/sales/prices.py"),
        ("from .. import prices", "models/prices.py"),
        ("from ..lib.prices import rate", "models/lib/prices.py"),
        ("import prices", "models/sales/prices.py"),
        ("def model(ctx):\n    from lib import prices", "lib/prices.py"),
        ("if True:\n    import lib.prices", "lib/prices.py"),
        ("import importlib\nimportlib.import_module('lib.prices')", "lib/prices.py"),
        ("__import__('prices')", "prices.py"),
    ],
)
def test_every_style_of_import_finds_its_file(statement: str, file: str) -> None:
    assert list(modules_of(statement, {file: "rate = 1"})) == [file]


def test_imports_are_followed_through_modules_and_cycles() -> None:
    files = {
        "lib/__init__.py": "",
        "lib/a.py": "from lib import b",
        "lib/b.py": "from . import a\nimport c",
        "c.py": "x = 1",
        "unrelated.py": "",
    }
    assert list(modules_of("import lib.a", files)) == ["c.py", "lib/__init__.py", "lib/a.py", "lib/b.py"]


def test_a_star_import_of_a_package_finds_the_submodules_it_names() -> None:
    files = {"lib/__init__.py": "__all__ = ['prices']", "lib/prices.py": "rate = 1", "lib/other.py": ""}
    assert list(modules_of("from lib import *", files)) == ["lib/__init__.py", "lib/prices.py"]


def test_an_edit_of_a_helper_of_a_helper_shows() -> None:
    files = {"lib/a.py": "from lib.b import rate", "lib/b.py": "rate = 1"}
    edited = {**files, "lib/b.py": "rate = 2"}
    assert modules_of("import lib.a", files) != modules_of("import lib.a", edited)


def test_libraries_are_not_the_projects_modules() -> None:
    assert modules_of("import os, pyspark.sql.functions as F\nfrom datetime import date", {}) == {}


def test_a_model_that_does_not_parse_imports_nothing() -> None:
    assert modules_of("def model(:", {"prices.py": ""}) == {}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x = 1", "x = 1  # one"),
        ("x = f(1, 2)", "x = f(\n    1,\n    2,\n)"),
        ("x = 'a'", 'x = "a"'),
        ("def f():\n    return 1", 'def f():\n    """Return one."""\n    return 1'),
        ("def f():\n    pass", 'def f():\n    """Nothing."""'),
        ("x = (1)", "x = 1"),
    ],
)
def test_comments_and_formatting_do_not_change_the_hash(first: str, second: str) -> None:
    assert source_hash(first) == source_hash(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x = 1", "x = 2"),
        ("x = 'a'", "x = 'A'"),
        ("x = y", "x = z"),
        ("x = a - (b - c)", "x = a - b - c"),
        ("def f(a=1): return a", "def f(a=2): return a"),
        ('"""One."""\nx = __doc__', '"""Two."""\nx = __doc__'),
        ("def model(:", "def model(;"),
    ],
)
def test_code_changes_the_hash(first: str, second: str) -> None:
    assert source_hash(first) != source_hash(second)


@pytest.mark.parametrize("text", ["(" * 100_000, "-" * 50_000 + "1", "x = 1\0", "1" + "+1" * 20_000, "'\\d'"])
def test_hostile_source_has_a_hash(text: str) -> None:
    assert len(source_hash(text)) == 32

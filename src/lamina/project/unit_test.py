"""A unit test of a model as written: given rows, expected rows, and where each of them is."""

from typing import Any

from lamina.project.model import SettingPlaces
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.value import Value

FOLDER = "tests/"

Row = dict[str, Any]  # a row of a TOML file: values by column, as the parser reads them


class UnitTest(Value, frozen=True):
    """One `[test.name]`; nothing of it has been compared with a model yet."""

    name: str
    places: SettingPlaces
    model: str
    partition: str | None = None
    parameters: Row = {}
    given: dict[str, tuple[Row, ...]] = {}
    expect: tuple[Row, ...] = ()
    columns: tuple[str, ...] = ()  # compared beside those that `expect` lists: what is null in every row

    def place(self, *keys: str) -> Place:
        """Return where a key of the test is, or what encloses it."""
        return self.places.of(".".join(("test", self.name, *keys)))


class UnitTests(Value, frozen=True):
    """Every unit test of a project, and what is wrong with their files."""

    tests: tuple[UnitTest, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

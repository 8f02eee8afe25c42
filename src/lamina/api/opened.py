"""A project that was opened: its settings, files and graph, each read once, when it is first needed."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from lamina.api.compiling import compile_scan, schema_reader
from lamina.compiler.graph import Graph
from lamina.errors import ProjectInvalid
from lamina.project.scan import Scan, scan_project
from lamina.values.event import Event

if TYPE_CHECKING:
    from lamina.api.settings import Settings
    from lamina.compiler.unit_tests.resolve import Resolved
    from lamina.config import Config


class Opened:
    """Own what one look at a project's folder gave; later changes there are seen when it is opened again."""

    def __init__(
        self,
        root: str,
        *,
        variables: Mapping[str, str],
        overrides: Mapping[str, str],
        emit: Callable[[Event], None],
    ) -> None:
        self.root = root
        self.variables = dict(variables)  # of the environment, as they were
        self.emit = emit
        self.has_worked = False  # a verb has looked at sources and tables, which may have changed since
        self._overrides = dict(overrides)

    @cached_property
    def settings(self) -> "Settings":
        """Every effective setting, and what is wrong with them."""
        # Imported here: a graph that did not change is taken from its cache without any setting.
        from lamina.api.settings import read_settings

        return read_settings(self.root, self.variables, overrides=self._overrides)

    @cached_property
    def known_settings(self) -> "Settings":
        """The settings to look at the project with: the last valid ones where the current ones are not valid."""
        from lamina.api.settings import known_settings

        return known_settings(self.settings)

    @property
    def config(self) -> "Config":
        """Every effective setting; raises while something is wrong with them."""
        if self.settings.problems:
            raise ProjectInvalid(self.settings.problems)
        return self.settings.config

    @cached_property
    def scan(self) -> Scan:
        """Every file of the project."""
        return scan_project(self.root)

    @cached_property
    def graph(self) -> Graph:
        """The compiled project; what is wrong with it is inside."""
        known = schema_reader(self.scan.root, lambda: self.settings.config.catalog)
        return compile_scan(self.scan, self.variables, source_schema=known)

    @cached_property
    def unit_tests(self) -> "Resolved":
        """The unit tests of the models, compared with these, and what is wrong with them; no model depends on them."""
        from lamina.compiler.unit_tests.resolve import Resolved, resolve_tests
        from lamina.project.unit_test import FOLDER
        from lamina.project.unit_test_file import read_unit_tests

        unread = (item for item in self.scan.diagnostics if (item.file or "").startswith(FOLDER))
        read = read_unit_tests(self.scan.files)
        resolved = resolve_tests(self.graph, read.tests)
        return Resolved(resolved.cases, found=(*unread, *read.diagnostics, *resolved.found))

    def compile_again(self) -> None:
        """Forget the graph: what it knows of sources and tables may have changed; unchanged queries are remembered."""
        self.__dict__.pop("graph", None)
        self.__dict__.pop("unit_tests", None)

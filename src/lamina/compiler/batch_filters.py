"""Queries of models whose inputs are filtered to the slices for them: the text as if the user had written the filters.

Everything after this sees that text: the proof, read sets, fingerprints, rendering and `verify`. Only findings are put
back to where the user's own text has them.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lamina.compiler.link.parameters import quoted
from lamina.compiler.objects import compile_object, task_of_text
from lamina.compiler.query.object import QueryObject
from lamina.compiler.resolve import Names, names_of
from lamina.project.model import ModelFile, ModelSettings
from lamina.project.project import Project
from lamina.project.source import SourceTable
from lamina.strategies.table import traits_of
from lamina.values.diagnostic import Diagnostic, sort_diagnostics
from lamina.values.names import ColumnName, TableName, same_name
from lamina.values.schema import Schema

BOUNDS = frozenset({"start_date", "end_date", "start_ts", "end_ts"})


class Edit(NamedTuple):
    """New text for a span of what the user wrote; never more lines than before."""

    start: int
    end: int
    text: str


class Filtered(NamedTuple):
    """A project whose queries have their filters, and what was changed in the text of each file."""

    project: Project
    edits: Mapping[str, tuple[str, tuple[Edit, ...]]]  # by path: the text as it is now, and what differs

    def as_written(self, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return findings at the places where the user's own text has them."""
        if not self.edits:
            return tuple(found)
        return sort_diagnostics([self._as_written(item) for item in found])

    def _as_written(self, item: Diagnostic) -> Diagnostic:
        if item.file is None or item.file not in self.edits or item.line is None or item.column is None:
            return item
        text, edits = self.edits[item.file]
        return item.replace(column=_column_before(text, edits, item.line, item.column))


def filter_inputs(project: Project, sources: Iterable[SourceTable]) -> Filtered:
    """Return a project in which inputs that have a time column are filtered to the slice, where a strategy asks so."""
    if not any(_is_filtered(model) for model in project.models):
        return Filtered(project, {})
    names = names_of(project)
    times = {**_times_of_models(project.models), **_times_of_sources(sources)}
    edits: dict[str, tuple[str, tuple[Edit, ...]]] = {}
    models: list[ModelFile] = []
    for model in project.models:
        if _is_filtered(model) and (changes := _filters(model, names, times)):
            text = _edited(model.text, changes)
            edits[model.path] = (text, changes)
            model = model.replace(text=text)  # noqa: PLW2901  # the model as it goes on
        models.append(model)
    return Filtered(project.replace(models=tuple(models)), edits)


class _Time(NamedTuple):
    column: ColumnName
    type: str  # empty where it is not known


def _is_filtered(model: ModelFile) -> bool:
    slices = traits_of(model.settings.strategy).slices
    return model.kind == "sql" and slices is not None and slices.filters_inputs


def _times_of_models(models: Iterable[ModelFile]) -> dict[TableName, _Time]:
    columns = ((model, _own_time(model.settings)) for model in models)
    return {
        TableName(model.name): _Time(column, _type_of(column, model.settings.columns))
        for model, column in columns
        if column is not None
    }


def _own_time(settings: ModelSettings) -> ColumnName | None:
    slices = traits_of(settings.strategy).slices
    return slices.time_column if slices is not None else None


def _times_of_sources(sources: Iterable[SourceTable]) -> dict[TableName, _Time]:
    return {
        TableName(table.name): _Time(table.time_column, _type_of(table.time_column, table.columns))
        for table in sources
        if table.time_column is not None
    }


def _type_of(column: ColumnName, columns: Schema) -> str:
    return next((item.type for item in columns if same_name(item.name, column)), "")


def _filters(model: ModelFile, names: Names, times: Mapping[TableName, _Time]) -> tuple[Edit, ...]:
    """Return the edits that filter the inputs of a query; none where it has bounds of its own, or is wrong."""
    schema = model.name.partition(".")[0]
    query = compile_object(task_of_text(model.text, schema=schema), names)
    has_bounds = any(use.name in BOUNDS for use in query.parameters)
    # A sample cannot be built in parts, which is the finding about it.
    is_sampled = "tablesample" in query.volatile
    if has_bounds or is_sampled or any(item.severity == "error" for item in query.diagnostics):
        return ()
    return tuple(sorted(_edits(model, query, names, times)))


def _edits(model: ModelFile, query: QueryObject, names: Names, times: Mapping[TableName, _Time]) -> Iterable[Edit]:
    filtered: set[int] = set()
    schema = model.name.partition(".")[0]
    for number, reference in enumerate(query.references):
        table = names.resolve(reference.parts, schema=schema)
        if table is None or table not in times or same_name(table, model.name):
            continue
        filtered.add(number)
        start, end = _bounds(times[table], model.settings.timezone)
        column = quoted(times[table].column)
        written = model.text[reference.start : reference.end]
        inner = f"(SELECT * FROM {written} WHERE {column} >= {start} AND {column} < {end})"
        alias = f" AS {quoted(reference.parts[-1])}"
        yield Edit(reference.start, reference.end, inner + alias if reference.alias_at >= 0 else inner)
    for qualifier in query.qualifiers:
        if qualifier.reference in filtered:
            yield Edit(qualifier.start, qualifier.end, "")


def _bounds(time: _Time, zone: str) -> tuple[str, str]:
    """Return the bounds of a slice for a column: outside UTC, a timestamp is not compared with local dates."""
    return (
        ("@start_ts", "@end_ts")
        if zone != "UTC" and time.type.startswith("timestamp")
        else ("@start_date", "@end_date")
    )


def _edited(text: str, edits: Iterable[Edit]) -> str:
    pieces: list[str] = []
    done = 0
    for edit in edits:
        pieces += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join((*pieces, text[done:]))


def _column_before(text: str, edits: tuple[Edit, ...], line: int, column: int) -> int:
    """Return the column that a place had before the edits, which put whole lines nowhere."""
    line_start = sum(len(item) + 1 for item in text.split("\n")[: line - 1])
    offset, moved, moved_before = line_start + column - 1, 0, 0
    for edit in edits:
        start = edit.start + moved
        grown = len(edit.text) - (edit.end - edit.start)
        if start < line_start:
            moved_before += grown
        elif offset < start:
            break
        elif offset < start + len(edit.text):
            return edit.start + moved_before - line_start + 1  # inside of what was put there: the table
        moved += grown
    return column - (moved - moved_before)

"""The SQL a model runs as: the user's own text with relations and parameters replaced, ephemeral models before it.

Only the characters of a relation or parameter change. Printing the syntax tree instead could change the meaning: the
parser's Spark SQL is not Spark's (`x::int` comes back as TRY_CAST), while text left alone means what it meant.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.inline import Part, cte_names, parts_of
from lamina.compiler.parameters import ParameterValue, literal_sql, quoted
from lamina.errors import LaminaError
from lamina.values.names import TableName


class CannotRender(LaminaError):
    """A value or a relation that the query needs is not known.

    Why: the text would not be what Spark gets.
    Fix: give the partition or the variable that is named, and see with `lamina compile` that the model has no
    errors.
    """

    code = "L228"


class Replacement(NamedTuple):
    """New text for a span of the old one."""

    start: int
    end: int
    text: str


def render(
    graph: Graph,
    model: CompiledModel,
    *,
    relations: Mapping[TableName, str],
    parameters: Mapping[str, ParameterValue],
) -> str:
    """Return the query of a model as Spark SQL.

    `relations` gives the physical name of each input, as SQL text with quotes where it needs them; `parameters` the
    value of each `@name` the query and its ephemeral inputs read.
    """
    parts = parts_of(graph, model)
    inlined = cte_names(parts)
    names = {**relations, **{name: quoted(cte) for name, cte in inlined.items()}}
    ctes = [
        f"{names[TableName(part.model.name)]} AS (\n{_substituted(part, names, parameters)}\n)" for part in parts[:-1]
    ]
    return _substituted(parts[-1], names, parameters, ctes=",\n".join(ctes))


def _substituted(
    part: Part, names: Mapping[TableName, str], parameters: Mapping[str, ParameterValue], *, ctes: str = ""
) -> str:
    changes = [*_relations(part, names), *_qualifiers(part), *_parameters(part, parameters)]
    query, text = part.query, part.model.text
    if ctes:
        at = max(query.with_at, 0)
        changes.append(Replacement(at, at, f" {ctes},\n" if query.with_at >= 0 else f"WITH {ctes}\n"))
    pieces: list[str] = []
    done = 0
    for change in sorted(set(changes)):
        pieces += [text[done : change.start], change.text]
        done = change.end
    return "".join([*pieces, text[done : query.end]]).strip()


def _relations(part: Part, names: Mapping[TableName, str]) -> Iterator[Replacement]:
    for reference, table in zip(part.query.references, part.references, strict=True):
        if table is None or table not in names:
            raise CannotRender(f"`{part.model.name}` reads `{'.'.join(reference.parts)}`, which has no table here")
        yield Replacement(reference.start, reference.end, names[table])
        if reference.alias_at >= 0:
            yield Replacement(reference.alias_at, reference.alias_at, f" AS {quoted(reference.parts[-1])}")


def _qualifiers(part: Part) -> Iterator[Replacement]:
    """`schema.table.column` is `table.column` once the table has an alias."""
    for qualifier in part.query.qualifiers:
        yield Replacement(qualifier.start, qualifier.end, "")


def _parameters(part: Part, parameters: Mapping[str, ParameterValue]) -> Iterator[Replacement]:
    for use in part.query.parameters:
        if use.name not in parameters:
            raise CannotRender(f"`{part.model.name}` reads `@{use.name}`, which has no value here")
        yield Replacement(use.start, use.end, literal_sql(parameters[use.name]))

"""The SQL a model runs as: the user's own text with relations and parameters replaced, ephemeral models before it.

Only the characters of a relation or parameter change. Printing the syntax tree instead could change the meaning: the
parser's Spark SQL is not Spark's (`x::int` comes back as TRY_CAST), while text left alone means what it meant.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.inline import Part, cte_names, parts_of
from lamina.compiler.link.parameters import ParameterValue, literal_sql, quoted
from lamina.compiler.query.places import place_at
from lamina.errors import LaminaError
from lamina.values.diagnostic import Place
from lamina.values.names import TableName


class CannotRender(LaminaError):
    """A value or a relation that the query needs is not known.

    Why: the text would not be the query that Spark gets.
    Fix: give the partition or the variable that is named, and see with `lamina compile` that the model has no
    errors.
    """

    code = "L228"


class Replacement(NamedTuple):
    """New text for a span of the old one."""

    start: int
    end: int
    text: str


class Stretch(NamedTuple):
    """A piece of rendered text: a model's own from `at` on, or what is there instead; `model` None: ours."""

    text: str
    model: CompiledModel | None = None
    at: int = 0
    is_same: bool = False


class Rendering(NamedTuple):
    """Rendered SQL that remembers where each piece of it was written."""

    stretches: tuple[Stretch, ...]

    @property
    def sql(self) -> str:
        """The text that Spark gets."""
        return "".join(stretch.text for stretch in self.stretches)

    def place(self, offset: int) -> Place | None:
        """Return where in the project's files a character of the text was written, if a user wrote it."""
        for stretch in self.stretches:
            if offset >= len(stretch.text):
                offset -= len(stretch.text)
                continue
            if stretch.model is None:
                return None
            at = stretch.at + offset if stretch.is_same else stretch.at
            return place_at(stretch.model.text, at).replace(file=stretch.model.path)
        return None


def verbatim(sql: str) -> Rendering:
    """Return SQL that comes from no file."""
    return Rendering((Stretch(sql),))


def render(
    graph: Graph,
    model: CompiledModel,
    *,
    relations: Mapping[TableName, str],
    parameters: Mapping[str, ParameterValue],
) -> Rendering:
    """Return the query of a model as Spark SQL.

    `relations` gives the physical name of each input, as SQL text with quotes where it needs them; `parameters` the
    value of each `@name` the query and its ephemeral inputs read.
    """
    return render_parts(parts_of(graph, model), relations=relations, parameters=parameters)


def render_parts(
    parts: tuple[Part, ...], *, relations: Mapping[TableName, str], parameters: Mapping[str, ParameterValue]
) -> Rendering:
    """Return the last of several queries with the others before it as CTEs."""
    inlined = cte_names(parts)
    names = {**relations, **{name: quoted(cte) for name, cte in inlined.items()}}
    ctes: list[Stretch] = []
    for part in parts[:-1]:
        head = f"{names[TableName(part.model.name)]} AS (\n"
        ctes += [Stretch(f",\n{head}" if ctes else head), *_substituted(part, names, parameters), Stretch("\n)")]
    return Rendering(tuple(_substituted(parts[-1], names, parameters, ctes=ctes)))


def _substituted(
    part: Part,
    names: Mapping[TableName, str],
    parameters: Mapping[str, ParameterValue],
    *,
    ctes: Sequence[Stretch] = (),
) -> list[Stretch]:
    changes = sorted({*_relations(part, names), *_qualifiers(part), *_parameters(part, parameters)})
    model, end = part.model, part.query.end
    at = max(part.query.with_at, 0) if ctes else 0
    pieces: list[Stretch] = []
    done = at
    for change in changes:
        pieces.append(Stretch(model.text[done : change.start], model, done, is_same=True))
        pieces.append(Stretch(change.text, model, change.start))
        done = change.end
    pieces.append(Stretch(model.text[done:end], model, done, is_same=True))
    if not ctes:
        return _stripped(pieces)
    before, after = (" ", ",\n") if part.query.with_at >= 0 else ("WITH ", "\n")
    head = Stretch(model.text[:at], model, 0, is_same=True)
    return _stripped([head, Stretch(before), *ctes, Stretch(after), *pieces])


def _stripped(pieces: list[Stretch]) -> list[Stretch]:
    """Take blanks away from both ends."""
    kept = [piece for piece in pieces if piece.text]
    while kept and not kept[0].text.strip():
        kept.pop(0)
    while kept and not kept[-1].text.strip():
        kept.pop()
    if kept:
        first, bare = kept[0], kept[0].text.lstrip()
        kept[0] = first._replace(text=bare, at=first.at + (len(first.text) - len(bare) if first.is_same else 0))
        kept[-1] = kept[-1]._replace(text=kept[-1].text.rstrip())
    return kept


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

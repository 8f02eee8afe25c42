"""What only schemas show to be wrong with a star: columns it leaves out but does not hold, or that are not grouped."""

from collections.abc import Iterator, Sequence
from functools import partial

from lamina.compiler.link.lookup import PSEUDO_COLUMNS, Problem
from lamina.compiler.link.rows import LinkedColumn
from lamina.compiler.query.object import Star
from lamina.compiler.rules import ungrouped_column, unknown_column


def not_left_out(star: Star, columns: Sequence[LinkedColumn]) -> Iterator[Problem]:
    """Yield the names in EXCEPT that are none of a star's columns; one could be a field of a struct."""
    if any(column.typed.type.startswith("struct<") for column in columns):
        return
    known = tuple(column.name for column in columns)
    folded = {*(name.lower() for name in known), *PSEUDO_COLUMNS}
    for name in star.left_out:
        if name.lower() not in folded:
            yield Problem(star.start, partial(unknown_column.finding_without_relation, name, known=known))


def not_grouped(
    star: Star, columns: Sequence[LinkedColumn], *, keys: tuple[str, ...], among: tuple[int, ...]
) -> Iterator[Problem]:
    """Yield the columns of a star that GROUP BY does not mention; what a function makes in its place is not a star."""
    if star.relation >= 0 and star.relation not in among:
        return
    missing = [column.name for column in columns if column.name.lower() not in keys]
    if missing and all(missing):
        yield Problem(star.start, partial(ungrouped_column.finding_of_star, tuple(missing)))

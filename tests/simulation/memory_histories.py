"""Histories in the memory warehouse: rows become versions, are folded by the real rule, and become rows again."""

from collections.abc import Callable
from datetime import datetime

from tests.simulation.algebra import Relation, Row
from tests.simulation.row_writes import aligned, without_empty

from lamina.compiler.graph import CompiledModel
from lamina.strategies import version_fold
from lamina.strategies.traits import VALIDITY, Versions
from lamina.strategies.version_fold import Cells, Folded, Seen, Version
from lamina.values.batch import Batch, Counts

VALID = tuple(str(column.name) for column in VALIDITY)


def written_history(
    batch: Batch, model: CompiledModel, there: Relation | None, result: Relation
) -> tuple[Relation, Counts, int]:
    """Return the rows of a table after a batch, what the batch did, and how many of them only the table holds."""
    is_given_up = batch.mode == "replace_all" and not batch.carried
    at = datetime.fromisoformat(batch.parameters["execution_time"])
    older = None if there is None or is_given_up else there
    relation, folded = folded_history(model, older, result, at, is_from_nothing=batch.is_from_nothing)
    done = folded.counts
    counts = Counts(
        written=done.inserted + done.replaced + done.reopened,
        inserted=done.inserted,
        replaced=done.replaced,
        reopened=done.reopened,
        unchanged=done.unchanged,
        duplicate=done.duplicate,
        closed=done.closed,
        deleted=done.deleted if older is not None or there is None else len(there.rows),
        carried=folded.retained if batch.mode == "replace_all" else 0,
    )
    return relation, counts, folded.retained


def folded_history(
    model: CompiledModel, table: Relation | None, result: Relation, at: datetime, *, is_from_nothing: bool = False
) -> tuple[Relation, Folded]:
    """Put a result into the history of a table; columns that left the query stay for rows that have values there."""
    versions = model.traits.versions
    assert versions is not None, "only a history is folded"
    others = () if table is None or is_from_nothing else table.columns
    gone = tuple(name for name in others if name not in (*result.columns, *VALID))
    given = (*result.columns, *gone)
    held = () if table is None else aligned(table, (*given, *VALID)).rows
    split, joined = _places(given, versions)
    since = None if versions.updated_at is None else given.index(versions.updated_at)
    table_rows = tuple(_version(row, split(row), len(given) if since is None else since) for row in held)
    seen = tuple(Seen(*split(row), None if since is None else _time(row[since])) for row in aligned(result, given).rows)
    if since is None:
        values = [name for name in given if name not in versions.key]
        places = [values.index(name) for name in versions.checked]
        folded = version_fold.fold_by_check(
            table_rows, seen, at, checked=lambda cells: tuple(cells[place] for place in places)
        )
    else:
        folded = version_fold.fold_by_time(table_rows, seen, at)
    rows = tuple((*joined(row.key, row.values), row.valid_from, row.valid_to) for row in folded.rows)
    return without_empty(Relation((*given, *VALID), rows), gone), folded


def _version(row: Row, cells: tuple[Cells, Cells], since: int) -> Version:
    start, end = row[-2], row[-1]
    return Version(*cells, _time(row[since]), _time(start), None if end is None else _time(end))


def _time(cell: object) -> datetime:
    assert isinstance(cell, datetime), "a version has a time"
    return cell


def _places(
    given: tuple[str, ...], versions: Versions
) -> tuple[Callable[[Row], tuple[Cells, Cells]], Callable[[Cells, Cells], Row]]:
    """Return how a row is parted into its key and its other cells, and how it is put together again."""
    keys = [given.index(name) for name in versions.key]
    others = [place for place in range(len(given)) if place not in keys]

    def split(row: Row) -> tuple[Cells, Cells]:
        return tuple(row[place] for place in keys), tuple(row[place] for place in others)

    def joined(key: Cells, values: Cells) -> Row:
        cells = dict(zip((*keys, *others), (*key, *values), strict=True))
        return tuple(cells[place] for place in range(len(given)))

    return split, joined

"""The versions of a table between two of them: which ones lie there, and whether they only added rows; pure."""

from lamina.values.batch import Pin
from lamina.values.names import Position, TableName
from lamina.warehouse.failure import NotAppended, WarehouseFailure
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot


class TableGone(WarehouseFailure):
    """A table is not in the catalog.

    Why: a query reads a table that was dropped, or was never built.
    Fix: build it with `lamina run`, or correct the name of the source's table.
    """

    code = "L629"

    def __init__(self, table: TableName) -> None:
        super().__init__(
            f"table `{table}` is not in the catalog",
            kind="not_found",
            hint="build it, or check the name of the source's table",
        )


class VersionGone(WarehouseFailure):
    """A pinned version cannot be read any more.

    Why: its snapshot was expired, or the table was replaced.
    Fix: run again to read the current version; expire snapshots later than the longest run lasts.
    """

    code = "L626"

    def __init__(self, table: TableName, position: Position) -> None:
        super().__init__(
            f"version {position} of `{table}` is gone",
            kind="not_found",
            hint="snapshots were expired or the table was replaced; run again to read the current version",
        )


def steps_between(table: TableName, metadata: Metadata, *, since: Position, until: Position) -> tuple[Snapshot, ...]:
    """Return the snapshots after one version up to another, oldest first; raise if they do not link any more."""
    steps: list[Snapshot] = []
    position: Position | None = until
    while position is not None and position != since:
        found = metadata.snapshots.get(position)
        if found is None:
            break
        steps.append(found)
        position = metadata.parent(position)
    if position != since:
        raise NotAppended(table, since)
    return tuple(reversed(steps))


def newest_loaded(table: TableName, metadata: Metadata, pin: Pin) -> Position:
    """Return the version to read new rows from: the newest loaded one up to the pin.

    That is the pin itself where a loaded version has all of its rows: a table that was rolled back, for example.
    """
    loaded = [position for position in (pin.since, *pin.loaded) if position is not None]
    line: Position | None = pin.position
    while line is not None and line not in loaded:
        line = metadata.parent(line)
    if line is not None:
        return line
    for position in loaded:
        try:
            require_appends(table, steps_between(table, metadata, since=pin.position, until=position), since=position)
        except NotAppended:
            continue
        return pin.position
    raise NotAppended(table, loaded[0])


def require_kept(table: TableName, metadata: Metadata, since: Position) -> None:
    """Raise unless the version that rows are to be compared with has not expired."""
    if since not in metadata.snapshots:
        raise NotAppended(table, since)


def chains(steps: tuple[Snapshot, ...], *, since: Position) -> tuple[tuple[Position, Position], ...]:
    """Return the stretches of steps that follow one another, as the versions before and at the end of each.

    A step that replaced the table, to lay it out or to build it again, begins another one; its own rows are not new.
    """
    found: list[tuple[Position, Position]] = []
    begin = end = since
    for step in steps:
        if step.parent is None:
            found.append((begin, end))
            begin = step.position
        end = step.position
    return tuple((start, stop) for start, stop in (*found, (begin, end)) if start != stop)


def require_appends(table: TableName, steps: tuple[Snapshot, ...], *, since: Position) -> None:
    """Raise unless every step only added rows, in the one form that Iceberg's append scan does not pass over."""
    for step in steps:
        if not step.is_append and not step.is_content_preserving:
            raise NotAppended(table, since)


def require_version(table: TableName, metadata: Metadata, position: Position) -> None:
    """Raise unless a version can still be read."""
    if position not in metadata.snapshots:
        raise VersionGone(table, position)


def rows_at(table: TableName, metadata: Metadata, pin: Pin) -> int | None:
    """Return how many rows a pinned version has, or were added up to it; None if it is gone."""
    if pin.since is None:
        found = metadata.snapshots.get(pin.position)
        return None if found is None else found.count("total-records")
    since = newest_loaded(table, metadata, pin) if pin.is_past_changes else pin.since
    steps = steps_between(table, metadata, since=since, until=pin.position)
    return sum(step.count("added-records") for step in steps if not step.is_content_preserving)

"""What a history must hold, by other means than the engine's: spans of versions, less those in which a key is away."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from tests.simulation.algebra import Cell, Relation, Row
from tests.simulation.row_writes import aligned

from lamina.compiler.graph import CompiledModel

NEVER = datetime.max
Span = tuple[datetime, datetime]  # without zones: the end of time has none


def expected_history(model: CompiledModel, before: Relation | None, given: Relation, at: datetime) -> Relation:
    """Return the rows of a history after a run at a time found some rows in its source."""
    versions = model.traits.versions
    assert versions is not None, "only a history has one"
    (key,) = versions.key
    others = () if before is None else before.columns
    valid = ("valid_from", "valid_to")
    columns = (*given.columns, *(name for name in others if name not in (*given.columns, *valid)), *valid)
    old = Relation(columns, ()) if before is None else aligned(before, columns)
    new, place = aligned(given, columns), columns.index(key)
    rows: list[Row] = []
    for name in sorted({row[place] for row in (*old.rows, *new.rows)}, key=repr):
        held = sorted((row for row in old.rows if row[place] == name), key=lambda row: _bare(row[-2]))
        found = [row for row in new.rows if row[place] == name]
        if versions.updated_at is not None:
            rows += _in_time(held, found, _bare(at), columns.index(versions.updated_at), at)
        else:
            rows += _by_state(held, found, at, [columns.index(column) for column in versions.checked])
    return Relation(columns, tuple(rows))


def _bare(time: Cell) -> datetime:
    assert isinstance(time, datetime)
    return time.replace(tzinfo=None)


def _in_time(held: list[Row], found: list[Row], now: datetime, by: int, at: datetime) -> list[Row]:
    values: dict[datetime, Row] = {_bare(row[by]): row for row in (*held, *found)}
    starts = sorted(values)
    ends = [NEVER if row[-1] is None else _bare(row[-1]) for row in held]
    begins = [*(_bare(row[-2]) for row in held[1:]), NEVER][: len(held)]
    away = [_until_start(span, starts) for span in zip(ends, begins, strict=True) if span[0] < span[1]]
    is_away = bool(away) and away[-1][1] == NEVER
    if found and is_away:
        left = away.pop()
        away += [(left[0], now)] if now > left[0] else []
    elif not found and not is_away:
        away.append((max(now, _bare(held[-1][-2]) + timedelta(microseconds=1)), NEVER))
    rows = []
    for start, end in zip(starts, [*starts[1:], NEVER], strict=True):
        for part in _less((start, end), away):
            until = None if part[1] == NEVER else part[1].replace(tzinfo=at.tzinfo)
            rows.append((*values[start][:-2], part[0].replace(tzinfo=at.tzinfo), until))
    return rows


def _until_start(span: Span, starts: list[datetime]) -> Span:
    """Return a span in which a key is away: a version that starts in it ends it."""
    return span[0], min((start for start in starts if span[0] <= start < span[1]), default=span[1])


def _less(span: Span, away: list[Span]) -> list[Span]:
    parts = [span]
    for gone in away:
        parts = [
            part
            for start, end in parts
            for part in ((start, min(end, gone[0])), (max(start, gone[1]), end))
            if part[0] < part[1]
        ]
    return parts


def _by_state(held: list[Row], found: list[Row], at: datetime, checked: list[int]) -> list[Row]:
    if not held:
        return [(*found[0][:-2], at, None)]
    *earlier, last = held
    start, end = last[-2], last[-1]
    assert isinstance(start, datetime)
    if not found:
        return held if end is not None else [*earlier, (*last[:-1], max(at, start + timedelta(microseconds=1)))]
    is_same = all(last[place] == found[0][place] for place in checked)
    if end is None:
        if is_same:
            return held
        return [*earlier, (*found[0][:-2], start, None)] if at <= start else [*earlier, *_then(last, found[0], at)]
    assert isinstance(end, datetime)
    if is_same and at <= end:
        return [*earlier, (*last[:-1], None)]
    return [*held, (*found[0][:-2], max(at, end), None)]


def _then(last: Row, new: Row, at: datetime) -> list[Row]:
    return [(*last[:-1], at), (*new[:-2], at, None)]


def wrong_history(model: CompiledModel, table: Relation, given: Relation) -> list[str]:
    """Return what of a history is not as its source says now, or is not valid one after another."""
    versions = model.traits.versions
    assert versions is not None, "only a history has one"
    key, until = table.place(versions.key[0]), table.place("valid_to")
    source = aligned(given, table.columns)
    current = [row for row in table.rows if row[until] is None]
    wrong = []
    if Counter(row[key] for row in current) != Counter({row[key] for row in source.rows}):
        wrong.append(f"{model.name}: current keys are {[row[key] for row in current]}")
    if versions.updated_at is not None:
        time = table.place(versions.updated_at)
        rows: Mapping[tuple[Cell, Cell], Row] = {(row[key], row[time]): row[:-2] for row in table.rows}
        wrong += [
            f"{model.name}: {row} is not there" for row in source.rows if rows.get((row[key], row[time])) != row[:-2]
        ]
    else:
        places = [key, *(table.place(column) for column in versions.checked)]
        states = {tuple(row[place] for place in places) for row in current}
        wrong += [
            f"{model.name}: {row} is not there" for row in source.rows if tuple(row[p] for p in places) not in states
        ]
    return wrong

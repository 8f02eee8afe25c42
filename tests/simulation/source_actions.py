"""What happens to the rows and files of a source."""

from datetime import datetime, timedelta
from typing import Literal

from tests.simulation.algebra import Row
from tests.simulation.lake import Fault
from tests.simulation.project import EVENTS, FILES, POISON, SOURCES
from tests.simulation.world import World

from lamina.values.value import Value

Source = Literal["raw.files", "raw.events", "raw.names"]


class Arrive(Value, frozen=True, tag="arrive", tag_field="act"):
    """Rows come, new or late, by their day."""

    source: Source
    day: int
    count: int
    seed: int

    def happen(self, world: World) -> None:
        rows = world.new_rows(self.source, day=self.day, count=self.count, seed=self.seed)
        _add(world, self.source, rows)


class Tie(Value, frozen=True, tag="tie", tag_field="act"):
    """A row comes at the very time of the latest one that is there, or without a time."""

    source: Literal["raw.files", "raw.events"]
    seed: int
    has_time: bool = True

    def happen(self, world: World) -> None:
        times = [row[1] for row in _rows(world, self.source) if isinstance(row[1], datetime)]
        ((number, at, key, status, amount),) = world.new_rows(self.source, day=1, count=1, seed=self.seed)
        latest = max(times, default=at) if self.has_time else None
        _add(world, self.source, ((number, latest, key, status, amount),))


class Repeat(Value, frozen=True, tag="repeat", tag_field="act"):
    """Some rows come a second time."""

    source: Source
    pick: int

    def happen(self, world: World) -> None:
        rows = _rows(world, self.source)
        if rows:
            _add(world, self.source, (rows[self.pick % len(rows)],))


class Change(Value, frozen=True, tag="change", tag_field="act"):
    """One row changes in place: its amount, its status, its key or its day."""

    source: Source
    pick: int
    what: int

    def happen(self, world: World) -> None:
        if self.source == FILES.name:
            files = sorted(world.files())
            if not files:
                return
            name = files[self.pick % len(files)]
            rows = world.lake.contents[world.files()[name]].rows
            world.put_file(_changed(rows, self.pick, self.what), name)
            return
        rows = world.rows(self.source)
        if rows:
            world.commit(self.source, _changed(rows, self.pick, self.what), is_append=False)


class Swap(Value, frozen=True, tag="swap", tag_field="act"):
    """Two rows exchange their amounts: no value comes or goes."""

    source: Literal["raw.files", "raw.events"]
    pick: int

    def happen(self, world: World) -> None:
        if self.source == FILES.name:
            files = sorted(world.files())
            if files:
                name = files[self.pick % len(files)]
                world.put_file(_swapped(world.lake.contents[world.files()[name]].rows, self.pick), name)
            return
        if rows := world.rows(self.source):
            world.commit(self.source, _swapped(rows, self.pick), is_append=False)


class Detect(Value, frozen=True, tag="detect", tag_field="act"):
    """Changes of a source are found in another way from now on."""

    source: Source
    how: str

    def happen(self, world: World) -> None:
        world.project = world.project.detecting(self.source, self.how)


class Remove(Value, frozen=True, tag="remove", tag_field="act"):
    """A file, or the rows of one place, go away."""

    source: Source
    pick: int

    def happen(self, world: World) -> None:
        if self.source == FILES.name:
            files = sorted(world.files())
            if files:
                world.remember_files()
                world.lake.remove_file(FILES.location, files[self.pick % len(files)])
            return
        rows = world.rows(self.source)
        if rows:
            at = self.pick % len(rows)
            world.commit(self.source, (*rows[:at], *rows[at + 1 :]), is_append=False)


class Vanish(Value, frozen=True, tag="vanish", tag_field="act"):
    """All files of the file source are gone at once, as when a mount is missing; they may come back."""

    def happen(self, world: World) -> None:
        world.remember_files()
        world.lake.folders[FILES.location] = {}


class Revert(Value, frozen=True, tag="revert", tag_field="act"):
    """A source holds again what it held before."""

    source: Source
    back: int

    def happen(self, world: World) -> None:
        if self.source == FILES.name:
            if world.past_folders:
                past = dict(world.past_folders[-1 - self.back % len(world.past_folders)])
                world.remember_files()
                world.lake.folders[FILES.location] = past
            return
        past_rows = world.past_rows.get(self.source, [])
        if past_rows:
            world.commit(self.source, past_rows[-1 - self.back % len(past_rows)], is_append=False)


class Break(Value, frozen=True, tag="break", tag_field="act"):
    """A source cannot be read: not listed, of types that conflict, without its changes, rows, or room for them."""

    source: Source
    how: Fault

    def happen(self, world: World) -> None:
        world.lake.broken[_location(self.source)] = self.how


class Repair(Value, frozen=True, tag="repair", tag_field="act"):
    """A source can be read again."""

    source: Source

    def happen(self, world: World) -> None:
        world.lake.broken.pop(_location(self.source), None)


class Poison(Value, frozen=True, tag="poison", tag_field="act"):
    """A row comes that checks refuse; it goes before the end."""

    source: Literal["raw.files", "raw.events"]
    day: int

    def happen(self, world: World) -> None:
        ((number, at, key, status, _),) = world.new_rows(self.source, day=self.day, count=1, seed=self.day)
        _add(world, self.source, ((number, at, key, status, POISON),))


def heal(world: World) -> None:
    """Repair all sources and take all poison away, and where ids may come once, all rows whose id came before."""
    world.lake.broken.clear()
    seen: set[object] = set()
    for name, version in sorted(world.files().items()):
        rows = world.lake.contents[version].rows
        if (sound := _sound(world, rows, seen)) != rows:
            world.put_file(sound, name)
    rows = world.rows(EVENTS.name)
    if (sound := _sound(world, rows, set())) != rows:
        world.commit(EVENTS.name, sound, is_append=False)


def _sound(world: World, rows: tuple[Row, ...], seen: set[object]) -> tuple[Row, ...]:
    """Return the rows that every check accepts; `seen` are the ids so far."""
    kept = []
    for row in rows:
        is_double = world.project.has_one_id() and row[0] in seen
        if row[-1] != POISON and not is_double:
            kept.append(row)
            seen.add(row[0])
    return tuple(kept)


def _rows(world: World, source: Source) -> tuple[Row, ...]:
    if source != FILES.name:
        return world.rows(source)
    files = world.files()
    return tuple(row for name in sorted(files) for row in world.lake.contents[files[name]].rows)


def _location(source: Source) -> str:
    return next(item.location for item in SOURCES if item.name == source)


def _add(world: World, source: Source, rows: tuple[Row, ...]) -> None:
    if source == FILES.name:
        world.put_file(rows)
    else:
        world.commit(source, world.rows(source) + rows, is_append=True)


def _changed(rows: tuple[Row, ...], pick: int, what: int) -> tuple[Row, ...]:
    at = pick % len(rows)
    row = rows[at]
    if len(row) == 2:
        new: Row = (row[0], what % 5)
    else:
        number, moment, key, status, amount = row
        match what % 4:
            case 0:
                new = (number, moment, key, status, what % 7)
            case 1:
                new = (number, moment, key, "paid" if status == "new" else "new", amount)
            case 2:
                new = (number, moment, "abc"[what % 3], status, amount)
            case _ if isinstance(moment, datetime):
                new = (number, moment + timedelta(days=what % 3 - 1), key, status, amount)
            case _:
                new = (number, None, key, status, what % 5)
    return (*rows[:at], new, *rows[at + 1 :])


def _swapped(rows: tuple[Row, ...], pick: int) -> tuple[Row, ...]:
    one, other = pick % len(rows), (pick // 7 + 1) % len(rows)
    if one == other:
        return rows
    new = list(rows)
    new[one], new[other] = (*rows[one][:-1], rows[other][-1]), (*rows[other][:-1], rows[one][-1])
    return tuple(new)

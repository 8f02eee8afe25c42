"""What happens in a schedule: each action says all it needs in small numbers, so that others can be dropped."""

from datetime import datetime, timedelta
from typing import Literal

from tests.simulation.algebra import Row
from tests.simulation.project import EVENTS, FILES, NAMES, POISON
from tests.simulation.world import World, forget_state, restore_state

from lamina.values.names import TableName
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


class Maintain(Value, frozen=True, tag="maintain", tag_field="act"):
    """Somebody compacts, expires, rolls back or sets a property of a table; rows change by rolling back only."""

    pick: int
    how: Literal["compact", "expire", "roll_back", "property"]

    def happen(self, world: World) -> None:
        names = (EVENTS.name, NAMES.name, *(design.name for design in world.project.designs))
        table = TableName(names[self.pick % len(names)])
        match self.how:
            case "compact":
                world.lake.compact(table)
            case "expire":
                world.lake.expire(table, 1)
            case "property":
                world.lake.set_property(table)
            case "roll_back":
                world.lake.roll_back(table, 1)


class Meddle(Value, frozen=True, tag="meddle", tag_field="act"):
    """Somebody writes into a managed table, or drops it."""

    pick: int
    how: Literal["double", "empty", "drop"]

    def happen(self, world: World) -> None:
        table = world.target(self.pick)
        metadata = world.lake.table(table)
        if metadata is None:
            return
        rows = metadata.head.relation.rows
        match self.how:
            case "double":
                world.write_foreign(table, rows + rows)
            case "empty":
                world.write_foreign(table, ())
            case "drop":
                world.lake.drop(table)


class Edit(Value, frozen=True, tag="edit", tag_field="act"):
    """A model's code changes, perhaps back to what it was."""

    pick: int
    edition: int

    def happen(self, world: World) -> None:
        world.project = world.project.edited(str(world.target(self.pick)), self.edition)


class Poison(Value, frozen=True, tag="poison", tag_field="act"):
    """A row comes that checks refuse; it goes before the end."""

    source: Literal["raw.files", "raw.events"]
    day: int

    def happen(self, world: World) -> None:
        ((number, at, key, status, _),) = world.new_rows(self.source, day=self.day, count=1, seed=self.day)
        _add(world, self.source, ((number, at, key, status, POISON),))


def heal(world: World) -> None:
    """Take all poison away."""
    for name, version in sorted(world.files().items()):
        rows = world.lake.contents[version].rows
        if any(row[-1] == POISON for row in rows):
            world.put_file(tuple(row for row in rows if row[-1] != POISON), name)
    rows = world.rows(EVENTS.name)
    if any(row[-1] == POISON for row in rows):
        world.commit(EVENTS.name, tuple(row for row in rows if row[-1] != POISON), is_append=False)


class Pass(Value, frozen=True, tag="pass", tag_field="act"):
    """Time passes."""

    hours: int

    def happen(self, world: World) -> None:
        world.now += timedelta(hours=self.hours)


class Forget(Value, frozen=True, tag="forget", tag_field="act"):
    """The state is lost; the tables and their marks are all there is."""

    def happen(self, world: World) -> None:
        forget_state(world.path)


class Restore(Value, frozen=True, tag="restore", tag_field="act"):
    """The state is put back to a copy of it that was made `back` runs ago."""

    back: int

    def happen(self, world: World) -> None:
        if world.copies:
            restore_state(world.path, world.copies[-1 - self.back % len(world.copies)])


Happening = Arrive | Repeat | Change | Remove | Revert | Maintain | Meddle | Edit | Poison | Pass


class At(Value, frozen=True):
    """Something that happens when a run passes a failpoint for the nth time."""

    failpoint: str
    nth: int
    what: Literal["crash", "other_run", "other_crash"] | Happening


Flag = Literal["force", "full_refresh", "missing", "lookback", "retry"]


class Run(Value, frozen=True, tag="run", tag_field="act"):
    """A run of the real executor; `lost` is the publish whose answer is lost."""

    models: tuple[int, ...] | None = None
    batch_size: int | None = None
    trouble: At | None = None
    lost: int | None = None
    flag: Flag | None = None


Action = Happening | Run | Forget | Restore


def _rows(world: World, source: Source) -> tuple[Row, ...]:
    if source != FILES.name:
        return world.rows(source)
    files = world.files()
    return tuple(row for name in sorted(files) for row in world.lake.contents[files[name]].rows)


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
            case _:
                assert isinstance(moment, datetime)
                new = (number, moment + timedelta(days=what % 3 - 1), key, status, amount)
    return (*rows[:at], new, *rows[at + 1 :])

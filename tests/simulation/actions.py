"""What happens in a schedule: each action says all it needs in small numbers, so that others can be dropped."""

from datetime import datetime, timedelta
from typing import Literal

from tests.simulation.algebra import Row
from tests.simulation.lake import Fault
from tests.simulation.project import EVENTS, FILES, NAMES, NOON, POISON, SOURCES
from tests.simulation.watch import Violation
from tests.simulation.world import FIRST_NOW, FOREIGN_KEY, World, forget_state, restore_state

from lamina.strategies.history import keeps_history
from lamina.values.names import ModelName, TableName
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


class Maintain(Value, frozen=True, tag="maintain", tag_field="act"):
    """Someone compacts, expires, rolls back or sets a property of a table; rows change by rolling back only."""

    pick: int
    how: Literal["compact", "expire", "roll_back", "property"]

    def happen(self, world: World) -> None:
        names = (EVENTS.name, NAMES.name, *(design.name for design in world.project.designs))
        table = TableName(names[self.pick % len(names)])
        if world.lake.is_lost(table):
            return
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
    """Someone writes into a managed table, or drops it, without its files or with them."""

    pick: int
    how: Literal["double", "empty", "add", "drop", "purge"]

    def happen(self, world: World) -> None:
        table = world.target(self.pick)
        metadata = world.lake.table(table)
        if metadata is None or (world.lake.is_lost(table) and self.how not in ("drop", "purge")):
            return
        rows = metadata.head.relation.rows
        match self.how:
            case "double":
                world.write_foreign(table, rows + rows)
            case "empty":
                world.write_foreign(table, ())
            case "add":
                at = metadata.head.relation.columns.index("key")
                world.write_foreign(table, (*rows, *((*row[:at], FOREIGN_KEY, *row[at + 1 :]) for row in rows[:1])))
            case "drop":
                world.drop_row(table)
            case "purge":
                world.lake.purge(table)
                world.dropped.discard(table)


class Lose(Value, frozen=True, tag="lose", tag_field="act"):
    """Files of a managed table are deleted; only of one whose rows can all be computed again."""

    pick: int
    what: Literal["metadata", "rows"]

    def happen(self, world: World) -> None:
        table = world.target(self.pick)
        pointer = world.lake.pointer(table)
        if pointer is None:
            return
        model = world.compile()[0].model(ModelName(table))
        if not keeps_history(model.traits, model.inputs):
            world.lake.lost[pointer] = self.what


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


class Edit(Value, frozen=True, tag="edit", tag_field="act"):
    """A model's code changes, perhaps back to what it was."""

    pick: int
    edition: int

    def happen(self, world: World) -> None:
        world.project = world.project.edited(str(world.target(self.pick)), self.edition)


class Restart(Value, frozen=True, tag="restart", tag_field="act"):
    """A model's time begins on another day: what was built before it is kept, and no longer due."""

    pick: int
    day: int

    def happen(self, world: World) -> None:
        world.project = world.project.restarted(str(world.target(self.pick)), self.day)


class Demand(Value, frozen=True, tag="demand", tag_field="act"):
    """The `unique` check of a model is declared, whatever its table holds by then, or it is taken away."""

    pick: int
    is_open: bool

    def happen(self, world: World) -> None:
        world.project = world.project.demanding(str(world.target(self.pick)), is_open=self.is_open)


class Release(Value, frozen=True, tag="release", tag_field="act"):
    """A model's days are released at noon, or at midnight; then one day more or less is due."""

    pick: int
    is_at_noon: bool

    def happen(self, world: World) -> None:
        name, cron = str(world.target(self.pick)), NOON if self.is_at_noon else None
        if world.project.is_timed(name):
            world.project = world.project.released(name, cron)


class Relayout(Value, frozen=True, tag="relayout", tag_field="act"):
    """A model's table is to be laid out in another way, perhaps back as it was."""

    pick: int
    layout: int

    def happen(self, world: World) -> None:
        world.project = world.project.laid_out(str(world.target(self.pick)), self.layout)


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


class Pass(Value, frozen=True, tag="pass", tag_field="act"):
    """Time passes, or runs are given an earlier time; the first days are always due."""

    hours: int

    def happen(self, world: World) -> None:
        world.now = max(world.now + timedelta(hours=self.hours), FIRST_NOW)
        world.latest = max(world.latest, world.now)


class Forget(Value, frozen=True, tag="forget", tag_field="act"):
    """The state is lost; the tables and their marks are all there is."""

    def happen(self, world: World) -> None:
        forget_state(world.path)
        world.left.clear()


class Restore(Value, frozen=True, tag="restore", tag_field="act"):
    """The state is put back to a copy of it that was made `back` runs ago."""

    back: int

    def happen(self, world: World) -> None:
        if world.copies:
            restore_state(world.path, world.copies[-1 - self.back % len(world.copies)])
            world.left.clear()


class LoseFile(Value, frozen=True, tag="lose_file", tag_field="act"):
    """The file that holds state and catalog is lost, or put back to a copy that was made `back` runs ago."""

    back: int | None = None

    def happen(self, world: World) -> None:
        before = world.pointers()
        world.left.clear()
        if self.back is None:
            world.lose_file(None)
        elif world.copies:
            world.lose_file(-1 - self.back % len(world.copies))
        after = world.pointers()
        # An old copy may have named files that were purged since: those are not found again.
        for table, pointer in sorted(before.items()):
            if pointer in world.lake.purged:
                continue
            if table not in after or pointer not in world.lake.line(after[table]):
                raise Violation(f"I3 {table} is at {after.get(table)}, which does not follow {pointer}")
        for table in sorted(world.dropped & set(after) - set(before)):
            raise Violation(f"I3 {table} was dropped and is back at {after[table]}")


class Drop(Value, frozen=True, tag="drop", tag_field="act"):
    """A user drops the table of a model; its files stay, as if the command had been killed before it removed them."""

    pick: int


Happening = (
    Arrive
    | Repeat
    | Change
    | Remove
    | Vanish
    | Revert
    | Maintain
    | Meddle
    | Lose
    | Break
    | Repair
    | Edit
    | Restart
    | Demand
    | Release
    | Relayout
    | Poison
    | Pass
)


class At(Value, frozen=True):
    """Something that happens when a run passes a failpoint for the nth time."""

    failpoint: str
    nth: int
    what: Literal["crash", "other_run", "other_crash"] | Happening


Flag = Literal["force", "full_refresh", "accept_loss", "accept_empty", "missing", "lookback", "retry"]


class Run(Value, frozen=True, tag="run", tag_field="act"):
    """A run of the real executor; `lost` is the publish whose answer is lost."""

    models: tuple[int, ...] | None = None
    batch_size: int | None = None
    trouble: At | None = None
    lost: int | None = None
    flag: Flag | None = None


Action = Happening | Run | Drop | Forget | Restore | LoseFile


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
            case _:
                assert isinstance(moment, datetime)
                new = (number, moment + timedelta(days=what % 3 - 1), key, status, amount)
    return (*rows[:at], new, *rows[at + 1 :])

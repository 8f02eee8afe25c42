"""What others do to the tables of a project."""

from typing import Literal

from tests.simulation.project import EVENTS, NAMES
from tests.simulation.world import FOREIGN_KEY, World

from lamina.strategies.history import keeps_history
from lamina.values.names import ModelName, TableName
from lamina.values.value import Value


class Maintain(Value, frozen=True, tag="maintain", tag_field="act"):
    """Someone compacts, expires, rolls back or sets a property of a table; rows change by rolling back only."""

    pick: int
    how: Literal["compact", "expire", "roll_back", "property"]

    def happen(self, world: World) -> None:
        sources = (TableName(EVENTS.name), TableName(NAMES.name))
        tables = (*sources, *(world.place(design.name) for design in world.project.designs))
        table = tables[self.pick % len(tables)]
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
        name = world.model(self.pick)
        table = world.place(name)
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
                world.drop_row(name)
            case "purge":
                world.lake.purge(table)
                world.dropped.discard(name)


class Lose(Value, frozen=True, tag="lose", tag_field="act"):
    """Files of a managed table are deleted; only of one whose rows can all be computed again."""

    pick: int
    what: Literal["metadata", "rows"]

    def happen(self, world: World) -> None:
        name = world.model(self.pick)
        pointer = world.lake.pointer(world.place(name))
        if pointer is None:
            return
        model = world.compile()[0].model(ModelName(name))
        if not keeps_history(model.traits, model.inputs):
            world.lake.lost[pointer] = self.what


class Disturb(Value, frozen=True, tag="disturb", tag_field="act"):
    """Someone compacts the quarantine of a table, sets a property of it, or drops it without its files."""

    pick: int
    how: Literal["compact", "property", "drop"]

    def happen(self, world: World) -> None:
        name = world.model(self.pick)
        table = world.quarantine_place(name)
        if world.lake.table(table) is None:
            return
        match self.how:
            case "compact":
                world.lake.compact(table)
            case "property":
                world.lake.set_property(table)
            case "drop":
                world.lake.drop(table)
                world.unlisted.add(name)

"""What users change of the models of a project."""

from tests.simulation.project import NOON
from tests.simulation.world import World

from lamina.values.value import Value


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

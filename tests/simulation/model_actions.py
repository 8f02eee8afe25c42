"""What users change of the models of a project."""

from tests.simulation.project import NOON
from tests.simulation.world import World

from lamina.values.grid import Unit
from lamina.values.value import Value


class Edit(Value, frozen=True, tag="edit", tag_field="act"):
    """A model's code changes, perhaps back to what it was."""

    pick: int
    edition: int

    def happen(self, world: World) -> None:
        world.project = world.project.edited(world.model(self.pick), self.edition)


class Restart(Value, frozen=True, tag="restart", tag_field="act"):
    """A model's time begins on another day: what was built before it is kept, and no longer due."""

    pick: int
    day: int

    def happen(self, world: World) -> None:
        world.project = world.project.restarted(world.model(self.pick), self.day)


class Demand(Value, frozen=True, tag="demand", tag_field="act"):
    """The `unique` check of a model is declared, whatever its table holds by then, or it is taken away."""

    pick: int
    is_open: bool

    def happen(self, world: World) -> None:
        world.project = world.project.demanding(world.model(self.pick), is_open=self.is_open)


class Guard(Value, frozen=True, tag="guard", tag_field="act"):
    """A model is to refuse batches that are unlike the ones before, or takes them all again."""

    pick: int
    is_guarded: bool

    def happen(self, world: World) -> None:
        world.project = world.project.guarding(world.model(self.pick), is_guarded=self.is_guarded)


class Release(Value, frozen=True, tag="release", tag_field="act"):
    """A model's days are released at noon, or at midnight; then one day more or less is due."""

    pick: int
    is_at_noon: bool

    def happen(self, world: World) -> None:
        name, cron = world.model(self.pick), NOON if self.is_at_noon else None
        if world.project.is_timed(name):
            world.project = world.project.released(name, cron)


class Redo(Value, frozen=True, tag="redo", tag_field="act"):
    """Every run builds other slices of a model again, or only stale ones."""

    pick: int
    rebuild: str

    def happen(self, world: World) -> None:
        name = world.model(self.pick)
        if world.project.is_timed(name) and not world.project.is_loaded_once(name):
            world.project = world.project.redoing(name, self.rebuild)


class Relayout(Value, frozen=True, tag="relayout", tag_field="act"):
    """A model's table is to be laid out in another way, perhaps back as it was."""

    pick: int
    layout: int

    def happen(self, world: World) -> None:
        world.project = world.project.laid_out(world.model(self.pick), self.layout)


class Rename(Value, frozen=True, tag="rename", tag_field="act"):
    """A model's table gets another name, perhaps one that another table has or had; two models may swap theirs."""

    pick: int
    to: int

    def happen(self, world: World) -> None:
        tables = (*(design.name for design in world.project.designs), "m.x")
        world.project = world.project.renamed(world.model(self.pick), tables[self.to % len(tables)])


class Call(Value, frozen=True, tag="call", tag_field="act"):
    """A model gets another name, once."""

    pick: int

    def happen(self, world: World) -> None:
        name = world.model(self.pick)
        if all(design.renamed_from is None for design in world.project.designs if design.name == name):
            world.call(name, f"{name}_now")


class Forward(Value, frozen=True, tag="forward", tag_field="act"):
    """A change of a model's code leaves built days as they are from now on, or rebuilds them."""

    pick: int
    is_forward: bool

    def happen(self, world: World) -> None:
        world.project = world.project.forwarded(world.model(self.pick), is_forward=self.is_forward)


class Regrid(Value, frozen=True, tag="regrid", tag_field="act"):
    """A model's slices are to be longer or shorter, perhaps as they were."""

    pick: int
    unit: Unit

    def happen(self, world: World) -> None:
        world.project = world.project.regridded(world.model(self.pick), self.unit)

"""What happens in a schedule: each action says all it needs in small numbers, so that others can be dropped."""

from datetime import timedelta
from typing import Literal

from tests.simulation.model_actions import (
    Call,
    Demand,
    Edit,
    Forward,
    Guard,
    Redo,
    Regrid,
    Relayout,
    Release,
    Rename,
    Restart,
)
from tests.simulation.neighbours import Neighbour
from tests.simulation.source_actions import (
    Arrive,
    Break,
    Change,
    Detect,
    Poison,
    Remove,
    Repair,
    Repeat,
    Revert,
    Swap,
    Tie,
    Vanish,
)
from tests.simulation.table_actions import Disturb, Lose, Maintain, Meddle
from tests.simulation.watch import Violation
from tests.simulation.world import FIRST_NOW, World, forget_state, restore_state

from lamina.values.names import is_quarantine, without_quarantine
from lamina.values.value import Value


class Pass(Value, frozen=True, tag="pass", tag_field="act"):
    """Time passes, or runs are given an earlier time; the first days are always due."""

    hours: int

    def happen(self, world: World) -> None:
        world.now = max(world.now + timedelta(hours=self.hours), FIRST_NOW)
        world.latest = max(world.latest, world.now)


class Upgrade(Value, frozen=True, tag="upgrade", tag_field="act"):
    """A new version of lamina compiles the same text to other fingerprints."""

    def happen(self, world: World) -> None:
        world.compiler += 1


class Beside(Value, frozen=True, tag="beside", tag_field="act"):
    """Another project, or another environment of this one, that shares catalog and state is run."""

    other: Neighbour = "project"


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
        before, placed = world.pointers(), world.placed()
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
            # Without its table a quarantine belongs to nothing.
            if is_quarantine(table) and without_quarantine(table) not in before:
                continue
            # Its name may be an older one until the next run.
            if not any(pointer in world.lake.line(there) for there in after.values()):
                raise Violation(f"I3 nothing follows {pointer} of {table}: {after}")
        for name in sorted(world.dropped & set(world.placed()) - set(placed)):
            raise Violation(f"I3 {name} was dropped and is back at {world.placed()[name]}")


class Drop(Value, frozen=True, tag="drop", tag_field="act"):
    """A user drops the table of a model; its files stay, as if the command had been killed before it removed them."""

    pick: int


Happening = (
    Arrive
    | Repeat
    | Tie
    | Change
    | Swap
    | Detect
    | Remove
    | Vanish
    | Revert
    | Maintain
    | Meddle
    | Disturb
    | Lose
    | Break
    | Repair
    | Edit
    | Restart
    | Demand
    | Guard
    | Release
    | Forward
    | Redo
    | Regrid
    | Relayout
    | Rename
    | Call
    | Poison
    | Pass
    | Upgrade
)


class At(Value, frozen=True):
    """Something that happens when a run passes a failpoint for the nth time."""

    failpoint: str
    nth: int
    what: Literal["crash", "other_run", "other_crash"] | Happening


Flag = Literal["force", "full_refresh", "accept_loss", "accept_empty", "missing", "lookback", "retry"]


class Run(Value, frozen=True, tag="run", tag_field="act"):
    """A run of the real executor; `lost` is the publish whose answer is lost.

    With `behind`, each model builds its first batch from inputs so many versions before their newest.
    """

    models: tuple[int, ...] | None = None
    batch_size: int | None = None
    trouble: At | None = None
    lost: int | None = None
    flag: Flag | None = None
    behind: int = 0


Action = Happening | Run | Drop | Beside | Forget | Restore | LoseFile

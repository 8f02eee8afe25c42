"""Random schedules: what outsiders do, when runs happen, and what goes wrong in them."""

from random import Random

from tests.simulation.actions import (
    Action,
    At,
    Beside,
    Drop,
    Flag,
    Forget,
    Happening,
    LoseFile,
    Pass,
    Restore,
    Run,
    Upgrade,
)
from tests.simulation.model_actions import (
    Demand,
    Edit,
    Forward,
    Guard,
    Redo,
    Regrid,
    Relayout,
    Release,
    Restart,
)
from tests.simulation.neighbours import NEIGHBOURS
from tests.simulation.project import DETECTORS, REBUILDS, Project, random_project
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
    Source,
    Swap,
    Tie,
    Vanish,
)
from tests.simulation.table_actions import Disturb, Lose, Maintain, Meddle

from lamina.executor.failpoint import NAMES as FAILPOINTS
from lamina.values.value import Value

FLAGS: tuple[Flag, ...] = (
    "force",
    "full_refresh",
    "full_refresh",
    "accept_loss",
    "accept_empty",
    "missing",
    "lookback",
    "retry",
)
SOURCES: tuple[Source, ...] = ("raw.files", "raw.events", "raw.names")


class Schedule(Value, frozen=True):
    """A project and all that happens to it, in order."""

    project: Project
    actions: tuple[Action, ...]

    def __str__(self) -> str:
        return "\n".join((*map(str, self.project.designs), *map(repr, self.actions)))


def random_schedule(seed: int) -> Schedule:
    """Return the schedule of a seed."""
    random = Random(seed)
    project = random_project(random)
    actions: list[Action] = [_arrival(random, today=3) for _ in range(random.randint(1, 4))]
    today = 3
    for _ in range(random.randint(4, 16)):
        action = _action(random, today=today)
        today = max(today + action.hours // 24, 3) if isinstance(action, Pass) else today
        actions.append(action)
    return Schedule(project, tuple(actions))


def _action(random: Random, *, today: int) -> Action:
    chance = random.random()
    if chance < 0.02:
        return Forget()
    if chance < 0.04:
        return Restore(random.randrange(3))
    if chance < 0.06:
        return LoseFile(random.choice((None, 0, 1, 2)))
    if chance < 0.075:
        return Drop(random.randrange(100))
    if chance < 0.1:
        return Beside(random.choice(tuple(NEIGHBOURS)))
    return _run(random, today=today) if chance < 0.43 else _happening(random, today=today)


def _happening(random: Random, *, today: int) -> Happening:
    source, pick = random.choice(SOURCES), random.randrange(100)
    choices: tuple[tuple[int, Happening], ...] = (
        (6, _arrival(random, today=today)),
        (1, Repeat(source, pick)),
        (3, Change(source, pick, random.randrange(100))),
        (1, Swap(random.choice(("raw.files", "raw.events")), pick)),
        (1, Detect(source, random.choice(sorted(DETECTORS)))),
        (2, Remove(source, pick)),
        (1, Vanish()),
        (2, Revert(source, random.randrange(3))),
        (2, Maintain(pick, random.choice(("compact", "expire", "roll_back", "property")))),
        (1, Meddle(pick, random.choice(("double", "empty", "add", "drop", "purge")))),
        (1, Disturb(pick, random.choice(("compact", "property", "drop")))),
        (1, Lose(pick, random.choice(("metadata", "rows")))),
        (1, Break(source, random.choice(("listing", "types", "changes", "rows", "memory")))),
        (1, Repair(source)),
        (2, Edit(pick, random.randrange(3))),
        (1, Restart(pick, random.randrange(2))),
        (1, Demand(pick, random.random() < 0.4)),
        (1, Guard(pick, random.random() < 0.5)),
        (1, Release(pick, random.random() < 0.5)),
        (1, Forward(pick, random.random() < 0.6)),
        (1, Redo(pick, random.choice(REBUILDS))),
        (1, Relayout(pick, random.randrange(2))),
        (2, Regrid(pick, random.choice(("hour", "day", "week")))),
        (1, Pass(7 * 24)),
        (1, Poison(random.choice(("raw.files", "raw.events")), random.randrange(today + 1))),
        (3, Pass(random.choice((1, 24, 24, 48, -24)))),
        (1, Upgrade()),
        (2, Tie(random.choice(("raw.files", "raw.events")), random.randrange(10_000), random.random() < 0.7)),
    )
    return random.choices([item for _, item in choices], [weight for weight, _ in choices])[0]


def _arrival(random: Random, *, today: int) -> Arrive:
    day = today - 1 if random.random() < 0.5 else random.randrange(today + 1)
    return Arrive(random.choice(SOURCES), day, random.randint(1, 3), random.randrange(10_000))


def _run(random: Random, *, today: int) -> Run:
    models = tuple(random.randrange(6) for _ in range(2)) if random.random() < 0.15 else None
    batch_size = random.randint(1, 4) if random.random() < 0.3 else None
    lost = random.randint(1, 3) if random.random() < 0.08 else None
    flag = random.choice(FLAGS) if random.random() < 0.15 else None
    behind = random.choice((0, 0, 0, 0, 0, 0, 1, 1, 2))
    return Run(models, batch_size, _trouble(random, today=today), lost, flag, behind)


def _trouble(random: Random, *, today: int) -> At | None:
    if random.random() < 0.45:
        return None
    nth = random.choice((1, 1, 1, 2, 3))
    chance = random.random()
    failpoint = random.choice(FAILPOINTS)
    if chance < 0.5:
        return At(failpoint, nth, "crash")
    if chance < 0.65:
        return At(failpoint, nth, random.choice(("other_run", "other_run", "other_crash")))
    return At(failpoint, nth, _happening(random, today=today))

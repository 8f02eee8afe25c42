"""Random projects: chains of simulated models whose code can be edited and reverted."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from tests.simulation.algebra import Expression, Group, Join, Keep, Pick, Read, Spread, Union, columns_of
from tests.simulation.models import simulated_graph, simulated_model, simulated_source

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import DeleteInsert, FullRefresh, Incremental, Merge, Strategy, TimeInterval
from lamina.values.names import ColumnName, Fingerprint, TableName
from lamina.values.value import Value

EVENT_COLUMNS = ("id", "ts", "key", "status", "amount")
FILES = simulated_source("raw.files", EVENT_COLUMNS, is_files=True)
EVENTS = simulated_source("raw.events", EVENT_COLUMNS, is_files=False)
NAMES = simulated_source("raw.names", ("key", "weight"), is_files=False)
SOURCES: tuple[SourceTable, ...] = (FILES, EVENTS, NAMES)
START = date(2026, 1, 1)
# No sum of sound rows comes near it.
POISON = 100_000
NOON = "0 12 * * *"
HOURLY = "0 * * * *"  # of models whose last day is built in part
MOST_AHEAD = 2  # days after a slice that it reads
ONE_ID = CheckSettings(type="unique", column=ColumnName("id"), scope="table")
NO_POISON = CheckSettings(type="in_range", column=ColumnName("amount"), min=0, max=9_999)
KEY_OF_INPUT = CheckSettings(type="relationships", column=ColumnName("key"), field=ColumnName("key"))


class Design(Value, frozen=True):
    """A model as a template with its inputs; `edition` is what a code edit changes."""

    name: str
    template: str
    inputs: tuple[str, ...]
    edition: int = 0
    batch_size: int = 2
    lookback: int = 0
    cron: str | None = None
    is_checked: bool = False  # refuses rows that are poison
    layout: int = 0
    start: int = 0  # the day its time begins with
    is_partial: bool = False  # its last day is built as far as it has come
    is_open: bool = False  # declares no `unique` check, so that ids may come twice

    def __str__(self) -> str:
        return f"{self.name} = {self.template}({', '.join(self.inputs)}) edition {self.edition}"


@dataclass(frozen=True)
class Made:
    """A design turned into a query and a strategy."""

    query: Expression
    strategy: Strategy


@dataclass(frozen=True)
class Shape:
    """What readers need to know of a table."""

    columns: tuple[str, ...]
    time: str | None


Template = Callable[[Design, tuple[Shape, ...]], Made]


def _timed(design: Design, query: Expression, time: str) -> Made:
    return Made(query, TimeInterval(ColumnName(time), lookback=design.lookback, batch_size=design.batch_size))


def _rows(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Rows of an input, filtered; the status comes and goes with the code."""
    (shape,), time = shapes, str(shapes[0].time)
    extra = ("status",) if "status" in shape.columns and design.edition % 2 == 0 else ()
    read = Read(design.inputs[0], (time, "key", *extra, "amount"), by=time)
    return _timed(design, Keep(read, "amount", ">", design.edition % 3), time)


def _daily(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Sums of each day and key."""
    time = str(shapes[0].time)
    read = Read(design.inputs[0], (time, "key", "amount"), by=time)
    picked = Pick(read, (("day", time, "day"), ("key", "key", "same"), ("amount", "amount", design.edition % 3)))
    daily = Group(picked, ("day", "key"), (("amount", "sum", "amount"), ("n", "count", "amount")))
    return _timed(design, daily, "day")


def _trailing(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Sums over each day and the days before it."""
    time, back = str(shapes[0].time), 1 + design.edition % 3
    read = Read(design.inputs[0], (time, "key", "amount"), by=time, back=back)
    picked = Pick(read, (("day", time, "day"), ("key", "key", "same"), ("amount", "amount", "same")))
    spread = Spread(picked, "day", 0, back)
    return _timed(design, Group(spread, ("day", "key"), (("amount", "sum", "amount"),)), "day")


def _leading(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Sums over each day, the days after it and perhaps the one before."""
    time, (back, ahead) = str(shapes[0].time), ((0, 1), (0, MOST_AHEAD), (1, 1))[design.edition % 3]
    read = Read(design.inputs[0], (time, "key", "amount"), by=time, back=back, ahead=ahead)
    picked = Pick(read, (("day", time, "day"), ("key", "key", "same"), ("amount", "amount", "same")))
    spread = Spread(picked, "day", -ahead, back)
    return _timed(design, Group(spread, ("day", "key"), (("amount", "sum", "amount"),)), "day")


def _running(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Yesterday's balance of the same table and today's rows."""
    time = str(shapes[0].time)
    today = Pick(
        Read(design.inputs[0], (time, "key", "amount"), by=time),
        (("day", time, "day"), ("key", "key", "same"), ("amount", "amount", design.edition % 3)),
    )
    yesterday = Spread(Read(design.name, ("day", "key", "amount"), by="day", back=1), "day", 1, 1)
    balance = Group(Union(today, yesterday), ("day", "key"), (("amount", "sum", "amount"),))
    return _timed(design, balance, "day")


def _enriched(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Rows of an interval input with the weight of their key, read whole."""
    time = str(shapes[0].time)
    extra = ("status",) if "status" in shapes[0].columns else ()
    read = Read(design.inputs[0], (time, "key", *extra, "amount"), by=time)
    weights = Read(design.inputs[1], _weights(shapes[1]))
    return _timed(design, Join(Keep(read, "amount", ">", design.edition % 3), _one_each(weights), ("key",)), time)


def _union(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """The days of two inputs together."""
    parts = []
    for name, shape in zip(design.inputs, shapes, strict=True):
        read = Read(name, (str(shape.time), "key", "amount"), by=str(shape.time))
        how = design.edition % 3
        parts.append(Pick(read, (("day", str(shape.time), "day"), ("key", "key", "same"), ("amount", "amount", how))))
    return _timed(design, Union(parts[0], parts[1]), "day")


def _totals(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Sums of each key over everything."""
    column = "amount" if "amount" in shapes[0].columns else "weight"
    read = Keep(Read(design.inputs[0], ("key", column)), column, ">", design.edition % 3)
    return Made(Group(read, ("key",), (("amount", "sum", column), ("n", "count", column))), FullRefresh())


def _joined(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """All rows of an input with the weight of their key."""
    left = Read(design.inputs[0], ("key", "amount"))
    weights = Read(design.inputs[1], _weights(shapes[1]))
    return Made(Join(Keep(left, "amount", ">", design.edition % 3), _one_each(weights), ("key",)), FullRefresh())


def _appended(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Rows of an input, each loaded once."""
    time = str(shapes[0].time)
    read = Read(design.inputs[0], (time, "key", "amount"))
    return Made(Keep(read, "amount", ">", design.edition % 3), Incremental(driver=TableName(design.inputs[0])))


def _kept(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """New rows of the files, each loaded once, whatever happens to old ones."""
    # What was loaded once stays, so it takes no poison.
    read = Keep(Read(str(FILES.name), ("id", "ts", "key", "amount")), "amount", "<>", POISON)
    return Made(Keep(read, "amount", ">", design.edition % 3), Incremental(driver=TableName(FILES.name)))


def _kept_merged(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """The newest row of each key that the files ever had; some editions drop keys that are gone."""
    made = _merged(design.replace(inputs=(str(FILES.name),)), ())
    assert isinstance(made.strategy, Merge)
    return Made(made.query, made.strategy.replace(on_delete="delete")) if design.edition % 3 == 2 else made


def _kept_days(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Rows of the files, day by day; built days stay as they are, whatever happens to the files."""
    read = Keep(Read(str(FILES.name), ("id", "ts", "key", "amount"), by="ts"), "amount", "<>", POISON)
    return _timed(design, Keep(read, "amount", ">", design.edition % 3), "ts")


def _logged(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """New slices of a table, each loaded once, whatever happens to old ones."""
    time = str(shapes[0].time)
    # What was loaded once stays, so it takes no poison, nor a sum of it.
    read = Keep(Read(design.inputs[0], (time, "key", "amount")), "amount", "<", POISON)
    return Made(Keep(read, "amount", ">", design.edition % 3), Incremental(driver=TableName(design.inputs[0])))


def _merged(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """The newest row of each key."""
    read = Read(design.inputs[0], ("id", "ts", "key", "amount"))
    order = (ColumnName("ts"), ColumnName("id"))
    strategy = Merge((ColumnName("key"),), driver=TableName(design.inputs[0]), order_by=order)
    # What a merge once took in stays, so it takes no poison.
    sound = Keep(read, "amount", "<>", POISON)
    return Made(Keep(sound, "amount", ">", design.edition % 3), strategy)


def _renamed(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """The newest row of each key; its status gets another name by an edit of the code, or is left out."""
    columns = ("id", "ts", "key", "status", "amount")
    # What a merge once took in stays, so it takes no poison.
    sound = Keep(Read(design.inputs[0], columns), "amount", "<>", POISON)
    names = {"id": "id", "ts": "ts", "key": "key", "amount": "amount"}
    names |= ({"status": "status"}, {"state": "status"}, {})[design.edition % 3]
    picked = Pick(sound, tuple((name, source, "same") for name, source in names.items()))
    order = (ColumnName("ts"), ColumnName("id"))
    return Made(picked, Merge((ColumnName("key"),), driver=TableName(design.inputs[0]), order_by=order))


def _listed(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Rows of a source with their ids, each of which may come once in the whole table."""
    read = Read(design.inputs[0], ("id", "ts", "key", "amount"), by="ts")
    return _timed(design, Keep(read, "amount", ">", design.edition % 3), "ts")


def _loaded(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Rows of a source with their ids, each loaded once."""
    read = Read(design.inputs[0], ("id", "ts", "key", "amount"))
    return Made(Keep(read, "amount", ">", design.edition % 3), Incremental(driver=TableName(design.inputs[0])))


def _replaced(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Rows of an input; those of a key are replaced together."""
    read = Read(design.inputs[0], ("id", "ts", "key", "amount"))
    # What it once took in may stay, so it takes no poison.
    sound = Keep(read, "amount", "<>", POISON)
    return Made(Keep(sound, "amount", ">", design.edition % 3), DeleteInsert((ColumnName("key"),)))


def _weights(shape: Shape) -> tuple[str, ...]:
    return ("key", "weight" if "weight" in shape.columns else "n")


def _one_each(read: Read) -> Expression:
    return Group(read, ("key",), (("weight", "max", read.columns[1]),))


TEMPLATES: dict[str, Template] = {
    "rows": _rows,
    "daily": _daily,
    "trailing": _trailing,
    "leading": _leading,
    "running": _running,
    "enriched": _enriched,
    "union": _union,
    "totals": _totals,
    "joined": _joined,
    "appended": _appended,
    "kept": _kept,
    "kept_merged": _kept_merged,
    "kept_days": _kept_days,
    "logged": _logged,
    "merged": _merged,
    "renamed": _renamed,
    "listed": _listed,
    "loaded": _loaded,
    "replaced": _replaced,
}
SLICED = ("rows", "daily", "trailing", "leading", "running", "enriched", "union")
PARTIAL = ("rows", "daily", "trailing", "enriched", "union", "listed")
WITH_IDS = ("merged", "renamed", "replaced", "listed", "loaded")  # their ids come from a source
KEPT = ("kept", "kept_merged", "kept_days", "logged")  # changes of their driver are let pass
FROM_INPUT = ("rows", "daily", "trailing", "leading", "totals")  # hold no row beside what their input gives them
WITH_ONE_ID = ("listed", "loaded")
# Not built in days.
WHOLE = ("totals", "joined", "appended", "kept", "kept_merged", "logged", "merged", "renamed", "replaced", "loaded")


class Project(Value, frozen=True):
    """Designs in an order in which each follows its inputs."""

    designs: tuple[Design, ...]

    def edited(self, name: str, edition: int) -> "Project":
        """Return the project with one model's code changed."""
        edits = (item.replace(edition=edition) if item.name == name else item for item in self.designs)
        return Project(tuple(edits))

    def restarted(self, name: str, start: int) -> "Project":
        """Return the project with another first day of one model."""
        edits = (item.replace(start=start) if item.name == name else item for item in self.designs)
        return Project(tuple(edits))

    def demanding(self, name: str, *, is_open: bool) -> "Project":
        """Return the project with or without the `unique` check of one model."""
        edits = (item.replace(is_open=is_open) if item.name == name else item for item in self.designs)
        return Project(tuple(edits))

    def released(self, name: str, cron: str | None) -> "Project":
        """Return the project with another cron of one model."""
        edits = (item.replace(cron=cron) if item.name == name else item for item in self.designs)
        return Project(tuple(edits))

    def laid_out(self, name: str, layout: int) -> "Project":
        """Return the project with another layout of one model's table."""
        edits = (item.replace(layout=layout) if item.name == name else item for item in self.designs)
        return Project(tuple(edits))

    def rebatched(self, batch_size: int) -> "Project":
        """Return the project with other batch sizes, which are no change of code."""
        return Project(tuple(item.replace(batch_size=batch_size) for item in self.designs))

    def is_timed(self, name: str) -> bool:
        """Return whether a model is built in days."""
        return any(design.template not in WHOLE for design in self.designs if design.name == name)

    def has_one_id(self) -> bool:
        """Return whether some model refuses an id that comes twice, or may do so later."""
        return any(design.template in WITH_ONE_ID for design in self.designs)

    def compile(self, *, compiler: int = 0) -> tuple[Graph, dict[Fingerprint, Expression]]:
        """Return the graph and the queries behind its fingerprints, which each compiler makes in its own way."""
        shapes = {
            str(item.name): Shape(tuple(column.name for column in item.columns), item.time_column) for item in SOURCES
        }
        models: list[CompiledModel] = []
        queries: dict[Fingerprint, Expression] = {}
        for design in self.designs:
            made = TEMPLATES[design.template](design, tuple(shapes[name] for name in design.inputs))
            timed = isinstance(made.strategy, TimeInterval)
            model = simulated_model(
                design.name,
                made.query,
                strategy=made.strategy,
                start=str(START + timedelta(days=design.start)) if timed else None,
                cron=HOURLY if design.is_partial else design.cron,
                is_partial=design.is_partial,
                layout=design.layout,
                on_touch="keep" if design.template in KEPT else "rebuild",
                checks=_checks(design, made),
            )
            model = _compiled_by(compiler, model)
            models.append(model)
            queries[model.fingerprint] = made.query
            shapes[design.name] = Shape(columns_of(made.query), _time_of(made))
        return simulated_graph(tuple(models), SOURCES), queries


def _compiled_by(compiler: int, model: CompiledModel) -> CompiledModel:
    if compiler == 0:
        return model
    rows = model.rows_fingerprint and Fingerprint(f"{model.rows_fingerprint}-{compiler}")
    return model.replace(fingerprint=Fingerprint(f"{model.fingerprint}-{compiler}"), rows_fingerprint=rows)


def _checks(design: Design, made: Made) -> tuple[CheckSettings, ...]:
    sound = (NO_POISON,) if design.is_checked and "amount" in columns_of(made.query) else ()
    if design.is_checked and design.template in FROM_INPUT and not design.inputs[0].startswith("raw."):
        # Each key of a table comes from its input, in whatever order they are built.
        sound = (*sound, KEY_OF_INPUT.replace(to=TableName(design.inputs[0])))
    return (*sound, ONE_ID) if design.template in WITH_ONE_ID and not design.is_open else sound


def _source_shape(source: SourceTable) -> Shape:
    return Shape(tuple(column.name for column in source.columns), source.time_column)


def _time_of(made: Made) -> str | None:
    """Return the time column readers may filter by; a whole table may have one too."""
    times = [name for name in columns_of(made.query) if name in ("ts", "day")]
    return times[0] if times else None


def random_project(random: Random) -> Project:
    """Return a project of a few models over the sources and each other."""
    timed = ["raw.files", "raw.events"]
    weighing = ["raw.names"]
    designs: list[Design] = []
    for number in range(random.randint(2, 5)):
        name = f"m.t{number}"
        template = random.choice(sorted(TEMPLATES))
        first = random.choice(timed if random.random() < 0.5 else timed[-2:])
        if designs and random.random() < 0.3:
            # Two readers of one table, which may read different columns of it.
            first = designs[-1].inputs[0]
        first = random.choice(("raw.files", "raw.events")) if template in WITH_IDS else first
        second = random.choice(weighing) if template in ("enriched", "joined") else random.choice(timed)
        if template == "logged":
            sliced = [item.name for item in designs if item.template in SLICED and not item.is_partial]
            template, first = ("logged", random.choice(sliced)) if sliced else ("daily", first)
        inputs = (first, second) if template in ("enriched", "joined", "union") else (first,)
        if len(set(inputs)) < len(inputs):
            template, inputs = "daily", (first,)
        # What reads a day as far as it has come needs inputs that are built so too.
        finished = {item.name for item in designs if item.template not in WHOLE and not item.is_partial}
        may_be_partial = template in PARTIAL and not finished.intersection(inputs)
        designs.append(_design(random, name, template, inputs, may_be_partial=may_be_partial))
        if template == "totals":
            weighing.append(name)
        elif template != "joined":
            timed.append(name)
    return Project(tuple(designs))


def _design(random: Random, name: str, template: str, inputs: tuple[str, ...], *, may_be_partial: bool) -> Design:
    is_timed = template not in WHOLE
    return Design(
        name,
        template,
        inputs,
        edition=random.randrange(3),
        batch_size=random.randint(1, 4),
        lookback=random.choice((0, 0, 0, 1)) if is_timed else 0,
        cron=NOON if is_timed and random.random() < 0.15 else None,
        is_checked=random.random() < 0.3,
        is_partial=may_be_partial and random.random() < 0.3,
        is_open=template in WITH_ONE_ID and random.random() < 0.3,
    )

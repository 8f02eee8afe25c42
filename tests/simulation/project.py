"""Random projects: chains of simulated models whose code can be edited and reverted."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from random import Random

from tests.simulation.algebra import Expression, Group, Join, Keep, Pick, Read, Sound, Spread, Total, Union, columns_of
from tests.simulation.models import fingerprint_of, simulated_graph, simulated_model, simulated_source, table_columns

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.identity.former import choices_of
from lamina.project.limits import AnomalySettings, BudgetSettings, FreshnessSettings
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import (
    DeleteInsert,
    FullRefresh,
    Incremental,
    Merge,
    SnapshotHistory,
    Strategy,
    TimeInterval,
)
from lamina.values.grid import Unit
from lamina.values.names import ColumnName, Fingerprint, ModelName, TableName
from lamina.values.value import Value

EVENT_COLUMNS = ("id", "ts", "key", "status", "amount")
FILES = simulated_source("raw.files", EVENT_COLUMNS, is_files=True)
EVENTS = simulated_source("raw.events", EVENT_COLUMNS, is_files=False)
NAMES = simulated_source("raw.names", ("key", "weight"), is_files=False)
SOURCES: tuple[SourceTable, ...] = (FILES, EVENTS, NAMES)
STALE_AFTER = 2  # days after its newest row, where readers of the events are held back
HELD = FreshnessSettings(ColumnName("ts"), error_after=f"{STALE_AFTER} days", on_stale="hold")
# How changes of a source are found; those of the names can be compared by a column of theirs too.
DETECTORS: dict[str, dict[str, object]] = {
    "auto": {},
    "checksum": {"detect": "checksum"},
    "by key": {"detect": "checksum", "checksum_by": (ColumnName("key"),)},
    "refine": {"refine": "columns"},
    "always": {"detect": "always"},
}
START = date(2026, 1, 1)
# No sum of sound rows comes near it.
POISON = 100_000
NOON = "0 12 * * *"
HOURLY = "0 * * * *"  # of models whose last day is built in part
REBUILDS = ("stale", "always", "last_days:1", "last_days:2")
MOST_AHEAD = 2  # days after a slice that it reads
ONE_ID = CheckSettings(type="unique", column=ColumnName("id"), scope="table")
NO_POISON = CheckSettings(type="in_range", column=ColumnName("amount"), min=0, max=9_999)
GUARD = AnomalySettings(threshold_percent=50, history=2, on_breach="stop")
BUDGET = BudgetSettings(max_slices=2, max_rows_written=6, on_breach="stop")  # of one run
KEY_OF_INPUT = CheckSettings(type="relationships", column=ColumnName("key"), field=ColumnName("key"))


# By edition: the names of checks that sort rows out, with the largest amount that they let pass.
LIMITS: tuple[tuple[tuple[str, int], ...], ...] = ((("small", 3),), (("small", 3), ("tiny", 2)), ())


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
    rebuild: str = "stale"  # what every run builds beside
    is_open: bool = False  # declares no `unique` check, so that ids may come twice
    is_forward: bool = False  # days that older code built stay as they are
    is_guarded: bool = False  # refuses batches that are unlike the ones before
    is_budgeted: bool = False  # a run does not do much of it
    unit: Unit = "day"
    lag: int = 0  # hours: rows of its driver that are younger wait, where it reads by time
    is_sorted: bool = False  # rows of some amounts go to a quarantine; which ones comes and goes with the code
    table: str | None = None  # what it calls its table; None: as the model
    renamed_from: str | None = None  # what the model was called before

    @property
    def target(self) -> TableName:
        """The name that its table is to have."""
        return TableName(self.table or self.name)

    def settled(self) -> "Design":
        """Return the design without a budget where every run builds slices again: no project may have both."""
        return self.replace(is_budgeted=self.is_budgeted and self.rebuild == "stale")

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
    size = design.batch_size * (24 if design.unit == "hour" else 1)
    strategy = TimeInterval(
        ColumnName(time), design.unit, lookback=design.lookback, batch_size=size, rebuild=design.rebuild
    )
    return Made(query, strategy)


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


def _timed_rows(design: Design, shapes: tuple[Shape, ...]) -> Made:
    """Rows of an input, each loaded once by its time; those that come below the watermark are not."""
    time = str(shapes[0].time)
    # What was loaded once stays, so it takes no poison, nor a sum of it.
    read = Keep(Read(design.inputs[0], (time, "key", "amount")), "amount", "<", POISON)
    strategy = Incremental(
        timestamp_column=ColumnName(time),
        position="timestamp",
        driver=TableName(design.inputs[0]),
        safety_lag=f"{design.lag} hours" if design.lag else None,
    )
    return Made(Keep(read, "amount", ">", design.edition % 3), strategy)


def _replaced(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Rows of an input; those of a key are replaced together."""
    read = Read(design.inputs[0], ("id", "ts", "key", "amount"))
    # What it once took in may stay, so it takes no poison.
    sound = Keep(read, "amount", "<>", POISON)
    return Made(Keep(sound, "amount", ">", design.edition % 3), DeleteInsert((ColumnName("key"),)))


def _versions(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Every version of a key, each valid from its own time on."""
    # What is in a history stays, so it takes no poison; a version without a time is refused.
    read = Keep(Read(design.inputs[0], ("ts", "key", "amount")), "amount", "<>", POISON)
    read = Keep(read, "ts", "<>", "1900-01-01")
    totals: tuple[Total, ...] = (("amount", "sum", "amount"),)
    totals = (*totals, ("n", "count", "amount")) if design.edition % 3 == 1 else totals
    sums = Group(Keep(read, "amount", ">", design.edition % 3), ("key", "ts"), totals)
    return Made(sums, SnapshotHistory((ColumnName("key"),), updated_at=ColumnName("ts")))


def _states(design: Design, _shapes: tuple[Shape, ...]) -> Made:
    """Every state of a key, each valid from when a run saw it."""
    read = Keep(Read(design.inputs[0], ("key", "amount")), "amount", "<>", POISON)
    # A row without an amount counts, and makes no other state.
    totals: tuple[Total, ...] = (("amount", "sum", "amount"), ("n", "count", "amount"))
    sums = Group(Keep(read, "amount", ">", design.edition % 3 - 1), ("key",), totals)
    return Made(sums, SnapshotHistory((ColumnName("key"),), check_columns=(ColumnName("amount"),)))


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
    "timed": _timed_rows,
    "kept": _kept,
    "kept_merged": _kept_merged,
    "kept_days": _kept_days,
    "logged": _logged,
    "merged": _merged,
    "renamed": _renamed,
    "listed": _listed,
    "loaded": _loaded,
    "replaced": _replaced,
    "versions": _versions,
    "states": _states,
}
SLICED = ("rows", "daily", "trailing", "leading", "running", "enriched", "union")
FORWARD = ("rows", "daily", "trailing", "leading", "enriched", "union", "listed")  # do not read their own past
CUT_FREELY = ("rows", "daily", "trailing", "leading", "enriched", "union", "listed")
BY_ROW = ("rows", "enriched", "listed")  # a row is in the slice of its own time, however short that is
PARTIAL = ("rows", "daily", "trailing", "enriched", "union", "listed")
HISTORIES = ("versions", "states")
WITH_IDS = (*HISTORIES, "merged", "renamed", "replaced", "listed", "loaded")  # their ids come from a source
KEPT = ("kept", "kept_merged", "kept_days", "logged")  # changes of their driver are let pass
FROM_INPUT = ("rows", "daily", "trailing", "leading", "totals")  # hold no row beside what their input gives them
WITH_ONE_ID = ("listed", "loaded")
SORTABLE = (*SLICED, *WITH_ONE_ID, "totals", "joined", "appended")  # those that may have a quarantine
# Not built in days.
WHOLE = (
    *HISTORIES,
    *("totals", "joined", "appended", "kept", "kept_merged", "logged", "merged", "renamed", "replaced", "loaded"),
    "timed",
)


class Project(Value, frozen=True):
    """Designs in an order in which each follows its inputs."""

    designs: tuple[Design, ...]
    holds: bool = False  # readers of the events are held back while those are stale
    detectors: tuple[tuple[str, str], ...] = ()  # of sources that are not detected as their kind is by itself

    def detecting(self, source: str, detector: str) -> "Project":
        """Return the project in which changes of a source are found in another way."""
        others = tuple(item for item in self.detectors if item[0] != source)
        return self.replace(detectors=others if detector == "auto" else tuple(sorted((*others, (source, detector)))))

    @property
    def sources(self) -> tuple[SourceTable, ...]:
        """Return the sources with their detectors."""
        chosen = dict(self.detectors)
        known = (FILES, EVENTS.replace(freshness=HELD), NAMES) if self.holds else SOURCES
        return tuple(item.replace(**DETECTORS[chosen.get(str(item.name), "auto")]) for item in known)

    def compares(self, source: str) -> bool:
        """Return whether rows of a source are compared by checksums."""
        return any(item.is_compared for item in self.sources if item.name == source)

    def reads_always(self, design: Design) -> bool:
        """Return whether a model is built by every run because of a source."""
        return any(dict(self.detectors).get(name) == "always" for name in design.inputs)

    def edited(self, name: str, edition: int) -> "Project":
        """Return the project with one model's code changed."""
        edits = (item.replace(edition=edition) if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def restarted(self, name: str, start: int) -> "Project":
        """Return the project with another first day of one model."""
        edits = (item.replace(start=start) if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def demanding(self, name: str, *, is_open: bool) -> "Project":
        """Return the project with or without the `unique` check of one model."""
        edits = (item.replace(is_open=is_open) if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def guarding(self, name: str, *, is_guarded: bool) -> "Project":
        """Return the project in which one model does or does not refuse batches that are unlike the ones before."""
        edits = (item.replace(is_guarded=is_guarded) if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def unguarded(self) -> "Project":
        """Return the project in which every batch may be as large or small as it is, and runs do all there is."""
        edits = (item.replace(is_guarded=False, is_budgeted=False) for item in self.designs)
        return self.replace(designs=tuple(edits), holds=False)

    def released(self, name: str, cron: str | None) -> "Project":
        """Return the project with another cron of one model."""
        edits = (item.replace(cron=cron) if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def redoing(self, name: str, rebuild: str) -> "Project":
        """Return the project in which runs build other slices of one model again."""
        edits = (item.replace(rebuild=rebuild).settled() if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def laid_out(self, name: str, layout: int) -> "Project":
        """Return the project with another layout of one model's table."""
        edits = (item.replace(layout=layout) if item.name == name else item for item in self.designs)
        return self.replace(designs=tuple(edits))

    def renamed(self, name: str, table: str) -> "Project":
        """Return the project with another name of one model's table; who had that name gets the other one."""
        (before,) = (item.target for item in self.designs if item.name == name)
        names = {table: str(before), str(before): table}
        edits = (item.replace(table=names.get(str(item.target), item.table)) for item in self.designs)
        return self.replace(designs=tuple(edits))

    def called(self, name: str, now: str) -> "Project":
        """Return the project in which a model has another name, and says which one it had; its readers use the new."""
        edits = (
            item.replace(
                name=now if item.name == name else item.name,
                inputs=tuple(now if used == name else used for used in item.inputs),
                renamed_from=name if item.name == name else item.renamed_from,
            )
            for item in self.designs
        )
        return self.replace(designs=tuple(edits))

    def forwarded(self, name: str, *, is_forward: bool) -> "Project":
        """Return the project with or without `forward_only` changes of one model."""
        edits = (
            item.replace(is_forward=is_forward and item.template in FORWARD) if item.name == name else item
            for item in self.designs
        )
        return self.replace(designs=tuple(edits))

    def regridded(self, name: str, unit: Unit) -> "Project":
        """Return the project with one model cut into other slices, where its query gives the same rows by them."""
        return self.replace(designs=tuple(_cut(item, unit) if item.name == name else item for item in self.designs))

    def rebatched(self, batch_size: int) -> "Project":
        """Return the project with other batch sizes, which are no change of code."""
        return self.replace(designs=tuple(item.replace(batch_size=batch_size) for item in self.designs))

    def is_loaded_once(self, name: str) -> bool:
        """Return whether some model loads each slice of another just once."""
        return any(name in design.inputs for design in self.designs if design.template == "logged")

    def is_timed(self, name: str) -> bool:
        """Return whether a model is built in days."""
        return any(design.template not in WHOLE for design in self.designs if design.name == name)

    def reads_days_by_hour(self) -> bool:
        """Return whether a model that is built in hours reads one that is built in longer slices."""
        longer = {design.name for design in self.designs if design.template not in WHOLE and design.unit != "hour"}
        return any(design.unit == "hour" and longer.intersection(design.inputs) for design in self.designs)

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
        former = {item.name: item.renamed_from for item in self.designs if item.renamed_from is not None}
        for design in self.designs:
            made = _made(design, tuple(shapes[name] for name in design.inputs))
            timed = isinstance(made.strategy, TimeInterval)
            model = simulated_model(
                design.name,
                made.query,
                strategy=made.strategy,
                start=str(START + timedelta(days=design.start)) if timed else None,
                cron=HOURLY if design.is_partial else design.cron,
                is_partial=design.is_partial,
                is_forward=design.is_forward,
                layout=_layout(design),
                on_touch="keep" if design.template in KEPT else "rebuild",
                checks=_checks(design, made),
                anomaly=GUARD if design.is_guarded else AnomalySettings(),
                budget=BUDGET if design.is_budgeted and not self.reads_always(design) else BudgetSettings(),
            ).replace(target=design.target)
            model = _with_former(model, design, former, inputs=tuple(shapes[name] for name in design.inputs))
            model = _seen(_compiled_by(compiler, model), self.sources)
            models.append(model)
            queries[model.fingerprint] = made.query
            shapes[design.name] = Shape(table_columns(made.query, made.strategy), _time_of(made))
        return simulated_graph(tuple(models), self.sources), queries


def _seen(model: CompiledModel, sources: tuple[SourceTable, ...]) -> CompiledModel:
    unseen = {TableName(source.name) for source in sources if source.detect == "always"}
    return model.replace(inputs=tuple(use.replace(is_always_new=use.name in unseen) for use in model.inputs))


def _made(design: Design, shapes: tuple[Shape, ...]) -> Made:
    made = TEMPLATES[design.template](design, shapes)
    limits = LIMITS[design.edition % 3] if design.is_sorted else ()
    return replace(made, query=Sound(made.query, limits)) if limits else made


def _with_former(
    model: CompiledModel, design: Design, former: dict[str, str], *, inputs: tuple[Shape, ...]
) -> CompiledModel:
    """Return a model with what it was called, and the fingerprint that it had under the former names of its inputs."""
    settings = model.settings.replace(renamed_from=design.renamed_from and ModelName(design.renamed_from))
    made: dict[str, Fingerprint] = {}
    for chosen in choices_of(use.name for use in model.inputs if use.name in former):
        names = {name: former[name] for name in chosen}
        read = tuple(names.get(TableName(name), name) for name in design.inputs)
        before = _made(design.replace(name=names.get(TableName(design.name), design.name), inputs=read), inputs)
        made[" ".join(chosen)] = fingerprint_of(before.query, before.strategy, layout=_layout(design))
    return model.replace(settings=settings, former_fingerprints=made)


def _compiled_by(compiler: int, model: CompiledModel) -> CompiledModel:
    if compiler == 0:
        return model
    rows = model.rows_fingerprint and Fingerprint(f"{model.rows_fingerprint}-{compiler}")
    gridless = model.gridless_fingerprint and Fingerprint(f"{model.gridless_fingerprint}-{compiler}")
    own = Fingerprint(f"{model.fingerprint}-{compiler}")
    former = {key: Fingerprint(f"{code}-{compiler}") for key, code in model.former_fingerprints.items()}
    return model.replace(
        fingerprint=own, rows_fingerprint=rows, gridless_fingerprint=gridless, former_fingerprints=former
    )


def _cut(design: Design, unit: Unit) -> Design:
    is_sound = design.template in (BY_ROW if unit == "hour" else CUT_FREELY)
    return design.replace(unit=unit) if is_sound else design


def _layout(design: Design) -> str:
    """Return the layout of a table; that of small slices differs, as the default one does."""
    return f"{design.layout} by hour" if design.unit == "hour" else str(design.layout)


def _checks(design: Design, made: Made) -> tuple[CheckSettings, ...]:
    sorting = tuple(
        NO_POISON.replace(name=name, min=None, max=most, on_failure="quarantine")
        for name, most in (made.query.limits if isinstance(made.query, Sound) else ())
    )
    sound = (NO_POISON,) if design.is_checked and "amount" in columns_of(made.query) else ()
    if design.is_checked and design.template in FROM_INPUT and not design.inputs[0].startswith("raw."):
        # Each key of a table comes from its input, in whatever order they are built.
        sound = (*sound, KEY_OF_INPUT.replace(to=TableName(design.inputs[0])))
    sound = (*sound, *sorting)
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
            sliced = [item.name for item in designs if item.template in SLICED and not _is_cut(item)]
            template, first = ("logged", random.choice(sliced)) if sliced else ("daily", first)
        inputs = (first, second) if template in ("enriched", "joined", "union") else (first,)
        if len(set(inputs)) < len(inputs):
            template, inputs = "daily", (first,)
        # What reads a day as far as it has come needs inputs that are built so too.
        finished = {item.name for item in designs if item.template not in WHOLE and not item.is_partial}
        may_be_partial = template in PARTIAL and not finished.intersection(inputs)
        designs.append(_design(random, name, template, inputs, may_be_partial=may_be_partial))
        if template in ("totals", "states"):
            weighing.append(name)
        elif template != "joined":
            timed.append(name)
    chosen = ((str(source.name), random.choice(sorted(DETECTORS))) for source in SOURCES if random.random() < 0.3)
    detectors = tuple((name, how) for name, how in chosen if how != "auto")
    return Project(tuple(designs), holds=random.random() < 0.2, detectors=detectors)


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
        is_forward=template in FORWARD and random.random() < 0.2,
        rebuild=random.choice(REBUILDS) if is_timed and random.random() < 0.3 else "stale",
        is_guarded=random.random() < 0.1,
        is_budgeted=random.random() < 0.15,
        is_sorted=template in SORTABLE and random.random() < 0.3,
        lag=random.choice((0, 0, 6, 30)) if template == "timed" else 0,
    ).settled()


def _is_cut(design: Design) -> bool:
    """Return whether days of a model may be built as far as they have come."""
    return design.is_partial or design.rebuild.startswith("last_days")

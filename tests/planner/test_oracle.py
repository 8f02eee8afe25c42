"""The kernel against a brute-force oracle: each unit remembers the exact versions it was built from."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.planner.making import ORDERS, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.batches import cut_batches
from lamina.planner.decide import decide
from lamina.planner.fold import fold
from lamina.planner.now import Now
from lamina.planner.record import record_batch
from lamina.project.strategy import TimeInterval
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.grid import Grid, day_start, each_unit, local_day
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, Position, TableName
from lamina.values.plan import Build, Rebuild, Selection
from lamina.values.row_counts import ColumnCounts, RangeCounts, RowCounts
from lamina.values.touch import Everything, Refinement, Touch

UNITS = 8
# The clocks of Stockholm change on the fourth day.
FIRST = date(2026, 3, 26)
PRICES = TableName("raw.prices")
Window = tuple[int, int]
Versions = dict[TableName, list[list[int]]]  # table -> content of each unit, for every version

spans = st.tuples(st.integers(0, UNITS - 1), st.integers(1, UNITS)).filter(lambda pair: pair[0] < pair[1])
edits = st.tuples(
    st.just("edit"), st.sampled_from([ORDERS, PRICES]), spans, st.sampled_from(["ranges", "everything", "equal"])
)
# How much is due, how many batches are built, how many versions before the newest they read, if the logs say which.
builds = st.tuples(
    st.just("build"), st.integers(1, UNITS), st.integers(0, UNITS), st.sampled_from([0, 0, 1, 2, 3]), st.booleans()
)
recodes = st.tuples(st.just("recode"), st.sampled_from(["v1", "v2"]))
steps = st.lists(st.one_of(edits, edits, builds, recodes), min_size=1, max_size=14)


windows = st.tuples(st.integers(0, 3), st.sampled_from([0, 0, 1, 2]))  # days before and after a slice
zones = st.sampled_from(["UTC", "Europe/Stockholm", "America/New_York", "Australia/Lord_Howe"])


def _bound(unit: int) -> datetime:
    """Return where a unit begins in the domain of a date column."""
    return datetime.combine(FIRST + timedelta(days=unit), time(), tzinfo=UTC)


def _model(code: str, window: Window, zone: str) -> CompiledModel:
    before, ahead = _reach(code, window)
    orders = use("raw.orders", reads=("day", "amount"), by="day", window_days=before, ahead_days=ahead)
    return model(
        inputs=(orders, use("raw.prices", reads=("price",))),
        strategy=TimeInterval(time_column=ColumnName("day"), batch_size=2),
        column_type="date",
        timezone=zone,
        fingerprint=code,
        start=FIRST.isoformat(),
    )


def _reach(code: str, window: Window) -> Window:
    return window if code == "v1" else (0, 0)


def _edit(versions: Versions, table: TableName, span: tuple[int, int], kind: str) -> Touch:
    content = list(versions[table][-1])
    parent, position = len(versions[table]) - 1, len(versions[table])
    for unit in range(*span):
        content[unit] += 0 if kind == "equal" else 1
    versions[table].append(content)
    ranges = () if kind == "everything" else (Interval(_bound(span[0]), _bound(span[1])),)
    proofs = (Refinement(columns=tuple(ColumnName(name) for name in ("day", "amount", "price"))),)
    made = touch(str(position), str(parent), *ranges, table=table, refinements=proofs if kind == "equal" else ())
    made = made.replace(rows=RowCounts(on_time=span[1] - span[0]))
    if not ranges:
        return made.replace(extent=Everything())
    by_day = tuple(
        RangeCounts(interval=Interval(_bound(unit), _bound(unit + 1)), rows=RowCounts(on_time=1))
        for unit in range(*span)
    )
    return made.replace(rows_in=(ColumnCounts(column=ColumnName("day"), ranges=by_day),))


def _result(versions: Versions, unit: int, *, code: str, window: Window, at: dict[TableName, int]) -> object:
    before, ahead = _reach(code, window)
    orders = versions[ORDERS][at[ORDERS]][max(0, unit - before) : unit + 1 + ahead]
    return code, tuple(orders), tuple(versions[PRICES][at[PRICES]])


class World:
    """Tables as lists of unit contents, the model's table as what each unit was built from."""

    def __init__(self, window: Window, zone: str) -> None:
        self.window, self.zone, self.code = window, zone, "v1"
        self.versions: Versions = {ORDERS: [[0] * UNITS], PRICES: [[0] * UNITS]}
        self.logs: dict[TableName, tuple[Touch, ...]] = {
            name: (touch("0", None, table=name),) for name in (ORDERS, PRICES)
        }
        self.coverage = Coverage()
        self.table: dict[int, object] = {}

    def build(self, due: int, batches: int, *, back: int = 0, is_logged: bool = True) -> None:
        """Fold, decide and build at most some batches of one unit each; a rebuild is one batch.

        Inputs are read some versions back; where that is not logged, nothing says what came after.
        """
        subject = _model(self.code, self.window, self.zone)
        self.coverage, _ = fold(self.coverage, subject, touches=self.logs, heads={})
        facts = ModelFacts(coverage=self.coverage, target=TargetFacts(status="ours"))
        now = day_start(self.zone, FIRST + timedelta(days=due))
        actions = decide(subject, facts, Now(now, Selection(), {}, self.logs))
        for action in actions:
            if isinstance(action, Build | Rebuild):
                self._run(subject, action, batches, back=back, logs=self.logs if is_logged else {})

    def _run(
        self,
        subject: CompiledModel,
        action: Build | Rebuild,
        batches: int,
        *,
        back: int,
        logs: dict[TableName, tuple[Touch, ...]],
    ) -> None:
        made = cut_batches(
            action,
            subject,
            coverage=self.coverage,
            base=None,
            parameters={},
            new_commit=lambda: CommitId("c"),
            is_from_nothing=False,
            carries_rows=True,
        )
        for _, newest in zip(range(batches), made, strict=False):
            at = {pin.input: max(int(pin.position) - back, 0) for pin in newest.pins}
            pins = tuple(pin.replace(position=Position(str(at[pin.input]))) for pin in newest.pins)
            batch = newest.replace(pins=pins)
            if batch.mode == "replace_all":
                kept = set(self._units(batch.carried))
                self.table = {unit: rows for unit, rows in self.table.items() if unit in kept}
            for unit in self._units(batch.slices):
                self.table[unit] = _result(self.versions, unit, code=self.code, window=self.window, at=at)
            self.coverage = record_batch(
                self.coverage, subject, batch, start=day_start(self.zone, FIRST), watermark=None, logs=logs
            )

    def _units(self, found: tuple[Interval, ...]) -> list[int]:
        days = (span.start for item in found for span in each_unit(Grid("day", self.zone), item))
        return [(local_day(self.zone, start) - FIRST).days for start in days]

    def check(self) -> None:
        """Every unit equals a recompute over the cursors, or what it owes since; what is built is what is covered."""
        subject = _model(self.code, self.window, self.zone)
        folded, _ = fold(self.coverage, subject, touches=self.logs, heads={})
        newest = {name: len(self.versions[name]) - 1 for name in self.versions}
        units = {unit: segment for segment in folded.segments for unit in self._units((segment.interval,))}
        assert set(units) == set(self.table)
        for unit, segment in units.items():
            if segment.logic == self.code:
                at = {**newest, **{debt.input: int(debt.since) for debt in segment.debts if debt.since is not None}}
                assert self.table[unit] == _result(self.versions, unit, code=self.code, window=self.window, at=at)


@settings(max_examples=150, deadline=None)
@given(steps, windows, zones)
def test_i1_every_clean_unit_equals_a_recompute(schedule: list[Any], window: Window, zone: str) -> None:
    world = World(window, zone)
    world.build(len(schedule) % UNITS, UNITS)
    for step in schedule:
        _play(world, step)
        world.check()
    world.build(UNITS + window[1] + 1, 10 * UNITS)  # what is built is ready then for any code
    world.check()
    assert not any(segment.debts for segment in world.coverage.segments)
    assert {segment.logic for segment in world.coverage.segments} == {world.code}


@settings(max_examples=150, deadline=None)
@given(steps, windows, st.integers(0, 20))
def test_i6_folding_step_by_step_or_at_once_owes_the_same(schedule: list[Any], window: Window, cut: int) -> None:
    world = World(window, "UTC")
    world.build(UNITS, UNITS)
    for step in schedule:
        if step[0] == "edit":
            _play(world, step)
    subject = _model("v1", window, "UTC")
    at_once, _ = fold(world.coverage, subject, touches=world.logs, heads={})
    first = {name: log[: 1 + cut % len(log)] for name, log in world.logs.items()}
    halfway, _ = fold(world.coverage, subject, touches=first, heads={})
    in_steps, _ = fold(halfway, subject, touches=world.logs, heads={})
    assert in_steps == at_once


def _play(world: World, step: Any) -> None:
    if step[0] == "edit":
        _, table, span, kind = step
        world.logs[table] = (*world.logs[table], _edit(world.versions, table, span, kind))
    elif step[0] == "build":
        world.build(step[1], step[2], back=step[3], is_logged=step[4])
    else:
        world.code = step[1]

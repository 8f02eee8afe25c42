"""Spark's own answer to every query the compiler accepts: cut into slices, or into parts, it gives the same rows.

A slice must also hold no row of another time, and not change when its inputs lose every row outside the reach that was
proven or declared. Cases with a `start` are cut by the days of their zone, from there: a day on which clocks change.
When an input loses its rows of one day, no other slices change than those the planner makes stale, and where it is read
for exactly the range, those do.
"""

import random
import re
import tomllib
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest
from tests.compiler.touched import changed, compiled, stale_ranges

from lamina.compiler.explanation import explain_incrementality
from lamina.compiler.graph import InputUse
from lamina.compiler.link.parameters import bound_type
from lamina.values.duration import parse_duration
from lamina.values.interval import Interval, intersect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

CASES = Path(__file__).parents[1] / "fixtures" / "incrementality" / "accepted"
START = datetime(2026, 1, 30, tzinfo=UTC)
DAYS = 2
ORDERS = "order_id bigint, customer_id bigint, amount decimal(10,2), status string, order_ts timestamp, order_date date"
PAYMENTS = "order_id bigint, paid decimal(10,2), pay_date date"
BALANCES = "order_date date, updated_at timestamp, balance decimal(20,2)"
BOUND = re.compile(r"@(start|end)_(date|ts)\b")
ASSERTED = ("taken from the declared window", "does not revisit old slices")

Rows = list[tuple[Any, ...]]


def load(kind: str) -> list[Any]:
    """Return the accepted cases of one strategy."""
    found = [(path.stem, tomllib.loads(path.read_text())) for path in sorted(CASES.glob("*.toml"))]
    return [pytest.param(case, id=name) for name, case in found if case["strategy"]["type"] == kind]


def orders(start: datetime = START, *, hours: tuple[int, ...] = (0, 5, 12, 23)) -> Rows:
    """Return orders before, in and after the range, with ties in every column."""
    chance = random.Random(7)
    rows: Rows = []
    for number in range(160):
        at = start + timedelta(days=chance.randrange(-8, DAYS + 3), hours=chance.choice(hours))
        status = chance.choice(("a", "b", "void", "open wide"))
        amount = Decimal(chance.randrange(1, 60))
        rows.append((number % 40, chance.randrange(5), amount, status, at, at.date()))
    return rows


def payments(start: datetime = START) -> Rows:
    """Return payments over the same days."""
    chance = random.Random(11)
    days = [start.date() + timedelta(days=chance.randrange(-8, DAYS + 3)) for _ in range(120)]
    return [(chance.randrange(40), Decimal(chance.randrange(1, 60)), day) for day in days]


def balances() -> Rows:
    """Return what a model that reads its own past has built on the days before, the largest longest ago."""
    days = [START.date() + timedelta(days=number) for number in range(-8, DAYS + 3)]
    noons = [datetime.combine(day, time(12), UTC) for day in days]
    return [(day, noon, Decimal(1000 - number)) for number, (day, noon) in enumerate(zip(days, noons, strict=True))]


class Tables:
    """Registers versions of the inputs as views, each once, and runs queries over them."""

    def __init__(self, spark: "SparkSession", start: date | None = None, zone: str = "UTC") -> None:
        self.spark = spark
        self.zone = ZoneInfo(zone)
        self.prefix = f"{zone.replace('/', '_').lower()}_{start:%m%d}_" if start else ""
        self.known: set[str] = set()
        first = datetime.combine(start, time(), UTC) if start else START
        self.orders = orders(first, hours=tuple(range(24))) if start else orders()
        self.payments = payments(first)
        self.balances = balances()

    def view(self, name: str, rows: Rows, *, schema: str) -> str:
        """Return the name of a view over some rows."""
        name = f"{self.prefix}{name}"
        if name not in self.known:
            self.spark.createDataFrame(rows, schema).createOrReplaceTempView(name)
            self.known.add(name)
        return name

    def rows(self, sql: str, *, order_view: str = "", payment_view: str = "", balance_view: str = "") -> Counter[Any]:
        """Return the rows of a query as a bag."""
        customers = [(number, f"c{number}") for number in range(1, 7)]
        views = {
            "raw.orders": order_view or self.view("all_orders", self.orders, schema=ORDERS),
            "raw.payments": payment_view or self.view("all_payments", self.payments, schema=PAYMENTS),
            "sales.balance": balance_view or self.view("all_balances", self.balances, schema=BALANCES),
            "sales.customers": self.view("all_customers", customers, schema="customer_id bigint, name string"),
        }
        for name, view in views.items():
            sql = sql.replace(name, view)
        return Counter(tuple(row) for row in self.spark.sql(sql.replace("@as_of", "DATE '2026-01-01'")).collect())

    def near(self, sql: str, start: date, end: date, *, windows: dict[str, int], ahead: dict[str, int]) -> Counter[Any]:
        """Return the rows of a range from inputs that hold nothing outside its reach."""
        # In a zone, Python counts by the clock: six days before a midnight are six dates before it.
        since_order = datetime.combine(start, time(), self.zone) - timedelta(seconds=windows.get("raw.orders", 0))
        until = datetime.combine(end, time(), self.zone) + timedelta(seconds=ahead.get("raw.orders", 0))
        until_payment = end + timedelta(seconds=ahead.get("raw.payments", 0))
        since_payment = start - timedelta(seconds=windows.get("raw.payments", 0))
        order_rows = [row for row in self.orders if since_order <= row[4] < until]
        # Without a window, a model may read all of its own past.
        since_balance = start - timedelta(seconds=windows.get("sales.balance", 8 * 86_400))
        balance_rows = [row for row in self.balances if since_balance <= row[0] < end]
        payment_rows = [row for row in self.payments if since_payment <= row[2] < until_payment]
        return self.rows(
            with_bounds(sql, start, end, zone=self.zone),
            order_view=self.view(f"orders_{since_order:%m%d%H}_{until:%m%d%H}", order_rows, schema=ORDERS),
            payment_view=self.view(
                f"payments_{since_payment:%m%d}_{until_payment:%m%d}", payment_rows, schema=PAYMENTS
            ),
            balance_view=self.view(f"balances_{since_balance:%m%d}_{end:%m%d}", balance_rows, schema=BALANCES),
        )


def with_bounds(sql: str, start: date, end: date, *, zone: ZoneInfo) -> str:
    """Put the bounds of a range into a query: dates, and the instants at which they begin in a zone."""
    days = {"start": start, "end": end}
    instants = {name: datetime.combine(day, time(), zone).astimezone(UTC) for name, day in days.items()}
    values = {("date", name): f"DATE '{day}'" for name, day in days.items()}
    values |= {("ts", name): f"TIMESTAMP '{at:%Y-%m-%d %H:%M:%S}'" for name, at in instants.items()}
    return BOUND.sub(lambda found: values[found[2], found[1]], sql)


def bounds_of(case: dict[str, Any]) -> list[date]:
    """Return where the slices of a case begin, and the last one ends."""
    unit, first = case["strategy"].get("granularity"), case.get("start") or START.date()
    if unit == "month":
        return [date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)]
    if unit == "week":
        first -= timedelta(days=first.weekday())
    step = timedelta(days=7 if unit == "week" else 1)
    return [first + step * number for number in range(DAYS + 1)]


@pytest.fixture(scope="module")
def tables(spark: "SparkSession") -> Tables:
    """Return the inputs in the shared session."""
    return Tables(spark)


@pytest.mark.parametrize("case", load("incremental"))
def test_parts_of_the_driver_put_together_equal_the_whole(tables: Tables, case: dict[str, Any]) -> None:
    whole = tables.rows(case["sql"])
    parts: Counter[Any] = Counter()
    for number in range(2):
        view = tables.view(f"orders_part_{number}", tables.orders[number::2], schema=ORDERS)
        parts += tables.rows(case["sql"], order_view=view)
    assert whole
    assert whole == parts


@pytest.mark.parametrize("case", load("time_interval"))
def test_slices_put_together_equal_one_batch_and_stay_within_reach(tables: Tables, case: dict[str, Any]) -> None:
    sql, first = case["sql"], case.get("start")
    if first is not None:
        tables = Tables(tables.spark, first, case["zone"])
    zone = tables.zone
    days = bounds_of(case)
    slices = [tables.rows(with_bounds(sql, start, end, zone=zone)) for start, end in pairwise(days)]
    assert any(slices)
    column = case["strategy"]["time_column"]
    outside = f"SELECT * FROM ({sql}) WHERE {column} IS NULL OR {column} < @start_date OR {column} >= @end_date"
    assert not tables.rows(with_bounds(outside, days[0], days[1], zone=zone))
    if case["strategy"].get("batch_size") != 1:
        assert tables.rows(with_bounds(sql, days[0], days[-1], zone=zone)) == sum(slices, Counter())
    if not any(words in case["step"] for words in ASSERTED):
        declared = case.get("inputs", {})
        windows, ahead = (
            {name: parse_duration(item[key]) or 0 for name, item in declared.items() if key in item}
            for key in ("window", "window_after")
        )
        for number in range(DAYS if first is not None else 1):
            near = tables.near(sql, days[number], days[number + 1], windows=windows, ahead=ahead)
            assert near == slices[number]


def local_date(at: datetime, zone: ZoneInfo) -> date:
    """Return the date that clocks of a zone show."""
    return at.astimezone(zone).date()


def without_day(tables: Tables, use: InputUse, day: date) -> dict[str, str]:
    """Return a view of a table that lost its rows of one day of the filter column: local for instants."""
    if use.name == "raw.payments":
        rows = [row for row in tables.payments if row[2] != day]
        return {"payment_view": tables.view(f"payments_but_{day:%m%d}", rows, schema=PAYMENTS)}
    rows = [row for row in tables.orders if (row[5] if use.filters_dates else local_date(row[4], tables.zone)) != day]
    return {"order_view": tables.view(f"orders_but_{use.filter_column}_{day:%m%d}", rows, schema=ORDERS)}


@pytest.mark.parametrize("case", load("time_interval"))
def test_only_slices_that_the_planner_makes_stale_change_with_a_day_of_an_input(
    tables: Tables, case: dict[str, Any]
) -> None:
    if "zone" in case and case["strategy"].get("granularity") != "hour":  # hours are cut in UTC
        tables = Tables(tables.spark, case.get("start", START.date()), case["zone"])
    graph, reader = compiled(case)
    steps, zone = explain_incrementality(graph, reader), tables.zone
    bounds = bounds_of(case)
    slices = [
        Interval(*(datetime.combine(day, time(), zone).astimezone(UTC) for day in pair)) for pair in pairwise(bounds)
    ]
    # The bounds of a time column of instants are instants, whatever words they are written with.
    sql = case["sql"] if bound_type(reader) == "date" else re.sub(r"@(start|end)_date\b", r"@\1_ts", case["sql"])
    queries = [with_bounds(sql, *pair, zone=tables.zone) for pair in pairwise(bounds)]
    before = [tables.rows(sql) for sql in queries]
    lost = bounds[0] if case["strategy"].get("granularity") != "month" else date(2026, 1, 30)
    day = Interval(*(datetime.combine(lost + timedelta(days=n), time(), zone).astimezone(UTC) for n in (0, 1)))
    for use in (item for item in reader.inputs if item.name.startswith("raw.") and item.filter_column):
        views = without_day(tables, use, lost)
        touch = changed(reader, use, day)
        stale = stale_ranges(reader, touch, built=Interval(slices[0].start, slices[-1].end))
        for query, rows, span in zip(queries, before, slices, strict=True):
            is_stale, is_changed = bool(intersect(stale, (span,))), tables.rows(query, **views) != rows
            assert is_stale or not is_changed, (use, span)
            if f"`{use.name}` is read for exactly the range of the slice" in steps:
                assert is_stale == bool(intersect((day,), (span,))), (use, span)

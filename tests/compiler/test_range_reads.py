"""One analysis says what a slice reads: the proof, the sentence of `explain` and the mapping of changes agree."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.compiler.projects import ephemeral, graph_of, model, source

from lamina.compiler.explanation import explain_incrementality
from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import grid_of, inverse_image
from lamina.project.model import InputSettings
from lamina.project.strategy import TimeInterval
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName

ORDERS = source("raw.orders", "id bigint, amount decimal(10,2), Day date, at timestamp, status string")
PEOPLE = source("raw.people", "id bigint, name string, born date")
UNKNOWN = source("raw.unknown", "")
DAILY = TimeInterval(time_column=ColumnName("day"), granularity="day")
RANGE = "{0} >= @start_date AND {0} < @end_date"
WINDOW = {"raw.orders": InputSettings(window="10 days")}
REACHES = "w.day >= d.day - INTERVAL 6 DAYS AND w.day <= d.day"


def read(query: str, *parts: Any, table: str = "raw.orders", **settings: object) -> InputUse:
    """Return how a daily model reads a table."""
    graph = graph_of(ORDERS, PEOPLE, UNKNOWN, *parts, model("main.q", query, strategy=DAILY, **settings))
    return next(item for item in compiled(graph).inputs if item.name == table)


def compiled(graph: Any) -> CompiledModel:
    """Return the model under test."""
    found: CompiledModel = next(item for item in graph.models if item.name == "main.q")
    return found


@pytest.mark.parametrize(
    ("query", "column"),
    [
        (f"SELECT id, day FROM raw.orders WHERE {RANGE.format('day')}", "Day"),
        ("SELECT id, day FROM raw.orders o WHERE @start_ts <= o.day AND @end_ts > o.day AND id > 3", "Day"),
        ("SELECT id, day FROM raw.orders WHERE day >= @start_date AND day <= @end_date - INTERVAL 1 DAY", "Day"),
        ("SELECT id, day FROM raw.orders WHERE day BETWEEN @start_date AND date_sub(@end_date, 1)", "Day"),
        (f"SELECT CAST(at AS DATE) AS day, id FROM raw.orders WHERE {RANGE.format('CAST(at AS DATE)')}", "at"),
        (f"SELECT date_trunc('day', at) AS day FROM raw.orders WHERE {RANGE.format('at')}", "at"),
        (f"SELECT id, d AS day FROM (SELECT id, day AS d FROM raw.orders) s WHERE {RANGE.format('d')}", "Day"),
        (f"WITH c AS (SELECT * FROM raw.orders) SELECT id, day FROM c WHERE {RANGE.format('day')}", "Day"),
        (
            f"SELECT day, n FROM (SELECT day, count(*) AS n FROM raw.orders GROUP BY day) WHERE {RANGE.format('day')}",
            "Day",
        ),
        (
            "SELECT d AS day FROM (SELECT day AS d FROM raw.orders UNION ALL SELECT day FROM raw.orders) s "
            f"WHERE {RANGE.format('d')}",
            "Day",
        ),
        (f"SELECT o.day FROM raw.orders o JOIN raw.people p ON o.id = p.id AND {RANGE.format('o.day')}", "Day"),
        ("SELECT id, day FROM raw.orders WHERE day >= @start_date", None),
        ("SELECT id, day FROM raw.orders WHERE day BETWEEN @start_date AND @end_date", None),
        ("SELECT id, day FROM raw.orders WHERE day >= @start_date AND day <= @end_date", None),
        ("SELECT id, day FROM raw.orders WHERE day >= @start_date AND day <= @end_date + INTERVAL 1 DAY", "Day"),
        ("SELECT id, day FROM raw.orders WHERE at >= @start_date AND at <= @end_date + INTERVAL 1 DAY", None),
        (f"SELECT id, day FROM raw.orders WHERE {RANGE.format('day')} OR id = 1", None),
        ("SELECT id, day FROM raw.orders WHERE " + RANGE.format("date_trunc('month', day)"), None),
        (
            "WITH c AS (SELECT * FROM raw.orders) SELECT a.day FROM c a JOIN c b ON a.id = b.id "
            f"WHERE {RANGE.format('a.day')}",
            None,
        ),
        (f"SELECT d AS day FROM (SELECT max(day) AS d FROM raw.orders GROUP BY id) s WHERE {RANGE.format('d')}", None),
        (f"SELECT d AS day FROM (SELECT day AS d FROM raw.orders LIMIT 3) s WHERE {RANGE.format('d')}", None),
        (f"SELECT o.day FROM raw.orders o LEFT JOIN raw.people p ON {RANGE.format('o.day')}", None),
        (f"SELECT day FROM raw.orders WHERE {RANGE.format('day')} AND id IN (SELECT id FROM raw.orders)", None),
        (
            f"SELECT day FROM raw.orders WHERE {RANGE.format('day')} UNION ALL "
            f"SELECT CAST(at AS DATE) FROM raw.orders WHERE {RANGE.format('at')}",
            None,
        ),
    ],
)
def test_the_column_that_bounds_an_input_wherever_it_is_read(query: str, column: str | None) -> None:
    assert read(query, allow=("L412", "L413", "L414", "L415")).filter_column == column


@pytest.mark.parametrize(
    ("query", "is_whole"),
    [
        ("SELECT o.day, p.name FROM raw.orders o JOIN raw.people p ON o.id = p.id WHERE {range}", True),
        ("SELECT o.day FROM raw.orders o WHERE {range} AND o.id IN (SELECT id FROM raw.people)", True),
        ("SELECT o.day FROM raw.orders o JOIN raw.people p ON o.id = p.id AND p.born < @end_date WHERE {range}", False),
        ("SELECT b AS day FROM (SELECT max(born) AS b FROM raw.people GROUP BY id) o WHERE {other}", False),
        ("SELECT born AS day FROM raw.people o WHERE {born}", False),
    ],
)
def test_an_input_that_no_bound_of_the_slice_cuts(query: str, is_whole: bool) -> None:
    ranges = {"range": RANGE.format("o.day"), "other": RANGE.format("b"), "born": RANGE.format("born")}
    assert read(query.format(**ranges), table="raw.people").is_read_whole is is_whole


def test_a_filter_over_an_ephemeral_model_reaches_its_input() -> None:
    inner = ephemeral("main.e", "SELECT id, day AS d FROM raw.orders")
    found = read(f"SELECT id, d AS day FROM e WHERE {RANGE.format('d')}", inner)
    assert (found.filter_column, found.reach_seconds, found.filters_dates) == ("Day", 0, True)


def test_a_table_whose_columns_are_not_known_is_bounded_by_the_one_that_is_named() -> None:
    query = f"SELECT id, day FROM raw.unknown WHERE {RANGE.format('day')}"
    assert read(query, table="raw.unknown").filter_column == "day"


@pytest.mark.parametrize(
    ("query", "days"),
    [
        (
            f"SELECT d.day, sum(w.id) AS n FROM raw.orders d JOIN raw.orders w ON {REACHES} "
            f"WHERE {RANGE.format('d.day')} GROUP BY d.day",
            6,
        ),
        (
            f"SELECT d.day, sum(w.id) AS n FROM raw.orders d LEFT JOIN raw.orders w ON {REACHES} "
            f"WHERE {RANGE.format('d.day')} GROUP BY d.day",
            6,
        ),
        (
            "SELECT day, id FROM (SELECT day, sum(id) OVER (ORDER BY day RANGE BETWEEN INTERVAL 2 DAYS PRECEDING AND "
            f"CURRENT ROW) AS id FROM raw.orders) WHERE {RANGE.format('day')}",
            2,
        ),
        (f"SELECT id, day FROM raw.orders WHERE {RANGE.format('day')}", 0),
    ],
)
def test_the_reach_is_the_one_that_is_proven_and_not_the_longer_declared_one(query: str, days: int) -> None:
    found = read(query, inputs=WINDOW)
    assert (found.filter_column, found.reach_seconds) == ("Day", days * 86400)
    assert found.window_seconds == 10 * 86400


def test_two_columns_are_said_to_touch_every_slice() -> None:
    query = (
        f"SELECT day FROM raw.orders WHERE {RANGE.format('day')} UNION ALL "
        f"SELECT CAST(at AS DATE) FROM raw.orders WHERE {RANGE.format('at')}"
    )
    graph = graph_of(ORDERS, model("main.q", query, strategy=DAILY))
    words = explain_incrementality(graph, compiled(graph))
    assert any("by different columns (`at`, `day`), so a change in it touches every slice" in line for line in words)


@pytest.mark.parametrize("cast", ["CAST(status AS DATE)", "TRY_CAST(status AS DATE)", "TO_DATE(status)"])
def test_text_that_is_cast_to_a_date_gives_no_range_of_its_column(cast: str) -> None:
    query = f"SELECT {cast} AS day FROM raw.orders WHERE {RANGE.format(cast)}"
    assert read(query).filter_column is None
    graph = graph_of(ORDERS, model("main.q", query, strategy=DAILY))
    words = explain_incrementality(graph, compiled(graph))
    assert any(
        "by `status`, which is neither a date nor a timestamp, so a change in it touches every slice" in line
        for line in words
    )


LOCAL = "to_date(from_utc_timestamp(at, 'Europe/Stockholm'))"
BY_DAY = f"SELECT {LOCAL} AS day, count(*) AS n FROM raw.orders WHERE {RANGE.format(LOCAL)} GROUP BY 1"
BY_INSTANT = f"SELECT {LOCAL} AS day, count(*) AS n FROM raw.orders WHERE at >= @start_ts AND at < @end_ts GROUP BY 1"
BY_BOTH = (
    f"WITH c AS (SELECT {LOCAL} AS day, id FROM raw.orders) SELECT day, id FROM c WHERE {RANGE.format('day')} "
    f"UNION ALL SELECT {LOCAL}, id FROM raw.orders WHERE at >= @start_ts AND at < @end_ts"
)
BY_WEEK = (
    f"SELECT day, n FROM (SELECT {LOCAL} AS day, sum(id) OVER (ORDER BY {LOCAL} RANGE BETWEEN INTERVAL 6 DAYS "
    f"PRECEDING AND CURRENT ROW) AS n FROM raw.orders) WHERE {RANGE.format('day')}"
)


def local_model(query: str) -> CompiledModel:
    """Return a model whose slices are the days of Stockholm."""
    written = model("main.q", query, strategy=DAILY, inputs=WINDOW, timezone="Europe/Stockholm")
    return compiled(graph_of(ORDERS, written))


def hours_of(*days: str) -> list[datetime]:
    """Return instants around each begin and clock change of some days in UTC, to the microsecond."""
    starts = [datetime.fromisoformat(f"{day}T00:00:00+00:00") for day in days]
    hours = [start + timedelta(hours=number) for start in starts for number in range(-3, 27)]
    return [hour + timedelta(microseconds=number) for hour in hours for number in (-1, 0)]


def local_date(instant: datetime) -> date:
    """Return the date that clocks in Stockholm show."""
    return instant.astimezone(ZoneInfo("Europe/Stockholm")).date()


def readers_of(reader: CompiledModel, ranges: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the slices that read ranges of the only input."""
    grid, read = grid_of(reader), reader.inputs[0].range
    assert grid is not None
    assert read is not None
    return inverse_image(grid, read, ranges, is_own=False)


def begin(day: date) -> datetime:
    """Return where a day of Stockholm begins."""
    return datetime.combine(day, time(), ZoneInfo("Europe/Stockholm")).astimezone(UTC)


@pytest.mark.parametrize(("query", "reach"), [(BY_DAY, 0), (BY_INSTANT, 0), (BY_BOTH, 0), (BY_WEEK, 6)])
def test_a_touched_instant_makes_exactly_its_local_day_stale_and_those_that_reach_it(query: str, reach: int) -> None:
    reader = local_model(query)
    (found,) = reader.inputs
    assert (found.filter_column, found.filters_dates, found.reach_seconds) == ("at", False, reach * 86400)
    for instant in hours_of("2026-03-23", "2026-03-29", "2026-07-01", "2026-10-19", "2026-10-25"):
        day = local_date(instant)
        stale = readers_of(reader, (Interval(instant, instant + timedelta(microseconds=1)),))
        assert stale == (Interval(begin(day), begin(day + timedelta(days=reach + 1))),), instant


def test_an_instant_and_its_local_day_before_the_slice_are_different_columns() -> None:
    by_hours = (
        f"SELECT {LOCAL} AS day, n FROM (SELECT at, sum(id) OVER (ORDER BY at RANGE BETWEEN INTERVAL 6 DAYS "
        "PRECEDING AND CURRENT ROW) AS n FROM raw.orders) WHERE at >= @start_ts AND at < @end_ts"
    )
    assert local_model(by_hours).inputs[0].filter_column == "at"
    written = model(
        "main.q", f"{BY_WEEK} UNION ALL {by_hours}", strategy=DAILY, inputs=WINDOW, timezone="Europe/Stockholm"
    )
    graph = graph_of(ORDERS, written)
    assert compiled(graph).inputs[0].filter_column is None
    words = explain_incrementality(graph, compiled(graph))
    assert any("by different columns (`at`, `at in Europe/Stockholm`)" in line for line in words), words


def test_a_touch_without_ends_reaches_every_local_day() -> None:
    reader = local_model(BY_WEEK)
    assert readers_of(reader, (WHOLE,)) == (WHOLE,)

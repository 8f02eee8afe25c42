"""Whatever random query the compiler accepts, SQLite's answer bears it out: by slices, and without far rows."""

import sqlite3
from collections import Counter
from contextlib import closing
from random import Random
from typing import Any

import sqlglot
from tests.compiler.random_slices import random_query

from lamina.compiler.slices.incrementality import judge
from lamina.compiler.slices.shape import shape_of
from lamina.compiler.slices.units import DAY
from lamina.compiler.slices.verdict import InputFacts, Proven, RangeRead
from lamina.project.strategy import Incremental, TimeInterval
from lamina.strategies.table import traits_of
from lamina.values.names import ColumnName, TableName

COLUMNS = tuple(ColumnName(name) for name in ("id", "k", "d", "v"))
DAY_COLUMN = ColumnName("d")
DAILY = traits_of(TimeInterval(time_column=DAY_COLUMN))
APPENDED = traits_of(Incremental(driver=TableName("a")))
QUERIES = 1200
RANGE = (10, 14)


def facts(before: int | None, after: int = 0) -> dict[str, InputFacts]:
    """Return the facts of both tables."""
    return {
        name: InputFacts(
            TableName(name),
            DAY_COLUMN,
            COLUMNS,
            frozenset({DAY_COLUMN}),
            window=before * DAY if before is not None else None,
            window_after=after * DAY,
            is_driver=name == "a",
        )
        for name in ("a", "b")
    }


def filled(chance: Random) -> sqlite3.Connection:
    """Return a database with two tables of rows over thirty days, and a few without a day."""
    connection = sqlite3.connect(":memory:")
    rows: list[tuple[int | None, ...]]
    for name in ("a", "b"):
        connection.execute(f"CREATE TABLE {name} (id int, k int, d int, v int)")
        rows = [(number, chance.randint(0, 2), chance.randint(0, 24), chance.randint(1, 9)) for number in range(60)]
        rows += [(number, chance.randint(0, 2), None, chance.randint(1, 9)) for number in range(60, 64)]
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
    return connection


def answer(connection: sqlite3.Connection, sql: str, start: int, end: int) -> Counter[Any]:
    """Return the rows of a query for a range of days."""
    return Counter(connection.execute(sql.replace("@start_date", str(start)).replace("@end_date", str(end))).fetchall())


def without_far_rows(
    connection: sqlite3.Connection, sql: str, reads: tuple[RangeRead, ...], *, start: int, end: int
) -> Counter[Any]:
    """Return the rows of a range when the tables hold nothing outside the reach that was found."""
    connection.execute("SAVEPOINT near")
    for read in reads:
        column, since, until = read.column, start - read.before // DAY, end + read.after // DAY
        far = f"{column} < ? OR {column} >= ? OR {column} IS NULL"
        connection.execute(f"DELETE FROM {read.table} WHERE {far}", (since, until))
    found = answer(connection, sql, start, end)
    connection.execute("ROLLBACK TO near")
    return found


def test_accepted_slices_equal_one_batch_and_need_nothing_far() -> None:
    accepted = bounded = ahead = 0
    for seed in range(QUERIES):
        chance = Random(seed)
        sql = random_query(chance, chance.randint(1, 3))
        window = chance.choice(((None, 0), (3, 0), (3, 4)))
        shape = shape_of(sqlglot.parse_one(sql, dialect="spark"))
        verdict = judge(DAILY, shape, inputs=facts(*window), zone="UTC", is_dated=True)
        if not isinstance(verdict, Proven):
            continue
        accepted += 1
        with closing(filled(chance)) as connection:
            slices = [answer(connection, sql, day, day + 1) for day in range(*RANGE)]
            assert answer(connection, sql, *RANGE) == sum(slices, Counter()), (seed, sql)
            assert all(RANGE[0] <= row[2] < RANGE[1] for part in slices for row in part), (seed, sql)
            near = without_far_rows(connection, sql, verdict.reads, start=12, end=13)
            assert near == slices[2], (seed, sql)
            bounded += bool(verdict.reads)
            ahead += any(read.after for read in verdict.reads)
    assert accepted > QUERIES // 20
    assert bounded > accepted // 2
    assert ahead > accepted // 20


def test_accepted_batches_of_one_slice_hold_its_rows_and_need_nothing_far() -> None:
    accepted = 0
    traits = traits_of(TimeInterval(time_column=DAY_COLUMN, batch_size=1))
    for seed in range(QUERIES):
        chance = Random(seed)
        sql = random_query(chance, chance.randint(1, 3))
        window = chance.choice(((None, 0), (3, 0), (3, 4)))
        shape = shape_of(sqlglot.parse_one(sql, dialect="spark"))
        verdict = judge(traits, shape, inputs=facts(*window), zone="UTC", is_dated=True)
        if not isinstance(verdict, Proven):
            continue
        accepted += 1
        with closing(filled(chance)) as connection:
            found = answer(connection, sql, 12, 13)
            assert all(row[2] == 12 for row in found), (seed, sql)
            assert without_far_rows(connection, sql, verdict.reads, start=12, end=13) == found, (seed, sql)
    assert accepted > QUERIES // 20


def test_accepted_appends_equal_the_whole() -> None:
    accepted = 0
    for seed in range(QUERIES):
        chance = Random(seed)
        sql = random_query(chance, chance.randint(1, 3)).replace("@start_date", "0").replace("@end_date", "99")
        shape = shape_of(sqlglot.parse_one(sql, dialect="spark"))
        verdict = judge(APPENDED, shape, inputs=facts(None), zone="UTC", is_dated=True)
        if not isinstance(verdict, Proven):
            continue
        accepted += 1
        with closing(filled(chance)) as connection:
            whole = answer(connection, sql, 0, 99)
            parts: Counter[Any] = Counter()
            for remainder in (0, 1):
                connection.execute("SAVEPOINT part")
                connection.execute("DELETE FROM a WHERE id % 2 = ?", (remainder,))
                parts += answer(connection, sql, 0, 99)
                connection.execute("ROLLBACK TO part")
            assert whole == parts, (seed, sql)
    assert accepted > QUERIES // 20


def test_what_a_refused_query_is_known_to_read_is_all_it_reads() -> None:
    bounded = 0
    for seed in range(QUERIES):
        chance = Random(seed)
        sql = random_query(chance, chance.randint(1, 3))
        shape = shape_of(sqlglot.parse_one(sql, dialect="spark"))
        verdict = judge(DAILY, shape, inputs=facts(3, 4), zone="UTC", is_dated=True)
        if isinstance(verdict, Proven) or not verdict.reads:
            continue
        bounded += 1
        with closing(filled(chance)) as connection:
            found = answer(connection, sql, 12, 13)
            assert without_far_rows(connection, sql, verdict.reads, start=12, end=13) == found, (seed, sql)
    assert bounded > QUERIES // 20

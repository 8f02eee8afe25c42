"""Random queries over days counted as whole numbers, so that SQLite can answer what the compiler only reasons about.

Every query has the columns `id`, `k`, `d` (the day) and `v`; the text is read the same way by Spark's parser.
"""

from random import Random

RANGE = "{d} >= @start_date AND {d} < @end_date"
FRAMES = (
    "ORDER BY d",
    "ORDER BY d DESC",
    "ORDER BY d RANGE BETWEEN {n} PRECEDING AND CURRENT ROW",
    "ORDER BY d RANGE BETWEEN CURRENT ROW AND {n} FOLLOWING",
    "ORDER BY d RANGE BETWEEN {n} PRECEDING AND {n} FOLLOWING",
    "",
)
PARTITIONS = ("PARTITION BY d", "PARTITION BY k, d", "PARTITION BY k", "")
MEETINGS = (
    "",
    " AND t.d = s.d",
    " AND t.d >= s.d - {n} AND t.d <= s.d",
    " AND t.d >= s.d AND t.d <= s.d + {n}",
    " AND t.d <= s.d",
    " AND t.d = s.d - {n}",
    " AND t.d = s.d + {n}",
)
INSIDE = (*MEETINGS, " AND t.d = s.d", " AND t.d + {n} = s.d", " AND t.d >= s.d - {n}", " AND t.d > s.d")
BESIDE = (
    "",
    "",
    " JOIN ({right}) AS u ON u.k = t.k",
    " JOIN ({right}) AS u ON u.k = t.k AND u.d = t.d",
    " JOIN ({right}) AS u ON u.k = t.k AND u.d < t.d",
    " LEFT JOIN ({right}) AS u ON u.k = t.k AND t.d = s.d",
)


def random_query(chance: Random, depth: int) -> str:
    """Return a query with up to `depth` operators."""
    if depth == 0:
        return _table(chance)
    return chance.choice((_filter, _filter, _group, _window, _join, _join, _exists, _set, _distinct, _shift))(
        chance, depth
    )


def _table(chance: Random) -> str:
    where = chance.choice(
        (
            "",
            "",
            f" WHERE {RANGE.format(d='d')}",
            " WHERE d >= @start_date - {n} AND d < @end_date",
            " WHERE d >= @start_date AND d < @end_date + {n}",
            " WHERE d >= @start_date - {n} AND d <= @end_date + {n}",
            " WHERE d < @end_date",
        )
    )
    return f"SELECT id, k, d, v FROM {chance.choice('ab')}" + where.format(n=chance.randint(1, 3))


def _filter(chance: Random, depth: int) -> str:
    inner = random_query(chance, depth - 1)
    return f"SELECT id, k, d, v FROM ({inner}) AS s WHERE {RANGE.format(d='s.d')}"


def _group(chance: Random, depth: int) -> str:
    inner = random_query(chance, depth - 1)
    day, keys = chance.choice((("d", "k, d"), ("d", "d"), ("max(d)", "k")))
    k = "k" if "k" in keys else "min(k)"
    return f"SELECT min(id) AS id, {k} AS k, {day} AS d, sum(v) AS v FROM ({inner}) AS s GROUP BY {keys}"


def _window(chance: Random, depth: int) -> str:
    inner = random_query(chance, depth - 1)
    over = f"{chance.choice(PARTITIONS)} {chance.choice(FRAMES)}".format(n=chance.randint(1, 3))
    return f"SELECT id, k, d, sum(v) OVER ({over.strip()}) AS v FROM ({inner}) AS s"


def _join(chance: Random, depth: int) -> str:
    left, right = random_query(chance, depth - 1), random_query(chance, chance.randint(0, depth - 1))
    kind = chance.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN"))
    on = "t.k = s.k" + chance.choice(MEETINGS).format(n=chance.randint(1, 3))
    on += chance.choice(("", "", f" AND {RANGE.format(d='t.d')}"))
    where = chance.choice(("", f" WHERE {RANGE.format(d='s.d')}", f" WHERE {RANGE.format(d='t.d')}"))
    day = chance.choice(("s.d", "s.d", "t.d"))
    return f"SELECT s.id, s.k, {day} AS d, t.v FROM ({left}) AS s {kind} ({right}) AS t ON {on}{where}"


def _exists(chance: Random, depth: int) -> str:
    left, right = random_query(chance, depth - 1), random_query(chance, chance.randint(0, depth - 1))
    inside = f"FROM ({right}) AS t" + chance.choice(BESIDE).format(right=right, n=chance.randint(1, 3))
    equal = chance.choice(INSIDE).format(n=chance.randint(1, 3))
    day = chance.choice(("s.d", "s.d", "s.d - 1", "s.d + 1"))
    test = chance.choice(
        (
            f"EXISTS (SELECT 1 {inside} WHERE t.k = s.k{equal})",
            f"NOT EXISTS (SELECT 1 {inside} WHERE t.k = s.k{equal})",
            f"{day} IN (SELECT t.d {inside})",
            f"{day} NOT IN (SELECT t.d {inside} WHERE t.v > 5)",
            f"s.v > (SELECT avg(t.v) {inside} WHERE t.k = s.k{equal})",
            f"s.k IN (SELECT t.k {inside})",
        )
    )
    return f"SELECT s.id, s.k, s.d, s.v FROM ({left}) AS s WHERE {test}"


def _set(chance: Random, depth: int) -> str:
    left, right = random_query(chance, depth - 1), random_query(chance, chance.randint(0, depth - 1))
    operator = chance.choice(("UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
    columns = chance.choice(("id, k, d, v", "id, k, d, v", "id, d, k, v"))
    return f"SELECT id, k, d, v FROM ({left}) AS s {operator} SELECT {columns} FROM ({right}) AS t"


def _distinct(chance: Random, depth: int) -> str:
    columns = chance.choice(("id, k, d, v", "k AS id, k, d, v", "0 AS id, k, d, 0 AS v"))
    return f"SELECT DISTINCT {columns} FROM ({random_query(chance, depth - 1)}) AS s"


def _shift(chance: Random, depth: int) -> str:
    day = chance.choice(("d - 1", "d + 1", "d", "@start_date"))
    return f"SELECT id, k, {day} AS d, v FROM ({random_query(chance, depth - 1)}) AS s"

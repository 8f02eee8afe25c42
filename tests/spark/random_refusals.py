"""Random queries near what rules accuse: calls of any length, stars beside groups, set operations, windows, fields."""

from collections.abc import Callable
from random import Random

from lamina.compiler.types.functions.facts import ARGUMENT_COUNTS

VALUES = (
    *("a", "b", "c", "s", "ts", "d", "arr", "m", "st", "sarr", "t.a", "st.x", "st.y.z", "t.st.y", "sarr.x", "st.q"),
    *("1", "0.5", "'a,b'", "'('", "'day'", "NULL", "true", "(a)", "arr[0]", "m['k']", "s::string", "a /* , ( */"),
    *("CAST(a AS decimal(10, 2))", "CASE WHEN a > 1 THEN s END", "a IN (1, 2)", "(SELECT max(k) FROM u)", "*"),
)
LENIENT = (
    *("coalesce", "nvl", "ifnull", "nullif", "concat", "greatest", "least", "struct", "array", "map", "hash", "if"),
    *("count", "max", "min", "sum", "any_value", "first", "collect_list", "upper", "length", "abs", "round", "explode"),
    *("isnull", "named_struct", "nvl2", "to_date", "substring", "trim", "date_add", "datediff", "row_number", "lag"),
)
WINDOWS = ("", "ORDER BY a", "PARTITION BY b", "PARTITION BY b ORDER BY a", "ORDER BY sum(a)")
NAMES = sorted(ARGUMENT_COUNTS)


def random_refusal(random: Random) -> str:
    """Return a query over `t` and `u` that Spark may refuse."""
    form = random.choice(_FORMS)
    while "{" in form:
        start = form.index("{")
        word = form[start + 1 : form.index("}", start)]
        form = form[:start] + _PARTS[word](random) + form[form.index("}", start) + 1 :]
    return form


def _value(random: Random, depth: int = 2) -> str:
    if depth == 0 or random.random() < 0.4:
        return random.choice(VALUES)
    name = random.choice(LENIENT if random.random() < 0.7 else NAMES)
    arguments = [_value(random, depth - 1) for _ in range(random.choice((0, 1, 1, 1, 2, 2, 2, 3, 4)))]
    return f"{random.choice((name, name.upper()))}({', '.join(arguments)})"


def _some(words: tuple[str, ...], random: Random) -> str:
    return ", ".join(random.sample(words, random.randint(1, len(words))))


_PARTS: dict[str, Callable[[Random], str]] = {
    "value": _value,
    "window": lambda random: random.choice(WINDOWS),
    "keys": lambda random: _some(("a", "k", "w", "u.a", "u.k", "upper(w)", "u.w"), random),
    "columns": lambda random: _some(("a", "k", "w"), random),
    "name": lambda random: random.choice(("a", "b", "k", "x", "t.a", "u.k", "1", "a + 1", "x + a")),
    "plain": lambda random: random.choice(("a", "b", "c", "s", "ts", "d", "arr", "m", "st", "NULL", "1", "'a'")),
    "set": lambda random: random.choice(("UNION", "UNION ALL", "EXCEPT", "INTERSECT")),
    "except": lambda random: random.choice(("", "", " EXCEPT (k)", " EXCEPT (w, a)", " EXCEPT (b)")),
    "more": lambda random: random.choice(("", ", count(*)", ", max(k)", ", k")),
}
_FORMS = (
    *("SELECT {value} FROM t", "SELECT {value}, {value} FROM t", "SELECT a FROM t WHERE {value} = {value}") * 3,
    "SELECT {value} OVER ({window}) FROM t",
    "SELECT a, {value} FROM t GROUP BY a",
    "SELECT {plain} FROM t HAVING {value}",
    "SELECT *{except}{more} FROM u GROUP BY {keys}",
    "SELECT u.*{except}{more} FROM u",
    "SELECT *{except} FROM u",
    "SELECT {plain} FROM t {set} SELECT {plain} FROM t",
    "SELECT {plain} AS x FROM t {set} SELECT a FROM t ORDER BY {name}",
    "SELECT a FROM t WHERE a IN (SELECT {columns} FROM u)",
    "SELECT a, (SELECT {columns} FROM u LIMIT 1) FROM t",
    "SELECT a FROM t WHERE (a, b) IN (SELECT {columns} FROM u)",
    "SELECT {value} AS x FROM t ORDER BY {name}",
)

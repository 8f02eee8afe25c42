"""Random aggregating queries over the tables of the refusals; Spark will refuse about half of them."""

from random import Random

_VALUES = ("a", "b", "t.a", "t.b", "st.x", "st.y.z", "t.st.x", "arr[0]", "m['x']", "1", "length(s)", "year(d)")
# `{v}` is a value.
_VALUE_FORMS = (
    *(
        "{v} + {v}",
        "({v} * {v})",
        "abs({v})",
        "coalesce({v}, {v})",
        "nvl({v}, 0)",
        "-{v}",
        "{v} % 2",
        "greatest({v}, 1)",
    ),
    *(
        "CASE WHEN {v} > {v} THEN {v} ELSE {v} END",
        "if({v} > 1, {v}, 0)",
        "CAST({v} AS INT)",
        "named_struct('q', {v}).q",
    ),
    *("aggregate(arr, {v}, (sum, x) -> sum + x)", "length(concat(s, string({v})))", "size(arr) + {v}"),
)
_AGGREGATES = (
    *(
        "sum({v})",
        "count(*)",
        "max({v}) + {v}",
        "count(DISTINCT {v})",
        "first({v})",
        "any_value({v})",
        "bool_or({v} > 1)",
    ),
    *("sum({v}) FILTER (WHERE {v} > 1)", "collect_list({v})[0]", "max_by({v}, {v})", "regr_count({v}, {v})"),
    *("percentile_cont(0.5) WITHIN GROUP (ORDER BY {v})", "transform(collect_list({v}), x -> x + {v})[0]"),
    *(
        "sum(sum({v})) OVER (ORDER BY {v})",
        "row_number() OVER (PARTITION BY {v} ORDER BY sum({v}))",
        "sum({v}) OVER ()",
    ),
    "struct(max({v}) AS z).z",
)
_FROM = (
    "t",
    "t",
    "t",
    "t JOIN u USING (a)",
    "t LEFT JOIN u ON t.a = u.a",
    "(SELECT * FROM t) t",
    "t LATERAL VIEW explode(arr) e AS q",
)
_GROUPS = (
    "",
    "GROUP BY {}",
    "GROUP BY {}",
    "GROUP BY {}",
    "GROUP BY ROLLUP({})",
    "GROUP BY {} WITH CUBE",
    "GROUP BY ALL",
)
_REST = ("", "", "", "HAVING {v} > 1", "HAVING sum({v}) > 1", "ORDER BY {v}", "ORDER BY z", "ORDER BY max({v})")


def random_group(random: Random) -> str:
    """Return a query that aggregates, or nearly."""
    keys = [_value(random, random.choice((0, 0, 1, 2))) for _ in range(random.randint(1, 3))]
    items: list[str] = []
    for _ in range(random.randint(1, 4)):
        forms = ([random.choice(keys)], [f"abs({random.choice(keys)})"], _AGGREGATES, _AGGREGATES, ["{v}"])
        alias = random.choice(("", "", " AS z", " AS a", f" AS output_{len(items)}"))
        items.append(_filled(random, random.choice(random.choice(forms)), 1) + alias)
    written = [random.choice((key, key, key, key, str(random.randint(1, len(items))), "z")) for key in keys]
    group = random.choice(_GROUPS).format(", ".join(written))
    rest = _filled(random, random.choice(_REST), 0)
    return f"SELECT {', '.join(items)} FROM {random.choice(_FROM)} {group} {rest}".strip()


def _value(random: Random, depth: int) -> str:
    if depth == 0 or random.random() < 0.3:
        return random.choice(_VALUES)
    return _filled(random, random.choice(_VALUE_FORMS), depth - 1)


def _filled(random: Random, form: str, depth: int) -> str:
    while "{v}" in form:
        form = form.replace("{v}", _value(random, depth), 1)
    return form

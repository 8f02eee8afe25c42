"""Random expressions over the columns of `expressions.toml`; some of them Spark will refuse."""

from random import Random

_NUMBERS = (
    "tiny",
    "small",
    "whole",
    "big",
    "single",
    "real",
    "price",
    "amount",
    "quantity",
    "label",
    "1",
    "2.5",
    "-7",
)
_TIMES = ("day", "moment", "clock", "label", "current_date()", "timestamp '2024-01-01 00:00:00'")
_TEXTS = ("label", "'x'", "whole", "price", "day", "flag", "bytes", "words[0]", "point.y")

# `{n}`, `{t}`, `{s}` and `{b}` are a number, a time, a text and a condition.
_NUMBER_FORMS = (
    *("({n} + {n})", "({n} - {n})", "({n} * {n})", "({n} / {n})", "({n} % {n})", "({n} div {n})", "-({n})"),
    *("round({n}, 2)", "round({n}, -1)", "ceil({n})", "floor({n})", "abs({n})", "sqrt({n})", "power({n}, {n})"),
    *("coalesce({n}, {n}, {n})", "greatest({n}, {n})", "nullif({n}, {n})", "if({b}, {n}, {n})", "zeroifnull({n})"),
    *("cast({n} as int)", "cast({n} as decimal(12,3))", "cast({n} as double)", "try_cast({n} as decimal(5,1))"),
    *("length({s})", "year({t})", "datediff({t}, {t})", "array({n}, {n})[0]", "try_divide({n}, {n})"),
    "case when {b} then {n} when {b} then {n} end",
)
_TIME_FORMS = (
    *("({t} + interval 1 day)", "({t} - interval 2 hours)", "({t} + interval 1 month)", "({t} + 1)"),
    *("date_add({t}, whole)", "date_trunc('month', {t})", "trunc({t}, 'MM')", "last_day({t})", "add_months({t}, 1)"),
    *("cast({t} as date)", "cast({t} as timestamp)", "cast({t} as timestamp_ntz)", "to_date({t})", "to_timestamp({t})"),
    *("coalesce({t}, {t})", "if({b}, {t}, {t})", "greatest({t}, {t})", "timestampadd(DAY, 1, {t})"),
)
_TEXT_FORMS = (
    *("upper({s})", "({s} || {s})", "substring({s}, 1, 2)", "trim({s})", "coalesce({s}, {s})", "nullif({s}, '')"),
    *("split({s}, ',')[0]", "lpad({s}, 5, '0')", "md5({s})", "date_format({t}, 'yyyy')", "cast({n} as string)"),
    *(
        "if({b}, {s}, {s})",
        "named_struct('a', {s}).a",
        "map('k', {s})['k']",
        "concat_ws(',', {s}, {s})",
        "left({s}, 2)",
    ),
)
_CONDITIONS = (
    *("({n} = {n})", "({n} < {n})", "({t} >= {t})", "({s} = {s})", "({b} and {b})", "(not {b})", "({n} is null)"),
    *("({n} in (1, 2.5))", "({n} between 1 and {n})", "({s} like 'a%')", "({n} <=> {n})", "startswith({s}, 'a')"),
)
_AGGREGATES = (
    "sum({n})",
    "avg({n})",
    "max({t})",
    "min({s})",
    "count({n})",
    "(sum({n}) / count(*))",
    "collect_list({s})",
)

_FORMS = {
    "n": (_NUMBERS, _NUMBER_FORMS),
    "t": (_TIMES, _TIME_FORMS),
    "s": (_TEXTS, _TEXT_FORMS),
    "b": (("flag",), _CONDITIONS),
}


def random_expression(random: Random) -> str:
    """Return one expression, an aggregate now and then."""
    if random.random() < 0.15:
        return _filled(random.choice(_AGGREGATES), random, depth=1)
    return _expression(random.choice("ntsb"), random, depth=random.randint(1, 3))


def _expression(kind: str, random: Random, *, depth: int) -> str:
    leaves, forms = _FORMS[kind]
    if depth == 0 or random.random() < 0.3:
        return random.choice(leaves)
    return _filled(random.choice(forms), random, depth=depth - 1)


def _filled(form: str, random: Random, *, depth: int) -> str:
    for kind in _FORMS:
        while f"{{{kind}}}" in form:
            form = form.replace(f"{{{kind}}}", _expression(kind, random, depth=depth), 1)
    return form

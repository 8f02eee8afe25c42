"""Spark's names of the functions that the SQL parser knows under names of its own."""

from functools import cache
from typing import Any

from sqlglot import exp

# The parser gives one class to synonyms (`lcase`, `lower`) and its own names to many functions.
RENAMED: dict[type[exp.Expr], str] = {
    exp.ApproxDistinct: "approx_count_distinct",
    exp.ApproxQuantile: "percentile_approx",
    exp.ArgMax: "max_by",
    exp.ArgMin: "min_by",
    exp.ArrayAgg: "collect_list",
    exp.ArraySize: "size",
    exp.ArraySlice: "slice",
    exp.ArrayToString: "array_join",
    exp.ArrayUniqueAgg: "collect_set",
    exp.ArrayFilter: "filter",
    exp.AtTimeZone: "from_utc_timestamp",
    exp.BitwiseAnd: "bitwise_and",
    exp.BitwiseOr: "bitwise_or",
    exp.BitwiseXor: "bitwise_xor",
    exp.BitwiseNot: "bitwise_not",
    exp.BitwiseAndAgg: "bit_and",
    exp.BitwiseCount: "bit_count",
    exp.BitwiseLeftShift: "shiftleft",
    exp.BitwiseOrAgg: "bit_or",
    exp.BitwiseRightShift: "shiftright",
    exp.BitwiseXorAgg: "bit_xor",
    exp.DateTrunc: "trunc",
    exp.DayOfMonth: "dayofmonth",
    exp.DayOfWeek: "dayofweek",
    exp.DayOfYear: "dayofyear",
    exp.DecodeCase: "decode",
    exp.EndsWith: "endswith",
    exp.Format: "format_string",
    exp.FromBase64: "unbase64",
    exp.FromTimeZone: "to_utc_timestamp",
    exp.GenerateSeries: "sequence",
    exp.GroupConcat: "listagg",
    exp.IsNan: "isnan",
    exp.JSONExtractScalar: "get_json_object",
    exp.JSONFormat: "to_json",
    exp.JSONKeys: "json_object_keys",
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.Map: "map_from_arrays",
    exp.Pad: "pad",
    exp.Quantile: "percentile",
    exp.RegexpSplit: "split",
    exp.SafeAdd: "try_add",
    exp.SafeDivide: "try_divide",
    exp.SafeMultiply: "try_multiply",
    exp.SafeSubtract: "try_subtract",
    exp.StartsWith: "startswith",
    exp.StrPosition: "str_position",
    exp.StrToTime: "to_timestamp",
    exp.StrToUnix: "to_unix_timestamp",
    exp.TimeToStr: "date_format",
    exp.TimestampAdd: "timestampadd",
    exp.TimestampFromParts: "make_timestamp",
    exp.TimestampTrunc: "date_trunc",
    exp.ToBase64: "base64",
    exp.TsOrDsToDate: "to_date",
    exp.UnixToStr: "from_unixtime",
    exp.VariancePop: "var_pop",
    exp.WeekOfYear: "weekofyear",
}

# A node of this function is of a class that the parser does not show under its own name.
_HIDDEN = {"_ExplodeOuter": "explode_outer"}

_NAMES: dict[type[exp.Expr], str | None] = {}


def function_name(kind: type[exp.Expr]) -> str | None:
    """Return Spark's name of the function a class of the parser represents, or None if it is not a function."""
    if kind not in _NAMES:
        own = kind.sql_name().lower() if issubclass(kind, exp.Func) else None
        _NAMES[kind] = RENAMED.get(kind) or _HIDDEN.get(kind.__name__, own)
    return _NAMES[kind]


def called_name(node: Any) -> str:
    """Return the name of a call as Spark users write it; of a node that is not a call, that of its class."""
    if node.__class__ is exp.Anonymous:
        return str(node.this).lower()
    return function_name(node.__class__) or str(node.key)


@cache
def classes_of(names: frozenset[str]) -> dict[type[exp.Expr], str]:
    """Return the classes of the parser that represent some functions, with their names."""
    return {kind: name for kind in exp.ALL_FUNCTIONS if (name := function_name(kind)) in names}

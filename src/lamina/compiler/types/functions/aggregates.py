"""Aggregate and window functions."""

from lamina.compiler.types.coercion import is_null_after_cast
from lamina.compiler.types.functions.rule import Arguments, Rule, always, never, same, table
from lamina.compiler.types.spark_types import (
    FRACTIONALS,
    INTEGRALS,
    UNTYPED,
    Typed,
    array_of,
    decimal_of,
    decimal_type,
    is_decimal,
    is_interval,
    struct_of,
)
from lamina.values.schema import UNKNOWN, DataType


def _sum(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    if kind in INTEGRALS:
        return DataType("bigint")
    if kind in FRACTIONALS or kind in ("string", "void"):
        return DataType("double")
    size = decimal_of(kind)
    if size is not None:
        return decimal_type(size.precision + 10, size.scale)
    return kind if is_interval(kind) else None


def _average(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    size = decimal_of(kind) if is_decimal(kind) else None
    if size is not None:
        return decimal_type(size.precision + 4, size.scale + 4)
    if kind in INTEGRALS or kind in FRACTIONALS or kind in ("string", "void"):
        return DataType("double")
    if is_interval(kind):
        return DataType("interval year to month" if "year" in kind or "month" in kind else "interval day to second")
    return None


def _list(arguments: Arguments) -> DataType | None:
    return array_of(arguments[0].type)


def _exact_percentile(arguments: Arguments) -> DataType | None:
    """Intervals and arrays of percentages are distinguished; every number becomes double."""
    kind = arguments[0].type
    if kind == UNKNOWN or is_interval(kind):
        return None
    is_list = len(arguments) > 1 and arguments[1].type.startswith("array<")
    return DataType("array<double>" if is_list else "double")


def _approximate_percentile(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    if kind in ("string", "void"):
        kind = DataType("double")
    return array_of(kind) if arguments[1].type.startswith("array<") else kind


def _histogram(arguments: Arguments) -> DataType | None:
    return array_of(struct_of([("x", arguments[0].type), ("y", "double")]))


def _neighbour(arguments: Arguments) -> Typed:
    """`lag` and `lead`: null at the edge unless a default says otherwise, cast to the type of the value."""
    value = arguments[0]
    if value.type == UNKNOWN:
        return UNTYPED
    has_default = len(arguments) > 2 and not is_null_after_cast(arguments[2], value.type)
    return Typed(value.type, value.nullable or not has_default)


AGGREGATES: dict[str, Rule] = {
    **table("bigint", never, "count count_if approx_count_distinct regr_count"),
    **table(_sum, always, "sum try_sum"),
    **table(_average, always, "avg mean try_avg"),
    **table(
        same,
        always,
        "min max first first_value last last_value any_value max_by min_by mode bit_and bit_or bit_xor nth_value",
    ),
    **table(_list, never, "collect_list collect_set array_agg"),
    **table(
        "double",
        always,
        "stddev stddev_pop stddev_samp std variance var_pop var_samp corr covar_pop covar_samp skewness kurtosis"
        " regr_slope regr_avgx regr_avgy regr_intercept regr_r2 regr_sxx regr_sxy regr_syy",
    ),
    **table(_exact_percentile, always, "percentile median percentile_cont percentile_disc"),
    **table(_approximate_percentile, always, "percentile_approx"),
    **table("boolean", always, "bool_and bool_or every some any"),
    **table("string", always, "listagg"),
    **table(_histogram, always, "histogram_numeric"),
    **table("binary", never, "count_min_sketch hll_sketch_agg hll_union_agg bitmap_construct_agg bitmap_or_agg"),
    **table("bigint", never, "grouping_id"),
    **table("tinyint", never, "grouping"),
}

WINDOWS: dict[str, Rule] = {
    **table("int", never, "row_number rank dense_rank ntile"),
    **table("double", never, "percent_rank cume_dist"),
    "lag": _neighbour,
    "lead": _neighbour,
}

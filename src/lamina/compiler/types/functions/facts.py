"""What each function of Spark is and how many arguments it takes, by its name; what it returns is in the files beside.

Arguments are counted as Spark's analyzer does; a test puts the whole table to Spark. None: words that are operators or
clauses as well (`in`, `like`, `exists`), functions that only make tables, and those that refuse no number.
"""

from collections.abc import Container
from typing import Literal, NamedTuple

FunctionKind = Literal["row", "aggregate", "unordered", "ranking", "volatile"]
Counts = Container[int] | None

MANY = 1_000  # no call has more arguments


class Facts(NamedTuple):
    """What is known of one function.

    `row` functions look at one row, `aggregate` ones fold many, `unordered` ones too and depend on the order of rows;
    only a window can evaluate a `ranking` one; the value of a `volatile` one depends on the clock, on chance, on the
    session or on where a row happens to lie.
    """

    kind: FunctionKind
    counts: Counts


def _rows(kind: FunctionKind, counts: Counts, names: str) -> dict[str, Facts]:
    return dict.fromkeys(names.split(), Facts(kind, counts))


FACTS: dict[str, Facts] = {
    **_rows(
        "row",
        frozenset({0}),
        """
        current_catalog current_database current_schema current_timezone e pi version
        """,
    ),
    **_rows("row", range(0, 2), "explode explode_outer inline inline_outer posexplode posexplode_outer"),
    **_rows("row", range(0, 3), "make_ym_interval unix_timestamp"),
    **_rows("row", range(0, 5), "make_dt_interval"),
    **_rows("row", range(0, 6), "mask"),
    **_rows("row", range(0, 8), "make_interval"),
    **_rows("row", range(0, MANY, 2), "map named_struct"),
    **_rows(
        "row",
        frozenset({1}),
        """
        abs acos acosh array_compact array_distinct array_max array_min array_size ascii asin asinh atan atanh
        base64 bigint bin binary bit_count bit_length bitmap_bit_position bitmap_bucket_number bitmap_count boolean
        cardinality cbrt char char_length character_length chr collation cos cosh cot crc32 csc date
        date_from_unix_date day dayname dayofmonth dayofweek dayofyear decimal degrees double exp expm1 factorial
        flatten float hex hll_sketch_estimate initcap int is_valid_utf8 is_variant_null isnan isnotnull isnull
        json_array_length json_object_keys kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
        kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float last_day lcase len length
        ln log10 log1p log2 lower luhn_check make_valid_utf8 map_entries map_from_entries map_keys map_values md5
        month monthname negative nullifzero octet_length parse_json positive quarter quote radians raise_error
        reverse rint schema_of_variant sec sha sha1 sign signum sin sinh size smallint soundex space sqrt
        st_asbinary st_geogfromwkb st_geomfromwkb st_srid string tan tanh theta_sketch_estimate time timestamp
        timestamp_micros timestamp_millis timestamp_seconds tinyint to_variant_object try_parse_json try_url_decode
        try_validate_utf8 typeof ucase unbase64 unhex unix_date unix_micros unix_millis unix_seconds upper
        url_decode url_encode validate_utf8 weekday weekofyear window_time year zeroifnull
        """,
    ),
    **_rows(
        "row",
        range(1, 3),
        """
        approx_top_k_estimate array_sort assert_true bround btrim ceil ceiling floor from_unixtime log ltrim round
        rtrim schema_of_avro schema_of_csv schema_of_json schema_of_xml sort_array to_avro to_binary to_csv to_date
        to_json to_time to_timestamp to_timestamp_ltz to_timestamp_ntz to_unix_timestamp to_xml trim try_to_binary
        try_to_date try_to_time try_to_timestamp
        """,
    ),
    **_rows("row", range(1, 4), "sentences str_to_map"),
    **_rows("row", frozenset({1, 2, 3, 6, 7}), "make_timestamp try_make_timestamp"),
    **_rows("row", range(1, 8), "try_make_interval"),
    **_rows(
        "row",
        range(1, MANY),
        """
        coalesce concat_ws format_string hash hour minute printf second xxhash64
        """,
    ),
    **_rows(
        "row",
        frozenset({2}),
        """
        add_months array_append array_contains array_except array_intersect array_position array_prepend
        array_remove array_repeat array_union arrays_overlap atan2 bit_get collate contains date_format date_part
        date_sub date_trunc datepart element_at encode endswith equal_null extract filter find_in_set forall
        format_number from_utc_timestamp get get_json_object getbit hypot ifnull instr
        kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double kll_sketch_get_quantile_float
        kll_sketch_get_rank_bigint kll_sketch_get_rank_double kll_sketch_get_rank_float kll_sketch_merge_bigint
        kll_sketch_merge_double kll_sketch_merge_float left map_contains_key map_filter map_from_arrays nanvl
        next_day nullif nvl pmod pow power regexp_count regexp_like regexp_substr repeat right session_window sha2
        shiftleft shiftright shiftrightunsigned st_setsrid startswith theta_difference theta_intersection time_trunc
        to_char to_number to_utc_timestamp to_varchar transform transform_keys transform_values trunc try_add
        try_divide try_element_at try_mod try_multiply try_subtract try_to_number xpath xpath_boolean xpath_double
        xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string
        """,
    ),
    **_rows(
        "row",
        range(2, 4),
        """
        array_join convert_timezone date_add date_diff dateadd datediff from_avro from_csv from_json from_xml
        hll_union levenshtein locate lpad months_between parse_url position regexp_extract regexp_extract_all
        regexp_instr replace rpad sequence split substr substring theta_union try_parse_url try_variant_get
        variant_get
        """,
    ),
    **_rows("row", range(2, 5), "from_protobuf to_protobuf window"),
    **_rows("row", range(2, 6), "aes_decrypt try_aes_decrypt"),
    **_rows("row", frozenset({2, 6}), "make_timestamp_ntz try_make_timestamp_ntz"),
    **_rows("row", range(2, 7), "aes_encrypt"),
    **_rows("row", frozenset({2, 3, 6, 7}), "make_timestamp_ltz try_make_timestamp_ltz"),
    **_rows("row", range(2, MANY), "decode elt greatest json_tuple least stack"),
    **_rows(
        "row",
        frozenset({3}),
        """
        array_insert conv if make_date make_time map_zip_with nvl2 slice split_part substring_index time_diff
        translate zip_with
        """,
    ),
    **_rows("row", range(3, 5), "aggregate overlay reduce regexp_replace"),
    **_rows("row", frozenset({4}), "width_bucket"),
    **_rows(
        "row",
        None,
        """
        array arrays_zip between case cast collations concat div exists ilike in like map_concat mod not or range
        regexp rlike sql_keywords struct variant_explode variant_explode_outer when
        """,
    ),
    **_rows("aggregate", range(0, 5), "count_min_sketch"),
    **_rows(
        "aggregate",
        frozenset({1}),
        """
        avg bit_and bit_or bit_xor bitmap_and_agg bitmap_construct_agg bitmap_or_agg bool_and bool_or count_if every
        grouping kurtosis max mean median min percentile_cont percentile_disc schema_of_variant_agg skewness std
        stddev stddev_pop stddev_samp sum theta_intersection_agg try_avg try_sum var_pop var_samp variance
        """,
    ),
    **_rows(
        "aggregate",
        range(1, 3),
        """
        approx_count_distinct approx_top_k_accumulate approx_top_k_combine hll_sketch_agg hll_union_agg
        kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint kll_sketch_agg_double
        kll_sketch_agg_float theta_sketch_agg theta_union_agg
        """,
    ),
    **_rows("aggregate", range(1, 4), "approx_top_k"),
    **_rows("aggregate", range(1, MANY), "count"),
    **_rows(
        "aggregate",
        frozenset({2}),
        """
        corr covar_pop covar_samp histogram_numeric regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
        regr_sxx regr_sxy regr_syy
        """,
    ),
    **_rows("aggregate", range(2, 4), "approx_percentile percentile percentile_approx"),
    **_rows("aggregate", None, "any grouping_id some"),
    **_rows("unordered", range(0, 3), "mode"),
    **_rows("unordered", frozenset({1}), "array_agg collect_list collect_set"),
    **_rows("unordered", range(1, 3), "any_value first first_value last last_value listagg string_agg"),
    **_rows("unordered", frozenset({2}), "max_by min_by"),
    **_rows("ranking", frozenset({0}), "cume_dist row_number"),
    **_rows("ranking", range(0, 2), "ntile"),
    **_rows("ranking", range(0, 5), "lag lead"),
    **_rows("ranking", range(2, 4), "nth_value"),
    **_rows("ranking", None, "dense_rank percent_rank rank"),
    **_rows(
        "volatile",
        frozenset({0}),
        """
        curdate input_file_block_length input_file_block_start input_file_name localtimestamp
        monotonically_increasing_id now spark_partition_id
        """,
    ),
    **_rows("volatile", range(0, 2), "rand randn random uuid"),
    **_rows("volatile", range(1, 3), "randstr shuffle"),
    **_rows("volatile", range(2, 4), "uniform"),
    **_rows("volatile", range(2, MANY), "java_method reflect try_reflect"),
    **_rows(
        "volatile",
        None,
        """
        current_date current_time current_timestamp current_user python_worker_logs session_user user
        """,
    ),
}


def _of(*kinds: FunctionKind) -> frozenset[str]:
    return frozenset(name for name, facts in FACTS.items() if facts.kind in kinds)


KNOWN = frozenset(FACTS)
AGGREGATES = _of("aggregate", "unordered")
UNORDERED = _of("unordered")
RANKING = _of("ranking")
VOLATILE = _of("volatile")
OTHER = _of("row")
ARGUMENT_COUNTS: dict[str, Container[int]] = {
    name: facts.counts for name, facts in FACTS.items() if facts.counts is not None
}

"""How many arguments each function of Spark takes, as its analyzer counts them; a test puts the whole table to Spark.

Left out are words that are operators or clauses as well (`in`, `like`, `exists`), functions that only make tables, and
those that refuse no number.
"""

from collections.abc import Container

MANY = 1_000  # no call has more

_Counts = Container[int]


def _take(counts: _Counts, names: str) -> dict[str, _Counts]:
    return dict.fromkeys(names.split(), counts)


ARGUMENT_COUNTS: dict[str, _Counts] = {
    **_take(
        frozenset({0}),
        """
        cume_dist curdate current_catalog current_database current_schema current_timezone e
        input_file_block_length input_file_block_start input_file_name localtimestamp
        monotonically_increasing_id now pi row_number spark_partition_id version
        """,
    ),
    **_take(
        range(0, 2),
        """
        explode explode_outer inline inline_outer ntile posexplode posexplode_outer rand randn random uuid
        """,
    ),
    **_take(range(0, 3), "make_ym_interval mode unix_timestamp"),
    **_take(range(0, 5), "count_min_sketch lag lead make_dt_interval"),
    **_take(range(0, 6), "mask"),
    **_take(range(0, 8), "make_interval"),
    **_take(range(0, MANY, 2), "map named_struct"),
    **_take(
        frozenset({1}),
        """
        abs acos acosh array_agg array_compact array_distinct array_max array_min array_size ascii asin asinh
        atan atanh avg base64 bigint bin binary bit_and bit_count bit_length bit_or bit_xor bitmap_and_agg
        bitmap_bit_position bitmap_bucket_number bitmap_construct_agg bitmap_count bitmap_or_agg bool_and
        bool_or boolean cardinality cbrt char char_length character_length chr collation collect_list
        collect_set cos cosh cot count_if crc32 csc date date_from_unix_date day dayname dayofmonth dayofweek
        dayofyear decimal degrees double every exp expm1 factorial flatten float grouping hex
        hll_sketch_estimate initcap int is_valid_utf8 is_variant_null isnan isnotnull isnull json_array_length
        json_object_keys kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float
        kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float kurtosis last_day
        lcase len length ln log10 log1p log2 lower luhn_check make_valid_utf8 map_entries map_from_entries
        map_keys map_values max md5 mean median min month monthname negative nullifzero octet_length parse_json
        percentile_cont percentile_disc positive quarter quote radians raise_error reverse rint
        schema_of_variant schema_of_variant_agg sec sha sha1 sign signum sin sinh size skewness smallint soundex
        space sqrt st_asbinary st_geogfromwkb st_geomfromwkb st_srid std stddev stddev_pop stddev_samp string
        sum tan tanh theta_intersection_agg theta_sketch_estimate time timestamp timestamp_micros
        timestamp_millis timestamp_seconds tinyint to_variant_object try_avg try_parse_json try_sum
        try_url_decode try_validate_utf8 typeof ucase unbase64 unhex unix_date unix_micros unix_millis
        unix_seconds upper url_decode url_encode validate_utf8 var_pop var_samp variance weekday weekofyear
        window_time year zeroifnull
        """,
    ),
    **_take(
        range(1, 3),
        """
        any_value approx_count_distinct approx_top_k_accumulate approx_top_k_combine approx_top_k_estimate
        array_sort assert_true bround btrim ceil ceiling first first_value floor from_unixtime hll_sketch_agg
        hll_union_agg kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float kll_sketch_agg_bigint
        kll_sketch_agg_double kll_sketch_agg_float last last_value listagg log ltrim randstr round rtrim
        schema_of_avro schema_of_csv schema_of_json schema_of_xml shuffle sort_array string_agg theta_sketch_agg
        theta_union_agg to_avro to_binary to_csv to_date to_json to_time to_timestamp to_timestamp_ltz
        to_timestamp_ntz to_unix_timestamp to_xml trim try_to_binary try_to_date try_to_time try_to_timestamp
        """,
    ),
    **_take(range(1, 4), "approx_top_k sentences str_to_map"),
    **_take(range(1, 8), "try_make_interval"),
    **_take(range(1, MANY), "coalesce concat_ws count format_string hash hour minute printf second xxhash64"),
    **_take(frozenset({1, 2, 3, 6, 7}), "make_timestamp try_make_timestamp"),
    **_take(
        frozenset({2}),
        """
        add_months array_append array_contains array_except array_intersect array_position array_prepend
        array_remove array_repeat array_union arrays_overlap atan2 bit_get collate contains corr covar_pop
        covar_samp date_format date_part date_sub date_trunc datepart element_at encode endswith equal_null
        extract filter find_in_set forall format_number from_utc_timestamp get get_json_object getbit
        histogram_numeric hypot ifnull instr kll_sketch_get_quantile_bigint kll_sketch_get_quantile_double
        kll_sketch_get_quantile_float kll_sketch_get_rank_bigint kll_sketch_get_rank_double
        kll_sketch_get_rank_float kll_sketch_merge_bigint kll_sketch_merge_double kll_sketch_merge_float left
        map_contains_key map_filter map_from_arrays max_by min_by nanvl next_day nullif nvl pmod pow power
        regexp_count regexp_like regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope
        regr_sxx regr_sxy regr_syy repeat right session_window sha2 shiftleft shiftright shiftrightunsigned
        st_setsrid startswith theta_difference theta_intersection time_trunc to_char to_number to_utc_timestamp
        to_varchar transform transform_keys transform_values trunc try_add try_divide try_element_at try_mod
        try_multiply try_subtract try_to_number xpath xpath_boolean xpath_double xpath_float xpath_int
        xpath_long xpath_number xpath_short xpath_string
        """,
    ),
    **_take(
        range(2, 4),
        """
        approx_percentile array_join convert_timezone date_add date_diff dateadd datediff from_avro from_csv
        from_json from_xml hll_union levenshtein locate lpad months_between nth_value parse_url percentile
        percentile_approx position regexp_extract regexp_extract_all regexp_instr replace rpad sequence split
        substr substring theta_union try_parse_url try_variant_get uniform variant_get
        """,
    ),
    **_take(range(2, 5), "from_protobuf to_protobuf window"),
    **_take(range(2, 6), "aes_decrypt try_aes_decrypt"),
    **_take(range(2, 7), "aes_encrypt"),
    **_take(range(2, MANY), "decode elt greatest java_method json_tuple least reflect stack try_reflect"),
    **_take(frozenset({2, 3, 6, 7}), "make_timestamp_ltz try_make_timestamp_ltz"),
    **_take(frozenset({2, 6}), "make_timestamp_ntz try_make_timestamp_ntz"),
    **_take(
        frozenset({3}),
        """
        array_insert conv if make_date make_time map_zip_with nvl2 slice split_part substring_index time_diff
        translate zip_with
        """,
    ),
    **_take(range(3, 5), "aggregate overlay reduce regexp_replace"),
    **_take(frozenset({4}), "width_bucket"),
}

"""Functions over JSON, CSV, XML and variants, and what a session knows about itself."""

from lamina.compiler.types.functions.rule import Arguments, Rule, always, if_any, if_first, never, table
from lamina.values.schema import DataType, parse_type


def _by_schema(arguments: Arguments) -> DataType | None:
    """`from_json` and `from_csv` name their result in a literal: a type, or just the fields of a struct."""
    text = arguments[1].literal
    if text is None:
        return None
    return parse_type(text) or parse_type(f"struct<{text}>")


def _variant_item(arguments: Arguments) -> DataType | None:
    text = arguments[2].literal if len(arguments) > 2 else None
    return parse_type(text) if text is not None else None


DOCUMENTS: dict[str, Rule] = {
    **table("string", always, "get_json_object to_json to_csv xpath_string"),
    **table(_by_schema, always, "from_json"),
    **table(_by_schema, if_first, "from_csv"),
    **table("int", always, "json_array_length xpath_int"),
    **table("array<string>", always, "json_object_keys xpath"),
    **table("string", never, "schema_of_json schema_of_csv"),
    **table("variant", if_any, "parse_json"),
    **table("variant", always, "try_parse_json"),
    **table(_variant_item, always, "variant_get try_variant_get"),
    **table("boolean", always, "xpath_boolean"),
    **table("double", always, "xpath_double xpath_number"),
    **table("float", always, "xpath_float"),
    **table("bigint", always, "xpath_long"),
    **table("smallint", always, "xpath_short"),
}

SESSION: dict[str, Rule] = {
    **table(
        "string",
        never,
        "current_user current_catalog current_database current_schema session_user user version input_file_name",
    ),
    **table("bigint", never, "input_file_block_start input_file_block_length"),
    **table("void", always, "assert_true raise_error"),
    **table("bigint", if_any, "bitmap_bit_position bitmap_bucket_number bitmap_count"),
}

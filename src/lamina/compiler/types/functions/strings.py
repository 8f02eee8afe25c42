"""Functions over text and bytes."""

from lamina.compiler.types.coercion import common_type
from lamina.compiler.types.functions.rule import Arguments, Rule, always, cast_to, if_any, if_any_or_text, never, table
from lamina.compiler.types.spark_types import FRACTIONALS, decimal_type, is_decimal
from lamina.values.schema import UNKNOWN, DataType

# A text and then whole numbers: what `substring`, `lpad` or `repeat` take.
_TEXT_AND_NUMBERS = cast_to("string", "int")


def _text_or_bytes(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    if kind == UNKNOWN or kind.startswith(("array<", "map<", "struct<")):
        return None
    return DataType("binary" if kind == "binary" else "string")


def _padded(arguments: Arguments) -> DataType | None:
    """`lpad` and `rpad`: bytes only where the filling is bytes too."""
    kind = _text_or_bytes(arguments)
    return DataType("string") if kind and len(arguments) > 2 and arguments[2].type != "binary" else kind


def _joined(arguments: Arguments) -> DataType | None:
    """`concat`: arrays of a common type, bytes if all are, otherwise text."""
    kinds = [item.type for item in arguments]
    if UNKNOWN in kinds:
        return None
    if any(kind.startswith("array<") for kind in kinds):
        found: DataType | None = kinds[0]
        for kind in kinds[1:]:
            found = common_type(found, kind) if found else None
        return found
    return DataType("binary" if kinds and set(kinds) == {"binary"} else "string")


def _reversed(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    return kind if kind == UNKNOWN or kind.startswith("array<") else DataType("string")


def _whole_or_text(arguments: Arguments) -> bool:
    """`hex` takes whole numbers, text and bytes as they are; other numbers are cast, which can fail."""
    return any(item.nullable or is_decimal(item.type) or item.type in FRACTIONALS for item in arguments)


def _number_by_format(arguments: Arguments) -> DataType | None:
    """`to_number`: the digits of the format before and after its point."""
    text = arguments[1].literal
    if text is None:
        return None
    whole, _, fraction = text.upper().replace("D", ".").partition(".")
    digits = [sum(part.count(sign) for sign in "09") for part in (whole, fraction)]
    return decimal_type(sum(digits), digits[1]) if sum(digits) else None


STRINGS: dict[str, Rule] = {
    **table(
        "string",
        cast_to("string"),
        "upper lower initcap trim ltrim rtrim btrim translate replace regexp_replace soundex md5 sha sha1"
        " base64 to_char to_varchar overlay",
    ),
    **table("string", if_any_or_text, "bin chr char"),
    **table("string", _whole_or_text, "hex"),
    **table("string", _TEXT_AND_NUMBERS, "repeat"),
    **table("string", cast_to("int"), "space"),
    **table("string", cast_to("string", "string", "int"), "substring_index regexp_extract"),
    **table(_text_or_bytes, _TEXT_AND_NUMBERS, "substring left"),
    **table(_padded, cast_to("string", "int", "string"), "pad"),
    **table(_joined, if_any, "concat"),
    **table(_reversed, if_any, "reverse"),
    **table("string", never, "concat_ws format_string printf uuid typeof randstr collation"),
    **table(
        "string",
        always,
        "right split_part regexp_substr format_number elt conv sha2 mask url_encode url_decode try_url_decode"
        " parse_url try_parse_url quote make_valid_utf8 validate_utf8 try_validate_utf8",
    ),
    **table("int", cast_to("string"), "length octet_length bit_length ascii levenshtein find_in_set"),
    **table("int", cast_to("string", "string", "int"), "str_position regexp_count regexp_instr"),
    **table("boolean", cast_to("string"), "startswith endswith contains"),
    **table("boolean", always, "luhn_check is_valid_utf8"),
    **table("array<string>", cast_to("string", "string", "int"), "split regexp_extract_all"),
    **table("array<array<string>>", always, "sentences"),
    **table("binary", cast_to("string"), "unbase64"),
    **table("binary", always, "unhex encode to_binary try_to_binary aes_encrypt aes_decrypt try_aes_decrypt"),
    **table("bigint", if_any, "crc32"),
    **table("int", never, "hash"),
    **table("bigint", never, "xxhash64"),
    **table(_number_by_format, if_any, "to_number"),
    **table(_number_by_format, always, "try_to_number"),
}

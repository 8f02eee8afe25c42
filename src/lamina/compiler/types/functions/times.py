"""Functions over dates, timestamps and intervals."""

from lamina.compiler.types.coercion import can_cast_to_null, is_null_after_cast
from lamina.compiler.types.functions.rule import (
    Arguments,
    Rule,
    always,
    cast_to,
    if_any,
    if_any_or_text,
    if_first,
    never,
    same,
    table,
)
from lamina.compiler.types.spark_types import INTEGRALS, UNTYPED, Typed, is_interval
from lamina.values.schema import UNKNOWN, DataType

_CLOCK_PARTS = ("hour", "h", "hours", "hr", "hrs", "minute", "m", "min", "mins", "minutes")
_SECONDS = ("second", "seconds", "s", "sec", "secs")


def _part(arguments: Arguments) -> Typed:
    """`extract` and `date_part`: seconds carry their fraction, every other part is a whole number."""
    part, value = arguments[0].literal, arguments[1]
    if part is None or value.type == UNKNOWN:
        return UNTYPED
    word = part.lower()
    if is_interval(value.type):
        return Typed(_interval_part(word), value.nullable)
    if word in _SECONDS:
        return Typed(DataType("decimal(8,6)"), is_null_after_cast(value, DataType("timestamp")))
    target = DataType("timestamp" if word in _CLOCK_PARTS else "date")
    return Typed(DataType("int"), is_null_after_cast(value, target))


def _interval_part(word: str) -> DataType:
    if word in _SECONDS:
        return DataType("decimal(8,6)")
    return DataType("tinyint" if word.removesuffix("s") in ("month", "hour", "minute") else "int")


def _moment(arguments: Arguments) -> DataType | None:
    """Return the timestamp type that adding a unit of time gives."""
    kind = arguments[0].type
    return DataType("timestamp_ntz" if kind == "timestamp_ntz" else "timestamp") if kind != UNKNOWN else None


def _to_date(arguments: Arguments) -> bool:
    """A format parses the text itself and fails; without one the text is cast."""
    return if_any(arguments) if len(arguments) > 1 else cast_to("date")(arguments)


def _seconds(arguments: Arguments) -> bool:
    """Only whole seconds are never out of range."""
    return arguments[0].nullable or arguments[0].type not in INTEGRALS


def _zone_moved(arguments: Arguments) -> bool:
    """`convert_timezone` takes its zones first and the moment last."""
    return if_any(arguments) or can_cast_to_null(arguments[-1].type, DataType("timestamp_ntz"))


TIMES: dict[str, Rule] = {
    **table("date", never, "current_date curdate"),
    **table("timestamp", never, "current_timestamp now"),
    **table("timestamp_ntz", never, "localtimestamp"),
    **table("string", never, "current_timezone"),
    **table(
        "int",
        cast_to("date"),
        "year quarter month day dayofmonth dayofweek dayofyear weekday weekofyear datediff unix_date",
    ),
    **table("int", cast_to("timestamp"), "hour minute second"),
    **table("string", cast_to("date"), "dayname monthname"),
    **dict.fromkeys(("extract", "date_part", "datepart"), _part),
    **table("date", cast_to("date", "int"), "date_add add_months"),
    **table("date", cast_to("date"), "last_day"),
    **table("date", always, "next_day trunc try_to_date"),
    **table("date", _to_date, "to_date"),
    **table("date", if_any_or_text, "date_from_unix_date make_date"),
    **table("bigint", cast_to("timestamp"), "timestampdiff unix_seconds unix_millis unix_micros"),
    **table("bigint", if_any, "to_unix_timestamp"),
    **table("double", cast_to("timestamp"), "months_between"),
    **table("timestamp", always, "date_trunc try_to_timestamp try_make_timestamp try_make_timestamp_ltz"),
    **table("timestamp", if_first, "from_utc_timestamp to_utc_timestamp"),
    **table("timestamp", _seconds, "timestamp_seconds"),
    **table("timestamp", if_any_or_text, "timestamp_millis timestamp_micros"),
    **table("timestamp", if_any, "to_timestamp"),
    **table("timestamp", if_any_or_text, "make_timestamp make_timestamp_ltz"),
    **table("timestamp", always, "to_timestamp_ltz"),
    **table("timestamp_ntz", if_any_or_text, "make_timestamp_ntz"),
    **table("timestamp_ntz", _zone_moved, "convert_timezone"),
    **table("timestamp_ntz", always, "to_timestamp_ntz try_make_timestamp_ntz"),
    **table(_moment, cast_to("timestamp", "bigint"), "timestampadd"),
    **table("string", cast_to("timestamp", "string"), "date_format"),
    **table("string", always, "from_unixtime"),
    **table("interval day to second", if_any_or_text, "make_dt_interval"),
    **table("interval year to month", if_any_or_text, "make_ym_interval"),
    **table("interval", if_any_or_text, "make_interval"),
    **table(same, if_any, "interval_of"),
    **table("struct<start:timestamp,end:timestamp>", never, "window session_window"),
    **table("timestamp", always, "window_time"),
}

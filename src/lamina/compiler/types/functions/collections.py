"""Functions over arrays, maps and structs."""

from lamina.compiler.types.coercion import common_type, common_type_of, widen
from lamina.compiler.types.functions.rule import Arguments, Rule, always, if_any, if_first, never, table
from lamina.compiler.types.spark_types import array_of, element_of, entry_of, fields_of, map_of, struct_of
from lamina.values.schema import UNKNOWN, DataType


def _array(arguments: Arguments) -> DataType | None:
    found = widen(arguments).type if arguments else DataType("void")
    return array_of(found)


def _map(arguments: Arguments) -> DataType | None:
    if not arguments:
        return map_of("void", "void")
    key = common_type_of([item.type for item in arguments[::2]])
    value = common_type_of([item.type for item in arguments[1::2]])
    return map_of(key, value) if key and value else None


def _element(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    entry = entry_of(kind)
    return entry[1] if entry else element_of(kind)


def _first_array(arguments: Arguments) -> DataType | None:
    kind = arguments[0].type
    return kind if kind.startswith("array<") else None


def _widest_array(arguments: Arguments) -> DataType | None:
    return common_type_of([item.type for item in arguments])


def _with_element(arguments: Arguments) -> DataType | None:
    element = element_of(arguments[0].type)
    found = common_type(element, arguments[-1].type) if element else None
    return array_of(found) if found else None


def _exploded(arguments: Arguments) -> DataType | None:
    """Return the type of the one column that an array gives; a map gives two, which are no expression's type."""
    return element_of(arguments[0].type)


def _flattened(arguments: Arguments) -> DataType | None:
    return element_of(arguments[0].type)


def _series(arguments: Arguments) -> DataType | None:
    found = common_type(arguments[0].type, arguments[1].type)
    return array_of(found) if found else None


def _repeated(arguments: Arguments) -> DataType | None:
    return array_of(arguments[0].type)


def _keys(arguments: Arguments) -> DataType | None:
    entry = entry_of(arguments[0].type)
    return array_of(entry[0]) if entry else None


def _values(arguments: Arguments) -> DataType | None:
    entry = entry_of(arguments[0].type)
    return array_of(entry[1]) if entry else None


def _entries(arguments: Arguments) -> DataType | None:
    entry = entry_of(arguments[0].type)
    return array_of(struct_of([("key", entry[0]), ("value", entry[1])])) if entry else None


def _map_of_arrays(arguments: Arguments) -> DataType | None:
    key, value = element_of(arguments[0].type), element_of(arguments[1].type)
    return map_of(key, value) if key and value else None


def _map_of_entries(arguments: Arguments) -> DataType | None:
    fields = fields_of(element_of(arguments[0].type) or UNKNOWN)
    return map_of(fields[0][1], fields[1][1]) if fields and len(fields) == 2 else None


COLLECTIONS: dict[str, Rule] = {
    **table(_array, never, "array"),
    **table(_map, never, "map"),
    **table(_element, always, "element_at try_element_at get array_max array_min"),
    **table(_exploded, always, "explode explode_outer"),
    **table("int", if_any, "size cardinality"),
    **table("bigint", if_any, "array_position"),
    **table("boolean", always, "array_contains arrays_overlap map_contains_key"),
    **table(_first_array, if_any, "array_distinct array_remove array_compact shuffle slice"),
    **table(_widest_array, if_any, "array_except array_intersect array_union"),
    **table(_with_element, if_first, "array_append array_prepend array_insert"),
    **table("string", if_any, "array_join"),
    **table(_repeated, lambda arguments: arguments[1].nullable, "array_repeat"),
    **table(_flattened, always, "flatten"),
    **table(_series, if_any, "sequence"),
    **table(_keys, if_any, "map_keys"),
    **table(_values, if_any, "map_values"),
    **table(_entries, if_any, "map_entries"),
    **table(_widest_array, if_any, "map_concat"),
    **table(_map_of_arrays, if_any, "map_from_arrays"),
    **table(_map_of_entries, if_any, "map_from_entries"),
    **table("map<string,string>", if_any, "str_to_map"),
    **table(_first_array, if_first, "array_sort"),
}

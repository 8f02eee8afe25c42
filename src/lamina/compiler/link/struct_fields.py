"""Find the fields that a query reads of columns whose types do not have them."""

from collections.abc import Iterable, Iterator
from functools import partial

from lamina.compiler.link.lookup import Lookup, Problem
from lamina.compiler.query.object import FieldUse
from lamina.compiler.rules import unknown_field
from lamina.compiler.types.spark_types import FRACTIONALS, INTEGRALS, array_of, element_of, fields_of, is_decimal
from lamina.values.names import same_name
from lamina.values.schema import DataType

_SIMPLE = frozenset((*INTEGRALS, *FRACTIONALS, "binary", "boolean", "date", "string", "timestamp", "timestamp_ntz"))


def unknown_fields(uses: Iterable[FieldUse], lookup: Lookup) -> Iterator[Problem]:
    """Yield the fields that Spark surely does not find, given what each scope shows."""
    for use in uses:
        kind = _type_of(use, lookup)
        if kind is not None:
            yield from _missing(use, kind)


def _missing(use: FieldUse, kind: DataType) -> Iterator[Problem]:
    """Yield the first field that the types from a column inwards do not have; maps and variants have any."""
    owner = use.name
    for field in use.fields:
        element = element_of(kind)
        known = fields_of(element or kind)
        if known is None:
            if kind in _SIMPLE or is_decimal(kind):
                yield Problem(use.start, partial(unknown_field.finding, field, owner=owner, kind=kind, known=()))
            return
        found = next((inner for name, inner in known if same_name(name.strip("`"), field)), None)
        if found is None:
            if field != "*":
                names = tuple(name for name, _ in known)
                yield Problem(use.start, partial(unknown_field.finding, field, owner=owner, kind="", known=names))
            return
        kind = array_of(found) if element else found
        owner = f"{owner}.{field}"


def _type_of(use: FieldUse, lookup: Lookup) -> DataType | None:
    """Return the type of the column that a use surely means; None where it could be another one, or none is known."""
    if use.relation >= 0:
        column = lookup.rows_of(use.relation).find(use.name)
        return column.typed.type if column is not None else None
    number, name = -1 - use.relation, use.name.lower()
    visible = lookup.visible.get(number)
    if visible is None or visible.is_open or len(visible.owners(name)) != 1:
        return None
    column, output = visible.find(name), lookup.aliases[number].get(name)
    if column is None or (output is not None and output.typed.type != column.typed.type):
        return None  # ORDER BY and HAVING mean the output
    return column.typed.type

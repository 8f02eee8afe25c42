"""Drift: how a table's columns follow a result whose columns changed under unchanged code; pure."""

import re
from collections.abc import Iterable

from lamina.strategies.traits import Upsert
from lamina.values.drift import Drift
from lamina.values.names import ColumnName, folded, folded_names
from lamina.values.schema import Column, DataType, Schema
from lamina.values.value import Value

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")

_WIDER = {"tinyint": ("smallint", "int", "bigint"), "smallint": ("int", "bigint"), "int": ("bigint",)}


class Mismatch(Value, frozen=True):
    """A column whose new type the table cannot take in place."""

    column: str
    before: DataType
    after: DataType


class Evolution(Value, frozen=True):
    """What must happen to a table before it can take a result."""

    added: Schema = ()
    widened: Schema = ()
    gone: tuple[str, ...] = ()  # kept in the table; new rows have null there
    mismatched: tuple[Mismatch, ...] = ()


def evolve(table: Schema, result: Schema) -> Evolution:
    """Compare a table's columns with a result's, by name and type; order does not matter."""
    held = {folded(column.name): column for column in table}
    given = {folded(column.name): column for column in result}
    shared = [(held[key], given[key]) for key in held if key in given]
    return Evolution(
        added=tuple(column for key, column in given.items() if key not in held),
        widened=tuple(Column(name=old.name, type=new.type) for old, new in shared if can_widen(old.type, new.type)),
        gone=tuple(column.name for key, column in held.items() if key not in given),
        mismatched=tuple(
            Mismatch(column=old.name, before=old.type, after=new.type)
            for old, new in shared
            if not fits(new.type, old.type) and not can_widen(old.type, new.type)
        ),
    )


def drift_of(model: str, change: Evolution, table: Schema) -> tuple[Drift, ...]:
    """Return what an evolution does to a table, column by column, for people."""
    before: dict[str, str] = {column.name: column.type for column in table}
    added = [
        (column.name, None, column.type, "added", "new in the result; older rows are null") for column in change.added
    ]
    widened = [
        (column.name, before[column.name], column.type, "widened", "the new type holds every old value")
        for column in change.widened
    ]
    gone = [(name, before[name], None, "kept", "no longer in the result; new rows are null") for name in change.gone]
    rebuilt = [
        (item.column, item.before, item.after, "rebuilt", "the rows that are there cannot take the new type")
        for item in change.mismatched
    ]
    return tuple(
        Drift(model=model, column=column, before=old, after=new, action=action, reason=reason)
        for column, old, new, action, reason in (*added, *widened, *gone, *rebuilt)
    )


def former_of(model: str, columns: Schema) -> tuple[Drift, ...]:
    """Return what becomes of columns that left the query while rows that only the table holds have values in them."""
    reason = "no longer in the query; rows that only the table holds keep their values, all others have null"
    return tuple(
        Drift(model=model, column=column.name, before=column.type, after=None, action="kept", reason=reason)
        for column in columns
    )


def ignored_drift_of(model: str, change: Evolution, table: Schema) -> tuple[Drift, ...]:
    """Return what an evolution does to a table that follows only what it must, column by column, for people."""
    followed = {*change.gone, *(item.column for item in must_follow(change).mismatched)}
    return tuple(
        item if item.column in followed else item.replace(action="ignored", reason="the table stays as it is")
        for item in drift_of(model, change, table)
    )


def drifted_columns(change: Evolution) -> tuple[str, ...]:
    """Return every column that an evolution is about."""
    changed = (*(column.name for column in (*change.added, *change.widened)), *change.gone)
    return (*changed, *(item.column for item in change.mismatched))


def kept_columns(table: Schema, change: Evolution) -> Schema:
    """Return the columns of a table that a result no longer has."""
    return tuple(column for column in table if column.name in change.gone)


def without_former(change: Evolution, former: Schema) -> Evolution:
    """Return an evolution without columns that left the query: that is not drift."""
    names = {column.name for column in former}
    return change.replace(gone=tuple(name for name in change.gone if name not in names))


def cast_columns(table: Schema, change: Evolution) -> Schema:
    """Return the columns of a table with the types it cannot refuse: of an ignored drift it takes nothing else."""
    after = {item.column: item.after for item in change.mismatched}
    return tuple(column.replace(type=after.get(column.name, column.type)) for column in table)


def must_follow(change: Evolution) -> Evolution:
    """Return what a table that ignores drift cannot ignore; numbers and booleans can be written as text."""
    return change.replace(mismatched=tuple(item for item in change.mismatched if not _is_text_again(item)))


def lacking(telling: tuple[ColumnName, ...], given: Schema) -> tuple[ColumnName, ...]:
    """Return the columns that a strategy cannot do without and that a result does not have."""
    names = {folded(column.name) for column in given}
    return tuple(name for name in telling if folded(name) not in names)


def own_columns(table: Schema, given: Iterable[str]) -> tuple[ColumnName, ...]:
    """Return the columns of a table that a result really has, as the table spells them."""
    names = folded_names(given)
    return tuple(column.name for column in table if folded(column.name) in names)


def updating(
    upsert: Upsert, own: tuple[ColumnName, ...], table: Schema, *, former: tuple[ColumnName, ...] = ()
) -> Upsert:
    """Return an upsert that leaves the columns alone which a table keeps although its result no longer has them.

    Those that left the query become null in every row that it gives.
    """
    if len(own) == len(table):
        return upsert
    keys = folded_names(upsert.key)
    if upsert.update_columns is None:
        return upsert.replace(update_columns=(*(name for name in own if folded(name) not in keys), *former))
    present = folded_names(own)
    listed = (name for name in upsert.update_columns if folded(name) in present)
    return upsert.replace(update_columns=(*listed, *former))


def can_cast(mismatches: tuple[Mismatch, ...]) -> bool:
    """Return whether the rows that are there can take every new type by a cast: numbers and booleans become text."""
    return all(item.after == "string" and _is_plain(item.before) for item in mismatches)


def is_same(table: Schema, result: Schema) -> bool:
    """Return whether a table has exactly the columns that a result would be stored in."""
    stored = {folded(column.name): _stored(column.type) for column in result}
    return {folded(column.name): column.type for column in table} == stored


def fits(kind: DataType, target: DataType) -> bool:
    """Return whether every value of a type can be stored in a column of another, unchanged.

    >>> fits("smallint", "int"), fits("decimal(10,2)", "decimal(12,2)"), fits("bigint", "int")
    (True, True, False)
    """
    if kind in (target, "void") or target in _WIDER.get(kind, ()):
        return True
    return (kind, target) == ("float", "double") or _is_more_precise(kind, target)


def can_widen(before: DataType, after: DataType) -> bool:
    """Return whether a column's type can become another in place, without rewriting the rows."""
    return before != _stored(after) and (
        (before, after) in (("int", "bigint"), ("float", "double")) or _is_more_precise(before, after)
    )


def _stored(kind: DataType) -> DataType:
    """Return the type under which Iceberg keeps a column: it has no integers below 32 bits."""
    return DataType("int") if kind in ("tinyint", "smallint") else kind


def _is_text_again(item: Mismatch) -> bool:
    return item.before == "string" and _is_plain(item.after)


def _is_plain(kind: DataType) -> bool:
    return kind in ("int", "bigint", "float", "double", "boolean") or _DECIMAL.fullmatch(kind) is not None


def _is_more_precise(before: DataType, after: DataType) -> bool:
    old, new = _DECIMAL.fullmatch(before), _DECIMAL.fullmatch(after)
    return old is not None and new is not None and old[2] == new[2] and int(old[1]) < int(new[1])

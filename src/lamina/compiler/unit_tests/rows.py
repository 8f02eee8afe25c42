"""Rows of a test file against a schema: plain values column by column, and what does not fit."""

from collections.abc import Iterable
from typing import Any

from lamina.compiler.rules import unfit_test_value, unknown_test_column
from lamina.compiler.unit_tests.case import PlainRow
from lamina.compiler.unit_tests.plain import Plain
from lamina.project.unit_test import Row, UnitTest
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName, folded
from lamina.values.nearest import nearest
from lamina.values.schema import Column, Schema
from lamina.values.value import Value


class TypedRows(Value, frozen=True):
    """Rows as plain values of some columns, and what is wrong with them."""

    columns: Schema
    rows: tuple[PlainRow, ...]
    found: tuple[Diagnostic, ...] = ()


def given_rows(test: UnitTest, written: str, columns: Schema, *, model: ModelName) -> TypedRows:
    """Return the rows that a test gives of an input; a column that a row leaves out is null."""
    return _typed(test, test.given[written], columns, at=("given", written), model=model, table=written)


def expected_rows(test: UnitTest, columns: Schema, *, model: ModelName) -> TypedRows:
    """Return the rows that a test expects, over the columns that it lists; over all where it expects none."""
    listed = {folded(name): name for name in (*test.columns, *(name for row in test.expect for name in row))}
    chosen = tuple(column for column in columns if folded(column.name) in listed or not (listed or test.expect))
    rows = _typed(test, test.expect, chosen, at=("expect",), model=model, table=model, known=columns)
    found = [
        _unknown(test, name, columns, keys=("columns", str(number)), model=model, table=model)
        for number, name in enumerate(test.columns)
        if folded(name) not in {folded(column.name) for column in columns}
    ]
    return rows.replace(found=(*rows.found, *found))


def _typed(
    test: UnitTest,
    rows: Iterable[Row],
    columns: Schema,
    *,
    at: tuple[str, ...],
    model: ModelName,
    table: str,
    known: Schema | None = None,
) -> TypedRows:
    found: list[Diagnostic] = []
    plain: list[PlainRow] = []
    names = {folded(column.name) for column in known or columns}
    for number, row in enumerate(rows):
        keys = (*at, str(number))
        found += (
            _unknown(test, name, known or columns, keys=(*keys, name), model=model, table=table)
            for name in row
            if folded(name) not in names
        )
        written = {folded(name): (name, value) for name, value in row.items()}
        cells = [_cell(test, written, column, keys=keys, model=model, found=found) for column in columns]
        plain.append(tuple(cells))
    return TypedRows(columns=columns, rows=tuple(plain), found=tuple(found))


def _cell(
    test: UnitTest,
    written: dict[str, tuple[str, Any]],
    column: Column,
    *,
    keys: tuple[str, ...],
    model: ModelName,
    found: list[Diagnostic],
) -> Any:
    if folded(column.name) not in written:
        return None
    name, value = written[folded(column.name)]
    plain = Plain()
    cell = plain.of(value, column.type, (*keys, name))
    found += (
        unfit_test_value.finding(
            ".".join((column.name, *item.keys[len(keys) + 1 :])),
            place=test.place(*item.keys),
            model=model,
            problem=item.problem,
            hint=item.hint,
        )
        for item in plain.found
    )
    return cell


def _unknown(
    test: UnitTest, name: str, columns: Schema, *, keys: tuple[str, ...], model: ModelName, table: str
) -> Diagnostic:
    near = nearest(name, [str(column.name) for column in columns])
    return unknown_test_column.finding(
        name, place=test.place(*keys), model=model, table=table, nearest=near, columns=columns
    )

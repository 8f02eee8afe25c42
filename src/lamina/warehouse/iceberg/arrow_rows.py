"""Rows of an Iceberg table by pyarrow alone, as Spark would answer; None wherever Spark might read other ones."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lamina.values.cells import key_text, scalar_cell
from lamina.values.names import ColumnName
from lamina.values.result import QueryColumn, QueryResult
from lamina.values.rows_asked import RowsAsked
from lamina.values.schema import DataType
from lamina.warehouse.iceberg.data_files import DataFile, current_fields, data_files
from lamina.warehouse.iceberg.iceberg_types import to_type
from lamina.warehouse.iceberg.metadata import Metadata, local_path

if TYPE_CHECKING:
    import pyarrow

# More rows than this are filtered and sorted by Spark, on all cores.
MOST_ROWS = 1_000_000

# Types that pyarrow and Spark read as the same values.
_SIMPLE = frozenset(
    ("boolean", "int", "bigint", "float", "double", "string", "binary", "date", "timestamp", "timestamp_ntz")
)


def read_rows(metadata: Metadata, asked: RowsAsked, *, limit: int) -> QueryResult | None:
    """Answer from the table's files, or return None where only Spark surely reads them right."""
    import pyarrow

    try:
        return _Reader(metadata, asked, limit).answer()
    except (OSError, ValueError, KeyError, OverflowError, NotImplementedError, pyarrow.ArrowException):
        return None  # whatever is in the way, Spark reads it or says why it cannot


class _Reader:
    """Reads the files of one version of a table."""

    def __init__(self, metadata: Metadata, asked: RowsAsked, limit: int) -> None:
        self.asked, self.limit = asked, limit
        self.fields = {field["name"]: field for field in current_fields(metadata.pointer)}
        self.types = {name: to_type(field["type"]) for name, field in self.fields.items()}
        self.files = data_files(metadata)

    def answer(self) -> QueryResult | None:
        asked = self.asked
        if self.files is None or any(comparison.column not in self.fields for comparison in asked.where):
            return None
        if asked.count_as is not None and not asked.where:
            return self._counted(sum(file.rows for file in self.files))
        columns = asked.columns or tuple((name, str(name)) for name in self.fields)
        needed = {name for name, _ in columns} | {item.column for item in asked.where}
        needed |= {asked.order_by} if asked.order_by is not None else set()
        if asked.count_as is not None:
            columns, needed = (), {item.column for item in asked.where}
        if not needed or not all(name in self.fields and is_readable(self.fields[name]) for name in needed):
            return None
        needs_all = bool(asked.where) or asked.order_by is not None
        if needs_all and sum(file.rows for file in self.files) > MOST_ROWS:
            return None
        table = self._table(tuple(name for name in self.fields if name in needed), needs_all=needs_all)
        if asked.count_as is not None:
            return self._counted(table.num_rows)
        return self._listed(table, columns)

    def _table(self, names: tuple[ColumnName, ...], *, needs_all: bool) -> "pyarrow.Table":
        """Return the rows that are requested, in order; without a condition no more than are shown."""
        import pyarrow

        # Imported here: it takes a tenth of the answer's time, and most answers need no computing.
        if self.asked.where or self.asked.order_by is not None:
            from pyarrow import compute

        wanted = None if needs_all else self._most_rows()
        parts: list[pyarrow.Table] = []
        for part in self._parts(names, wanted):
            for test in self.asked.where:
                function = getattr(compute, test.operator)
                found = function(part[test.column], *([] if test.value is None else [test.value]))
                part = part.filter(found)  # noqa: PLW2901
            parts.append(part)
        # An empty table made from its schema would import pandas, which takes longer than the whole answer.
        table = pyarrow.concat_tables(parts) if parts else pyarrow.Table.from_batches([], schema=self._schema(names))
        if self.asked.order_by is not None:
            order = compute.sort_indices(table[self.asked.order_by])
            ends = len(order) - table[self.asked.order_by].null_count  # nulls come last here, first in Spark
            table = table.take(pyarrow.concat_arrays([order[ends:], order[:ends]]))
        return table

    def _parts(self, names: tuple[ColumnName, ...], wanted: int | None) -> "Iterator[pyarrow.Table]":
        left = wanted
        for file in self.files or ():
            if left is not None and left <= 0:
                return
            for part in self._file_parts(file, names, left):
                yield part
                left = None if left is None else left - part.num_rows
                if left is not None and left <= 0:
                    return

    def _file_parts(
        self, file: DataFile, names: tuple[ColumnName, ...], wanted: int | None
    ) -> "Iterator[pyarrow.Table]":
        """Return the columns of a file by their ids, as the table's columns are now; one it has not is null."""
        import pyarrow
        from pyarrow.parquet import ParquetFile

        with ParquetFile(local_path(file.path)) as opened:
            inside = {_id_of(field): field for field in opened.schema_arrow}
            if None in inside:
                raise ValueError("columns without ids")
            there = {name: inside.get(self.fields[name]["id"]) for name in names}
            for name, field in there.items():
                if field is not None and not _is_same(self.fields[name]["type"], field):
                    raise ValueError(f"`{name}` is of another type in `{file.path}`")
            read = [field.name for field in there.values() if field is not None]
            schema = self._schema(names)
            size = 65_536 if wanted is None else max(min(wanted, 65_536), 1)
            for batch in opened.iter_batches(batch_size=size, columns=read):
                arrays = [
                    pyarrow.nulls(batch.num_rows, kind) if field is None else _cast(batch.column(field.name), kind)
                    for kind, field in zip(schema.types, there.values(), strict=True)
                ]
                yield pyarrow.Table.from_arrays(arrays, schema=schema)

    def _schema(self, names: tuple[ColumnName, ...]) -> "pyarrow.Schema":
        import pyarrow

        return pyarrow.schema([(name, arrow_type(self.fields[name]["type"])) for name in names])

    def _most_rows(self) -> int:
        """Return how many rows are looked at: one more than is shown says whether there are more."""
        return self.limit + 1 if self.asked.most is None else min(self.limit + 1, self.asked.most)

    def _listed(self, table: "pyarrow.Table", columns: tuple[tuple[ColumnName, str], ...]) -> QueryResult:
        table = table.slice(0, self._most_rows())
        cells = [[_cell(value, self.fields[name]["type"]) for value in table[name].to_pylist()] for name, _ in columns]
        rows = tuple(zip(*cells, strict=True))
        return QueryResult(
            columns=tuple(QueryColumn(name=shown, type=self.types[name]) for name, shown in columns),
            rows=rows[: self.limit],
            is_cut=len(rows) > self.limit,
        )

    def _counted(self, count: int) -> QueryResult:
        column = QueryColumn(name=self.asked.count_as or "", type="bigint")
        rows = ((count,),) if self.asked.most != 0 else ()
        return QueryResult(columns=(column,), rows=rows)


def is_readable(field: dict[str, Any]) -> bool:
    """Return whether a column has a type whose values both readers take alike, and no value for rows older than it."""
    return "initial-default" not in field and _is_plain(field["type"])


def _is_plain(kind: Any) -> bool:
    if isinstance(kind, str):
        # As uuid and fixed are texts and bytes to Spark, and something else to pyarrow, only what has one form in both.
        return kind not in ("uuid",) and not kind.startswith("fixed") and _is_simple(to_type(kind))
    match kind["type"]:
        case "list":
            return _is_plain(kind["element"])
        case "map":
            return _is_plain(kind["key"]) and _is_plain(kind["value"])
        case "struct":
            return all(is_readable(field) for field in kind["fields"])
        case _:
            return False


def _is_simple(kind: DataType) -> bool:
    return kind in _SIMPLE or kind.startswith("decimal(")


def arrow_type(kind: Any) -> "pyarrow.DataType":
    """Return the type a column is read as."""
    import pyarrow

    if isinstance(kind, str):
        if kind.startswith("decimal("):
            precision, scale = kind.removeprefix("decimal(").removesuffix(")").split(",")
            return pyarrow.decimal128(int(precision), int(scale))
        names: dict[str, pyarrow.DataType] = {
            "boolean": pyarrow.bool_(),
            "int": pyarrow.int32(),
            "long": pyarrow.int64(),
            "float": pyarrow.float32(),
            "double": pyarrow.float64(),
            "string": pyarrow.string(),
            "binary": pyarrow.binary(),
            "date": pyarrow.date32(),
            "timestamp": pyarrow.timestamp("us"),
            "timestamptz": pyarrow.timestamp("us", tz="UTC"),
        }
        return names[kind]
    match kind["type"]:
        case "list":
            return pyarrow.list_(pyarrow.field("element", arrow_type(kind["element"])))
        case "map":
            return pyarrow.map_(arrow_type(kind["key"]), arrow_type(kind["value"]))
        case _:
            return pyarrow.struct([(field["name"], arrow_type(field["type"])) for field in kind["fields"]])


def _cast(column: "pyarrow.Array", kind: "pyarrow.DataType") -> "pyarrow.Array":
    return column if column.type == kind else column.cast(kind)


def _id_of(field: "pyarrow.Field") -> int | None:
    text = (field.metadata or {}).get(b"PARQUET:field_id")
    return None if text is None else int(text)


def _is_same(kind: Any, field: "pyarrow.Field") -> bool:
    """Return whether a column of a file is what the table says, or of a narrower type; parts also by their ids."""
    import pyarrow

    found = field.type
    if isinstance(kind, str):
        wanted = arrow_type(kind)
        if pyarrow.types.is_decimal128(found) and pyarrow.types.is_decimal128(wanted):
            return bool(found.scale == wanted.scale and found.precision <= wanted.precision)
        narrower = {pyarrow.int64(): pyarrow.int32(), pyarrow.float64(): pyarrow.float32()}
        return bool(found == wanted or found == narrower.get(wanted))
    match kind["type"]:
        case "list":
            return pyarrow.types.is_list(found) and _is_part(kind["element-id"], kind["element"], found.value_field)
        case "map":
            return (
                pyarrow.types.is_map(found)
                and _is_part(kind["key-id"], kind["key"], found.key_field)
                and _is_part(kind["value-id"], kind["value"], found.item_field)
            )
        case _:
            inside = [found.field(at) for at in range(found.num_fields)] if pyarrow.types.is_struct(found) else []
            return len(inside) == len(kind["fields"]) and all(
                part.name == wanted["name"] and _is_part(wanted["id"], wanted["type"], part)
                for wanted, part in zip(kind["fields"], inside, strict=True)
            )


def _is_part(number: int, kind: Any, field: "pyarrow.Field") -> bool:
    return _id_of(field) == number and _is_same(kind, field)


def _cell(value: Any, kind: Any) -> Any:
    """Return a value as JSON can hold it: structs as their values in order, maps by the texts of their keys."""
    if value is None or isinstance(kind, str):
        return scalar_cell(value)
    match kind["type"]:
        case "list":
            return [_cell(item, kind["element"]) for item in value]
        case "map":
            return {key_text(_cell(key, kind["key"])): _cell(item, kind["value"]) for key, item in value}
        case _:
            return [_cell(value[field["name"]], field["type"]) for field in kind["fields"]]

"""How rows enter a stage: one commit each, by column name, with the mark in the snapshot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lamina.strategies.traits import Upsert
from lamina.values.names import folded, folded_names
from lamina.values.schema import Column, DataType, Schema
from lamina.values.value import Value
from lamina.warehouse.spark.checksum import is_hashable
from lamina.warehouse.spark.ranges import TimeRange, predicate
from lamina.warehouse.spark.session import own_conf
from lamina.warehouse.sql import quote, quote_all, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriterV2, SparkSession

_PROPERTY = "snapshot-property."
_ROW = "lamina__is_row"
_BUCKET = "lamina__bucket"
_BUCKETS = 1024
IS_GONE = "lamina__is_gone"  # the column of changes that marks rows to delete

_LOOK_FIRST = "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled"


class MergeSource(Value, frozen=True):
    """How many rows a merge was given, and how many of them lost to another one of their key."""

    produced: int
    duplicates: int


def conform(frame: "DataFrame", table: Schema) -> "DataFrame":
    """Return a frame with a table's columns: matched by name, with its types, null where the frame has none."""
    given = {folded(name): (name, kind) for name, kind in frame.dtypes}
    return frame.selectExpr(*(_conformed(column, given.get(folded(column.name))) for column in table))


def _conformed(column: Column, given: tuple[str, str] | None) -> str:
    """Return a table's column from the one given for it; a cast that changes nothing would hide where a fault is."""
    name, kind = given or (None, None)
    value = quote(name) if name is not None else "NULL"
    made = value if kind == column.type else f"CAST({value} AS {column.type})"
    return f"{made} AS {quote(column.name)}"


def guard_range(frame: "DataFrame", ranges: tuple[TimeRange, ...]) -> "DataFrame":
    """Let a frame fail on the first row that lies outside the batch or has no time, in the same pass."""
    from pyspark.sql import functions

    column = quote(ranges[0].column)
    message = text(f"a row is outside the batch, which is {predicate(ranges)}: {ranges[0].column} = ")
    guarded = f"""CASE WHEN {predicate(ranges)} THEN {column}
        ELSE raise_error(concat({message}, coalesce(CAST({column} AS STRING), 'NULL'))) END"""
    return frame.withColumn(ranges[0].column, functions.expr(guarded))


def append(frame: "DataFrame", stage: str, properties: dict[str, str]) -> None:
    """Add rows."""
    _writer(frame, stage, properties).append()


def overwrite_all(frame: "DataFrame", stage: str, properties: dict[str, str]) -> None:
    """Put rows in the place of all others."""
    from pyspark.sql import functions

    _writer(frame, stage, properties).overwrite(functions.lit(True))  # noqa: FBT003 a literal of SQL


def overwrite_range(
    frame: "DataFrame", stage: str, properties: dict[str, str], *, ranges: tuple[TimeRange, ...]
) -> None:
    """Put rows in the place of a range that no file crosses."""
    from pyspark.sql import functions

    _writer(frame, stage, properties).overwrite(functions.expr(predicate(ranges)))


def replace_range(
    session: "SparkSession",
    frame: "DataFrame",
    stage: str,
    properties: dict[str, str],
    *,
    ranges: tuple[TimeRange, ...],
) -> None:
    """Put rows in the place of a range that cuts through files, in one commit that rewrites no file outside of it."""
    from pyspark.sql import functions

    # The range is in the ON clause, where Iceberg leaves out files by it; a clause for rows that no source row
    # matches would read and rewrite the whole table. So each row to go meets one tuple, found by a bucket that spreads
    # the rows of one day over many tasks, and rows to insert have buckets where none is met.
    rows = frame.withColumn(_BUCKET, functions.expr(f"-1 - {_bucket_of(frame)}"))
    tuples = session.range(_BUCKETS).withColumnRenamed("id", _BUCKET)
    met = f"({predicate(ranges, 'target.')}) AND source.{_BUCKET} = {_bucket_of(frame, 'target.')}"
    # The bounds of files tell which to rewrite; Spark would look for rows in them first, which costs as much again.
    with own_conf(session, {_LOOK_FIRST: "false"}):
        _put_in_place(session, rows, tuples, stage, properties, met=met, columns=frame.columns)


def delete_insert(
    session: "SparkSession", frame: "DataFrame", stage: str, properties: dict[str, str], *, keys: tuple[str, ...]
) -> None:
    """Put rows in the place of all rows that have a key tuple of theirs, in one commit."""
    # Evaluated once: the rows, their tuples, and Spark's own look for files to rewrite must see the same ones.
    rows = frame.localCheckpoint()
    tuples = rows.select(*keys).distinct()
    _put_in_place(session, rows, tuples, stage, properties, met=same_keys(keys), columns=frame.columns)


def merge_changes(
    session: "SparkSession",
    changes: "DataFrame",
    stage: str,
    properties: dict[str, str],
    *,
    key: Sequence[str],
    columns: Sequence[str],
) -> None:
    """Write rows over those of an equal key, or beside them, and delete those marked as gone, in one commit."""
    rows = changes.localCheckpoint()
    if rows.isEmpty():
        append(rows.select(*(quote(name) for name in columns)), stage, properties)
        return
    updates = ", ".join(f"target.{quote(name)} = source.{quote(name)}" for name in columns)
    values = ", ".join(f"source.{quote(name)}" for name in columns)
    statement = f"""
        MERGE INTO {stage} AS target USING {{source}} AS source ON {same_keys(key)}
        WHEN MATCHED AND source.{IS_GONE} THEN DELETE
        WHEN MATCHED THEN UPDATE SET {updates}
        WHEN NOT MATCHED AND NOT source.{IS_GONE} THEN INSERT ({quote_all(columns)}) VALUES ({values})"""
    _run_merge(session, rows, statement, properties)


def _put_in_place(
    session: "SparkSession",
    rows: "DataFrame",
    tuples: "DataFrame",
    stage: str,
    properties: dict[str, str],
    *,
    met: str,
    columns: list[str],
) -> None:
    """Insert rows and delete what meets a tuple; each target row meets one at most, rows to insert meet none."""
    from pyspark.sql import functions

    source = rows.withColumn(_ROW, functions.expr("true")).unionByName(
        tuples.withColumn(_ROW, functions.expr("false")), allowMissingColumns=True
    )
    values = ", ".join(f"source.{quote(name)}" for name in columns)
    statement = f"""
        MERGE INTO {stage} AS target USING {{source}} AS source
        ON NOT source.{_ROW} AND {met}
        WHEN MATCHED THEN DELETE
        WHEN NOT MATCHED AND source.{_ROW} THEN INSERT ({quote_all(columns)}) VALUES ({values})"""
    _run_merge(session, source, statement, properties)


def _bucket_of(frame: "DataFrame", prefix: str = "") -> str:
    """Return the number of the bucket that a row lies in, the same for equal rows."""
    names = ", ".join(prefix + quote(name) for name, kind in frame.dtypes if is_hashable(DataType(kind)))
    return f"pmod(xxhash64({names}), {_BUCKETS})"


def one_per_key(frame: "DataFrame", upsert: Upsert) -> "DataFrame":
    """Keep the last row of each key by its order; without an order, fail on a key that comes twice."""
    from pyspark.sql import functions

    keys = quote_all(upsert.key)
    if upsert.order_by:
        ordered = ", ".join(f"{column} DESC NULLS LAST" for column in _ordering(frame, upsert, own=frame.columns))
        numbered = frame.withColumn(_ROW, functions.expr(f"row_number() OVER (PARTITION BY {keys} ORDER BY {ordered})"))
        return numbered.where(f"{_ROW} = 1").drop(_ROW)
    shown = ", ', ', ".join(
        f"{text(key + ' = ')}, coalesce(CAST({quote(key)} AS STRING), 'NULL')" for key in upsert.key
    )
    counted = frame.withColumn(_ROW, functions.expr(f"count(1) OVER (PARTITION BY {keys})"))
    first = quote(upsert.key[0])
    guarded = f"CASE WHEN {_ROW} = 1 THEN {first} ELSE raise_error(concat({text(_TWICE)}, {shown})) END"
    return counted.withColumn(upsert.key[0], functions.expr(guarded)).drop(_ROW)


def merge_all(
    session: "SparkSession",
    frame: "DataFrame",
    stage: str,
    properties: dict[str, str],
    *,
    upsert: Upsert,
    own: Sequence[str] = (),
) -> MergeSource:
    """Upsert all rows of a source, which alone decides: a winner that was retracted there is replaced, too.

    `own` are the columns that the query has, if it has not all of the table's.
    """
    condition = _differs(frame, upsert, own=own or frame.columns)
    return _merge(session, frame, stage, properties, upsert=upsert, condition=condition)


def merge_new(
    session: "SparkSession",
    frame: "DataFrame",
    stage: str,
    properties: dict[str, str],
    *,
    upsert: Upsert,
    own: Sequence[str] = (),
) -> MergeSource:
    """Upsert the new rows of a source: none replaces a row of a higher order; in one order other columns decide."""
    condition = _compared(frame, upsert, own or frame.columns, ">")
    return _merge(session, frame, stage, properties, upsert=upsert, condition=condition)


def _merge(
    session: "SparkSession",
    frame: "DataFrame",
    stage: str,
    properties: dict[str, str],
    *,
    upsert: Upsert,
    condition: str,
) -> MergeSource:
    """Upsert rows by key; with an order, only where the condition holds."""
    produced = frame.persist()
    try:
        # Cut off from the tables it was read from: Spark 4.1 cannot plan a MERGE over a view of appended snapshots.
        kept = one_per_key(produced, upsert).localCheckpoint()
        counts = MergeSource(produced=(rows := produced.count()), duplicates=rows - kept.count())
        taken = f"AND {condition}" if upsert.order_by else ""
        _run_merge(session, kept, _merge_statement(frame, stage, upsert, taken=taken), properties)
    finally:
        produced.unpersist()
    return counts


_TWICE = "several rows have the same key and the strategy has no order_by: "


def _merge_statement(frame: "DataFrame", stage: str, upsert: Upsert, *, taken: str) -> str:
    keys = folded_names(upsert.key)
    every = tuple(name for name in frame.columns if folded(name) not in keys)
    updated: tuple[str, ...] = every if upsert.update_columns is None else upsert.update_columns
    # What orders rows is kept with them, or the next batch could not tell which one is newer.
    listed = folded_names(updated)
    stored = (*updated, *(name for name in upsert.order_by if folded(name) not in listed))
    changes = ", ".join(f"target.{quote(name)} = source.{quote(name)}" for name in stored)
    when_matched = f"WHEN MATCHED {taken} THEN UPDATE SET {changes}" if changes else ""
    when_gone = "WHEN NOT MATCHED BY SOURCE THEN DELETE" if upsert.deletes_missing else ""
    return f"""
        MERGE INTO {stage} AS target USING {{source}} AS source ON {same_keys(upsert.key)}
        {when_matched}
        WHEN NOT MATCHED THEN INSERT *
        {when_gone}"""


def _compared(frame: "DataFrame", upsert: Upsert, own: Sequence[str], sign: str) -> str:
    """Compare what a row holds with what the table has."""
    mine, theirs = (", ".join(_ordering(frame, upsert, own=own, of=of)) for of in ("source.", "target."))
    return f"struct({mine}) {sign} struct({theirs})"


def _differs(frame: "DataFrame", upsert: Upsert, *, own: Sequence[str]) -> str:
    """Leave an equal row alone where all its columns can be compared."""
    is_whole = all(_is_orderable(kind) for name, kind in frame.dtypes if name in own)
    return f"NOT ({_compared(frame, upsert, own, '<=>')})" if is_whole else "true"


def _ordering(frame: "DataFrame", upsert: Upsert, *, own: Sequence[str], of: str = "") -> list[str]:
    """Return what orders the rows of one key: the declared columns, then the query's others: no tie is left to chance.

    A column that the query no longer has is null in each of its rows, and says nothing about which one is newer.
    """
    first = [folded(name) for name in (*upsert.order_by, *upsert.key)]
    kinds = {folded(name): kind for name, kind in frame.dtypes}
    rest = sorted(name for name in own if folded(name) not in first and _is_orderable(kinds[folded(name)]))
    names = [*upsert.order_by, *rest]
    # Spark compares 0.0 and -0.0 as equal; their text differs, and so does the checksum of the table.
    signed = [name for name in names if any(kind in kinds[folded(name)] for kind in ("float", "double"))]
    return [f"{of}{quote(name)}" for name in names] + [f"CAST({of}{quote(name)} AS STRING)" for name in signed]


def _is_orderable(kind: str) -> bool:
    return "map<" not in kind and "variant" not in kind


def same_keys(keys: Sequence[str]) -> str:
    """Compare the keys of a row with those of one in the table; null is equal to null."""
    return " AND ".join(f"target.{quote(key)} <=> source.{quote(key)}" for key in keys)


def _writer(frame: "DataFrame", stage: str, properties: dict[str, str]) -> "DataFrameWriterV2":
    writer = frame.writeTo(stage)
    for key, value in properties.items():
        writer = writer.option(_PROPERTY + key, value)
    return writer


def _run_merge(session: "SparkSession", frame: "DataFrame", statement: str, properties: dict[str, str]) -> None:
    view = "lamina_merge_source"
    frame.createOrReplaceTempView(view)
    # Properties of the next commit; the session is this thread's own.
    conf = {f"spark.sql.iceberg.{_PROPERTY}{key}": value for key, value in properties.items()}
    try:
        with own_conf(session, conf):
            session.sql(statement.format(source=view)).collect()
    finally:
        session.catalog.dropTempView(view)

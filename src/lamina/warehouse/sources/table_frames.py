"""Rows of an Iceberg table as Spark frames: at one version, or only those added between two."""

from functools import reduce
from typing import TYPE_CHECKING

from lamina.values.batch import Pin
from lamina.values.names import Position, TableName
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.iceberg.versions import chains, newest_loaded, require_appends, require_version, steps_between

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_snapshot(session: "SparkSession", relation: str, position: Position) -> "DataFrame":
    """Read an Iceberg table as it was at a snapshot."""
    return session.sql(f"SELECT * FROM {relation} VERSION AS OF {int(position)}")


def read_appended(session: "SparkSession", relation: str, *, since: Position, until: Position) -> "DataFrame":
    """Read the rows that were appended to an Iceberg table after one snapshot, up to another."""
    if since == until:
        return read_snapshot(session, relation, until).limit(0)
    reader = session.read.option("start-snapshot-id", since).option("end-snapshot-id", until)
    return reader.table(relation)


def read_changed(session: "SparkSession", relation: str, *, since: Position, until: Position) -> "DataFrame":
    """Read the rows of the files that a commit on an Iceberg table removed and added, with their `_change_type`."""
    reader = session.read.option("start-snapshot-id", since).option("end-snapshot-id", until)
    return reader.table(f"{relation}.changes")


def read_table(
    session: "SparkSession", relation: str, pin: Pin, *, table: TableName, metadata: Metadata
) -> "DataFrame":
    """Read an Iceberg table at its pinned version, or only what was appended up to it."""
    if pin.since is None:
        require_version(table, metadata, pin.position)
        return read_snapshot(session, relation, pin.position)
    if not pin.is_past_changes:
        require_appends(table, steps_between(table, metadata, since=pin.since, until=pin.position), since=pin.since)
        return read_appended(session, relation, since=pin.since, until=pin.position)
    since = newest_loaded(table, metadata, pin)
    steps = steps_between(table, metadata, since=since, until=pin.position)
    # Iceberg's append scan passes over every other step, and does not cross one that replaced the table.
    parts = [read_appended(session, relation, since=begin, until=end) for begin, end in chains(steps, since=since)]
    return reduce(below, parts, read_snapshot(session, relation, pin.position).limit(0))


def below(first: "DataFrame", second: "DataFrame") -> "DataFrame":
    """Put rows of an older version, which may lack columns, below others."""
    return first.unionByName(second, allowMissingColumns=True)

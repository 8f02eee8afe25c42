"""Look whether tables are stale whose readers are held back then: by what their files say, without Spark."""

from collections.abc import Callable, Mapping
from datetime import datetime

from lamina.compiler.graph import Graph
from lamina.executor.runtime import Runtime
from lamina.planner.stale_inputs import freshness_question, stale_in_words, watched_tables
from lamina.values.facts import Head
from lamina.values.names import TableName
from lamina.warehouse.failure import WarehouseFailure

Judge = Callable[[TableName, Head], str | None]


def judge_of(runtime: Runtime, graph: Graph, execution_time: datetime) -> Judge:
    """Return a function that says why readers of a table are held; a table without a version has no readers yet."""
    watched = watched_tables(graph)

    def judge(name: TableName, head: Head) -> str | None:
        table = watched.get(name)
        if table is None or head.position is None:
            return None
        try:
            is_fresh = runtime.warehouse.may_hold(freshness_question(table, head.position, execution_time))
        except WarehouseFailure:
            return None  # a table that cannot be read fails its readers by itself, and says why
        return None if is_fresh else stale_in_words(table, execution_time)

    return judge


def stale_tables(judge: Judge, heads: Mapping[TableName, Head]) -> dict[TableName, str]:
    """Return the tables that are stale, each with what its readers are told."""
    found = ((name, judge(name, head)) for name, head in sorted(heads.items()))
    return {name: reason for name, reason in found if reason is not None}

"""Judge whether a query works row by row in its driving input: appending the result of new rows equals a recompute.

A block is *linear* in the driver when the result over old and new rows is the result over the old ones and the result
over the new ones put together. Filters, projections, generators and joins that preserve the driver keep linearity.
"""

from collections.abc import Iterator

from lamina.compiler.query.operators import At, Block, QueryShape, Relation, SelectBlock, SetBlock
from lamina.compiler.rules import (
    ambiguous_driver,
    driver_joined_away,
    driver_read_twice,
    incremental_aggregate,
    incremental_distinct,
    incremental_limit,
    incremental_set_operation,
    incremental_window,
    opaque_query,
)
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import TableName


def judge_row_local(shape: QueryShape, driver: TableName) -> tuple[Diagnostic, ...]:
    """Return every clause that is not row by row in the driver."""
    depends: list[bool] = []
    refusals: list[Diagnostic] = []
    for block in shape.blocks:
        found = list(_refusals(block, depends, driver))
        refusals.extend(refusal.replace(file=block.file) for refusal in found)
        depends.append(_depends(block, depends, driver))
    if not depends or not depends[-1]:
        refusals.append(ambiguous_driver.finding((), named=driver))
    return tuple(dict.fromkeys(refusals))


def _depends(block: Block, depends: list[bool], driver: TableName) -> bool:
    if isinstance(block, SetBlock):
        return any(depends[number] for number in block.branches)
    reads = any(_reads(relation, depends, driver) for relation in block.relations)
    return reads or any(depends[subquery.block] for subquery in block.subqueries)


def _reads(relation: Relation, depends: list[bool], driver: TableName) -> bool:
    return relation.table == driver or (relation.block >= 0 and depends[relation.block])


def _refusals(block: Block, depends: list[bool], driver: TableName) -> Iterator[Diagnostic]:
    if isinstance(block, SetBlock):
        yield from _set_refusals(block, depends, driver)
        return
    for subquery in block.subqueries:
        if depends[subquery.block]:
            yield driver_joined_away.finding(driver, where="a subquery", at=subquery.at)
    readers = [number for number, relation in enumerate(block.relations) if _reads(relation, depends, driver)]
    if not readers:
        return
    if len(readers) > 1:
        yield driver_read_twice.finding(driver, at=block.relations[readers[1]].at)
    yield from _join_refusals(block, readers, driver)
    yield from _clause_refusals(block, driver)


def _join_refusals(block: SelectBlock, readers: list[int], driver: TableName) -> Iterator[Diagnostic]:
    for number in readers:
        relation = block.relations[number]
        if relation.join in ("left", "full", "semi", "anti"):
            yield driver_joined_away.finding(driver, where=_join_words(relation.join), at=relation.at)
        for later in block.relations[number + 1 :]:
            if later.join in ("right", "full"):
                yield driver_joined_away.finding(driver, where=_join_words(later.join), at=later.at)
    for relation in block.relations:
        if relation.opaque:
            yield opaque_query.finding(relation.opaque.upper(), at=relation.at)


def _join_words(join: str) -> str:
    words = {"semi": "the right side of a SEMI JOIN", "anti": "the right side of an ANTI JOIN"}
    return words.get(join, f"the nullable side of a {join.upper()} JOIN")


def _clause_refusals(block: SelectBlock, driver: TableName) -> Iterator[Diagnostic]:
    aggregate = next((item for item in block.functions if item.kind == "aggregate"), None)
    if aggregate:
        yield incremental_aggregate.finding(driver, clause=f"`{aggregate.name}`", at=aggregate.at)
    elif block.grouped_at:
        clause = "GROUP BY" if block.keys or block.has_grouping_sets else "HAVING"
        yield incremental_aggregate.finding(driver, clause=clause, at=block.grouped_at)
    if block.distinct:
        yield incremental_distinct.finding(driver, at=block.distinct)
    for window in block.windows:
        yield incremental_window.finding(driver, function=window.function, at=window.at)
    if block.limit:
        yield incremental_limit.finding(driver, at=block.limit.at)
    for function in block.functions:
        if function.kind == "unknown":
            yield opaque_query.finding(f"the function `{function.name}`", at=function.at)
    if block.opaque:
        yield opaque_query.finding(block.opaque.upper(), at=block.at)


def _set_refusals(block: SetBlock, depends: list[bool], driver: TableName) -> Iterator[Diagnostic]:
    readers = [depends[number] for number in block.branches]
    if not any(readers):
        return
    name = block.operator.upper()
    if block.operator != "union" or block.is_distinct:
        yield incremental_set_operation.finding(driver, clause=name, at=block.at)
    elif not all(readers):
        yield incremental_set_operation.finding_of_mixture(driver, at=block.at)
    if block.limit:
        yield incremental_limit.finding(driver, at=block.limit.at)


def side_inputs(shape: QueryShape, driver: TableName) -> tuple[tuple[str, At, str], ...]:
    """Return the tables read beside the driver, with where and in which file."""
    found: dict[str, tuple[str, At, str]] = {}
    for block in shape.blocks:
        for relation in block.relations if isinstance(block, SelectBlock) else ():
            if relation.table and relation.table != driver:
                found.setdefault(relation.table, (relation.table, relation.at, block.file))
    return tuple(found.values())

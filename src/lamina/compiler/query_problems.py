"""What the text of a query alone shows that Spark would refuse: functions it does not have, columns not grouped."""

from collections.abc import Iterable, Iterator
from typing import Any

from lamina.compiler.places import place_at
from lamina.compiler.rules import ungrouped_column, unknown_function
from lamina.compiler.ungrouped import Ungrouped
from lamina.compiler.unknown_functions import meant_function, unknown_functions
from lamina.values.diagnostic import Diagnostic


def query_problems(text: str, nodes: Iterable[Any], *, ungrouped: Iterable[Ungrouped]) -> Iterator[Diagnostic]:
    """Yield the findings of one query, given the nodes of its tree; their file is filled in at link time."""
    for call in unknown_functions(text, nodes):
        yield unknown_function.finding(call.name, place=place_at(text, call.start), meant=meant_function(call.name))
    for column in ungrouped:
        finding = ungrouped_column.finding if column.has_group else ungrouped_column.finding_without_group
        yield finding(column.name, place=place_at(text, column.start))

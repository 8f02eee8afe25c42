"""What the text of a query alone shows that Spark would refuse: syntax and functions it lacks, columns not grouped."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot.tokenizer_core import Token

from lamina.compiler.called_words import called_words
from lamina.compiler.foreign_syntax import foreign_syntax
from lamina.compiler.miscounted_calls import miscounted_calls
from lamina.compiler.misplaced_functions import Misplaced
from lamina.compiler.places import place_at
from lamina.compiler.rules import foreign_syntax as foreign_syntax_rule
from lamina.compiler.rules import misplaced_function, ungrouped_column, unknown_function, wrong_argument_count
from lamina.compiler.ungrouped import Ungrouped
from lamina.compiler.unknown_functions import meant_function, unknown_functions
from lamina.values.diagnostic import Diagnostic


def query_problems(
    text: str, tokens: list[Token], *, nodes: list[Any], ungrouped: Iterable[Ungrouped], misplaced: Iterable[Misplaced]
) -> Iterator[Diagnostic]:
    """Yield the findings of one query, given the nodes of its tree; their file is filled in at link time."""
    called = called_words(text)
    for item in foreign_syntax(text, called, tokens=tokens, nodes=nodes):
        yield foreign_syntax_rule.finding(item.problem, place=place_at(text, item.start), instead=item.instead)
    for unknown in unknown_functions(text, called, nodes=nodes):
        place = place_at(text, unknown.start)
        yield unknown_function.finding(unknown.name, place=place, meant=meant_function(unknown.name))
    for miscounted in miscounted_calls(text, called, tokens=tokens, nodes=nodes):
        place = place_at(text, miscounted.start)
        yield wrong_argument_count.finding(miscounted.name, place=place, given=miscounted.given, taken=miscounted.taken)
    for call in misplaced:
        yield misplaced_function.finding(call.problem, place=place_at(text, call.start), instead=call.instead)
    for column in ungrouped:
        finding = ungrouped_column.finding if column.has_group else ungrouped_column.finding_without_group
        yield finding(column.name, place=place_at(text, column.start))

"""What the text of a query alone shows that Spark would refuse: syntax and functions it lacks, columns not grouped."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from lamina.compiler.problems.foreign_syntax import foreign_syntax
from lamina.compiler.problems.miscounted_calls import miscounted_calls
from lamina.compiler.problems.misplaced_functions import misplaced_calls, misplaced_functions
from lamina.compiler.problems.ungrouped import ungrouped_columns
from lamina.compiler.problems.unknown_functions import meant_function, unknown_functions
from lamina.compiler.problems.wide_subqueries import wide_subqueries
from lamina.compiler.query.called_words import called_words
from lamina.compiler.query.nodes import Nodes, start_of
from lamina.compiler.query.places import place_at
from lamina.compiler.query.walk import Suspect
from lamina.compiler.rules import (
    column_count_mismatch,
    duplicate_cte,
    misplaced_function,
    ungrouped_column,
    unknown_function,
    wide_subquery,
    wrong_argument_count,
)
from lamina.compiler.rules import foreign_syntax as foreign_syntax_rule
from lamina.values.diagnostic import Diagnostic

_WITHS = frozenset({exp.With})
_VALUES = frozenset({exp.Values})


def problems_of(text: str, tokens: list[Token], *, nodes: Nodes, suspects: Sequence[Suspect]) -> Iterator[Diagnostic]:
    """Yield the findings of one query, given the nodes of its tree; their file is filled in at link time."""
    called = called_words(text)
    for item in foreign_syntax(text, tokens, nodes=nodes):
        yield foreign_syntax_rule.finding(item.problem, place=place_at(text, item.start), instead=item.instead)
    for unknown in unknown_functions(text, called, nodes=nodes.all):
        place = place_at(text, unknown.start)
        yield unknown_function.finding(unknown.name, place=place, meant=meant_function(unknown.name))
    for miscounted in miscounted_calls(text, called, tokens=tokens, nodes=nodes.all):
        place = place_at(text, miscounted.start)
        yield wrong_argument_count.finding(miscounted.name, place=place, given=miscounted.given, taken=miscounted.taken)
    misplaced = [call for item in suspects if item.may_misplace for call in misplaced_functions(item.select)]
    for call in (*misplaced, *misplaced_calls(nodes)):
        yield misplaced_function.finding(call.problem, place=place_at(text, call.start), instead=call.instead)
    folded = (item for item in suspects if item.is_folded)
    for column in (column for item in folded for column in ungrouped_columns(item.select, item.relations)):
        finding = ungrouped_column.finding if column.has_group else ungrouped_column.finding_without_group
        yield finding(column.name, place=place_at(text, column.start))
    for subquery in wide_subqueries(nodes):
        place = place_at(text, subquery.start)
        yield wide_subquery.finding(subquery.columns, place=place, wanted=subquery.wanted)
    yield from _repeated_ctes(text, nodes)
    yield from _uneven_values(text, nodes)


def _repeated_ctes(text: str, nodes: Nodes) -> Iterator[Diagnostic]:
    """Yield the CTEs that are named as one before them in the same WITH; Spark distinguishes names by case here."""
    for clause in nodes.of(_WITHS):
        seen: set[str] = set()
        for cte in clause.expressions:
            if cte.alias in seen:
                place = place_at(text, start_of(cte.args["alias"]))
                yield duplicate_cte.finding(cte.alias, place=place)
            seen.add(cte.alias)


def _uneven_values(text: str, nodes: Nodes) -> Iterator[Diagnostic]:
    for values in nodes.of(_VALUES):
        rows = values.expressions
        counts = [len(row.expressions) for row in rows if type(row) is exp.Tuple and not _may_be_struct(row)]
        if len(counts) == len(rows) and len(set(counts)) > 1:
            odd = next(number for number, count in enumerate(counts) if count != counts[0])
            yield column_count_mismatch.finding_of_values(tuple(counts), place=place_at(text, start_of(rows[odd])))


def _may_be_struct(row: exp.Tuple) -> bool:
    """Return whether a row is one value only, and that could be a struct, whose fields are the columns."""
    return len(row.expressions) == 1 and not isinstance(row.expressions[0], exp.Literal | exp.Null | exp.Boolean)

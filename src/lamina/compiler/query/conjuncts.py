"""The parts of a condition that must all hold, and the columns they take to be equal."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from lamina.compiler.query.object import EqualColumns
from lamina.compiler.query.uses import Locate

_EQUALITIES = frozenset({exp.EQ, exp.NullSafeEQ})


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """Return the parts that must all hold."""
    found: list[exp.Expr] = []
    pending = [condition]
    while pending:
        node = pending.pop()
        if type(node) is exp.And:
            pending.extend((node.args["expression"], node.args["this"]))
        elif type(node) is exp.Paren:
            pending.append(node.args["this"])
        else:
            found.append(node)
    return found


def equal_columns(parts: Iterable[exp.Expr], locate: Locate) -> Iterator[EqualColumns]:
    """Yield the columns of two relations that a part compares; a name without its relation could be of either."""
    for part in parts:
        if type(part) not in _EQUALITIES:
            continue
        left, right = part.args["this"].unnest(), part.args["expression"].unnest()
        if type(left) is not exp.Column or type(right) is not exp.Column:
            continue
        first, second = locate(left), locate(right)
        is_plain = not first.fields and not second.fields
        if is_plain and first.relation != second.relation and min(first.relation, second.relation) >= 0:
            yield EqualColumns(first.relation, first.name, second.relation, second.name, first.start)

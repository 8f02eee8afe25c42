"""Read the SELECT list and the GROUP BY of a query as time terms."""

from typing import Any

from sqlglot import exp

from lamina.compiler.query.nodes import position_of
from lamina.compiler.query.operators import OutputColumn, Term
from lamina.compiler.slices.terms import term_of

Node = Any


def output_of(node: Node) -> OutputColumn:
    """Read one item of a SELECT list."""
    if node.is_star:
        star = node if isinstance(node, exp.Star) else node.this
        left_out = tuple(
            item.name.lower() for key in ("except_", "replace", "rename") for item in star.args.get(key) or ()
        )
        return OutputColumn(
            name="*", star=node.table.lower() if isinstance(node, exp.Column) else "", left_out=left_out
        )
    value = node.unalias()
    parts = [value.this, *value.expressions] if isinstance(value, exp.Coalesce) else [value]
    terms = [term_of(part) for part in parts]
    return OutputColumn(
        name=node.alias_or_name.lower(), terms=tuple(term for term in terms if term) if all(terms) else ()
    )


def group_keys(select: Node) -> tuple[Term | None, ...]:
    """Read the keys of a GROUP BY."""
    return keys_of(select.args["group"], select, tuple(output_of(item) for item in select.expressions))


def keys_of(group: Node, select: Node, outputs: tuple[OutputColumn, ...]) -> tuple[Term | None, ...]:
    """Read the keys of a GROUP BY beside the outputs of its SELECT, which numbers and names may mean."""
    if group.args.get("all"):
        plain = [output for output, item in zip(outputs, select.expressions, strict=True) if not item.find(exp.AggFunc)]
        return tuple(_single(output) for output in plain)
    named = {output.name: _single(output) for output in outputs}
    keys: list[Term | None] = []
    for item in group.expressions:
        if isinstance(item, exp.Literal) and not item.is_string:
            position = position_of(item)
            keys.append(_single(outputs[position]) if position is not None and 0 <= position < len(outputs) else None)
            continue
        keys.append(term_of(item))
        # Spark looks a bare name up among the outputs when no input has it; if one has it, the output is not grouped.
        if isinstance(item, exp.Column) and not item.table and item.name.lower() in named:
            keys.append(named[item.name.lower()])
    return tuple(keys)


def _single(output: OutputColumn) -> Term | None:
    return output.terms[0] if len(output.terms) == 1 else None

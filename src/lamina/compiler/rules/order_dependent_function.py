"""L430: an aggregate depends on the order of rows.

Why: Spark reads rows in no fixed order, so a recompute may give another value and `verify` cannot compare it.
Fix: use `min`, `max`, or sort the collected values (`array_sort(collect_list(x))`).
"""

from collections.abc import Iterator

from lamina.compiler.operators import SelectBlock
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L430", name="OrderDependentFunction", severity="info")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each such function of the model's own text."""
    for block in subject.shape.blocks if subject.shape is not None else ():
        for function in block.functions if isinstance(block, SelectBlock) and not block.file else ():
            if function.kind == "unordered":
                yield RULE.finding(
                    f"the value of `{function.name}` depends on the order of rows",
                    place=Place(file=subject.file.path, line=function.at[0], column=function.at[1]),
                    model=subject.model.name,
                    hint="use `min` or `max`, or sort the collected values",
                )

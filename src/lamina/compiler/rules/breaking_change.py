"""L435: a column that readers outside the project may use is removed or gets another type.

Why: models of the project are checked with the change, other readers of the table or view are not. `compile` compares
with the version that was last run; a type that holds every value of the old one breaks nobody.
Fix: keep the column until its readers have moved on, give the new one another name, or allow the code in the model. A
column under `protected` in `[contract]` makes it an error.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.compiler.types.coercion import common_type_of
from lamina.values.change import ColumnChange
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import folded, folded_names
from lamina.values.rule import Rule
from lamina.values.schema import DataType
from lamina.values.words import counted

RULE = Rule(code="L435", name="BreakingChange", severity="warning", looks_at="change")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the columns of a table or view that are not what they were; inlined models have no other readers."""
    change, model = subject.change, subject.model
    if change is None or (model.is_ephemeral and not model.is_view):
        return
    protected = folded_names(model.settings.contract.protected)  # for which it is an error
    for column in change.columns:
        if folded(column.name) not in protected and (became := _became(column)) is not None:
            readers = counted(len(change.blast_radius), "model") if change.blast_radius else "no model"
            yield RULE.finding(
                f"column `{column.name}` of `{model.name}` {became}; the change reaches {readers} of the project, "
                "and readers outside are not checked",
                place=subject.place_in_text(0),
                model=model.name,
                hint="keep the column until its readers have moved on, or allow `L435` in the model",
            )


def _became(column: ColumnChange) -> str | None:
    if column.change == "removed":
        return "is removed"
    if column.before is None or column.after is None:
        return None
    before, after = DataType(column.before), DataType(column.after)
    is_wider = common_type_of([before, after]) == after
    return None if is_wider else f"changes from `{before}` to `{after}`"

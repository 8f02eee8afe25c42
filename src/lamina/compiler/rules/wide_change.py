"""L436: a change of one model reaches many others.

Why: the rows of every model that reads what changed may differ, and a run then builds them again. `compile` compares
with the version that was last run, by column lineage: `lamina plan` lists the models.
Fix: nothing, where that is intended: the finding is gone after the next run. A change of fewer columns, or in a model
further down, reaches fewer models.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule
from lamina.values.words import counted

RULE = Rule(code="L436", name="WideChange", severity="warning", looks_at="change")

MANY = 20  # models: fewer can be looked at one by one


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield a change that reaches many models, with what is known of their columns."""
    change = subject.change
    if change is None or len(change.blast_radius) < MANY:
        return
    whole = sum(item.columns is None for item in change.blast_radius)
    columns = sum(len(item.columns or ()) for item in change.blast_radius)
    parts = [f"all columns of {counted(whole, 'model')}"] if whole else []
    parts += [counted(columns, "single column")] if columns else []
    yield RULE.finding(
        f"the change of `{change.model}` reaches {counted(len(change.blast_radius), 'model')}: {', '.join(parts)}",
        place=subject.place_in_text(0),
        model=subject.model.name,
        hint="`lamina plan` lists them; allow `L436` in the model if it is meant to be read by many",
    )

"""L275: a view uses a value that only a run has.

Why: `@start_date`, `@end_date`, `@execution_time`, `@as_of` and `@run_id` have a value while a model is built. A view
is evaluated whenever someone reads it, and no run is there to ask.
Fix: use a column or a `[vars]` variable, or use the strategy `ephemeral`.
"""

from collections.abc import Iterator

from lamina.compiler.link.parameters import RUN_PARAMETERS
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L275", name="RunValueInView")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each such value that the query of a view, or a model inlined in it, uses."""
    model = subject.model
    if not model.is_view or subject.query is None:
        return
    own = {use.name: use.start for use in reversed(subject.query.parameters)}
    for name in sorted(RUN_PARAMETERS.keys() & set(model.reads_parameters)):
        yield RULE.finding(
            f"`@{name}` has no value in `{model.name}`, which is a view and is read without a run",
            place=subject.place_in_text(own[name]) if name in own else Place(file=subject.file.path),
            model=model.name,
            hint='use a column or a variable, or `type = "ephemeral"`',
        )

"""L230: a model without intervals uses a bound of the range.

Why: `@start_date` and `@end_date` are the bounds of a batch of intervals; other models have none.
Fix: use the strategy `time_interval`, or remove the parameter.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L230", name="MisplacedRange")

BOUNDS = frozenset({"start_date", "end_date", "start_ts", "end_ts"})


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each bound in a model that has no range."""
    traits = subject.model.traits
    if subject.query is None or not traits.has_table or traits.slices is not None:
        return
    hint = 'use `type = "time_interval"`, or remove the parameter'
    own = [use for use in subject.query.parameters if use.name in BOUNDS]
    for use in own:
        place = subject.place_in_text(use.start)
        yield RULE.finding(_message(use.name, subject), place=place, model=subject.model.name, hint=hint)
    inherited = sorted(BOUNDS & set(subject.model.reads_parameters))
    if inherited and not own:
        place = Place(file=subject.file.path)
        yield RULE.finding(_message(inherited[0], subject), place=place, model=subject.model.name, hint=hint)


def _message(name: str, subject: Subject) -> str:
    return f"`@{name}` has no value in `{subject.model.name}`, which has no intervals"

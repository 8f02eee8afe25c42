"""L411: an incremental model reads other inputs beside its driver.

Why: a change in them does not revisit rows that were already appended; such a model keeps history.
Fix: use `time_interval`, `merge` or `full_refresh` if old rows must change too; otherwise allow this code.
"""

from collections.abc import Iterator

from lamina.compiler.slices.row_local import side_inputs
from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L411", name="SideInput", severity="warning")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each input that is read whole beside the driver."""
    driver = subject.model.driver
    if not subject.model.traits.is_append or driver is None or subject.shape is None:
        return
    for name, at, file in side_inputs(subject.shape, driver):
        facts = subject.inputs.get(name)
        if facts is not None and facts.keeps:
            continue
        yield RULE.finding(
            f"a change in `{name}` does not revisit rows already appended to `{subject.model.name}`",
            place=Place(file=file or subject.file.path, line=at[0], column=at[1]),
            model=subject.model.name,
            hint=f'say so with `on_touch = "keep"` under `[inputs."{name}"]`, or use another strategy',
        )

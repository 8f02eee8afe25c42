"""L265: rows that fail a check cannot be put in quarantine.

Why: a row goes to `<table>__quarantine` by what it holds itself, for ever; so the check must look at one row at a time,
must not depend on time or chance, and every failing row goes there. Tables by `merge`, `delete_insert` and `snapshot`,
and those with `on_touch = "keep"`, keep rows by rules that a quarantine does not know yet.
Fix: use `not_null`, `accepted_values`, `in_range`, `regex_match` or `expression` without `severity`,
`max_failed_rows` and `scope`; remove `on_failure` elsewhere.
"""

from collections.abc import Iterator
from typing import NamedTuple

from lamina.compiler.subject import Subject
from lamina.project.model import CheckSettings
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import FAILED_CHECKS, same_name
from lamina.values.rule import Rule

RULE = Rule(code="L265", name="UnfitQuarantine")

ROW_CHECKS = ("not_null", "accepted_values", "in_range", "regex_match", "expression")


class _Misfit(NamedTuple):
    key: str  # of the check
    reason: str
    hint: str


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each check with a quarantine that it, or its model, cannot have."""
    for number, check in enumerate(subject.model.settings.checks):
        if check.quarantines:
            for found in (*_of_check(check), *_of_model(subject)):
                yield RULE.finding(
                    f'`on_failure = "quarantine"` of check `{check.title}`: {found.reason}',
                    place=subject.place_of(f"checks.{number}.{found.key}"),
                    model=subject.model.name,
                    hint=found.hint,
                )


def _of_check(check: CheckSettings) -> Iterator[_Misfit]:
    if check.type not in ROW_CHECKS:
        reason = f"a `{check.type}` check is not decided by one row alone, for ever"
        yield _Misfit("on_failure", reason, 'remove `on_failure`: the whole batch fails, or use `severity = "warn"`')
    if check.severity == "warn":
        yield _Misfit("severity", "a warning leaves the rows in the table", "remove `severity` or `on_failure`")
    if check.max_failed_rows:
        reason = "every failing row goes to the quarantine, so none may fail"
        yield _Misfit("max_failed_rows", reason, "remove `max_failed_rows` or `on_failure`")
    if check.scope == "table" and check.type in ROW_CHECKS:
        reason = "rows go to the quarantine when they are built, not when the table is looked at"
        yield _Misfit("scope", reason, "remove `scope` or `on_failure`")
    for key, text in (("expression", check.expression), ("where", check.where)):
        if text is not None and (functions := _volatile(text)):
            reason = f"`{functions[0]}` gives another value each time"
            yield _Misfit(key, reason, "compute the value in the query, and check its column")


def _of_model(subject: Subject) -> Iterator[_Misfit]:
    model = subject.model
    if model.traits.kept_by or model.traits.upsert is not None:
        reason = f"it is not known for `{model.traits.name}` models in this version"
        yield _Misfit("on_failure", reason, "remove `on_failure`, or leave these rows out in the query")
    if any(use.on_touch == "keep" for use in model.inputs):
        reason = '`on_touch = "keep"` keeps rows of the table whatever became of their input'
        yield _Misfit("on_failure", reason, "remove `on_failure`, or leave these rows out in the query")
    if any(same_name(column.name, FAILED_CHECKS) for column in model.columns or ()):
        reason = f"the model has a column `{FAILED_CHECKS}`, where the quarantine lists the checks"
        yield _Misfit("on_failure", reason, "give the column another name")


def _volatile(text: str) -> tuple[str, ...]:
    # Imported here: most models have no such check, and linking alone needs no parser.
    from lamina.compiler.query.nodes import Nodes
    from lamina.compiler.query.parse import parse
    from lamina.compiler.slices.volatile import volatile_functions

    parsed = parse(f"SELECT ({text})")
    return () if isinstance(parsed, Diagnostic) else volatile_functions(Nodes(parsed.tree))

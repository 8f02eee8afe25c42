"""L273: a view has a setting that only a table can have.

Why: a view has no rows of its own. There is nothing to lay out, to check, to keep or to build at a time, so the setting
would do nothing.
Fix: remove the setting, set it on a model that reads the view, or make the model a table.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.rule import Rule

RULE = Rule(code="L273", name="UnfitViewSetting")

OF_TABLES = (
    *("partitioned_by", "sorted_by", "checks", "anomaly", "budget", "freshness", "conf", "inputs"),
    *("cron", "cron_timezone", "start", "first_partition", "end", "allow_partials", "readiness"),
    *("on_change", "protect_history", "on_drift", "on_foreign_write"),
)


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield each such setting that the file of a view sets itself; defaults of a folder are for its tables."""
    if not subject.model.is_view:
        return
    for key in OF_TABLES:
        if subject.file.places.has(key):
            yield RULE.finding(
                f"`{key}` has no meaning for `{subject.model.name}`, which is a view and has no rows of its own",
                place=subject.place_of(key),
                model=subject.model.name,
                hint="remove it, or use a strategy that has a table",
            )

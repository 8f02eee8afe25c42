"""L280: a model that reads its driver by timestamps does not keep the timestamp column.

Why: rows at exactly the watermark are replaced when they changed, so the table must hold the column as it was read.
Fix: select the column of the driver as it is, under its own name, or set `position = "version"`.
"""

from collections.abc import Iterator

from lamina.compiler.subject import Subject
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import same_name
from lamina.values.rule import Rule

RULE = Rule(code="L280", name="TimestampNotCarried")


def violations(subject: Subject) -> Iterator[Diagnostic]:
    """Yield the timestamp column if the output lacks it, or has another value under its name."""
    model, driver = subject.model, subject.model.traits.driver
    column = None if driver is None or not driver.is_by_time else driver.timestamp_column
    if column is None or model.driver is None or model.columns is None:
        return
    edges = [edge for edge in model.lineage if same_name(edge.column, column)]
    is_direct = all(
        edge.kind == "direct" and edge.input == model.driver and same_name(edge.input_column, column) for edge in edges
    )
    if not subject.has_column(column):
        message = f"`{model.name}` has no column `{column}`"
    elif len(edges) != 1 or not is_direct:
        message = f"`{column}` of `{model.name}` is not the column of `{model.driver}` as it is"
    else:
        return
    yield RULE.finding(
        f'{message}, which `position = "timestamp"` needs',
        place=subject.place_of("strategy.timestamp_column"),
        model=model.name,
        hint=f"select `{column}` of `{model.driver}` as it is",
    )

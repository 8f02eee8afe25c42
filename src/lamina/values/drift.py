"""A column that was added, removed or changed its type under unchanged code."""

from lamina.values.value import Value


class Drift(Value, frozen=True, rename={"before": "from", "after": "to"}):
    """What became of one column of a table because its inputs changed their schema."""

    model: str
    column: str
    before: str | None
    after: str | None
    action: str
    reason: str

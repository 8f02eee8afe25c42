"""An anomaly: a batch with far more or fewer rows than earlier ones, or a table that a rebuild would shrink."""

from typing import Literal

from lamina.values.interval import Interval
from lamina.values.names import ModelName
from lamina.values.value import Value

Metric = Literal["row_count", "table_rows", "covered_slices"]

# What is counted, and of what it is compared with: one, several, and where.
_NOUNS: dict[Metric, tuple[str, str, str]] = {
    "row_count": ("row", "rows", "in earlier batches"),
    "table_rows": ("row in the table", "rows in the table", "that it has"),
    "covered_slices": ("built slice", "built slices", "that the table has"),
}


class Anomaly(Value, frozen=True):
    """What was seen of a batch, and what it was compared with; rows of slices are counted for each unit of time."""

    model: ModelName
    metric: Metric
    observed: int | float
    baseline: int | float
    deviation_percent: float
    threshold_percent: int | float
    stopped: bool  # nothing of the batch was published
    intervals: tuple[Interval, ...] = ()

    def in_words(self) -> str:
        """Say what was seen, and how far that is from what was expected.

        >>> from lamina.values.names import ModelName
        >>> Anomaly(ModelName("a.b"), "row_count", 5, 500.0, 99.0, 50, stopped=False).in_words()
        '5 rows instead of about 500 in earlier batches (99% fewer; the threshold is 50%)'
        """
        one, several, where = _NOUNS[self.metric]
        noun = one if self.observed == 1 else several
        side = "fewer" if self.observed < self.baseline else "more"
        about = "about " if self.metric == "row_count" else ""
        return (
            f"{_number(self.observed)} {noun} instead of {about}{_number(self.baseline)} {where} "
            f"({self.deviation_percent:,g}% {side}; the threshold is {self.threshold_percent:g}%)"
        )


def _number(value: int | float) -> str:
    """Return a number as a person reads it.

    >>> _number(1234), _number(12.5), _number(500.0)
    ('1,234', '12.5', '500')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"

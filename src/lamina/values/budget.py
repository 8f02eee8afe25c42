"""A budget that a run has used up: which limit, how much of it, and whether the rest was left to later runs."""

from typing import Literal

from lamina.values.names import ModelName
from lamina.values.time_words import duration_words
from lamina.values.value import Value
from lamina.values.words import counted

Limit = Literal["max_slices", "max_rows_written", "max_duration"]


class BudgetBreach(Value, frozen=True):
    """More was to be done of a model in one run than its budget allows; durations are in seconds."""

    model: ModelName
    limit: Limit
    allowed: int
    observed: int
    stopped: bool  # nothing beyond the limit was done

    def in_words(self) -> str:
        """Say which limit it is, and how far beyond it the run was or would have been.

        >>> from lamina.values.names import ModelName
        >>> BudgetBreach(ModelName("a.b"), "max_slices", 10, 12, stopped=True).in_words()
        '12 slices, and `max_slices` allows 10'
        """
        return (
            f"{amount(self.limit, self.observed)}, and `{self.limit}` allows {amount_alone(self.limit, self.allowed)}"
        )


def amount(limit: Limit, value: int) -> str:
    """Return how much of something there is.

    >>> amount("max_rows_written", 1), amount("max_duration", 90)
    ('1 row', '1 min 30 s')
    """
    if limit == "max_duration":
        return duration_words(value)
    return counted(value, "slice" if limit == "max_slices" else "row")


def amount_alone(limit: Limit, value: int) -> str:
    """Return how much of something that was named before there is."""
    return duration_words(value) if limit == "max_duration" else f"{value:,}"

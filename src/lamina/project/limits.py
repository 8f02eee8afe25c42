"""What a sidecar says about how much is usual or allowed; none of it is part of a fingerprint."""

from typing import Literal

from lamina.values.duration import parse_duration
from lamina.values.names import ColumnName
from lamina.values.value import Value

OnBreach = Literal["warn", "stop"]


class AnomalySettings(Value, frozen=True, omit_defaults=True):
    """How far the rows of a batch may be from those of earlier ones, and what happens beyond that."""

    threshold_percent: int | float = 50  # 0: nothing is compared
    history: int = 10  # earlier batches of the same mode that count; 0, where a sidecar says nothing: none
    on_breach: OnBreach = "warn"

    @property
    def stops(self) -> bool:
        """Return whether an anomaly keeps a batch from being published."""
        return self.on_breach == "stop" and self.threshold_percent > 0


class BudgetSettings(Value, frozen=True, omit_defaults=True):
    """How much of a model one run may do, and what happens beyond that."""

    max_slices: int | None = None
    max_rows_written: int | None = None
    max_duration: str | None = None  # "2h"
    on_breach: OnBreach = "warn"

    @property
    def max_seconds(self) -> int | None:
        """Return the longest duration in seconds."""
        return None if self.max_duration is None else parse_duration(self.max_duration)

    @property
    def stops(self) -> bool:
        """Return whether nothing is done beyond a limit."""
        return self.on_breach == "stop"


class FreshnessSettings(Value, frozen=True, omit_defaults=True):
    """How old the newest row of a table may be, by one of its columns."""

    column: ColumnName
    warn_after: str | None = None  # "36h"
    error_after: str | None = None
    on_stale: Literal["report", "hold"] = "report"  # what becomes of its readers

    @property
    def held_after(self) -> str | None:
        """Return the age beyond which its readers are held back; None: they never are."""
        return None if self.on_stale == "report" else self.error_after or self.warn_after

    @property
    def warn_seconds(self) -> int | None:
        """Return the age in seconds beyond which to warn."""
        return None if self.warn_after is None else parse_duration(self.warn_after)

    @property
    def error_seconds(self) -> int | None:
        """Return the age in seconds that is an error."""
        return None if self.error_after is None else parse_duration(self.error_after)

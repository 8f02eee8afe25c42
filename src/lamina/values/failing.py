"""How often something failed, since when, and when it is tried again: for documents and for people."""

from datetime import datetime

from lamina.values.value import Value


class Failing(Value, frozen=True):
    """A row of failures that nothing built has ended yet."""

    attempts: int  # passes in which it failed
    first_failed_at: datetime
    next_try: datetime | None  # the execution time from which a pass tries again; None: the next pass does

    def in_words(self) -> str:
        """Say it in one sentence."""
        return f"{self.so_far()}, {self._next()}"

    def so_far(self) -> str:
        """Say how often it failed, where it is tried again anyway."""
        first = f"{self.first_failed_at:%Y-%m-%dT%H:%MZ}"
        return f"failed at {first}" if self.attempts == 1 else f"failed {self.attempts:,} times since {first}"

    def just_now(self) -> str:
        """Say it where the last failure was just reported."""
        return self._next() if self.attempts == 1 else self.in_words()

    def _next(self) -> str:
        return f"next try {'in the next run' if self.next_try is None else f'at {self.next_try:%Y-%m-%dT%H:%MZ}'}"

"""One rule of the engine taken away for a while."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch


@dataclass(frozen=True)
class Mutant:
    """One rule taken away: where, and what is in its place."""

    name: str
    rule: str
    place: object
    attribute: str
    instead: Callable[..., Any]
    net: tuple[object, str, Callable[..., Any]] | None = None  # what else would catch it, taken away too

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Take the rule away for a while."""
        with ExitStack() as stack:
            stack.enter_context(patch.object(self.place, self.attribute, self.instead))
            if self.net is not None:
                stack.enter_context(patch.object(*self.net))
            yield

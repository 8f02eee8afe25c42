"""One output stream: plain text goes straight to it, all else through rich, which is imported only then."""

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 500  # a reader that is not a terminal breaks lines itself


class Stream:
    """Owns stdout or stderr."""

    def __init__(self, name: Literal["stdout", "stderr"]) -> None:
        self._name = name

    def print(self, *items: Any, style: str | None = None, end: str = "\n") -> None:
        """Write text as it is, and anything that rich can draw, outside of terminals without blanks at line ends."""
        stream = getattr(sys, self._name)
        if style is None and all(isinstance(item, str) for item in items):
            stream.write(" ".join(items) + end)
        elif self._console.is_terminal:
            self._console.print(*items, style=style, end=end)
        else:
            with self._console.capture() as drawn:
                self._console.print(*items, style=style, end=end)
            stream.write("\n".join(line.rstrip() for line in drawn.get().split("\n")))

    @cached_property
    def _console(self) -> "Console":
        from rich.console import Console

        is_answer = self._name == "stdout"
        return Console(
            stderr=not is_answer,
            width=WIDE if is_answer and not sys.stdout.isatty() else None,
            no_color=bool(os.environ.get("NO_COLOR")),
            highlight=False,
            soft_wrap=True,
            emoji=False,
            markup=False,
        )

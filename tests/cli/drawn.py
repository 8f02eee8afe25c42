"""What a rendering looks like on a screen of some width, without colours."""

import io
from typing import Any

from rich.console import Console


def drawn(thing: Any, *, width: int) -> list[str]:
    """Return the lines of something rich can draw, as the command line draws it."""
    screen = io.StringIO()
    console = Console(file=screen, width=width, highlight=False, soft_wrap=True, emoji=False, markup=False)
    console.print(thing)
    return [line.rstrip() for line in screen.getvalue().splitlines()]

"""The selection flags that several commands share."""

from collections.abc import Callable
from typing import Any

import click


def selection_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--select` and `--exclude`, each of which may be repeated."""
    grammar = "Name, `*`, `tag:x`, `path:x`, `source:x`, with `+m`, `m+`, `2+m`, `@m`; comma means and, space means or"
    select = click.option("--select", "-s", multiple=True, metavar="SELECTOR", help=grammar)
    exclude = click.option("--exclude", multiple=True, metavar="SELECTOR", help="Leave these out")
    decorated: Callable[..., Any] = select(exclude(function))
    return decorated

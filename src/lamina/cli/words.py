"""The gist of a message for people, and ranges as a document for programs has them."""

from typing import Any

from lamina.values.interval import MAX, MIN

_OPEN = {bound.isoformat().replace("+00:00", "Z") for bound in (MIN, MAX)}


def gist_words(message: str, *, longest: int = 100) -> str:
    """Return the first sentence of a message, cut where it is long.

    >>> gist_words("Division by zero. Use `try_divide` to tolerate it.")
    'Division by zero'
    """
    first = message.partition(". ")[0].rstrip(".")
    return first if len(first) <= longest else f"{first[: longest - 1]}…"


def open_ended(document: Any) -> Any:
    """Return a document whose ranges have no bound where a whole table has none: null instead of the year 1 or 9999."""
    match document:
        case {"start": start, "end": end} if len(document) == 2:
            return {"start": None if start in _OPEN else start, "end": None if end in _OPEN else end}
        case dict():
            return {key: open_ended(value) for key, value in document.items()}
        case list() | tuple():
            return [open_ended(value) for value in document]
        case _:
            return document

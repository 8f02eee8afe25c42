"""Lines and columns of offsets into a text."""

from lamina.values.diagnostic import Place


def place_at(text: str, offset: int) -> Place:
    """Return line and column of an offset, both from 1; the file is filled in by who knows it.

    >>> place_at("select a\\nfrom b", 14)
    Place(file='', line=2, column=6)
    """
    line = text.count("\n", 0, offset) + 1
    return Place(file="", line=line, column=offset - text.rfind("\n", 0, offset))

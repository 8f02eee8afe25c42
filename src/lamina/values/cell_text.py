"""One cell of a query's answer as a person reads it."""

from typing import Any

from lamina.values.codec import to_document


def cell_text(cell: Any) -> str:
    """Return a cell for people: text as it is, all else as JSON writes it."""
    return cell if isinstance(cell, str) else to_document(cell, indent=0)

"""Names without their spelling: Spark ignores case, and most lists of columns are sets."""

from collections.abc import Iterable


def as_set(names: Iterable[str]) -> tuple[str, ...]:
    """Return names in lower case, each once and in order.

    >>> as_set(["Shop", "id", "shop"])
    ('id', 'shop')
    """
    return tuple(sorted({name.lower() for name in names}))


def folded(name: str | None) -> str | None:
    """Return a name in lower case."""
    return name.lower() if name is not None else None

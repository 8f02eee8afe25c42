"""The nearest known word to a misspelt one, offered only when it is close."""

from collections.abc import Iterable

LONGEST = 100  # longer words are never misspellings of a key or a name


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the closest known word, or None when nothing is close.

    >>> nearest("custmers", ["customers", "orders"])
    'customers'
    >>> nearest("zzzzzzzz", ["customers", "orders"]) is None
    True
    """
    if len(word) > LONGEST:
        return None
    limit = max(1, len(word) // 3)
    folded = word.casefold()
    near = ((distance(folded, item.casefold(), limit=limit), item) for item in known if len(item) <= LONGEST)
    best = min((pair for pair in near if pair[0] <= limit), default=None)
    return best[1] if best else None


def distance(left: str, right: str, *, limit: int) -> int:
    """Return how many edits (insert, delete, replace, swap neighbours) part two words, or more than `limit`."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    # Each letter that only one of the words has takes an edit; most words are distinguished by that alone.
    if max(len(set(left).difference(right)), len(set(right).difference(left))) > limit:
        return limit + 1
    before: list[int] = []
    above: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        before, above, row = above, row, [i]
        for j, b in enumerate(right, start=1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit and min(above) > limit:
            return limit + 1
    return row[-1]

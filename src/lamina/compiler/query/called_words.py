"""The words before the brackets of a query: at a glance, the functions it may call."""

import re
from collections.abc import Iterable

_CALL = re.compile(r"\(\s*(\w*)", re.ASCII)  # read backwards: looking for a bracket is faster than for any word


def called_words(text: str) -> list[str]:
    """Return the word before each opening bracket, the last one first, in lower case and spelt backwards.

    >>> called_words("SELECT MAX(a) FROM t WHERE a IN (1) AND (b)")
    ['dna', 'ni', 'xam']
    """
    return _CALL.findall(text.lower()[::-1])


def backwards(words: Iterable[str]) -> frozenset[str]:
    """Return words as `called_words` spells them."""
    return frozenset(word[::-1] for word in words)

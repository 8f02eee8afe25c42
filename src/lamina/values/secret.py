"""A value that must not be seen: it prints as `***` and no codec takes it."""

from typing import Final

HIDDEN: Final = "***"
SECRET_KEY: Final = r"password|secret|token|credential|access.?key|private"  # in the names of settings


class Secret:
    """Text that only `reveal` shows."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself, for the driver or server it is meant for."""
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

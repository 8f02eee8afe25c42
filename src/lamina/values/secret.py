"""A value that must not be seen: it prints as `***` and no codec takes it."""

import re
from typing import Final

HIDDEN: Final = "***"
SECRET_KEY: Final = r"password|secret|token|credential|access.?key|private"  # in the names of settings

# The value of a secret key in a settings file that someone wrote out, in place of the name of a variable.
_WRITTEN_OUT = re.compile(
    rf"""((?:{SECRET_KEY})[\w.'"-]*\s*=\s*)("(?:[^"\\$]|\\.|\$(?!\{{))*"|'(?:[^'$]|\$(?!\{{))*')""", re.IGNORECASE
)
_IN_ADDRESS = re.compile(r"""((?:password|secret|token)\w*=)[^&\s"'#;]+|(//[^/@:\s]+:)[^@\s"']+(?=@)""", re.IGNORECASE)


def without_written(text: str) -> str:
    """Return the text of a settings file with secrets that are written out in it hidden."""
    return _WRITTEN_OUT.sub(rf'\1"{HIDDEN}"', text)


def without_password(address: str) -> str:
    """Return an address with a password that is part of it hidden.

    >>> without_password("jdbc:postgresql://db/shop?user=a&password=b"), without_password("postgresql://a:b@db/shop")
    ('jdbc:postgresql://db/shop?user=a&password=***', 'postgresql://a:***@db/shop')
    >>> without_password("jdbc:postgresql://db:5432/shop")
    'jdbc:postgresql://db:5432/shop'
    """
    return _IN_ADDRESS.sub(lambda found: f"{found[1] or found[2]}{HIDDEN}", address)


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

"""The base of every noun: a frozen, comparable, encodable record."""

from typing import Any, Self

import msgspec


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen noun; changes make a new one."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the named fields changed."""
        return msgspec.structs.replace(self, **changes)

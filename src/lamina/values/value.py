"""The base of every noun: a frozen, comparable, encodable record."""

from typing import Any, Self

import msgspec


# Frozen values cannot form cycles, so the garbage collector need not look at them, of which there may be many.
class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A frozen noun; changes make a new one."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with the named fields changed."""
        return msgspec.structs.replace(self, **changes)


def tag_of(variant: Value) -> str:
    """Return the word that distinguishes a variant from the others when it is encoded."""
    return str(variant.__struct_config__.tag)

"""One field of a table's layout as a sidecar writes it, and the layout of a table that declares none."""

import re
from typing import NamedTuple

TRANSFORMS = {"years": "year", "months": "month", "days": "day", "hours": "hour"}
COUNTED = {"bucket", "truncate"}

_FIELD = re.compile(r"(?P<name>\w+)\s*\(\s*(?:(?P<count>\d+)\s*,\s*)?`?(?P<column>[^`)]+?)`?\s*\)")

# The nearest layout of Iceberg that is as coarse as the unit or coarser; for finer units the column's type decides.
TRANSFORM_BY_UNIT = {"day": "day", "week": "day", "month": "month", "year": "year"}


class WrittenField(NamedTuple):
    """The column of a field and its transform in Iceberg's words; None for one that Iceberg does not have."""

    column: str
    transform: str | None


def read_field(text: str) -> WrittenField:
    """Return what a field of `partitioned_by` means.

    >>> read_field("days(`at`)"), read_field("bucket(16, id)"), read_field("region")
    (WrittenField(column='at', transform='day'), WrittenField(column='id', transform='bucket[16]'), \
WrittenField(column='region', transform='identity'))
    """
    found = _FIELD.fullmatch(text.strip())
    column = (found["column"] if found else text).strip(" `")
    if found is None:
        return WrittenField(column, "identity")
    name, count = found["name"].lower(), found["count"]
    if name in TRANSFORMS or f"{name}s" in TRANSFORMS:
        return WrittenField(column, name.removesuffix("s"))
    return WrittenField(column, f"{name}[{count}]" if name in COUNTED and count else None)

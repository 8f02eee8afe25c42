"""What a strategy does to its table when it is stale: the noun every strategy answers with."""

from lamina.values.names import Position
from lamina.values.plan import Mode
from lamina.values.value import Value


class Write(Value, frozen=True):
    """How a stale whole table is brought up to date; `note` says why it is more than the new rows."""

    mode: Mode
    since: Position | None = None  # read the driver's rows appended after this; None: read everything
    note: str = ""

"""Everything effectful a run needs, in one bundle that is passed in and never found."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lamina.state.port import StateStore
from lamina.values.event import Event
from lamina.values.names import EnvironmentName
from lamina.warehouse.port import Warehouse


@dataclass(frozen=True)
class Runtime:
    """The two ports, a clock, a source of unique ids and a listener."""

    store: StateStore
    warehouse: Warehouse
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    emit: Callable[[Event], None]
    environment: EnvironmentName
    project: str

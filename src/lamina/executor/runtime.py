"""Everything effectful a run needs, in one bundle that is passed in and never found."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.state.port import StateStore
from lamina.values.diagnostic import Place
from lamina.values.event import Event
from lamina.values.names import EnvironmentName
from lamina.warehouse.port import Warehouse


def nowhere(_model: CompiledModel, _key: str) -> Place | None:
    """Know no place of a setting."""
    return None


@dataclass(frozen=True)
class Runtime:
    """The two ports, a clock, a source of unique ids, a listener, and where settings of models are written."""

    store: StateStore
    warehouse: Warehouse
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    emit: Callable[[Event], None]
    environment: EnvironmentName
    project: str
    place_of: Callable[[CompiledModel, str], Place | None] = nowhere

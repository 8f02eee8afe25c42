"""Everything effectful a run needs, in one bundle that is passed in and never found."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from lamina.compiler.graph import CompiledModel, Graph
from lamina.state.port import Origin, StateStore
from lamina.values.diagnostic import Place
from lamina.values.event import Event
from lamina.values.names import EnvironmentName
from lamina.values.project_text import ProjectText
from lamina.warehouse.port import Warehouse


def nowhere(_model: CompiledModel, _key: str) -> Place | None:
    """Know no place of a setting."""
    return None


@dataclass(frozen=True)
class Compiling:
    """How the project was compiled, and how an older text of it is; None: it cannot be compiled as it was then."""

    origin: Origin
    compile: Callable[[ProjectText], Graph | None]


@dataclass(frozen=True)
class Runtime:
    """The two ports, a clock, a source of unique ids, a listener, the compiler, and where settings are written."""

    store: StateStore
    warehouse: Warehouse
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    emit: Callable[[Event], None]
    environment: EnvironmentName
    project: str
    compiling: Compiling
    place_of: Callable[[CompiledModel, str], Place | None] = nowhere

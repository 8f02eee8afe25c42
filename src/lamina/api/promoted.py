"""Compare a project with what was last run in its environment: wiring of state, compiler and contracts."""

import os
from collections.abc import Callable
from contextlib import closing

from lamina.api.opened import Opened
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import EnvironmentName


def promoted_findings(project: Opened, last_run: Callable[[], Graph | None]) -> tuple[Diagnostic, ...]:
    """Return what breaks promises made by the version that was last run; nothing where none was."""
    graph = project.graph
    # Most projects make no promises, and then need no state.
    promoted = last_run() if graph.has_promises() else None
    if promoted is None or promoted == graph:
        return ()
    from lamina.compiler.contracts import check_promoted
    from lamina.project.read import read_project

    return check_promoted(read_project(project.scan, project.variables).models, graph, promoted=promoted)


def load_promoted(config: Config) -> Graph | None:
    """Return the version that was last run, from a state that is only read; None where there is none."""
    if not os.path.exists(config.catalog.database):
        return None
    from lamina.api.custody import open_state

    with closing(open_state(config)) as store:
        return store.load_graph(EnvironmentName(config.environment))

"""Compare a project with what was last run in its environment: wiring of state, compiler and contracts."""

import os
from collections.abc import Callable
from contextlib import closing

from lamina.api.opened import Opened
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.state.errors import StateCorrupt, StateUnavailable
from lamina.state.scope import Scope
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


def change_findings(project: Opened, config: Config) -> tuple[Diagnostic, ...]:
    """Return what to know of the changes since the last run; nothing where no run is known, or nothing changed."""
    graph = project.graph
    if any(item.severity == "error" for item in graph.diagnostics) or not os.path.exists(config.catalog.database):
        return ()
    promoted = _changed_since(graph, config)
    if promoted is None:
        return ()
    from lamina.compiler.contracts import check_changes
    from lamina.project.read import read_project

    return check_changes(read_project(project.scan, project.variables).models, graph, promoted=promoted)


def _changed_since(graph: Graph, config: Config) -> Graph | None:
    """Return the version that was last run where it is another one, from a state that is only looked at."""
    from pathlib import Path

    from lamina.project.cache_file import compiler_version
    from lamina.state.promoted import find_graph, read_promoted
    from lamina.state.sqlite import looking
    from lamina.warehouse.catalog.file_lock import beside_others
    from lamina.warehouse.catalog.sqlite import connect_read_only

    scope = Scope(graph.project, EnvironmentName(config.environment))
    try:
        path = Path(config.catalog.database)
        with beside_others(path), looking(path, connect=connect_read_only) as transaction:
            known = read_promoted(transaction, scope)
            now = {model.name: model.fingerprint for model in graph.models}
            if not known or {name: item.fingerprint for name, item in known.items()} == now:
                return None
            # What another compiler wrote is compiled again by the next run; until then it cannot be compared.
            is_ours = {item.compiler for item in known.values()} == {compiler_version()}
            return find_graph(transaction, scope) if is_ours else None
    except (StateUnavailable, StateCorrupt):
        # A state that cannot be read, or is of another version, is no fault of the project that is compiled.
        return None


def load_promoted(config: Config) -> Graph | None:
    """Return the version that was last run, from a state that is only read; None where there is none."""
    if not os.path.exists(config.catalog.database):
        return None
    from lamina.api.custody import open_state

    with closing(open_state(config)) as store:
        return store.load_graph(EnvironmentName(config.environment))

"""Compare a project with what was last run in its environment: wiring of state, compiler and contracts."""

import os
from collections.abc import Mapping
from contextlib import closing

from lamina.api.compiling import load_project
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import EnvironmentName


def promoted_findings(
    config: Config, graph: Graph, *, environment_variables: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """Return what breaks promises made by the version that was last run; nothing where none was."""
    if not graph.has_promises() or not os.path.exists(config.catalog.database):
        return ()
    # Imported here: most compilations make no promises, and then need no state.
    from lamina.api.custody import open_state
    from lamina.compiler.contracts import check_promoted

    with closing(open_state(config)) as store:
        promoted = store.load_graph(EnvironmentName(config.environment))
    if promoted is None or promoted == graph:
        return ()
    return check_promoted(load_project(config.root, environment_variables).models, graph, promoted=promoted)

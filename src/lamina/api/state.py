"""The state of a project for as long as one verb works: opened once, when it is first needed."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager

from lamina.api.custody import open_state, refuse_elsewhere, restore_if_lost
from lamina.api.opened import Opened
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.state.store import SqlStore
from lamina.values.event import Recovered
from lamina.values.names import EnvironmentName


class State:
    """Own the store of one verb; a project with errors, or one that never ran, gets none just to be looked at."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._store: SqlStore | None = None

    def open(self) -> SqlStore:
        """Return the store; a project that was moved is refused."""
        if self._store is None:
            refuse_elsewhere(self._config)
            self._store = open_state(self._config)
        return self._store

    def last_run(self) -> Graph | None:
        """Return the version that was last run; None where none was."""
        if not os.path.exists(self._config.catalog.database):
            return None
        return self.open().load_graph(EnvironmentName(self._config.environment))

    def close(self) -> None:
        """Release the database, if it was opened."""
        if self._store is not None:
            self._store.close()


def environment_of(project: Opened) -> EnvironmentName:
    """Return the environment that a project works in."""
    return EnvironmentName(project.known_settings[0].environment)


@contextmanager
def open_store(project: Opened) -> Iterator[SqlStore]:
    """Open the state for the block; what happened is known also while the project has errors or was moved."""
    config, _ = project.known_settings
    if (restored := restore_if_lost(config)) is not None:
        project.emit(Recovered(detail=str(restored)))
    with closing(open_state(config)) as store:
        yield store

"""What can go wrong between a run and its state; each error writes its own sentence."""

from datetime import datetime

from lamina.errors import LaminaError
from lamina.values.names import EnvironmentName, RunId, TableName


class LeaseHeld(LaminaError):
    """Another run is writing in the environment.

    Why: one environment has one writer at a time.
    Fix: wait for that run to end; the lease of a run that died expires on its own.
    """

    code = "L701"
    exit_code = 5
    status = "lease_held"

    def __init__(self, environment: EnvironmentName, holder: RunId, *, since: datetime) -> None:
        super().__init__(
            f"environment `{environment}` has been held by `{holder}` since {since:%Y-%m-%d %H:%M:%S}Z",
            hint="wait for that run to end; a run that died loses its lease when it expires",
        )
        self.holder = holder
        self.since = since


class LeaseLost(LaminaError):
    """Another run took over the lease: this one must not write any more.

    Why: the run was paused for longer than its lease lasts, and another one started.
    Fix: nothing to do: what was published counts, and the other run continues from there.
    """

    code = "L702"

    def __init__(self, environment: EnvironmentName, holder: RunId, *, token: int) -> None:
        super().__init__(
            f"run `{holder}` lost the lease of environment `{environment}` (token {token}): another run took over",
            hint="nothing of this batch was published; the other run continues from what was",
        )


class PublishConflict(LaminaError):
    """Another writer changed the table after the batch was staged.

    Why: publishing would undo what they wrote.
    Fix: run again; it looks at what happened to the table first.
    """

    code = "L703"

    def __init__(self, table: TableName, base: str | None) -> None:
        was = "did not exist" if base is None else "was at an older version"
        super().__init__(
            f"table `{table}` {was} when the batch was staged and has changed since",
            hint="nothing was published; the next run looks at what happened to the table",
        )
        self.table = table


class StateCorrupt(LaminaError):
    """The state file is damaged, or has content that lamina did not write.

    Why: decisions made from damaged state could be wrong.
    Fix: run `lamina state rebuild`: it takes the newest good copy and brings it up to date by the marks in the tables.
    """

    code = "L704"

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(
            f"the state file `{path}` cannot be read: {detail}",
            hint="run `lamina state rebuild`: it puts the file aside, takes the newest good copy of it and brings that"
            " up to date by the marks in the tables",
        )


class StateTooNew(LaminaError):
    """A newer lamina wrote the state.

    Why: an older one would misread it.
    Fix: run the newer lamina; state is never downgraded.
    """

    code = "L705"

    def __init__(self, path: str, *, found: int, known: int) -> None:
        super().__init__(
            f"the state file `{path}` has schema version {found}, this lamina knows up to {known}",
            hint="run a newer lamina; state is never downgraded",
        )


class StateUnavailable(LaminaError):
    """The state file cannot be opened or written now: missing permissions, a full disk, a lock that stays.

    Why: without state nothing can be recorded, so nothing is started.
    Fix: check that its folder exists and can be written, that the disk is not full, and that no other program keeps the
    file locked.
    """

    code = "L706"

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(
            f"the state file `{path}` is not available: {detail}",
            hint="check that its folder exists and can be written, and that the disk is not full",
        )


class LogOutOfStep(LaminaError):
    """A touch was numbered for another place in its log: the caller's view of the state is old.

    Why: another run recorded changes of the table in between.
    Fix: run again; nothing was recorded.
    """

    code = "L707"

    def __init__(self, table: TableName, *, given: int, expected: int) -> None:
        super().__init__(
            f"touch {given} of `{table}` cannot be recorded: the next one in its log is {expected}",
            hint="run again; nothing was recorded",
        )


class StateLost(LaminaError):
    """The state file is missing, damaged or behind the tables, and `state.on_missing` is `"stop"`.

    Why: without it models would look as if they had never been built, over tables that have rows.
    Fix: `lamina state rebuild` restores it from the newest copy and the marks in the tables; `on_missing = "rebuild"`
    in `[state]` does so automatically.
    """

    code = "L708"

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(
            f"the state file `{path}` cannot be used: {detail}; the warehouse has tables of this project",
            hint="run `lamina state rebuild`; nothing was changed",
        )


class ProjectMoved(LaminaError):
    """The project was moved or copied: its state and tables name the folder they were in before.

    Why: a copy would write into the tables of the original, and a moved project cannot read its own.
    Fix: run `lamina state relocate` once in the new place; it rewrites the paths in the tables and in the state.
    """

    code = "L709"

    def __init__(self, recorded: str, warehouse: str, *, is_there: bool) -> None:
        how = "this is a copy, and the original is still there" if is_there else "the project was moved"
        super().__init__(
            f"the tables were made in `{recorded}` and are now in `{warehouse}`: {how}",
            hint="run `lamina state relocate` once, here; tables elsewhere are neither read nor changed by it",
        )


class TablesKeptElsewhere(LaminaError):
    """The tables of the warehouse are written by another state file, which is still there.

    Why: a copy of a project with an absolute `catalog.warehouse` has the tables of its original, and each would undo or
    delete what the other one does.
    Fix: give the copy tables of its own: copy the warehouse folder, name the new folder in `catalog.warehouse` and run
    `lamina state relocate`. Two checkouts that are meant to work on the same tables share one state file: name it in
    `catalog.uri`. If the other project is no longer used, delete its state file.
    """

    code = "L712"

    def __init__(self, warehouse: str, *, state: str, keeper: str) -> None:
        super().__init__(
            f"the tables in `{warehouse}` are written by the state file `{keeper}`, and `{state}` is another one",
            hint="copy the warehouse, name the new folder in `catalog.warehouse` and run `lamina state relocate`; or"
            " let both use one state file, set in `catalog.uri`; or delete the other file, if it is unused",
        )


class StateReplaced(LaminaError):
    """The state file was deleted or replaced while a command worked with it.

    Why: what this command recorded in the old file would be lost.
    Fix: run again; nothing of this step was published.
    """

    code = "L710"

    def __init__(self, path: str) -> None:
        super().__init__(
            f"the state file `{path}` was deleted or replaced while it was in use",
            hint="run again; nothing of this step was published",
        )

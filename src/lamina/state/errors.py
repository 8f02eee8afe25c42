"""What can go wrong between a run and its state; each error writes its own sentence."""

from datetime import datetime

from lamina.errors import LaminaError
from lamina.values.names import EnvironmentName, RunId, TableName


class LeaseHeld(LaminaError):
    """Another run may write in the environment.

    Why: one environment has one writer at a time.
    Fix: wait for that run to end; the lease of a run that died expires by itself.
    """

    code = "L701"
    exit_code = 5
    status = "lease_held"

    def __init__(self, environment: EnvironmentName, holder: RunId, *, since: datetime) -> None:
        super().__init__(
            f"environment `{environment}` is held by `{holder}` since {since:%Y-%m-%d %H:%M:%S}Z",
            hint="wait for that run to end; a run that died loses its lease when it expires",
        )
        self.holder = holder
        self.since = since


class LeaseLost(LaminaError):
    """Another run took the lease over: this one must not write any more.

    Why: the run stood still for longer than its lease lasts, and another one began.
    Fix: nothing to do: what was published counts, and the other run goes on from there.
    """

    code = "L702"

    def __init__(self, environment: EnvironmentName, holder: RunId, *, token: int) -> None:
        super().__init__(
            f"run `{holder}` lost the lease of environment `{environment}` (token {token}): another run took over",
            hint="nothing of this batch was published; the other run continues from what was",
        )


class PublishConflict(LaminaError):
    """Somebody moved the table after the batch was staged.

    Why: publishing would undo what they wrote.
    Fix: run again; it looks at what happened to the table first.
    """

    code = "L703"

    def __init__(self, table: TableName, base: str | None) -> None:
        was = "did not exist" if base is None else "was at an older version"
        super().__init__(
            f"table `{table}` {was} when the batch was staged and has moved since",
            hint="nothing was published; the next run looks at what happened to the table",
        )
        self.table = table


class StateCorrupt(LaminaError):
    """The state file is damaged, or holds something lamina did not write.

    Why: decisions made from damaged state could be wrong.
    Fix: restore the file from a backup or move it away; the marks in the tables bring coverage back.
    """

    code = "L704"

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(
            f"the state file `{path}` cannot be read: {detail}",
            hint="restore the file from a backup, or move it away; tables and their marks are not in danger",
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
    """The state file cannot be opened or written now: missing rights, a full disk, a lock that stays.

    Why: without state nothing can be recorded, so nothing is started.
    Fix: see that its folder exists and can be written, that the disk has room, and that no other program keeps the
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

    Why: somebody else recorded changes of the table in between.
    Fix: run again; nothing was recorded.
    """

    code = "L707"

    def __init__(self, table: TableName, *, given: int, expected: int) -> None:
        super().__init__(
            f"touch {given} of `{table}` cannot be recorded: the next one in its log is {expected}",
            hint="run again; nothing was recorded",
        )

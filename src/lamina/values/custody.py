"""What is said of the state as a whole: compared with the tables, restored from them, moved with them."""

from lamina.values.value import Value


class StateDifference(Value, frozen=True):
    """One thing that the state and a table say differently."""

    model: str
    what: str
    state: str
    table: str


class StateCheck(Value, frozen=True):
    """The document of `state check`."""

    differences: tuple[StateDifference, ...]


class DerivedModel(Value, frozen=True):
    """A model whose record was derived from its table: from the mark of which run, and the state of the table."""

    model: str
    status: str
    snapshot_id: str | None
    run_id: str | None


class StateRebuild(Value, frozen=True):
    """The document of `state rebuild`."""

    models: tuple[DerivedModel, ...]
    not_restored: tuple[str, ...]
    copy: str | None = None  # the copy that took the place of the lost file
    aside: str | None = None  # what the damaged file is called now


class StateRelocation(Value, frozen=True):
    """The document of `state relocate`."""

    moved_from: tuple[str, ...]  # folders that are named no more; none: nothing had moved
    moved_to: str
    tables: tuple[str, ...]

"""A plan is data: a flat tuple of actions, each with its reason in words and what it assumed."""

from datetime import datetime
from typing import Literal

from lamina.values.budget import Limit
from lamina.values.failing import Failing
from lamina.values.interval import Interval
from lamina.values.names import EnvironmentName, Fingerprint, ModelName, PlanId, Position, TableName
from lamina.values.value import Value

# How a batch changes its table: replace the slices' ranges, all rows, add the driver's new rows, upsert, or put
# versions of rows into their history; `rewrite` writes the rows that are there in another layout, and `define` the
# definition of a view, which has no rows.
Mode = Literal["replace_slices", "replace_all", "append", "merge", "delete_insert", "snapshot", "rewrite", "define"]


class Build(
    Value, frozen=True, tag="build", tag_field="action", rename={"is_deferred": "deferred", "is_asked": "asked"}
):
    """Build slices that are missing or owe something to their inputs."""

    model: ModelName
    intervals: tuple[Interval, ...]
    reason: str
    mode: Mode
    is_deferred: bool = False  # depends on data that is written in this run; the slices are the bound
    since: Position | None = None  # append and merge from here in the driver's log; None: everything
    is_asked: bool = False  # for itself: it stays requested until it is built


class Rebuild(Value, frozen=True, tag="rebuild", tag_field="action", rename={"is_deferred": "deferred"}):
    """Build every due slice again and replace the table in one step."""

    model: ModelName
    intervals: tuple[Interval, ...]
    reason: str
    mode: Mode = "replace_all"
    is_deferred: bool = False
    rows_carried: int | None = None  # that only the table held when it was last read in full; None: not known


UNCHANGED = "unchanged"  # the reason of a model that owes nothing to its inputs


class Skip(Value, frozen=True, tag="skip", tag_field="action"):
    """Nothing is stale."""

    model: ModelName
    reason: str


class Wait(Value, frozen=True, tag="wait", tag_field="action"):
    """An input is not due yet."""

    model: ModelName
    intervals: tuple[Interval, ...]
    reason: str
    until: datetime | None = None  # when what it waits for becomes due, where that is known


class Block(Value, frozen=True, tag="block", tag_field="action"):
    """An input failed, or the table may not be written."""

    model: ModelName
    intervals: tuple[Interval, ...]
    reason: str
    blocked_by: tuple[ModelName, ...] = ()
    failing: Failing | None = None  # of what failed in earlier passes, or in this one


class Hold(Value, frozen=True, tag="hold", tag_field="action", rename={"is_asked": "asked"}):
    """Stale but kept back."""

    model: ModelName
    intervals: tuple[Interval, ...]
    reason: str
    limit: Limit | None = None  # of the model's budget, if it lies beyond one
    is_asked: bool = False  # for itself: it stays requested until it is built


class Rename(Value, frozen=True, tag="rename", tag_field="action"):
    """Give a table the name that its model has for it now; its rows and what is recorded of it stay."""

    model: ModelName
    before: TableName
    after: TableName
    reason: str
    renamed_from: ModelName | None = None  # the name that the model had; None: it is called as before


Action = Build | Rebuild | Skip | Wait | Block | Hold | Rename


class Selection(Value, frozen=True):
    """What was requested: which models, which slices."""

    models: tuple[ModelName, ...] | None = None  # None: all
    upstreams: tuple[ModelName, ...] = ()  # of these models, added: only their stale slices run
    is_forced: bool = False
    is_full_refresh: bool = False
    is_loss_accepted: bool = False  # by a full refresh: rows that only a table holds are dropped
    is_empty_accepted: bool = False  # sources that list no files any more are taken as empty
    partition: str | None = None
    from_key: str | None = None
    to_key: str | None = None
    is_latest: bool = False
    is_missing: bool = False
    lookback: int | None = None
    ignore_cron: bool = False


class Assumed(Value, frozen=True):
    """What must still hold when the plan is applied."""

    fingerprints: dict[ModelName, Fingerprint]
    pins: dict[TableName, Position]  # of sources
    bases: dict[ModelName, str | None]  # metadata pointers of targets


class Plan(Value, frozen=True):
    """A decision about the whole project; equal inputs give an equal id."""

    plan_id: PlanId
    environment: EnvironmentName
    execution_time: datetime
    selection: Selection
    actions: tuple[Action, ...]
    assumed: Assumed

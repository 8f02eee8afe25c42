"""What a user asks of a plan or a run: which models, which slices, when; in the words of the commands' flags."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypedDict

from lamina.compiler.graph import Graph
from lamina.errors import UsageError
from lamina.planner.select import select
from lamina.values.names import ModelName
from lamina.values.nearest import nearest
from lamina.values.plan import Selection
from lamina.values.value import Value

# Flags that name slices; at most one of them, and `from_key` goes with `to_key`.
_SLICE_FLAGS = ("partition", "from_key", "latest", "missing")
_SLICE_WORDS = {"from_key": "--from", "to_key": "--to"}


class PlanFlags(TypedDict, total=False):
    """What can be requested of a plan; what is left out is not requested."""

    select: str | Sequence[str]
    exclude: str | Sequence[str]
    no_auto_upstream: bool  # do not add what the selected models read
    partition: str | None  # build this slice, whatever its state
    from_key: str | None  # build slices from this one on
    to_key: str | None  # up to this one, itself included
    latest: bool  # build the newest slice, finished or not
    missing: bool  # build only due slices that were never built
    lookback: int | None  # build the last N finished slices as well
    ignore_cron: bool  # take everything up to the execution time as due
    force: bool  # build due slices even if nothing is stale
    full_refresh: bool  # rebuild the selected models from their sources
    accept_loss: bool  # with `full_refresh`: drop the rows that only a table holds
    execution_time: str | datetime | None  # the time that counts as now


class RunFlags(PlanFlags, total=False):
    """What can be asked of a run."""

    parallel: int | None  # build so many models at once
    fail_fast: bool  # start nothing new after the first failure
    yes: bool  # rebuild also more slices than `run.rebuild_limit`


class Ask(Value, frozen=True):
    """What a user asks of a plan or a run, checked."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    has_upstreams: bool = True
    slices: Selection = Selection()  # its slice and force flags; the models come from `include`
    execution_time: datetime | None = None
    parallel: int | None = None
    is_fail_fast: bool = False
    is_confirmed: bool = False

    def choose(self, graph: Graph) -> tuple[ModelName, ...] | None:
        """Return the models that are requested by name; None where no name limits them."""
        return select(graph, self.include, self.exclude) if self.include or self.exclude else None


def plan_ask(flags: PlanFlags) -> Ask:
    """Turn the flags of a plan into what is asked; unknown and contradicting ones are refused."""
    _refuse_unknown(flags, PlanFlags.__annotations__)
    return _ask(flags)


def run_ask(flags: RunFlags) -> Ask:
    """Turn the flags of a run into what is asked, in the same way."""
    _refuse_unknown(flags, RunFlags.__annotations__)
    return _ask(flags).replace(
        parallel=flags.get("parallel"),
        is_fail_fast=flags.get("fail_fast", False),
        is_confirmed=flags.get("yes", False),
    )


def _ask(flags: PlanFlags) -> Ask:
    _refuse_contradictions(flags)
    return Ask(
        include=names_of(flags.get("select", ())),
        exclude=names_of(flags.get("exclude", ())),
        has_upstreams=not flags.get("no_auto_upstream", False),
        execution_time=time_of(flags.get("execution_time")),
        slices=Selection(
            is_forced=flags.get("force", False),
            is_full_refresh=flags.get("full_refresh", False),
            is_loss_accepted=flags.get("accept_loss", False),
            partition=flags.get("partition"),
            from_key=flags.get("from_key"),
            to_key=flags.get("to_key"),
            is_latest=flags.get("latest", False),
            is_missing=flags.get("missing", False),
            lookback=flags.get("lookback"),
            ignore_cron=flags.get("ignore_cron", False),
        ),
    )


def names_of(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return selectors given as one text or several.

    >>> names_of("sales.*"), names_of(["tag:daily", "orders+"])
    (('sales.*',), ('tag:daily', 'orders+'))
    """
    return (given,) if isinstance(given, str) else tuple(given)


def time_of(given: str | datetime | None) -> datetime | None:
    """Return a time in UTC, which a time without an offset is taken for.

    >>> time_of("2026-04-07T06:00:00+02:00")
    datetime.datetime(2026, 4, 7, 4, 0, tzinfo=datetime.timezone.utc)
    """
    if given is None:
        return None
    try:
        instant = datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError as error:
        raise UsageError(f"`{given}` is not a time", hint="write it like `2026-04-07T06:00:00`") from error
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def _refuse_unknown(flags: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for name in flags:
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(f'`{item}`' for item in known)}"
            raise UsageError(f"there is no option `{name}`", hint=hint)


def _refuse_contradictions(flags: Mapping[str, Any]) -> None:
    given = [name for name in _SLICE_FLAGS if flags.get(name)]
    if flags.get("to_key") and "from_key" not in given:
        given.append("to_key")
    if len(given) > 1:
        words = " and ".join(f"`{_SLICE_WORDS.get(name, f'--{name}')}`" for name in given[:2])
        raise UsageError(f"{words} cannot be used together", hint="give one of them")
    if flags.get("accept_loss") and not flags.get("full_refresh"):
        raise UsageError("`--accept-loss` needs `--full-refresh`", hint="no other rebuild drops rows")

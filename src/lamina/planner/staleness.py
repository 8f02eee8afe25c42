"""Why a model is stale as a whole: its code, its table, its parameters, or because it was requested."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.segments import cut_out
from lamina.planner.words import changes_for_reader, changes_in_words
from lamina.values.codec import content_hash
from lamina.values.coverage import Coverage, Debt
from lamina.values.facts import Failure, ModelFacts
from lamina.values.interval import WHOLE, Interval, intersect, merge
from lamina.values.names import Position, RunId, TableName
from lamina.values.plan import Selection
from lamina.values.touch import Touch
from lamina.values.words import listed

# Failures by code and data alone; any other can have gone by the next run: a disk, a network, another writer.
_OWN_FAULTS = ("query_rejected", "data_rejected", "internal", "unknown")

# Parameters that differ in every run.
_EVER_NEW = ("execution_time", "run_id")


def parameters_at(execution_time: datetime, run_id: RunId) -> dict[str, str]:
    """Return the values of the run parameters a query may read."""
    return {
        "execution_time": execution_time.isoformat(),
        "as_of": execution_time.date().isoformat(),
        "run_id": run_id,
    }


def full_refresh_in_words(selection: Selection) -> str:
    """Say by which flags a rebuild was requested."""
    flags = "--full-refresh --accept-loss" if selection.is_loss_accepted else "--full-refresh"
    return f"requested with `{flags}`"


def older_ranges(model: CompiledModel, coverage: Coverage, due: Interval) -> tuple[Interval, ...]:
    """Return what of a range other code built."""
    spans = tuple(segment.interval for segment in coverage.segments if segment.logic != model.fingerprint)
    return intersect(merge(spans), (due,))


def rebuild_reason(model: CompiledModel, facts: ModelFacts, selection: Selection, due: Interval = WHOLE) -> str | None:
    """Return why everything that is due of a table must be built again, if it must.

    What other code built outside of it stays as it is; beside ranges of current code, older ones are merely stale.
    """
    coverage = facts.coverage
    if not coverage.segments:
        return None
    if facts.target.status == "absent":
        return "the table is gone"
    if facts.target.status == "lost":
        return "files of the table are lost"
    older = older_ranges(model, coverage, due)
    is_mixed = any(segment.logic == model.fingerprint for segment in cut_out(coverage.segments, (due,)))
    if older and (model.reads_itself or not is_mixed):
        return _code_in_words(model)
    if facts.target.status == "foreign_write" and model.settings.on_foreign_write == "rebuild":
        return "another writer changed the table"
    if selection.is_full_refresh:
        return full_refresh_in_words(selection)
    return None


def _code_in_words(model: CompiledModel) -> str:
    """Say that code changed; one fingerprint covers a query and the ephemeral models put into it."""
    read = {use.name for use in model.inputs}
    inlined = tuple(name for name in model.depends_on if name not in read)
    query = f"the query, or ephemeral {listed(inlined)} in it, changed" if inlined else "the query changed"
    return {"sql": query, "python": "the code changed", "seed": "the file changed"}[model.kind]


def parameter_reason(model: CompiledModel, coverage: Coverage, execution_time: datetime) -> str | None:
    """Return which run parameter the model reads has another value now, if one has.

    Rows of an append keep the values of the run that loaded them.
    """
    if model.traits.is_append:
        return None
    ever_new = [name for name in _EVER_NEW if name in model.reads_parameters]
    if ever_new:
        return f"`@{ever_new[0]}` is new in every run"
    today = execution_time.date().isoformat()
    if "as_of" in model.reads_parameters and coverage.parameters.get("as_of") != today:
        return f"`@as_of` is now {today}"
    if not model.is_deterministic and model.traits.is_recomputed:
        return "the query is not deterministic, so it is built in every run"
    return None


def debts_in_words(model: CompiledModel, debts: Iterable[Debt], touches: Mapping[TableName, tuple[Touch, ...]]) -> str:
    """Say what the inputs did that is not built in yet."""
    uses, zone = {use.name: use for use in model.inputs}, model.settings.timezone
    by_input: dict[TableName, list[Debt]] = {}
    for debt in debts:
        by_input.setdefault(debt.input, []).append(debt)
    return ", ".join(
        changes_for_reader(uses[name], log, zone=zone) if name in uses else changes_in_words(name, log, zone=zone)
        for name, owed in sorted(by_input.items())
        for log in (_between(touches.get(name, ()), owed),)
    )


def pins_of(model: CompiledModel, coverage: Coverage) -> dict[TableName, Position]:
    """Return the versions of its inputs that a model built now would read."""
    names = {use.name for use in model.inputs}
    return {cursor.input: cursor.position for cursor in coverage.cursors if cursor.input in names}


def conditions_of(model: CompiledModel, execution_time: datetime) -> str:
    """Return a short hash of what decides beside code and inputs whether a build succeeds."""
    settings = model.settings
    # A time that is new in every run would have a failure tried in every run: once a day is enough.
    reads_time = any(name in model.reads_parameters for name in ("as_of", "execution_time"))
    today = execution_time.date().isoformat() if reads_time else None
    columns = [(column.name, column.type, column.nullable) for column in settings.columns]
    # Rows of slices outside of the model's time stay, and a key of theirs may be refused in others.
    span = (settings.start, settings.end)
    return content_hash((settings.checks, settings.on_drift, settings.contract, columns, today, span), size=8)


def given_up(model: CompiledModel, facts: ModelFacts, execution_time: datetime) -> tuple[Failure, ...]:
    """Return the failures that nothing has changed about since: code, inputs, conditions; and the cause lies there."""
    now = (model.fingerprint, pins_of(model, facts.coverage), conditions_of(model, execution_time))
    return tuple(
        item
        for item in facts.failures
        if item.kind in _OWN_FAULTS and (item.fingerprint, item.pins, item.conditions) == now
    )


def clean_ranges(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return what is built by current code and owes nothing."""
    segments = coverage.segments
    return merge(tuple(item.interval for item in segments if item.logic == model.fingerprint and not item.debts))


def failed_ranges(failures: tuple[Failure, ...]) -> tuple[Interval, ...]:
    """Return the ranges of failures."""
    return merge(tuple(failure.interval for failure in failures))


def failure_in_words(failures: tuple[Failure, ...]) -> str:
    """Say that something failed and is not tried again by itself, what makes it tried again, and what was wrong."""
    last, since = failures[-1], min(failure.first_seen for failure in failures)
    said = last.message.removeprefix(f"`{last.model}`: ")
    ways = f"until code, settings or data change, or `lamina retry {last.model}`"
    return f"failed at {since:%Y-%m-%dT%H:%MZ} and is not tried again {ways}: {said}"


def _between(log: tuple[Touch, ...], debts: list[Debt]) -> tuple[Touch, ...]:
    """Return the touches of a log that debts came from; the longest of them decides."""
    starts, ends = {debt.since for debt in debts}, {debt.position for debt in debts}
    firsts = [index for index, touch in enumerate(log) if touch.parent in starts]
    lasts = [index for index, touch in enumerate(log) if touch.position in ends]
    if not firsts or not lasts:
        return ()
    return log[min(firsts) : max(lasts) + 1]

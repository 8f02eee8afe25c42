"""Why a model is stale as a whole: its code, its table, its parameters, or because it was requested."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.regrid import grid_reason
from lamina.planner.segments import covered, cut_out, indebted
from lamina.planner.words import changes_for_reader, changes_in_words
from lamina.values.coverage import Coverage, Debt
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import Position, RunId, TableName
from lamina.values.plan import Selection
from lamina.values.touch import Touch
from lamina.values.words import listed

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
    """Return what of a range other code built, and current code is to build again."""
    return () if keeps_older_code(model) else intersect(built_by_older_code(model, coverage), (due,))


def built_by_older_code(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return what other code built."""
    return merge(tuple(segment.interval for segment in coverage.segments if segment.logic != model.fingerprint))


def keeps_older_code(model: CompiledModel) -> bool:
    """Return whether slices stay as the code that built them left them, until an input reopens them."""
    return model.settings.on_change == "forward_only"


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
        return grid_reason(model, coverage) or _code_in_words(model)
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


def clean_ranges(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return what is built by code that counts and owes nothing."""
    return subtract(covered(coverage), stale_ranges(model, coverage))


def stale_ranges(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return the built ranges whose rows will be replaced: they owe something, or other code built them."""
    return merge((*indebted(coverage), *older_ranges(model, coverage, WHOLE)))


def _between(log: tuple[Touch, ...], debts: list[Debt]) -> tuple[Touch, ...]:
    """Return the touches of a log that debts came from; the longest of them decides."""
    starts, ends = {debt.since for debt in debts}, {debt.position for debt in debts}
    firsts = [index for index, touch in enumerate(log) if touch.parent in starts]
    lasts = [index for index, touch in enumerate(log) if touch.position in ends]
    if not firsts or not lasts:
        return ()
    return log[min(firsts) : max(lasts) + 1]

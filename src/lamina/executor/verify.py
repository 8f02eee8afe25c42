"""Prove tables: recompute their slices over the inputs they are recorded to have consumed, and compare."""

from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError
from lamina.executor.observe import Observed
from lamina.executor.runtime import Runtime
from lamina.planner.axis import grid_of
from lamina.planner.consumed import Consumed, consumed
from lamina.planner.fold import fold
from lamina.planner.lost_tables import lost_in_words
from lamina.planner.relayout import as_current
from lamina.planner.sampled import sampled
from lamina.planner.staleness import built_by_older_code, keeps_older_code
from lamina.planner.surplus import surplus_ranges
from lamina.planner.time_position import below_in_words
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.grid import count_units
from lamina.values.interval import Interval, intersect, merge, subtract
from lamina.values.names import TableName
from lamina.values.result import ModelVerdict
from lamina.values.words import counted, listed
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.port import Comparison


def verify_model(
    runtime: Runtime, model: CompiledModel, observed: Observed, *, sample: int | None = None
) -> ModelVerdict:
    """Return whether a table equals a recompute, and what of it was not compared; a failure is that model's alone.

    With `sample`, a number at random, of a model with slices only a few are compared.
    """
    try:
        return _verify(runtime, model, observed, sample=sample)
    except LaminaError as error:
        if isinstance(error, WarehouseFailure) and error.kind == "interrupted":
            raise
        reason = f"it could not be recomputed: {error.message}"
        return ModelVerdict(model=model.name, status="unverifiable", reason=reason)


def _verify(runtime: Runtime, model: CompiledModel, observed: Observed, *, sample: int | None) -> ModelVerdict:
    facts = observed.facts.models[model.name]
    if facts.target.status == "absent" or not facts.coverage.segments:
        return ModelVerdict(model=model.name, status="unverifiable", reason="not built yet", is_built=False)
    if facts.target.status in ("unmarked", "other_project"):
        return ModelVerdict(model=model.name, status="unverifiable", reason="the table does not belong to this project")
    if facts.called is not None:
        reason = f"its table is still called `{facts.called}`; the next run renames it"
        return ModelVerdict(model=model.name, status="unverifiable", reason=reason)
    if facts.target.status in ("unreadable", "unregistered"):
        return ModelVerdict(model=model.name, status="unverifiable", reason=facts.target.detail)
    if (lost := _lost(runtime, model, facts)) is not None:
        return ModelVerdict(model=model.name, status="failed", reason=lost_in_words(model, lost, runtime.clock()))
    if not model.is_deterministic:
        return ModelVerdict(model=model.name, status="unverifiable", reason="non-deterministic")
    if facts.unreadable:
        return ModelVerdict(model=model.name, status="unverifiable", reason=facts.unreadable)
    recorded = as_current(model, facts.coverage)
    folded, _ = fold(recorded, model, touches=observed.facts.touches, heads=observed.facts.heads)
    verdict = _compare(runtime, model, recorded, sample=sample)
    if verdict.status == "unverifiable" and folded != recorded:
        # The old versions are gone, but what nothing touched since is as of the new ones too.
        return _compare(runtime, model, folded, sample=sample)
    return verdict


def _lost(runtime: Runtime, model: CompiledModel, facts: ModelFacts) -> ModelFacts | None:
    """Return what is known of a table of which a file is missing, whether or not a recompute would need that file."""
    if facts.target.status == "lost":
        return facts
    file = runtime.warehouse.lost_file(model.target)
    lost = TargetFacts(status="lost", detail=f"`{file}` cannot be read")
    return None if file is None else facts.replace(target=lost)


def _compare(runtime: Runtime, model: CompiledModel, coverage: Coverage, *, sample: int | None) -> ModelVerdict:
    surplus, grid = surplus_ranges(model, coverage), grid_of(model)
    built = consumed(model, coverage)
    groups = _without(built, surplus)
    if not any(segment.logic == model.fingerprint for segment in coverage.segments):
        reason = "older code" if keeps_older_code(model) else "its code changed since it was built"
        return ModelVerdict(model=model.name, status="unverifiable", reason=reason)
    if built and not groups:
        return ModelVerdict(model=model.name, status="unverifiable", reason="all that is built is outside its time")
    if not groups:
        return ModelVerdict(
            model=model.name, status="unverifiable", reason="every slice is stale; the next run builds them"
        )
    if sample is not None and grid is not None:
        groups, slices = sampled(groups, grid, pick=sample)
    found = [(group, _compared(runtime, model, group)) for group in groups]
    done = [item for item in found if item[1].unverifiable is None or not item[0].is_stale] or found[:1]
    compared = tuple(span for group, _ in done for span in group.intervals)
    left = subtract(merge(tuple(segment.interval for segment in coverage.segments)), (*compared, *surplus))
    whole = unproven(model, coverage, _sum(tuple(item for _, item in done)))
    if keeps_older_code(model) and (older := intersect(left, built_by_older_code(model, coverage))):
        left = subtract(left, older)
        note = f"{counted(len(older), 'range')} not compared: built by older code"
        whole = whole.replace(notes=(*whole.notes, note))
    if sample is not None and grid is not None:
        units = sum(count_units(grid, span) for span in compared)
        left = ()
        whole = whole.replace(notes=(*whole.notes, f"a sample: {units} of {counted(slices, 'slice')}"))
    if coverage.time_position is not None and (left_out := below_in_words(coverage.time_position)):
        whole = whole.replace(notes=(*whole.notes, f"{left_out} in `{model.driver}`: not read, and not compared"))
    if surplus:
        whole = whole.replace(notes=(*whole.notes, f"{counted(len(surplus), 'range')} outside its time not compared"))
    return _verdict(model, whole, left=left)


def _without(groups: tuple[Consumed, ...], surplus: tuple[Interval, ...]) -> tuple[Consumed, ...]:
    """Leave out ranges whose inputs may be gone: they are not part of what the model promises any more."""
    parts = (group.replace(intervals=subtract(group.intervals, surplus)) for group in groups)
    return tuple(part for part in parts if part.intervals)


def unproven(model: CompiledModel, coverage: Coverage, found: Comparison) -> Comparison:
    """Return differences beside what the project was asked to accept: they are counted, but they prove nothing.

    Nothing says which rows `keep` and `accept` left, so a fault among them cannot be found.
    """
    if not coverage.not_followed or found.unverifiable or not (found.missing or found.extra):
        return found
    own = TableName(model.name)
    kept = tuple(name for name in coverage.not_followed if name != own)
    reasons = [f"changes in {listed(kept)} were not followed (`on_touch = keep`)"] if kept else []
    reasons += ["rows that another writer left in the table were accepted"] if own in coverage.not_followed else []
    rows = f"{counted(found.missing, 'missing row')} and {counted(found.extra, 'extra row')}"
    what = f"{'; '.join(reasons)}: this may explain the {rows}, but it is not proven that it explains all of them"
    return found.replace(unverifiable=what)


def _compared(runtime: Runtime, model: CompiledModel, group: Consumed) -> Comparison:
    """Compare one part of a table; what cannot be read says so, and the other tables are still compared."""
    try:
        return runtime.warehouse.compare(model, group.intervals, group.pins)
    except WarehouseFailure as error:
        if error.kind == "interrupted":
            raise
        return Comparison(rows_expected=0, rows_actual=0, missing=0, extra=0, unverifiable=error.message)


def _sum(found: tuple[Comparison, ...]) -> Comparison:
    """Return the comparisons of several parts of a table as one."""
    reasons = [item.unverifiable for item in found if item.unverifiable]
    return Comparison(
        rows_expected=sum(item.rows_expected for item in found),
        rows_actual=sum(item.rows_actual for item in found),
        missing=sum(item.missing for item in found),
        extra=sum(item.extra for item in found),
        retained=sum(item.retained for item in found),
        examples=tuple(example for item in found for example in item.examples),
        unverifiable=reasons[0] if reasons else None,
        notes=tuple(dict.fromkeys(note for item in found for note in item.notes)),
    )


def _verdict(model: CompiledModel, found: Comparison, *, left: tuple[Interval, ...]) -> ModelVerdict:
    is_equal = not found.missing and not found.extra
    notes = [*found.notes]
    notes += [f"{counted(len(left), 'range')} not compared: stale; the next run builds what is due"] if left else []
    kept = [use.name for use in model.inputs if use.on_touch == "keep"]
    notes += [f"changes in {listed(kept)} do not revisit old slices (`on_touch = keep`)"] if kept else []
    return ModelVerdict(
        model=model.name,
        status="unverifiable" if found.unverifiable else "equal" if is_equal else "different",
        rows_expected=found.rows_expected,
        rows_actual=found.rows_actual,
        missing=found.missing,
        extra=found.extra,
        retained=found.retained,
        examples=found.examples,
        reason="; ".join([*([found.unverifiable] if found.unverifiable else []), *notes]),
    )

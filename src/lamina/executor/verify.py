"""Prove tables: recompute their clean slices over the inputs they are recorded to have consumed, and compare."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.observe import World
from lamina.executor.runtime import Runtime
from lamina.planner.fold import fold
from lamina.planner.staleness import pins_of
from lamina.values.coverage import Coverage
from lamina.values.interval import Interval, merge
from lamina.values.result import ModelVerdict
from lamina.values.words import counted, listed
from lamina.warehouse.port import Comparison


def verify_model(runtime: Runtime, model: CompiledModel, world: World) -> ModelVerdict:
    """Return whether a table equals a recompute, and what of it was not compared."""
    facts = world.facts.models[model.name]
    if facts.target.status == "absent" or not facts.coverage.segments:
        return ModelVerdict(model=model.name, status="unverifiable", reason="not built yet")
    if facts.target.status in ("unmarked", "other_project"):
        return ModelVerdict(model=model.name, status="unverifiable", reason="the table is not of this project")
    if not model.is_deterministic:
        return ModelVerdict(model=model.name, status="unverifiable", reason="non-deterministic")
    recorded = facts.coverage
    folded, _ = fold(recorded, model, touches=world.facts.touches, heads=world.facts.heads)
    verdict = _compare(runtime, model, recorded)
    if verdict.status == "unverifiable" and folded != recorded:
        # The old versions are gone, but what nothing touched since is as of the new ones too.
        return _compare(runtime, model, folded)
    return verdict


def _compare(runtime: Runtime, model: CompiledModel, coverage: Coverage) -> ModelVerdict:
    clean, stale, old = _sorted_slices(model, coverage)
    if not clean:
        reason = "its code changed since it was built" if old else "every slice owes something to its inputs"
        return ModelVerdict(model=model.name, status="unverifiable", reason=reason)
    found = runtime.warehouse.compare(model, clean, pins_of(model, coverage))
    return _verdict(model, found, stale=(*stale, *old))


def _sorted_slices(
    model: CompiledModel, coverage: Coverage
) -> tuple[tuple[Interval, ...], tuple[Interval, ...], tuple[Interval, ...]]:
    """Return the ranges that are as of the cursors, those with debts, and those of other code."""
    clean = [item.interval for item in coverage.segments if not item.debts and item.logic == model.fingerprint]
    stale = [item.interval for item in coverage.segments if item.debts and item.logic == model.fingerprint]
    old = [item.interval for item in coverage.segments if item.logic != model.fingerprint]
    return merge(tuple(clean)), merge(tuple(stale)), merge(tuple(old))


def _verdict(model: CompiledModel, found: Comparison, *, stale: tuple[Interval, ...]) -> ModelVerdict:
    is_equal = not found.missing and not found.extra
    notes = [*found.notes]
    notes += [f"{counted(len(stale), 'range')} not compared: stale, the next run builds them"] if stale else []
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

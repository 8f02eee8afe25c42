"""Prove tables: recompute their slices over the inputs they are recorded to have consumed, and compare."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.observe import World
from lamina.executor.runtime import Runtime
from lamina.planner.consumed import consumed
from lamina.planner.fold import fold
from lamina.values.coverage import Coverage
from lamina.values.interval import Interval, merge, subtract
from lamina.values.result import ModelVerdict
from lamina.values.words import counted, listed
from lamina.warehouse.port import Comparison


def verify_model(runtime: Runtime, model: CompiledModel, world: World) -> ModelVerdict:
    """Return whether a table equals a recompute, and what of it was not compared."""
    facts = world.facts.models[model.name]
    if facts.target.status == "absent" or not facts.coverage.segments:
        return ModelVerdict(model=model.name, status="unverifiable", reason="not built yet", is_built=False)
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
    groups = consumed(model, coverage)
    if not any(segment.logic == model.fingerprint for segment in coverage.segments):
        return ModelVerdict(model=model.name, status="unverifiable", reason="its code changed since it was built")
    if not groups:
        return ModelVerdict(model=model.name, status="unverifiable", reason="every slice owes something to its inputs")
    found = [(group, runtime.warehouse.compare(model, group.intervals, group.pins)) for group in groups]
    done = [item for item in found if item[1].unverifiable is None or not item[0].is_stale] or found[:1]
    compared = tuple(span for group, _ in done for span in group.intervals)
    left = subtract(merge(tuple(segment.interval for segment in coverage.segments)), compared)
    return _verdict(model, _sum(tuple(comparison for _, comparison in done)), left=left)


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
    notes += [f"{counted(len(left), 'range')} not compared: stale, the next run builds them"] if left else []
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

"""What is kept of the code of a model with the ranges that it built."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.values.coverage import Coverage, Logic, Segment


def logic_of(model: CompiledModel) -> Logic:
    """Return what is kept of the code of a model with the ranges it builds."""
    reads = {use.name: use.read_set for use in model.inputs}
    ranges = {use.name: use.range for use in model.inputs if use.range is not None}
    return Logic(
        model.fingerprint,
        reads,
        rows=model.rows_fingerprint,
        grid=grid_of(model),
        ranges=ranges,
        gridless=model.gridless_fingerprint if model.is_cut_freely else None,
    )


def built_by(model: CompiledModel, coverage: Coverage, segments: tuple[Segment, ...]) -> Coverage:
    """Return coverage with other segments, some of them by the current code of a model, and the codes they name."""
    used = {segment.logic for segment in segments}
    others = (logic for logic in coverage.logics if logic.fingerprint in used - {model.fingerprint})
    logics = tuple(sorted((*others, logic_of(model)), key=lambda item: item.fingerprint))
    return coverage.replace(segments=segments, logics=logics)

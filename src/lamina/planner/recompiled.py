"""A new compiler gives the same text another fingerprint: what is recorded of it takes the new one."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.segments import fuse
from lamina.values.coverage import Coverage
from lamina.values.names import Fingerprint


def under_new_fingerprint(coverage: Coverage, model: CompiledModel, *, before: Fingerprint) -> Coverage:
    """Return coverage in which ranges built by a promoted version are known by what the new compiler calls it."""
    segments = tuple(
        segment.replace(logic=model.fingerprint) if segment.logic == before else segment
        for segment in coverage.segments
    )
    others = tuple(item for item in coverage.logics if item.fingerprint not in (before, model.fingerprint))
    renamed = tuple(
        item.replace(fingerprint=model.fingerprint, rows=model.rows_fingerprint)
        for item in coverage.logics
        if item.fingerprint == before
    )
    return coverage.replace(segments=fuse(segments), logics=(*others, *renamed)) if renamed else coverage

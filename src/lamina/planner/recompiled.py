"""A new compiler gives the same text another fingerprint: what is recorded of it takes the new one."""

from typing import Protocol

from lamina.compiler.graph import CompiledModel
from lamina.planner.segments import fuse
from lamina.values.coverage import Coverage
from lamina.values.names import Fingerprint


class PromotedVersion(Protocol):
    """What is known of a promoted version: its fingerprint, and those that earlier compilers gave the same text."""

    @property
    def fingerprint(self) -> Fingerprint: ...

    @property
    def former(self) -> tuple[Fingerprint, ...]: ...


def under_new_fingerprint(
    coverage: Coverage,
    now: Fingerprint,
    *,
    rows: Fingerprint | None,
    gridless: Fingerprint | None,
    before: frozenset[Fingerprint],
) -> Coverage:
    """Return coverage in which ranges that a promoted text built are known by what the compiler of now calls it.

    `before` is what earlier compilers called it; `rows` is what this one calls it without its layout, and `gridless`
    without its grid too, if that is known.
    """
    known = [item for item in coverage.logics if item.fingerprint in before - {now}]
    if not known:
        return coverage
    segments = tuple(
        segment.replace(logic=now) if segment.logic in before else segment for segment in coverage.segments
    )
    others = tuple(item for item in coverage.logics if item.fingerprint not in before | {now})
    renamed = known[-1].replace(fingerprint=now, rows=rows, gridless=gridless)
    return coverage.replace(segments=fuse(segments), logics=(*others, renamed))


def as_called_now(
    coverage: Coverage, model: CompiledModel, promoted: PromotedVersion | None, *, recompiled: CompiledModel | None
) -> Coverage:
    """Return coverage from a record or a mark, whichever compiler wrote it, in the words of the one of now."""
    if promoted is None:
        return coverage
    before = frozenset((promoted.fingerprint, *promoted.former))
    now = promoted.fingerprint if recompiled is None else recompiled.fingerprint
    text = recompiled if recompiled is not None else model if model.fingerprint == now else None
    rows = None if text is None else text.rows_fingerprint
    gridless = None if text is None or not text.is_cut_freely else text.gridless_fingerprint
    return under_new_fingerprint(coverage, now, rows=rows, gridless=gridless, before=before)

"""Slices written where nothing was: an append in all but its label, which Iceberg's append scan passes over."""

from lamina.values.interval import WHOLE, Interval, merge
from lamina.warehouse.iceberg.metadata import Snapshot


def filled_slices(steps: tuple[Snapshot, ...]) -> tuple[Interval, ...]:
    """Return the slices that steps filled; none unless all that they did was to fill slices that had no rows.

    Overwriting a range removes every file that holds rows of it: where none was removed, all rows of the range are new.
    """
    counted = tuple(step for step in steps if not step.is_content_preserving)
    slices = tuple(_filled(step) for step in counted)
    return merge(tuple(span for spans in slices for span in spans)) if all(slices) else ()


def each_filled(steps: tuple[Snapshot, ...]) -> tuple[Interval, ...]:
    """Return the slices whose rows are all new since some steps: not built before, or empty; whatever else they did."""
    return merge(tuple(span for step in steps if not step.is_content_preserving for span in _new_slices(step)))


def is_fill(step: Snapshot) -> bool:
    """Return whether all that a step did was to fill slices that had no rows."""
    return bool(_filled(step))


def _new_slices(step: Snapshot) -> tuple[Interval, ...]:
    mark = step.mark
    return (*_filled(step), *((mark.new_slices or ()) if mark is not None else ()))


def _filled(step: Snapshot) -> tuple[Interval, ...]:
    # A replaced table begins without a parent and without saying what it removed.
    only_adds = step.parent is not None and not step.has_removed and not step.count("removed-delete-files")
    mark = step.mark if only_adds else None
    return mark.slices if mark is not None and WHOLE not in mark.slices else ()

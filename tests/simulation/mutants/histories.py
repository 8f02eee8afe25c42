"""What a history keeps of what runs saw: each rule of it taken away."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel
from lamina.planner import batches, kept
from lamina.strategies import version_fold
from lamina.strategies.version_fold import Cells, Folded, Seen

# The originals, which some mutants still call.
_by_time = version_fold._by_time
_carried_ranges = kept.carried_ranges
_fold_by_check = version_fold.fold_by_check
_written = version_fold._written


def _newest_alone(events: Any, rows: Sequence[Seen], at: datetime) -> dict[str, int]:
    """Leave out what is older than the newest version that is there."""
    known = max(events.starts, default=None)
    later = [row for row in rows if known is None or (row.updated_at is not None and row.updated_at >= known)]
    return _by_time(events, later, at) if later else {}


def _begin_again(model: CompiledModel, *others: Any) -> Any:
    return () if model.traits.versions is not None else _carried_ranges(model, *others)


def _all_columns(table: Any, seen: Sequence[Seen], at: datetime, *, checked: Callable[[Cells], Cells]) -> Folded:
    return _fold_by_check(table, seen, at, checked=lambda cells: cells)


def _without_removals(key: Cells, events: Any) -> Any:
    """Let each row last until the next one starts, whether or not its key was away between them."""
    events.removed = {time for time in events.removed if time > max((*events.starts, *events.returned))}
    return _written(key, events)


HISTORIES = (
    Mutant(
        "removed_key_stays_current",
        "a key that its source no longer gives is closed",
        version_fold._Events,
        "remove",
        lambda _events, _at: None,
    ),
    Mutant(
        "returned_key_stays_closed",
        "a key that comes back as it was opens a new row",
        version_fold._Events,
        "come_back",
        lambda _events, _at, _away: None,
    ),
    Mutant(
        "late_version_is_left_out",
        "a version that comes late is put in its place",
        version_fold,
        "_by_time",
        _newest_alone,
    ),
    Mutant(
        "time_away_is_forgotten",
        "the time in which a key was away is in none of its rows",
        version_fold,
        "_written",
        _without_removals,
    ),
    Mutant(
        "every_column_is_checked",
        "only a change of the checked columns makes another version",
        version_fold,
        "fold_by_check",
        _all_columns,
    ),
    Mutant(
        "rebuild_begins_the_history_again",
        "every rebuild carries a history over",
        batches,
        "carried_ranges",
        _begin_again,
    ),
)

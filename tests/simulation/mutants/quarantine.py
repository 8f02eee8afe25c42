"""How a table and its quarantine stay together: each rule of it taken away."""

from collections.abc import Iterable
from typing import Any

from tests.simulation import lake, memory_quarantines, memory_warehouse
from tests.simulation.mutants.mutant import Mutant

from lamina.planner import quarantine
from lamina.planner.heads import MetadataFile, published_head
from lamina.values.batch import Published

# The originals, which some mutants still call.
_quarantine_batch = quarantine.quarantine_batch


def _beside_later(published: Published) -> tuple[Any, ...]:
    """Move the table of a model alone."""
    return (published.move,)


def _as_appended(batch: Any, *, live: str | None, is_followed: bool, is_at_home: bool) -> Any:
    """Add rows to a quarantine, and leave those of the slice that is built again."""
    found = _quarantine_batch(batch, live=live, is_followed=is_followed, is_at_home=is_at_home)
    return found.replace(mode="append") if live is not None and found.mode == "replace_slices" else found


def _newest_at_all(files: Iterable[MetadataFile], *, commit: str | None) -> MetadataFile | None:
    """Take the newest finished version of a quarantine, whatever became of its table."""
    return published_head(files)


def _as_it_is(versions: Iterable[tuple[str, str]], _mark: Any) -> str | None:
    """Stage on a quarantine as it is, whatever version its table is at."""
    return next((version for version, _ in versions), None)


QUARANTINE = (
    Mutant(
        "quarantine_moves_on_its_own",
        "a table and its quarantine are published in one moment",
        Published,
        "moves",
        property(_beside_later),  # type: ignore[arg-type]  # in place of a property
    ),
    Mutant(
        "quarantine_keeps_rows_of_rebuilt_slices",
        "a rebuilt slice replaces its quarantined rows",
        memory_quarantines,
        "quarantine_batch",
        _as_appended,
    ),
    Mutant(
        "lost_catalog_finds_the_newest_quarantine",
        "a quarantine is found again at the version that belongs to its table",
        lake,
        "quarantine_head",
        _newest_at_all,
    ),
    Mutant(
        "quarantine_of_a_rolled_back_table_stays",
        "a quarantine is staged on the version that belongs to its table",
        memory_quarantines,
        "followed",
        _as_it_is,
    ),
    Mutant(
        "first_mark_does_not_know_the_quarantine",
        "the mark of each version names the quarantine that belongs to it, also when a later one was rolled back",
        memory_warehouse,
        "marked_beside",
        lambda mark, _beside: mark,
    ),
)

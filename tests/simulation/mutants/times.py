"""Drivers that are read by their timestamps: each rule of it taken away."""

from typing import Any

from tests.simulation import memory_warehouse
from tests.simulation.mutants.mutant import Mutant

from lamina.planner import fold, time_position

# The originals, which some mutants still call.
_span_to_read = time_position.span_to_read
_advanced = time_position.advanced


def _only_after(read: Any, seen: Any) -> Any:
    return _span_to_read(read, seen).replace(has_start=False, replaces=False)


def _again_beside(read: Any, seen: Any) -> Any:
    span = _span_to_read(read, seen)
    return span if span.start is None else span.replace(has_start=True, replaces=False)


def _everything_again(read: Any, seen: Any) -> Any:
    """Read rows below the watermark again, where something may have changed there."""
    span, before = _span_to_read(read, seen), read.before
    is_below = before is not None and before.at is not None and before.is_touched
    return span.replace(start=None, replaces=False) if is_below else span


def _nulls_again(read: Any, seen: Any) -> Any:
    return _span_to_read(read, seen).replace(has_nulls=True)


def _without_lag(read: Any, seen: Any, position: Any) -> Any:
    return _advanced(read, seen, position).replace(due_at=None)


def _newest_version(read: Any, seen: Any, position: Any) -> Any:
    """Say that all rows are of the version that was read last."""
    found = _advanced(read, seen, position)
    return found.replace(loads=(found.loads[0].replace(position=position),))


TIMES = (
    Mutant("tie_is_lost", "rows that come at the watermark are read", memory_warehouse, "span_to_read", _only_after),
    Mutant(
        "tie_is_doubled",
        "rows at the watermark take the place of those that are there",
        memory_warehouse,
        "span_to_read",
        _again_beside,
    ),
    Mutant(
        "row_below_the_watermark_is_loaded_twice",
        "rows below the watermark are not read again",
        memory_warehouse,
        "span_to_read",
        _everything_again,
    ),
    Mutant(
        "rows_without_a_time_are_loaded_again",
        "rows without a timestamp are loaded by a full load only",
        memory_warehouse,
        "span_to_read",
        _nulls_again,
    ),
    Mutant(
        "rows_that_were_too_young_are_forgotten",
        "rows that `safety_lag` keeps back are read when they are old enough",
        time_position,
        "advanced",
        _without_lag,
    ),
    Mutant(
        "rows_below_the_watermark_are_compared",
        "`verify` compares rows with the version that they were taken from",
        time_position,
        "advanced",
        _newest_version,
    ),
    Mutant(
        "watermark_is_not_in_the_mark",
        "the watermark is written with the rows, and wins over what state says",
        memory_warehouse,
        "with_seen",
        lambda mark, _batch, _seen: mark,
    ),
    Mutant(
        "rows_that_only_the_table_holds_are_read_over",
        "where a driver changed or removed rows below the watermark, a rebuild is refused",
        fold,
        "pass_below",
        lambda coverage, model, touches: time_position.pass_below(coverage, model, touches).replace(held=()),
    ),
    Mutant(
        "no_one_looks_below_the_watermark",
        "rows below the watermark are counted where the detector reports a touch below it",
        time_position,
        "may_reach_below",
        lambda _touch, _column, _at: False,
    ),
)

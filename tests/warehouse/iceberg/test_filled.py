"""Which steps of a table only filled slices that had no rows."""

from datetime import UTC, datetime

import pytest

from lamina.values import codec
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import Fingerprint, Position
from lamina.warehouse.iceberg.filled import filled_slices
from lamina.warehouse.iceberg.metadata import MARK, Snapshot

FILL = {"operation": "overwrite", "added-data-files": "1"}


def day(number: int) -> Interval:
    return Interval(datetime(2026, 4, number, tzinfo=UTC), datetime(2026, 4, number + 1, tzinfo=UTC))


def step(slices: Interval | None, *, parent: str | None = "1", **summary: str) -> Snapshot:
    given = {**FILL, **{key.replace("_", "-"): value for key, value in summary.items()}}
    if slices is not None:
        mark = Mark(
            commit="c",
            run_id="r",
            token=1,
            project="p",
            environment="prod",
            store="s",
            model="a.b",
            fingerprint=Fingerprint("f"),
            slices=(slices,),
            pins={},
            coverage=Coverage(),
        )
        given[MARK] = codec.to_json(mark).decode()
    return Snapshot(
        position=Position("2"), parent=None if parent is None else Position(parent), summary=given, manifest_list=""
    )


def test_filled_slices_are_reported_together_and_compaction_is_passed_over() -> None:
    compaction = step(None, operation="replace", deleted_data_files="2")
    assert filled_slices((step(day(1)), compaction, step(day(2)), step(day(5)))) == (
        Interval(day(1).start, day(2).end),
        day(5),
    )


@pytest.mark.parametrize(
    "other",
    [
        step(day(2), deleted_data_files="1"),
        step(day(2), added_delete_files="1"),
        step(day(2), removed_delete_files="1"),
        step(day(2), parent=None),
        step(None),
        step(WHOLE),
    ],
    ids=["removed rows", "deleted rows", "restored rows", "replaced the table", "foreign", "whole table"],
)
def test_one_other_step_and_nothing_is_reported(other: Snapshot) -> None:
    assert filled_slices((step(day(1)), other)) == ()

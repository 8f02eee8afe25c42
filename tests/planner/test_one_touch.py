"""Several steps of a source as one touch, for which two positions can prove something."""

from tests.planner.making import days, touch

from lamina.planner.touches import one_touch
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.touch import ColumnRanges, Everything, Nothing, Ranges


def ranges(*spans: Interval, column: str = "day") -> ColumnRanges:
    return ColumnRanges(column=ColumnName(column), ranges=spans)


def test_a_single_step_stays_as_it_is() -> None:
    step = touch("2", "1", days(1), is_append=True, rows_added=3)
    assert one_touch((step,)) is step


def test_steps_reach_from_the_first_to_the_last_and_hold_what_each_holds() -> None:
    steps = (
        touch("2", "1", days(1), is_append=True, rows_added=3),
        touch("3", "2", extent=Nothing(), rows_added=0),
        touch("4", "3", days(3), is_append=True, rows_added=1),
    )
    found = one_touch(steps)
    assert (found.parent, found.position, found.rows_added) == ("1", "4", 4)
    assert found.extent == Ranges(columns=(ranges(days(1), days(3)),))
    assert found.is_append


def test_a_step_that_changed_rows_is_no_append_but_new_rows_are_still_there() -> None:
    found = one_touch((touch("2", "1", days(1), is_append=True), touch("3", "2", days(2), rows_added=2)))
    assert (found.is_append, found.has_new_rows, found.rows_added) == (False, True, None)


def test_ranges_are_known_only_of_columns_that_every_step_tells_of() -> None:
    both = Ranges(columns=(ranges(days(1)), ranges(days(2), column="seen")))
    one = Ranges(columns=(ranges(days(4), column="seen"),))
    found = one_touch((touch("2", "1", extent=both), touch("3", "2", extent=one)))
    assert found.extent == Ranges(columns=(ranges(days(2), days(4), column="seen"),))
    assert one_touch((touch("2", "1", extent=both), touch("3", "2", extent=Everything()))).extent == Everything()
    other = Ranges(columns=(ranges(days(4), column="other"),))
    assert one_touch((touch("2", "1", extent=one), touch("3", "2", extent=other))).extent == Everything()
    assert one_touch((touch("2", "1", extent=Nothing()), touch("3", "2", extent=Nothing()))).extent == Nothing()

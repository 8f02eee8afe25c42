"""Many touches at once, against a brute-force look at every unit."""

from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import day, days

from lamina.planner.overlay import overlay
from lamina.planner.segments import cut_out, fuse, leave_out, split
from lamina.values.coverage import Segment
from lamina.values.interval import Interval, intersect, merge, subtract
from lamina.values.names import Fingerprint

numbers = st.sets(st.integers(1, 12))
reaches = st.lists(numbers, max_size=6)


def spans(found: set[int]) -> tuple[Interval, ...]:
    return merge(tuple(days(number) for number in found))


@given(reaches)
def test_every_unit_knows_the_touches_that_reach_it(given_sets: list[set[int]]) -> None:
    stretches = overlay([spans(found) for found in given_sets])
    for number in range(1, 13):
        places = [place for place, found in enumerate(given_sets) if number in found]
        inside = [item for item in stretches if item.interval.start <= day(number) < item.interval.end]
        assert [item.places for item in inside] == ([tuple(places)] if places else [])


@given(numbers, numbers)
def test_splitting_keeps_every_unit_once(built: set[int], cut: set[int]) -> None:
    segments = tuple(Segment(interval=span, logic=Fingerprint("v1")) for span in spans(built))
    inside, outside = cut_out(segments, spans(cut)), leave_out(segments, spans(cut))
    assert merge(tuple(item.interval for item in inside)) == intersect(spans(built), spans(cut))
    assert merge(tuple(item.interval for item in outside)) == subtract(spans(built), spans(cut))
    assert fuse((*inside, *outside)) == segments
    assert sum(1 for _ in split(segments, spans(cut))) == len(inside) + len(outside)

"""Long lists of a detection are cut, and what is left out is counted."""

from lamina.values.result import Detection


def test_each_list_is_cut_and_the_rest_is_counted() -> None:
    names = tuple(f"{number}.csv" for number in range(5))
    seen = Detection(input="raw.orders", detector="files", added=names, changed=names[:2], removed=names[:3])
    cut = seen.capped(2)
    assert (cut.added, cut.changed, cut.removed, cut.omitted) == (names[:2], names[:2], names[:2], 4)


def test_short_lists_stay_whole() -> None:
    seen = Detection(input="raw.orders", detector="files", added=("a.csv",), unchanged=3)
    assert seen.capped(1) == seen

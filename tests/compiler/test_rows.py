"""Places where tables are read stay few, however often a query is joined with itself."""

from lamina.compiler.rows import MOST_PLACES, Occurrence, distinct_places


def test_equal_places_are_one() -> None:
    found = [Occurrence("raw.orders", "day", {"d": "day"}), Occurrence("raw.orders", "day", {"d": "day"})]
    assert distinct_places(found) == (found[0],)


def test_places_with_another_filter_or_another_way_stay_apart() -> None:
    found = (
        Occurrence("raw.orders", "day", {"d": "day"}),
        Occurrence("raw.orders", None, {"d": "day"}),
        Occurrence("raw.orders", "day", {"d": "other"}),
        Occurrence("raw.orders", "day", None),
        Occurrence("raw.lines", "day", {"d": "day"}),
    )
    assert distinct_places(found) == found


def test_of_a_table_with_too_many_places_only_the_filters_are_kept() -> None:
    found = [Occurrence("raw.orders", "day", {f"c{number}": "day"}) for number in range(MOST_PLACES + 1)]
    others = (Occurrence("raw.orders", None, {"d": "day"}), Occurrence("raw.lines", None, {"d": "day"}))
    assert distinct_places([*found, *others]) == (
        Occurrence("raw.orders", "day", {}),
        Occurrence("raw.orders", None, {}),
        others[1],
    )


def test_many_tables_are_all_followed() -> None:
    found = tuple(Occurrence(f"raw.t{number}", None, {"d": "day"}) for number in range(10 * MOST_PLACES))
    assert distinct_places(found) == found

"""Reads stay few, however often a query is joined with itself."""

from lamina.compiler.slices.cuts import MOST_READS, Carrier, Read, distinct_reads


def read(table: str, *columns: str) -> Read:
    """Return a read whose time some output columns tell."""
    return Read(table, at=(1, 1), file="", carriers={name: Carrier() for name in columns}, ties={})


def test_equal_reads_are_one() -> None:
    assert distinct_reads((read("raw.orders", "day"), read("raw.orders", "day"))) == (read("raw.orders", "day"),)


def test_reads_that_other_columns_tell_stay_apart() -> None:
    found = (read("raw.orders", "day"), read("raw.orders"), read("raw.lines", "day"))
    assert distinct_reads(found) == found


def test_a_read_by_too_many_ways_has_no_bound() -> None:
    many = tuple(read("raw.orders", f"c{number}") for number in range(MOST_READS + 1))
    first, second = distinct_reads((*many, read("raw.lines", "day")))
    assert first.table == "raw.orders"
    assert not first.carriers
    assert first.why
    assert second == read("raw.lines", "day")

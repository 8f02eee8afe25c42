"""Random tables that change between two looks: what their counts claim holds for the rows themselves."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from lamina.warehouse.sources.jdbc_watermark import Counted, Watermark, change_since, is_as_it_was

Row = tuple[int, int | None]  # a number that distinguishes rows, and a load time
TIMES = st.one_of(st.none(), st.integers(0, 4))


def look(rows: list[Row]) -> Watermark:
    """Count as the query for a head does."""
    times = [at for _, at in rows if at is not None]
    high = max(times, default=None)
    return Watermark(
        "a1",
        None if high is None else str(high),
        below=sum(at < high for at in times) if high is not None else 0,
        at=sum(at == high for at in times) if high is not None else 0,
        undated=sum(at is None for _, at in rows),
        digest=digest([at for at in times if at < high]) if high is not None else "0",
    )


def digest(times: list[int]) -> str:
    """Return what stands for several load times."""
    return str(sum(1_000**at for at in times))


def count(rows: list[Row], before: Watermark, until: Watermark) -> Counted:
    """Count as the query beside an earlier watermark does."""
    times = [at for _, at in rows if at is not None]
    high, end = (None if item.high is None else int(item.high) for item in (before, until))
    return Counted(
        below=0 if high is None else sum(at < high for at in times),
        at=0 if high is None else sum(at == high for at in times),
        undated=sum(at is None for _, at in rows),
        newer=0 if end is None else sum((high is None or at > high) and at <= end for at in times),
        digest="0" if high is None else digest([at for at in times if at < high]),
    )


def pinned(rows: list[Row], mark: Watermark) -> Counter[Row]:
    """Return the rows that a pin reads."""
    return Counter(row for row in rows if row[1] is None or (mark.high is not None and row[1] <= int(mark.high)))


@given(st.lists(TIMES, max_size=6), st.lists(TIMES, max_size=4), st.lists(TIMES, max_size=3))
def test_rows_that_only_come_are_found_where_they_are(
    first: list[int | None], then: list[int | None], later: list[int | None]
) -> None:
    """Rows come between two looks, and more of them before the second look is asked what changed, and read."""
    numbered = list(enumerate((*first, *then, *later)))
    old, new = numbered[: len(first)], numbered[: len(first) + len(then)]
    before, after = look(old), look(new)
    if before == after:
        assert not then
        return
    change = change_since(before, count(numbered, before, after), column="at")
    came = Counter(new) - Counter(old)
    high = -1 if before.high is None else int(before.high)
    if change.rows == "after":
        assert all(at is not None and at > high for _, at in came)
    if change.rows == "from":
        assert all(at is not None and at >= high for _, at in came)
    # What is published was read at a moment when the counts were those of the look: then the rows are its rows.
    if is_as_it_was(after, count(numbered, after, after)):
        assert pinned(numbered, after) == Counter(new)


@given(st.lists(TIMES, min_size=1, max_size=6), st.data())
def test_a_row_that_is_removed_or_moved_on_is_never_an_append(times: list[int | None], data: st.DataObject) -> None:
    rows = list(enumerate(times))
    number, at = rows[data.draw(st.integers(0, len(rows) - 1))]
    moved = data.draw(st.one_of(st.none(), st.integers(0, 9)))
    left = [row for row in rows if row[0] != number]
    now = left if moved is None or at is None or moved <= at else [*left, (number, moved)]
    before, after = look(rows), look(now)
    assert before != after
    assert change_since(before, count(now, before, after), column="at").rows == "anywhere"

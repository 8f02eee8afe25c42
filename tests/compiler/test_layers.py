"""Layers and loops, also of very large graphs."""

from hypothesis import given
from hypothesis import strategies as st

from lamina.compiler.layers import arrange


def test_names_of_one_layer_are_sorted() -> None:
    assert arrange({"b": (), "a": (), "d": ("a", "b"), "c": ("a",)}).layers == (("a", "b"), ("c", "d"))


def test_only_the_loop_itself_is_reported() -> None:
    found = arrange({"z": ("a",), "a": ("b",), "b": ("c",), "c": ("a", "free"), "free": (), "below": ("z",)})
    assert found.loops == (("a", "b", "c"),)
    assert found.layers == (("free",),)


def test_separate_loops_are_separate_findings() -> None:
    assert arrange({"a": ("b",), "b": ("a",), "x": ("x",)}).loops == (("a", "b"), ("x",))


def test_a_chain_of_ten_thousand_is_no_recursion() -> None:
    reads = {f"m{number:05d}": (f"m{number - 1:05d}",) if number else () for number in range(10_000)}
    assert len(arrange(reads).layers) == 10_000


def test_a_loop_of_ten_thousand_is_found() -> None:
    reads = {f"m{number:05d}": (f"m{(number - 1) % 10_000:05d}",) for number in range(10_000)}
    assert [len(loop) for loop in arrange(reads).loops] == [10_000]


@given(st.dictionaries(st.integers(0, 12), st.sets(st.integers(0, 12)), max_size=13))
def test_every_name_comes_after_what_it_reads(edges: dict[int, set[int]]) -> None:
    reads = {str(name): tuple(str(item) for item in sorted(items) if item in edges) for name, items in edges.items()}
    found = arrange(reads)
    level = {name: number for number, layer in enumerate(found.layers) for name in layer}
    for name, number in level.items():
        assert number == max((level[item] + 1 for item in reads[name]), default=0)
    for loop in found.loops:
        for name, following in zip(loop, (*loop[1:], loop[0]), strict=True):
            assert following in reads[name]
    assert bool(found.loops) == (len(level) < len(reads))

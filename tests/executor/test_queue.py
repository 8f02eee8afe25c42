"""The ready queue: needs first, no layers in between, nothing new after a stop."""

from threading import Event, Lock

import pytest

from lamina.executor.queue import work_through

NEEDS = {
    "a": frozenset[str](),
    "b": frozenset({"a"}),
    "c": frozenset({"a"}),
    "d": frozenset({"b", "c"}),
    "e": frozenset({"outside"}),
}


@pytest.mark.parametrize("threads", [1, 4])
def test_everything_is_done_once_after_its_needs(threads: int) -> None:
    done: list[str] = []
    lock = Lock()

    def work(key: str) -> None:
        with lock:
            assert NEEDS[key] & NEEDS.keys() <= set(done)
            done.append(key)

    assert work_through(NEEDS, work, threads=threads, should_stop=lambda: False) == ()
    assert sorted(done) == sorted(NEEDS)


def test_one_thread_works_in_alphabetical_order() -> None:
    done: list[str] = []
    work_through(NEEDS, done.append, threads=1, should_stop=lambda: False)
    assert done == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("threads", [1, 4])
def test_nothing_is_started_after_a_stop(threads: int) -> None:
    done: list[str] = []
    left = work_through(NEEDS, done.append, threads=threads, should_stop=lambda: bool(done))
    assert "d" in left
    assert sorted([*done, *left]) == sorted(NEEDS)


def test_a_fault_in_the_work_is_not_swallowed() -> None:
    def work(_: str) -> None:
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        work_through(NEEDS, work, threads=2, should_stop=lambda: False)


def test_an_interrupt_does_not_wait_for_what_is_under_way() -> None:
    started, may_end = Event(), Event()

    def work(_: str) -> None:
        started.set()
        may_end.wait(timeout=60)

    def interrupt() -> bool:
        if started.is_set():
            raise KeyboardInterrupt
        return False

    try:
        with pytest.raises(KeyboardInterrupt):
            work_through(NEEDS, work, threads=2, should_stop=interrupt)
        assert not may_end.is_set()
    finally:
        may_end.set()

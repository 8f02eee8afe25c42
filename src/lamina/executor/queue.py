"""A ready queue: each piece of work starts when its own needs are done, without layers in between."""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

Key = TypeVar("Key", bound=str)


def work_through(
    needs: Mapping[Key, frozenset[Key]], work: Callable[[Key], None], *, threads: int, should_stop: Callable[[], bool]
) -> tuple[Key, ...]:
    """Do each piece of work once its needs are done, and return what was never started.

    With one thread the work is done in this one, in alphabetical order among what is ready.
    """
    waiting = {key: set(needed & needs.keys()) for key, needed in needs.items()}
    if threads == 1:
        return _work_in_turn(waiting, work, should_stop)
    pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="lamina-step")
    try:
        _work_side_by_side(pool, waiting, work, should_stop)
    except KeyboardInterrupt:
        # Who interrupts does not wait for what is under way: it may take minutes.
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    except BaseException:
        pool.shutdown()
        raise
    pool.shutdown()
    return tuple(sorted(waiting))


def _work_side_by_side(
    pool: ThreadPoolExecutor, waiting: dict[Key, set[Key]], work: Callable[[Key], None], should_stop: Callable[[], bool]
) -> None:
    running: dict[Future[None], Key] = {}
    while waiting or running:
        if not should_stop():
            for key in _take_ready(waiting):
                running[pool.submit(work, key)] = key
        if not running:
            return
        finished, _ = wait(running, return_when=FIRST_COMPLETED, timeout=0.2)
        for future in finished:
            _release(waiting, running.pop(future))
            future.result()


def _work_in_turn(
    waiting: dict[Key, set[Key]], work: Callable[[Key], None], should_stop: Callable[[], bool]
) -> tuple[Key, ...]:
    while not should_stop():
        ready = sorted(key for key, needed in waiting.items() if not needed)
        if not ready:
            break
        del waiting[ready[0]]
        work(ready[0])
        _release(waiting, ready[0])
    return tuple(sorted(waiting))


def _take_ready(waiting: dict[Key, set[Key]]) -> list[Key]:
    ready = sorted(key for key, needed in waiting.items() if not needed)
    for key in ready:
        del waiting[key]
    return ready


def _release(waiting: dict[Key, set[Key]], done: Key) -> None:
    for needed in waiting.values():
        needed.discard(done)

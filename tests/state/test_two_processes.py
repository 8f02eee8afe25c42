"""Two processes at once on one file: exactly one takes the lease, exactly one publishes."""

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from tests.behaviour.examples import CATALOG, NOW, ORDERS, PROD, TTL, lease_of, published_of, store_at

from lamina.errors import LaminaError
from lamina.state.port import Lease
from lamina.state.store import SqlStore
from lamina.values.names import TableName
from lamina.warehouse.catalog.sqlite import CatalogFile

PROCESSES = 4

Act = Callable[[SqlStore, int], str]


def _race(path: Path, act: Act) -> list[str]:
    """Run `act` in several processes that start together; return what each answered."""
    context = get_context("fork")
    answers: Queue[str] = context.Queue()
    barrier = context.Barrier(PROCESSES)
    workers = [context.Process(target=_work, args=(path, act, number, barrier, answers)) for number in range(PROCESSES)]
    for worker in workers:
        worker.start()
    found = [answers.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
    return sorted(found)


def _work(path: Path, act: Act, number: int, barrier: Barrier, answers: "Queue[str]") -> None:
    store = store_at(path)
    barrier.wait(timeout=60)
    try:
        answers.put(act(store, number))
    except LaminaError as error:
        answers.put(error.code)
    finally:
        store.close()


def test_i5_one_of_many_processes_takes_the_lease(path: Path) -> None:
    def take(store: SqlStore, number: int) -> str:
        return f"token {lease_of(store, f'run-{number}').token}"

    assert [answer.split()[0] for answer in _race(path, take)] == ["L701"] * (PROCESSES - 1) + ["token"]


def test_i5_one_of_many_processes_publishes(
    path: Path, store: SqlStore, file: CatalogFile, stages: Callable[[str, str], None]
) -> None:
    lease = lease_of(store)
    stages("c0", "mem:0")
    store.record(published_of("c0", base=None, pointer="mem:0"), lease, at=NOW, execution_time=NOW)
    for number in range(1, PROCESSES + 1):
        stages(f"c{number}", f"mem:{number}")

    def publish(store: SqlStore, number: int) -> str:
        published = published_of(f"c{number + 1}", base="mem:0", pointer=f"mem:{number + 1}")
        store.record(published, lease, at=NOW, execution_time=NOW)
        return "published"

    assert _race(path, publish) == ["L703"] * (PROCESSES - 1) + ["published"]
    view = store.view(PROD)
    assert len(view.touches[TableName(ORDERS)]) == 1
    assert len(store.batches(PROD, ORDERS, limit=9)) == 2
    with file.reading() as transaction:
        assert CATALOG.pointer(transaction, TableName(ORDERS)) == view.models[ORDERS].pointer
        assert len(CATALOG.stages(transaction)) == PROCESSES - 1


def test_i5_paused_run_cannot_publish_after_a_take_over(
    path: Path, store: SqlStore, stages: Callable[[str, str], None]
) -> None:
    paused = lease_of(store)
    stages("c1", "mem:1")

    def go_on(store: SqlStore, number: int) -> str:
        lease: Lease = paused if number else lease_of(store, "run-2", now=NOW + TTL)
        if not number:
            return f"token {lease.token}"
        while store.current_lease(PROD) == paused:
            pass
        store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
        return "published"

    answers = _race(path, go_on)
    assert answers[:-1] == ["L702"] * (PROCESSES - 1)
    assert int(answers[-1].removeprefix("token ")) > paused.token
    assert store.view(PROD).models == {}


def test_new_file_is_made_once_by_processes_that_start_together(path: Path) -> None:
    identities = _race(path, lambda store, _: store.identity)
    assert len(set(identities)) == 1

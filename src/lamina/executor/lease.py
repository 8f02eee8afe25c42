"""Holding the environment's lease while a run works: taken, kept alive, given back."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from lamina.errors import LaminaError
from lamina.executor.failpoint import failpoint
from lamina.executor.runtime import Runtime
from lamina.state.errors import LeaseLost
from lamina.state.port import Lease
from lamina.values.event import Recovered
from lamina.values.names import RunId

LEASE_TIME = timedelta(seconds=60)


@contextmanager
def held_lease(runtime: Runtime, run_id: RunId, *, above: int) -> Iterator[Lease]:
    """Hold the lease for the block, with a token above `above`; raise `LeaseHeld` while a living run has it."""
    _break_dead(runtime)
    process = _process_name(os.getpid())
    lease = runtime.store.take_lease(
        runtime.environment, run_id, process=process, now=runtime.clock(), ttl=LEASE_TIME, above=above
    )
    failpoint("lease.after")
    stopped = Event()
    keeper = Thread(target=_keep, args=(runtime, lease, stopped), daemon=True, name="lamina-lease")
    keeper.start()
    try:
        yield lease
    finally:
        stopped.set()
        keeper.join()
        runtime.store.release_lease(lease)


def _keep(runtime: Runtime, lease: Lease, stopped: Event) -> None:
    while not stopped.wait(LEASE_TIME.total_seconds() / 4):
        try:
            lease = runtime.store.renew_lease(lease, now=runtime.clock(), ttl=LEASE_TIME)
        except LeaseLost:
            # The next write checks the lease itself and is refused; there is nothing to keep alive any more.
            return
        except LaminaError:
            # A busy file: the lease outlives several such failures.
            continue


def _break_dead(runtime: Runtime) -> None:
    lease = runtime.store.current_lease(runtime.environment)
    if lease is None or not is_dead(lease.process):
        return
    runtime.store.break_lease(lease)
    runtime.emit(Recovered(detail=f"run `{lease.holder}` died while it held the lease"))


def _process_name(pid: int) -> str:
    return f"{socket.gethostname()}:{pid}:{_start_time(pid)}"


def is_alive(lease: Lease | None, *, now: datetime) -> bool:
    """Return whether a lease is held by a run that may still be working."""
    return lease is not None and lease.expires_at > now and not is_dead(lease.process)


def is_dead(process: str) -> bool:
    """Return whether a holder of a lease, on this machine, has certainly ended."""
    host, _, rest = process.partition(":")
    pid, _, started = rest.partition(":")
    if host != socket.gethostname() or not started or not pid.isdigit():
        return False
    return _start_time(int(pid)) != started


def _start_time(pid: int) -> str:
    """Return the kernel's start time of a process: with it a reused pid is not mistaken for its predecessor."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "gone" if Path("/proc").is_dir() else ""
    # A zombie holds no lease: its threads are over.
    return "gone" if fields[0] == "Z" else fields[19]

"""Compile many queries on all cores: children are forked after the parser is imported and answer through pipes."""

import gc
import os
import threading
from contextlib import suppress

from lamina.compiler.objects import ObjectTask, compile_objects
from lamina.compiler.resolve import Names
from lamina.values.codec import Packed, from_pack, to_pack

FEWEST = 64  # below this, forking costs more than it saves
MOST_PROCESSES = 8


def compile_in_parallel(tasks: list[ObjectTask], names: Names) -> dict[str, Packed]:
    """Compile queries, in child processes when there are many; the work of a child that died is done here."""
    count = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1, MOST_PROCESSES)
    # A fork copies one thread only: a lock another one holds would stay locked in the child.
    if len(tasks) <= FEWEST or count < 2 or threading.active_count() > 1:
        return compile_objects(tasks, names)
    import lamina.compiler.compile_query  # noqa: F401 - imported once here, not once in every child

    shares = [tasks[number::count] for number in range(count)]
    gc.freeze()  # else a collection in a child would copy the pages of all that it looks at
    children = [_start(share, names) for share in shares[1:]]
    made = compile_objects(shares[0], names)
    gc.unfreeze()
    for share, (process, pipe) in zip(shares[1:], children, strict=True):
        made |= _answer(process, pipe) or compile_objects(share, names)
    return made


def _start(share: list[ObjectTask], names: Names) -> tuple[int, int]:
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    status = 1
    try:
        os.close(reading)
        with open(writing, "wb") as pipe:
            pipe.write(to_pack(compile_objects(share, names)))
        status = 0
    finally:
        os._exit(status)


def _answer(process: int, pipe: int) -> dict[str, Packed] | None:
    with open(pipe, "rb") as file:
        data = file.read()
    _, status = os.waitpid(process, 0)
    if status != 0:
        return None
    with suppress(ValueError):
        return from_pack(data, dict[str, Packed])
    return None

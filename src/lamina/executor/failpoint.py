"""Places where a run can be made to die on purpose, so that tests can prove that dying there loses nothing."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Every durable step of a run has one; a test fails if one of these is never reached.
NAMES = (
    "lease.after",
    "request.after",
    "recover.after",
    "plan.after",
    "fold.after",
    "mark_again.after",
    "rename.after",
    "intent.after",
    "stage.after",
    "check.after",
    "diff.after",
    "beside.after",
    "prepare.after",
    "publish.after",
    "failure.after",
    "finish.before",
)

Hook = Callable[[str], None]

_hooks: list[Hook] = []


def failpoint(name: str) -> None:
    """Do nothing, unless a test armed this place."""
    for hook in _hooks:
        hook(name)


@contextmanager
def armed(hook: Hook) -> Iterator[None]:
    """Call `hook` with the name of every failpoint that is passed."""
    _hooks.append(hook)
    try:
        yield
    finally:
        _hooks.remove(hook)


def kill_hook(text: str) -> Hook:
    """Return a hook that kills this process: `publish.after` at its first pass, `publish.after@3` at its third."""
    name, _, count = text.partition("@")
    if name not in NAMES:
        raise ValueError(f"unknown failpoint: {name}")
    left = int(count or 1)

    def kill(passed: str) -> None:
        nonlocal left
        left -= passed == name
        if left == 0 and passed == name:
            os.kill(os.getpid(), signal.SIGKILL)

    return kill

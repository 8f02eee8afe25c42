"""How far the Spark jobs of a model are, reported while they run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event as Signal
from threading import Thread

from lamina.values.event import Event, StepProgress
from lamina.values.names import ModelName
from lamina.warehouse.spark.session import Application

_SECONDS = 0.5


@contextmanager
def watched(application: Application, model: ModelName, emit: Callable[[Event], None]) -> Iterator[None]:
    """Count the tasks of this thread's jobs for the block, twice a second; the jobs of quick blocks are not counted."""
    application.name_jobs(model)
    ended = Signal()

    def count() -> None:
        while not ended.wait(_SECONDS):
            done, total = application.count_tasks(model)
            if total:
                emit(StepProgress(model=model, phase="building", done=done, total=total))

    counter = Thread(target=count, daemon=True, name="lamina-tasks")
    counter.start()
    try:
        yield
    finally:
        ended.set()
        counter.join()

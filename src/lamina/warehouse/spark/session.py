"""The Spark application: the only file that knows how Spark is started, and the only one that owns it.

One application, one session for each worker thread, because settings such as snapshot properties are per session.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.project.fixed_conf import FIXED_CONF
from lamina.values.event import Event, SessionReady, SessionStarting
from lamina.warehouse.failure import WarehouseNotWritable
from lamina.warehouse.plain_sentence import system_words
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark import class_archive, jars
from lamina.warehouse.spark.errors import sentence_of
from lamina.warehouse.spark.faults import SparkNotStarted
from lamina.warehouse.spark.java import Java, find_java
from lamina.warehouse.spark.profile import catalog_conf, launch_conf, session_conf

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession


class Application:
    """Spark, started when a session is first needed."""

    def __init__(self, settings: WarehouseSettings, *, emit: Callable[[Event], None]) -> None:
        self._settings = settings
        self._emit = emit
        self._lock = threading.Lock()
        self._threads = threading.local()
        self._root: SparkSession | None = None
        self._sessions: list[SparkSession] = []
        self._gateway: Any = None
        self._archive: class_archive.Request | None = None
        self.expected_bytes = 0  # what the first session is likely to read; decides how the JVM compiles
        self.extra_java_options = ""
        self.stop_seconds = 20

    @property
    def is_started(self) -> bool:
        """Return whether Spark has been started."""
        return self._root is not None

    def session(self) -> "SparkSession":
        """Return this thread's own session, starting Spark if need be."""
        with self._lock:
            if self._root is None:
                self._root = self._start()
        found: SparkSession | None = getattr(self._threads, "session", None)
        if found is None:
            found = self._new_session(self._root)
            self._threads.session = found
            self._sessions.append(found)
        return found

    def name_jobs(self, group: str) -> None:
        """Let the jobs of this thread go by a name; Connect has no such names."""
        if not self._settings.remote and self._root is not None:
            self._root.sparkContext.setLocalProperty("spark.jobGroup.id", group)

    def count_tasks(self, group: str) -> tuple[int, int]:
        """Return how many tasks of the running jobs of a name are done, and how many there are."""
        root = self._root
        if root is None or self._settings.remote:
            return 0, 0
        tracker = root.sparkContext.statusTracker()
        jobs = [tracker.getJobInfo(number) for number in tracker.getJobIdsForGroup(group)]
        running = [job for job in jobs if job is not None and job.status == "RUNNING"]
        stages = [tracker.getStageInfo(number) for job in running for number in job.stageIds]
        known = [stage for stage in stages if stage is not None]
        return sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)

    def interrupt(self) -> None:
        """Cancel what runs in any session."""
        for session in tuple(self._sessions):
            session.interruptAll()

    def stop(self) -> None:
        """End Spark; where start-up could be made faster, leave a process behind that prepares it."""
        with self._lock:
            root, self._root = self._root, None
        if root is None:
            return
        if self._settings.remote:
            # A Connect client that is left open hangs in its own clean-up when the interpreter ends.
            for session in self._sessions:
                session.stop()
        root.stop()
        self._threads = threading.local()
        self._sessions.clear()
        if self._gateway is not None:
            _end_java(self._gateway, seconds=self.stop_seconds)
            self._gateway = None
        if self._archive is not None:
            class_archive.make_in_background(self._archive)
            self._archive = None

    def _start(self) -> "SparkSession":
        self._emit(SessionStarting())
        _silence_query_loggers()
        started = time.monotonic()
        root = self._connect() if self._settings.remote else self._launch()
        self._emit(SessionReady(seconds=time.monotonic() - started))
        return root

    def _connect(self) -> "SparkSession":
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        try:
            session: SparkSession = SparkSession.builder.remote(str(self._settings.remote)).create()
            _set(session, {**session_conf(self._settings), **catalog_conf(self._settings)})
        except (ImportError, PySparkException) as error:
            raise SparkNotStarted(sentence_of(error), log=None) from error
        return session

    def _launch(self) -> "SparkSession":
        java = find_java()
        found = jars.resolve_jars(self._settings.jars, java, drivers=self._settings.drivers)
        log = _log_file(self._settings)
        _make_folder(Path(self._settings.warehouse))
        options = self._java_options(java, found)
        with _undisturbed_interrupts():
            return self._launch_classic(launch_conf(self._settings, jars=found, java_options=options), log)

    def _launch_classic(self, launch: dict[str, str], log: Path) -> "SparkSession":
        from py4j.protocol import Py4JError
        from pyspark import SparkConf, SparkContext
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession

        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        # Only what the JVM needs to start is on its command line, where other users can read it.
        start = SparkConf(loadDefaults=False).setAll(list(launch.items()))
        try:
            with log.open("ab") as output:
                self._gateway = _launch_java(start, {"stdout": output, "stderr": output})
            whole = {**launch, **session_conf(self._settings), **catalog_conf(self._settings)}
            SparkContext._ensure_initialized(gateway=self._gateway)
            conf = SparkConf(_jvm=self._gateway.jvm).setAll(list(whole.items()))
            context = SparkContext(conf=conf, gateway=self._gateway)
        except (OSError, PySparkException, Py4JError, ValueError) as error:
            raise SparkNotStarted(sentence_of(error), log=str(log)) from error
        context.setLogLevel("ERROR")
        return SparkSession(context)

    def _java_options(self, java: Java, found: tuple[Path, ...]) -> str:
        request = class_archive.request(self._settings, java=java, jars=found)
        archived = class_archive.options(request)
        self._archive = None if archived or self.extra_java_options else request
        speed = class_archive.compiler_options(self.expected_bytes)
        return " ".join(part for part in (speed, archived, self.extra_java_options) if part)

    def _new_session(self, root: "SparkSession") -> "SparkSession":
        if self._settings.remote:
            # A clone of a Connect session cannot be stopped.
            return self._connect()
        made = root.newSession()
        _set(made, catalog_conf(self._settings))
        return made


@contextmanager
def own_conf(session: "SparkSession", conf: dict[str, str]) -> Iterator[None]:
    """Run with other settings in this thread's session for a while, what results depend on excepted."""
    chosen = {key: value for key, value in conf.items() if key not in FIXED_CONF}
    before = {key: session.conf.get(key, None) for key in chosen}
    _set(session, chosen)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                session.conf.unset(key)
            else:
                session.conf.set(key, value)


def _set(session: "SparkSession", conf: dict[str, str]) -> None:
    for key, value in conf.items():
        session.conf.set(key, value)


def _silence_query_loggers() -> None:
    """Keep Spark from printing failed queries: what it would say is in the error itself."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def _log_file(settings: WarehouseSettings) -> Path:
    folder = Path(settings.logs)
    _make_folder(folder)
    return folder / "spark.log"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WarehouseNotWritable(str(folder), system_words(error)) from error
    if not os.access(folder, os.W_OK):
        raise WarehouseNotWritable(str(folder), "no permission to write")


@contextmanager
def _undisturbed_interrupts() -> Iterator[None]:
    """Keep the process's own handling of SIGINT: Spark would put its own in its place."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _launch_java(start: "SparkConf", streams: dict[str, Any]) -> Any:
    """Start the JVM; one whose start is interrupted is ended, as it would wait for ever for a driver that is gone."""
    from pyspark import java_gateway

    started: list[subprocess.Popen[bytes]] = []

    def remembered(*command: Any, **options: Any) -> "subprocess.Popen[bytes]":
        started.append(subprocess.Popen(*command, **options))
        return started[-1]

    gateway: Any = java_gateway  # PySpark has no types here
    popen, gateway.Popen = gateway.Popen, remembered
    try:
        return gateway.launch_gateway(start, streams)
    except BaseException:
        for process in started:
            process.kill()
        raise
    finally:
        gateway.Popen = popen


def _end_java(gateway: Any, *, seconds: int) -> None:
    """End the JVM and wait for it, so that what it writes at its end is whole."""
    from pyspark import SparkContext

    process = gateway.proc
    gateway.shutdown()
    process.stdin.close()
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    # Spark keeps the gateway for the next context, which must have a JVM of its own.
    SparkContext._gateway = None
    SparkContext._jvm = None

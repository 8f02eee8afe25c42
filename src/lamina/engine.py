"""Open the engine on a project: its compiled graph, its state and its tables, wired together once."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event as Signal
from uuid import uuid4

from lamina.api import compile_root
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.errors import ProjectInvalid
from lamina.executor.failpoint import armed, kill_hook
from lamina.executor.log import RunLog
from lamina.executor.runtime import Runtime
from lamina.look import load_config
from lamina.promoted import promoted_findings
from lamina.state.store import SqlStore
from lamina.values.event import Event
from lamina.values.names import EnvironmentName, RunId
from lamina.warehouse.spark.settings import SparkSettings
from lamina.warehouse.spark.warehouse import SparkWarehouse

# Names a failpoint at which the process kills itself, so that tests can prove that nothing is lost.
FAILPOINT = "LAMINA_FAILPOINT"


@dataclass(frozen=True)
class Engine:
    """A project with its state and tables at hand; `stop` asks a run to end early."""

    config: Config
    graph: Graph
    runtime: Runtime
    warehouse: SparkWarehouse
    stop: Signal


@contextmanager
def open_engine(
    root: str, environment_variables: Mapping[str, str], *, overrides: Mapping[str, str], emit: Callable[[Event], None]
) -> Iterator[Engine]:
    """Compile the project and open its state and tables for the block; looking starts no JVM."""
    config = load_config(root, environment_variables, overrides=overrides)
    graph = compile_root(root, environment_variables)
    found = (*graph.diagnostics, *promoted_findings(config, graph, environment_variables=environment_variables))
    if any(item.severity == "error" for item in found):
        raise ProjectInvalid(found)
    database = Path(config.catalog.database)
    store = SqlStore(database, catalog_name=config.catalog.name)
    log = RunLog(Path(_logs(config)), clock=_now, pass_on=emit)
    warehouse = SparkWarehouse(spark_settings(config, graph), graph, emit=log)
    runtime = Runtime(
        store=store,
        warehouse=warehouse,
        clock=_now,
        new_id=lambda: uuid4().hex,
        emit=log,
        environment=EnvironmentName(config.environment),
        project=config.project,
    )
    with ExitStack() as stack:
        stack.callback(log.close)
        stack.callback(store.close)
        stack.callback(warehouse.close)
        if FAILPOINT in environment_variables:
            stack.enter_context(armed(kill_hook(environment_variables[FAILPOINT])))
        yield Engine(config=config, graph=graph, runtime=runtime, warehouse=warehouse, stop=Signal())


@contextmanager
def open_store(root: str, environment_variables: Mapping[str, str]) -> Iterator[SqlStore]:
    """Open the state of a project for the block; what happened can be asked also while the project has errors."""
    config = load_config(root, environment_variables, overrides={})
    with closing(SqlStore(Path(config.catalog.database), catalog_name=config.catalog.name)) as store:
        yield store


def new_run_id(now: datetime) -> RunId:
    """Return an id that sorts by time and is unique also for parallel starts."""
    return RunId(f"run-{now:%Y%m%d-%H%M%S}-{now.microsecond // 1000:03d}-{uuid4().hex[:4]}")


def thread_count(config: Config, parallel: int | None) -> int:
    """Return how many models are built at once: as asked, as configured, or twice the cores."""
    if parallel is not None:
        return parallel
    if isinstance(config.run.concurrency, int):
        return config.run.concurrency
    return min(2 * (os.cpu_count() or 1), config.run.max_concurrency)


def _now() -> datetime:
    return datetime.now(UTC)


def _logs(config: Config) -> str:
    return os.path.join(config.root, ".lamina", "logs")


def spark_settings(config: Config, graph: Graph) -> SparkSettings:
    """Return what the warehouse must know of the project, secrets included."""
    return SparkSettings(
        root=config.root,
        database=config.catalog.database,
        warehouse=config.catalog.warehouse,
        logs=_logs(config),
        catalog=config.catalog.name,
        master=config.spark.master,
        remote=config.spark.remote,
        conf=config.spark.conf,
        secret_conf=config.spark.secret_conf,
        jars=config.spark.jars,
        environment=config.environment,
        variables=graph.variables,
    )

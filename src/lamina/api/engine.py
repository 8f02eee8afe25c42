"""Open the engine on a project: its compiled graph, its state and its tables, wired together once."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Event as Signal
from uuid import uuid4

from lamina.api.compiling import compile_root
from lamina.api.custody import Restored, open_state, refuse_elsewhere, restore_if_lost
from lamina.api.inspect import known_config, load_config
from lamina.api.promoted import promoted_findings
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.errors import ProjectInvalid
from lamina.executor.failpoint import armed, kill_hook
from lamina.executor.log import RunLog
from lamina.executor.runtime import Runtime
from lamina.planner.broken import Broken, find_broken, only, with_promoted, without
from lamina.project.setting_place import setting_place
from lamina.state.store import SqlStore
from lamina.values.diagnostic import Diagnostic, sort_diagnostics
from lamina.values.event import Event, Recovered
from lamina.values.names import EnvironmentName, ModelName, RunId
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark.warehouse import SparkWarehouse

# Names a failpoint at which the process kills itself, so that tests can prove that nothing is lost.
FAILPOINT = "LAMINA_FAILPOINT"


@dataclass(frozen=True)
class Engine:
    """A project with its state and tables at hand; `stop` asks a run to end early."""

    config: Config
    graph: Graph  # what can be built
    whole: Graph  # with the models that do not compile
    runtime: Runtime
    warehouse: SparkWarehouse
    stop: Signal
    findings: tuple[Diagnostic, ...] = ()  # why models are left out
    broken: Broken | None = None  # which models are left out; None where the whole project is, or nothing


@dataclass(frozen=True)
class Loaded:
    """A project as its folder has it, and how its state was restored, if it was lost."""

    config: Config
    graph: Graph
    findings: tuple[Diagnostic, ...]  # all, if one of them is an error
    restored: Restored | None


@contextmanager
def open_engine(
    root: str, environment_variables: Mapping[str, str], *, overrides: Mapping[str, str], emit: Callable[[Event], None]
) -> Iterator[Engine]:
    """Compile the project and open its state and tables for the block; looking starts no JVM."""
    loaded = _load(load_config(root, environment_variables, overrides=overrides), environment_variables)
    if loaded.findings:
        raise ProjectInvalid(loaded.findings)
    with _opened(loaded, loaded.graph, environment_variables, emit=emit) as engine:
        yield engine


@contextmanager
def open_selected(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    choose: Callable[[Graph], tuple[ModelName, ...] | None],
    emit: Callable[[Event], None],
) -> Iterator[Engine]:
    """Open a project for work on the models that `choose` names (None: all); others need not compile."""
    loaded = _load(load_config(root, environment_variables, overrides={}), environment_variables)
    graph, found = loaded.graph, loaded.findings
    broken = find_broken(graph, found) if found else None
    if found:
        chosen = choose(graph)
        if broken is None or chosen is None or broken.left_out.intersection(chosen):
            raise ProjectInvalid(found)
    usable = graph if broken is None else without(graph, broken.left_out)
    with _opened(loaded, usable, environment_variables, emit=emit) as engine:
        yield replace(engine, broken=broken)


@contextmanager
def open_known(
    root: str, environment_variables: Mapping[str, str], *, emit: Callable[[Event], None]
) -> Iterator[Engine]:
    """Open a project to be asked: models that do not compile are known as they were last run."""
    config, problems = known_config(root, environment_variables)
    loaded = _load(config, environment_variables, problems=problems)
    graph, broken = loaded.graph, None
    if loaded.findings:
        with closing(open_state(loaded.config)) as store:
            promoted = store.load_graph(EnvironmentName(loaded.config.environment))
        broken = find_broken(graph, loaded.findings)
        if broken is not None:
            graph = with_promoted(without(graph, broken.left_out), only(promoted, broken.left_out))
        elif promoted is not None:
            graph = promoted
        else:
            raise ProjectInvalid(loaded.findings)
    with _opened(loaded, graph, environment_variables, emit=emit) as engine:
        yield replace(engine, broken=broken)


def _load(config: Config, environment_variables: Mapping[str, str], *, problems: tuple[Diagnostic, ...] = ()) -> Loaded:
    """Return settings, graph and, if something is wrong with the project, every finding."""
    restored = restore_if_lost(config)
    graph = compile_root(config.root, environment_variables)
    promises = promoted_findings(config, graph, environment_variables=environment_variables)
    found = sort_diagnostics([*graph.diagnostics, *problems, *promises])
    is_invalid = any(item.severity == "error" for item in found)
    return Loaded(config=config, graph=graph, findings=found if is_invalid else (), restored=restored)


@contextmanager
def _opened(
    loaded: Loaded, graph: Graph, environment_variables: Mapping[str, str], *, emit: Callable[[Event], None]
) -> Iterator[Engine]:
    """Open state and tables for a part of a project, or for what is known of it."""
    config = loaded.config
    refuse_elsewhere(config)
    store = open_state(config)
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
        place_of=lambda model, key: setting_place(config.root, model.path, key),
    )
    with ExitStack() as stack:
        stack.callback(log.close)
        stack.callback(store.close)
        stack.callback(warehouse.close)
        if FAILPOINT in environment_variables:
            stack.enter_context(armed(kill_hook(environment_variables[FAILPOINT])))
        if loaded.restored is not None:
            log(Recovered(detail=str(loaded.restored)))
        yield Engine(
            config=config,
            graph=graph,
            whole=loaded.graph,
            runtime=runtime,
            warehouse=warehouse,
            stop=Signal(),
            findings=loaded.findings,
        )


@contextmanager
def open_store(root: str, environment_variables: Mapping[str, str]) -> Iterator[SqlStore]:
    """Open the state of a project for the block; what happened is known also while the project has errors."""
    config, _ = known_config(root, environment_variables)
    restore_if_lost(config)
    with closing(open_state(config)) as store:
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


def spark_settings(config: Config, graph: Graph) -> WarehouseSettings:
    """Return what the warehouse must know of the project, secrets included."""
    return WarehouseSettings(
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

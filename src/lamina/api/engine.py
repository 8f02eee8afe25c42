"""Open the engine on a project: its graph, its state and its tables, wired together for as long as a verb works."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from lamina.api.compiling import compile_text, schema_reader, text_of
from lamina.api.custody import Restored, restore_if_lost
from lamina.api.opened import Opened
from lamina.api.promoted import promoted_findings
from lamina.api.state import State
from lamina.compiler.graph import Graph
from lamina.config import Config
from lamina.errors import ProjectInvalid
from lamina.executor.failpoint import armed, kill_hook
from lamina.executor.log import RunLog
from lamina.executor.runtime import Compiling, Runtime
from lamina.planner.broken import Broken, find_broken, only, with_promoted, without
from lamina.project.cache_file import compiler_version
from lamina.project.setting_place import setting_place
from lamina.state.port import Origin
from lamina.values.diagnostic import Diagnostic, sort_diagnostics
from lamina.values.event import Recovered
from lamina.values.names import EnvironmentName, ModelName, RunId
from lamina.values.secret import Secret
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark.warehouse import SparkWarehouse

# Names a failpoint at which the process kills itself, so that tests can prove that nothing is lost.
FAILPOINT = "LAMINA_FAILPOINT"


@dataclass(frozen=True)
class Engine:
    """A project with its state and tables at hand."""

    config: Config
    graph: Graph  # what can be built
    whole: Graph  # with the models that do not compile
    runtime: Runtime
    warehouse: SparkWarehouse
    findings: tuple[Diagnostic, ...] = ()  # why models are left out
    broken: Broken | None = None  # which models are left out; None where the whole project is, or nothing


@dataclass(frozen=True)
class Loaded:
    """A project as its folder has it, its state, and how that was restored, if it was lost."""

    config: Config
    graph: Graph
    state: State
    findings: tuple[Diagnostic, ...]  # all, if one of them is an error
    restored: Restored | None


@contextmanager
def open_engine(project: Opened, config: Config) -> Iterator[Engine]:
    """Open state and tables for the block, of a project that compiles as a whole; looking starts no JVM."""
    with _loaded(project, config) as loaded:
        if loaded.findings:
            raise ProjectInvalid(loaded.findings)
        with _working(project, loaded, loaded.graph) as engine:
            yield engine


@contextmanager
def open_selected(project: Opened, choose: Callable[[Graph], tuple[ModelName, ...] | None]) -> Iterator[Engine]:
    """Open a project for work on the models that `choose` names (None: all); others need not compile."""
    with _loaded(project, project.config) as loaded:
        graph, found = loaded.graph, loaded.findings
        broken = find_broken(graph, found) if found else None
        if found:
            chosen = choose(graph)
            if broken is None or chosen is None or broken.left_out.intersection(chosen):
                raise ProjectInvalid(found)
        usable = graph if broken is None else without(graph, broken.left_out)
        with _working(project, loaded, usable, broken=broken) as engine:
            yield engine


@contextmanager
def open_known(project: Opened) -> Iterator[Engine]:
    """Open a project to answer questions about it: models that do not compile are known as they were last run."""
    config, problems = project.known_settings
    with _loaded(project, config, problems=problems) as loaded:
        graph, broken = loaded.graph, None
        if loaded.findings:
            promoted = loaded.state.last_run()
            broken = find_broken(graph, loaded.findings)
            if broken is not None:
                graph = with_promoted(without(graph, broken.left_out), only(promoted, broken.left_out))
            elif promoted is not None:
                graph = promoted
            else:
                raise ProjectInvalid(loaded.findings)
        with _working(project, loaded, graph, broken=broken) as engine:
            yield engine


@contextmanager
def _loaded(project: Opened, config: Config, *, problems: tuple[Diagnostic, ...] = ()) -> Iterator[Loaded]:
    """Give the graph of a project and, if something is wrong with it, every finding."""
    restored = restore_if_lost(config)
    if restored is not None or project.has_worked:
        project.compile_again()
    project.has_worked = True
    with closing(State(config)) as state:
        graph = project.graph
        found = sort_diagnostics([*graph.diagnostics, *problems, *promoted_findings(project, state.last_run)])
        is_invalid = any(item.severity == "error" for item in found)
        yield Loaded(config, graph, state, findings=found if is_invalid else (), restored=restored)


@contextmanager
def _working(project: Opened, loaded: Loaded, graph: Graph, *, broken: Broken | None = None) -> Iterator[Engine]:
    """Open tables, and the state, for a part of a project, or for what is known of it."""
    config = loaded.config
    store = loaded.state.open()
    log = RunLog(Path(_logs(config)), clock=_now, pass_on=project.emit)
    warehouse = SparkWarehouse(spark_settings(config, graph, project.variables), graph, emit=log)
    runtime = Runtime(
        store=store,
        warehouse=warehouse,
        clock=_now,
        new_id=lambda: uuid4().hex,
        emit=log,
        environment=EnvironmentName(config.environment),
        project=config.project,
        compiling=_compiling(project),
        place_of=lambda model, key: setting_place(config.root, model.path, key),
    )
    with ExitStack() as stack:
        stack.callback(log.close)
        stack.callback(warehouse.close)
        if FAILPOINT in project.variables:
            stack.enter_context(armed(kill_hook(project.variables[FAILPOINT])))
        if loaded.restored is not None:
            log(Recovered(detail=str(loaded.restored)))
        yield Engine(
            config=config,
            graph=graph,
            whole=loaded.graph,
            runtime=runtime,
            warehouse=warehouse,
            findings=loaded.findings,
            broken=broken,
        )


def _compiling(project: Opened) -> Compiling:
    """Return how a project was compiled, and how a text that it had before is, with the sources as they are now."""
    known = schema_reader(project.root, lambda: project.settings.config.catalog)
    return Compiling(
        origin=Origin(compiler_version(), text_of(project.scan, project.variables)),
        compile=lambda text: compile_text(text, project.scan.root, project.variables, source_schema=known),
    )


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


def spark_settings(config: Config, graph: Graph, variables: Mapping[str, str]) -> WarehouseSettings:
    """Return what the warehouse must know of the project, secrets included."""
    databases = tuple(source.connection for source in graph.sources if source.connection is not None)
    named = {item.password for item in databases if item.password}
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
        passwords={name: Secret(variables[name]) for name in sorted(named) if name in variables},
        drivers=tuple(sorted({item.database for item in databases if item.database is not None})),
        jars=config.spark.jars,
        environment=config.environment,
        variables=graph.variables,
    )

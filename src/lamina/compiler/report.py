"""What the commands that look at a compiled project answer, as values; `--output json` prints exactly these."""

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.project.model import CheckSettings
from lamina.project.strategy import Strategy
from lamina.values.at_time import AtTime
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import Fingerprint, ModelName, TableName
from lamina.values.schema import Schema
from lamina.values.value import Value


class ModelReport(Value, frozen=True):
    """One model as `compile` lists it."""

    model: ModelName
    strategy: str
    layer: int
    depends_on: tuple[TableName, ...]
    columns: Schema | None
    fingerprint: Fingerprint


class CompileReport(Value, frozen=True):
    """The whole project as `compile` prints it."""

    models: tuple[ModelReport, ...]
    layers: tuple[tuple[ModelName, ...], ...]
    diagnostics: tuple[Diagnostic, ...]


class ListedModel(Value, frozen=True):
    """One model as `list` prints it."""

    model: ModelName
    kind: str
    strategy: str
    layer: int
    path: str
    tags: tuple[str, ...]
    description: str | None
    fault: str | None = None  # why it cannot be built, where it or what it reads does not compile


class Explanation(Value, frozen=True):
    """One model as `explain` prints it."""

    model: ModelName
    path: str
    kind: str
    description: str | None
    target: TableName
    layer: int
    strategy: Strategy
    inputs: tuple[InputUse, ...]
    read_by: tuple[ModelName, ...]
    reads_parameters: tuple[str, ...]
    is_deterministic: bool
    columns: Schema | None
    checks: tuple[CheckSettings, ...]
    fingerprint: Fingerprint
    incrementality: tuple[str, ...]  # the steps of the proof that slices are sound, or the clauses in its way
    diagnostics: tuple[Diagnostic, ...]
    at: AtTime | None = None  # with `--execution-time`: why it runs or does not


def report_compile(graph: Graph) -> CompileReport:
    """Return the report of a compiled project."""
    return CompileReport(
        models=tuple(_model(model) for model in graph.models),
        layers=graph.layers,
        diagnostics=graph.diagnostics,
    )


def report_list(graph: Graph, names: tuple[ModelName, ...]) -> tuple[ListedModel, ...]:
    """Return the listed models, in the order given."""
    models = {model.name: model for model in graph.models}
    return tuple(
        ListedModel(
            model=name,
            kind=models[name].kind,
            strategy=models[name].traits.name,
            layer=models[name].layer,
            path=models[name].path,
            tags=models[name].settings.tags,
            description=models[name].settings.description,
        )
        for name in names
    )


def explain(graph: Graph, model: CompiledModel) -> Explanation:
    """Return everything known about one model."""
    # Imported here: the other reports need no parser.
    from lamina.compiler.explanation import explain_incrementality

    return Explanation(
        model=model.name,
        path=model.path,
        kind=model.kind,
        description=model.settings.description,
        target=model.target,
        layer=model.layer,
        strategy=model.settings.strategy,
        inputs=model.inputs,
        read_by=tuple(other.name for other in graph.models if TableName(model.name) in other.depends_on),
        reads_parameters=model.reads_parameters,
        is_deterministic=model.is_deterministic,
        columns=model.columns,
        checks=model.settings.checks,
        fingerprint=model.fingerprint,
        incrementality=explain_incrementality(graph, model),
        diagnostics=tuple(item for item in graph.diagnostics if item.model == model.name),
    )


def _model(model: CompiledModel) -> ModelReport:
    return ModelReport(
        model=model.name,
        strategy=model.traits.name,
        layer=model.layer,
        depends_on=model.depends_on,
        columns=model.columns,
        fingerprint=model.fingerprint,
    )

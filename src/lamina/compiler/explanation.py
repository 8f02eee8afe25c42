"""Say in words why slices of a model are sound, or which clause is in the way; from a compiled graph alone."""

from lamina.compiler.check import verdict_of
from lamina.compiler.gather import subject_of
from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.inline import Part, parts_of
from lamina.compiler.query.operators import QueryShape
from lamina.compiler.slices.composition import Inlined, compose, resolve
from lamina.compiler.slices.verdict import Proven, Refused, Verdict
from lamina.project.model import ModelFile, ModelSettings, SettingPlaces
from lamina.project.source import SourceTable
from lamina.strategies.traits import Traits
from lamina.values.schema import Schema


def explain_incrementality(graph: Graph, model: CompiledModel) -> tuple[str, ...]:
    """Return the steps of the proof, or each clause at fault with its place, one line each."""
    if model.kind == "seed":
        return ("each build replaces all rows with those of the file",)
    verdict = judge_model(graph, model, model.traits)
    match verdict:
        case Proven(steps=steps):
            return steps
        case Refused(refusals=refusals):
            return tuple(
                f"{item.file or model.path}:{item.line}:{item.column}: {item.message} [{item.code}]"
                for item in refusals
            )
        case None if model.kind == "sql":
            return ("its query cannot be read",)
        case None:
            return ("its code is not analysed: it is assumed to be deterministic, and to read all of its inputs",)


def judge_model(graph: Graph, model: CompiledModel, traits: Traits) -> Verdict | None:
    """Judge one model of a graph under a strategy; None where its query cannot be looked into."""
    if model.kind != "sql":
        return None
    schemas: dict[str, Schema | None] = {str(table.name): table.columns or None for table in graph.sources}
    schemas |= {str(other.name): other.columns for other in graph.models}
    tables: dict[str, SourceTable | ModelSettings] = {str(table.name): table for table in graph.sources}
    tables |= {str(other.name): other.settings for other in graph.models}
    file = ModelFile(
        name=model.name,
        kind=model.kind,
        path=model.path,
        text=model.text,
        settings=model.settings,
        places=SettingPlaces(file=model.path),
    )
    shape = _shape(parts_of(graph, model))
    subject = subject_of(file, model, query=None, names=(), ephemeral={}, shape=shape, schemas=schemas, tables=tables)
    return verdict_of(subject, traits)


def meets_slices(graph: Graph, model: CompiledModel) -> bool:
    """Return whether rows of two slices may meet in a query, so that each slice is computed by itself."""
    slices = model.traits.slices
    if slices is None:
        return False
    if model.reads_itself:
        return True
    if slices.batch_size != 1:
        return False
    several = model.traits.replace(slices=slices.replace(batch_size="auto"))
    return not isinstance(judge_model(graph, model, several), Proven)


def _shape(parts: tuple[Part, ...]) -> QueryShape | None:
    """Compose the shapes of a model and of the ephemeral models below it, which come first."""
    inlined = {str(part.model.name): Inlined(_own_shape(part), part.model.path) for part in parts}
    own = inlined.pop(str(parts[-1].model.name)).shape
    return compose(own, inlined.get) if own is not None else None


def _own_shape(part: Part) -> QueryShape | None:
    from lamina.compiler.query.parse import Parsed, parse
    from lamina.compiler.slices.shape import shape_of

    parsed = parse(part.model.text)
    if not isinstance(parsed, Parsed):
        return None
    names = {
        ".".join(reference.parts).lower(): name
        for reference, name in zip(part.query.references, part.references, strict=True)
        if name is not None
    }
    return resolve(shape_of(parsed.tree), names)

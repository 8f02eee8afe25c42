"""Which models a selection names: dbt's selector grammar over the compiled graph, pure."""

import re
from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError, UsageError
from lamina.values.names import ModelName, TableName, folded, same_name
from lamina.values.nearest import nearest
from lamina.values.value import Value
from lamina.values.words import listed

TERM = re.compile(
    r"(?P<at>@)?(?:(?P<up>\d{0,6})(?P<plus>\+))?(?P<what>[^+@]+)(?P<down>\+(?P<depth>\d{0,6}))?", re.ASCII
)
UNBOUNDED = 1_000_000


class InvalidSelector(LaminaError):
    """A selector cannot be read.

    Why: a selector is a name, `tag:`, `path:` or `source:` with a pattern, with `+`, `2+` or `@` for what is above
    and below.
    Fix: write it like `+sales.orders`, `tag:daily` or `path:models/marts`; quote it in the shell.
    """

    code = "L580"
    exit_code = 64


class EmptySelection(LaminaError):
    """A selection names no model.

    Why: doing nothing would look like success.
    Fix: compare with `lamina list`; `--exclude` may have removed everything that `--select` named.
    """

    code = "L581"


class Term(Value, frozen=True):
    """One selector: what it names, and how far up and down the graph it reaches."""

    method: str  # name | tag | path | source
    pattern: str
    up: int
    down: int
    is_closed: bool = False  # `@m`: also everything its descendants read


def select(graph: Graph, include: tuple[str, ...], exclude: tuple[str, ...]) -> tuple[ModelName, ...]:
    """Return the selected models in graph order; no selector means all."""
    if not graph.models:
        hint = "a model is a query in `models/SCHEMA/NAME.sql`; `lamina init` starts an example"
        raise EmptySelection("the project has no models", hint=hint)
    edges = _Edges(graph)
    wanted = _union(include, edges) if include else set(edges.models)
    left = wanted - _union(exclude, edges)
    chosen = tuple(name for layer in graph.layers for name in layer if name in left)
    if not chosen:
        raise EmptySelection(_nothing_selected(include, exclude), hint="`lamina list` shows all models")
    return chosen


def _nothing_selected(include: tuple[str, ...], exclude: tuple[str, ...]) -> str:
    said = " ".join(include) if include else "*"
    if not said.strip():
        return "the selection is empty"
    left_out = " ".join(exclude)
    if left_out.strip():
        return f"the selection `{said}` without `{left_out}` leaves no model"
    return f"the selection `{said}` matches no model"


def upstreams_of(graph: Graph, chosen: tuple[ModelName, ...]) -> tuple[ModelName, ...]:
    """Return the models above chosen ones that are not chosen themselves, in graph order."""
    models = {model.name: model for model in graph.models}
    above: set[ModelName] = set()
    ahead = list(chosen)
    while ahead:
        model = models[ahead.pop()]
        inputs = {ModelName(use.name) for use in model.inputs if use.is_model}
        inputs |= {ModelName(name) for name in model.others_looked_up} & models.keys()
        ahead += inputs - above
        above |= inputs
    wanted = above - set(chosen)
    return tuple(name for layer in graph.layers for name in layer if name in wanted)


def parse_term(text: str) -> Term:
    """Read one selector.

    >>> parse_term("2+tag:core").up, parse_term("orders+").pattern
    (2, 'orders')
    """
    found = TERM.fullmatch(text)
    if found is None:
        hint = "write a name, `tag:x`, `path:x` or `source:x`, with `+`, `2+` or `@` around it"
        raise InvalidSelector(f"`{text}` is not a selector", hint=hint)
    method, colon, pattern = found["what"].partition(":")
    if not colon:
        method, pattern = "name", found["what"]
    if method in MATCHERS and not pattern:
        raise InvalidSelector(f"`{text}` does not say what to select", hint=f"write it after the colon: `{method}:x`")
    if method not in MATCHERS:
        near = nearest(method, MATCHERS)
        hint = f"did you mean `{near}:`?" if near else "use `tag:`, `path:` or `source:`"
        what = "is not in this version" if method == "state" else "is not a way to select"
        raise InvalidSelector(f"`{method}:` {what}", hint=None if method == "state" else hint)
    up = int(found["up"] or UNBOUNDED) if found["plus"] else 0
    down = int(found["depth"] or UNBOUNDED) if found["down"] else 0
    return Term(method=method, pattern=pattern, up=up, down=down, is_closed=bool(found["at"]))


class _Edges:
    """The graph as a selection walks it: models and source tables, who reads whom."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.models: dict[str, CompiledModel] = {model.name: model for model in graph.models}
        self.sources = tuple(table.name for table in graph.sources)
        self.parents = {name: tuple(model.depends_on) for name, model in self.models.items()}
        self.children: dict[str, list[str]] = {}
        for name, parents in self.parents.items():
            for parent in parents:
                self.children.setdefault(parent, []).append(name)

    def reach(self, start: Iterable[str], along: Mapping[str, Iterable[str]], *, depth: int) -> set[str]:
        """Return what can be reached in at most `depth` steps, the start included."""
        seen = set(start)
        edge = set(seen)
        while edge and depth:
            edge = {other for name in edge for other in along.get(name, ())} - seen
            seen |= edge
            depth -= 1
        return seen


def _union(selectors: tuple[str, ...], edges: _Edges) -> set[str]:
    """Evaluate selectors: a space means or, a comma means and."""
    chosen: set[str] = set()
    for selector in selectors:
        for group in selector.split():
            parts = [_reached(parse_term(part), edges) for part in group.split(",") if part]
            chosen |= set.intersection(*parts) if parts else set()
    return chosen & edges.models.keys()


def _reached(term: Term, edges: _Edges) -> set[str]:
    if term.method == "name" and not _is_glob(term.pattern):
        found = {str(_model_named(edges.graph, term.pattern).name)}
    else:
        found = set(MATCHERS[term.method](term.pattern, edges))
    # A source is not a model: alone it means the models that read it.
    down = term.down or (1 if term.method == "source" else 0)
    below = edges.reach(found, edges.children, depth=UNBOUNDED if term.is_closed else down)
    above = edges.reach(
        below if term.is_closed else found, edges.parents, depth=UNBOUNDED if term.is_closed else term.up
    )
    return below | above


def _model_named(graph: Graph, text: str) -> CompiledModel:
    """Return the one model that a selector names."""
    found = find_model(graph, text)
    if found is not None:
        return found
    if len(same := _same_names(graph, text)) > 1:
        raise EmptySelection(f"`{text}` could be more than one model", hint=_one_of(same))
    raise EmptySelection(f"no model `{text}`", hint=_did_you_mean(graph, text))


def _by_name(pattern: str, edges: _Edges) -> Iterable[str]:
    return (name for name in edges.models if _matches(name, pattern) or _matches(name.partition(".")[2], pattern))


def _by_tag(pattern: str, edges: _Edges) -> Iterable[str]:
    return (name for name, model in edges.models.items() if any(_matches(tag, pattern) for tag in model.settings.tags))


def _by_path(pattern: str, edges: _Edges) -> Iterable[str]:
    folder = pattern.removeprefix("./").rstrip("/")
    return (
        name
        for name, model in edges.models.items()
        if model.path == folder or model.path.startswith(f"{folder}/") or fnmatchcase(model.path, folder)
    )


def _by_source(pattern: str, edges: _Edges) -> Iterable[str]:
    return (name for name in edges.sources if _matches(name, pattern) or _matches(name.partition(".")[0], pattern))


def _matches(text: str, pattern: str) -> bool:
    return text == pattern or (_is_glob(pattern) and fnmatchcase(text, pattern))


def _is_glob(pattern: str) -> bool:
    return any(mark in pattern for mark in "*?[")


MATCHERS: dict[str, Callable[[str, _Edges], Iterable[str]]] = {
    "name": _by_name,
    "tag": _by_tag,
    "path": _by_path,
    "source": _by_source,
}


def find_model(graph: Graph, text: str) -> CompiledModel | None:
    """Return the model a person means: by its full name, or by its table alone where only one has it."""
    models = {folded(model.name): model for model in graph.models}
    same = _same_names(graph, text)
    return models.get(folded(text)) or (models[folded(same[0])] if len(same) == 1 else None)


def _same_names(graph: Graph, bare: str) -> list[str]:
    """Return the models that have a bare name, in any schema."""
    return [model.name for model in graph.models if folded(model.name).partition(".")[2] == folded(bare)]


def _one_of(names: list[str]) -> str:
    return "write one of " + ", ".join(f"`{name}`" for name in names)


def table_named(graph: Graph, text: str) -> CompiledModel:
    """Return the model a person means, which must have a table."""
    found = find_model(graph, text)
    if found is None:
        raise unknown_model(graph, text)
    if found.is_ephemeral:
        what = "a view" if found.is_view else found.traits.name
        raise UsageError(f"`{found.name}` is {what}: it has no table", hint=f"`lamina render {found.name}` shows it")
    return found


def unknown_model(graph: Graph, text: str) -> UsageError:
    """Return the error for a name that no model has, with the nearest one that a model has."""
    if any(same_name(source.name, text) for source in graph.sources):
        hint = f"`lamina query 'SELECT * FROM {text}'` shows its rows, `lamina lineage {text}` who reads it"
        return UsageError(f"`{text}` is a source, not a model", hint=hint)
    if len(same := _same_names(graph, text)) > 1:
        return UsageError(f"`{text}` could be more than one model", hint=_one_of(same))
    return UsageError(f"no model `{text}`", hint=_did_you_mean(graph, text))


def unknown_column(graph: Graph, table: TableName, text: str) -> UsageError:
    """Return the error for a column that a table does not have, with the nearest one that it has."""
    tables = {TableName(model.name): model.columns for model in graph.models}
    tables |= {TableName(source.name): source.columns for source in graph.sources}
    names = [column.name for column in tables.get(table) or ()]
    near = nearest(text, names)
    hint = f"did you mean `{near}`?" if near else f"it has {listed(names)}" if names else "its columns are not known"
    return UsageError(f"`{table}` has no column `{text}`", hint=hint)


def _did_you_mean(graph: Graph, text: str) -> str:
    names = [model.name for model in graph.models]
    known = [*names, *(name.partition(".")[2] for name in names)]
    near = nearest(text, known) or nearest(text.rpartition(".")[0], known)
    return f"did you mean `{near}`?" if near else "`lamina list` shows all models"

"""Plan a whole project: decide model by model, and predict what each build does to its readers."""

from collections.abc import Mapping

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.axis import column_ranges, grid_of
from lamina.planner.budget import within_slices
from lamina.planner.decide import foretell
from lamina.planner.fold import fold
from lamina.planner.naming import renames_of, without_former_table
from lamina.planner.now import Now
from lamina.planner.ragged import with_moved_ends
from lamina.planner.readiness import Upstream
from lamina.planner.relayout import is_rewrite
from lamina.planner.time_position import time_column
from lamina.planner.upstream import upstream_of
from lamina.planner.views import decide_views, views_of
from lamina.values.codec import content_hash
from lamina.values.coverage import Coverage
from lamina.values.facts import Facts, Head, ModelFacts, TargetFacts
from lamina.values.interval import Interval, merge, subtract
from lamina.values.names import EnvironmentName, ModelName, PlanId, TableName
from lamina.values.plan import Action, Assumed, Build, Plan, Rebuild, Selection, Skip
from lamina.values.touch import PREDICTED, ColumnRanges, Everything, Ranges, Touch
from lamina.values.value import Value

Logs = Mapping[TableName, tuple[Touch, ...]]


class Decided(Value, frozen=True):
    """What is decided about every model of a project, and the state in which each is for its readers then."""

    actions: tuple[Action, ...]
    upstream: dict[TableName, Upstream]


def build_plan(
    graph: Graph, facts: Facts, *, environment: EnvironmentName, selection: Selection, redoes: bool = True
) -> Plan:
    """Return what a run would do, with its bounds; equal inputs give an equal id.

    Heads and touches are found under the names readers use: `schema.model` or `source.table`. A plan that says what is
    stale leaves out what `rebuild` builds in every run.
    """
    decided = decide_all(graph, facts, selection=selection, redoes=redoes).actions
    actions = (*renames_of(_in_order(graph), facts.models), *without_former_table(graph, facts, decided))
    assumed = _assumed(graph, facts, selection)
    content = (environment, facts.execution_time, selection, actions, assumed)
    return Plan(
        plan_id=PlanId(content_hash(content)),
        environment=environment,
        execution_time=facts.execution_time,
        selection=selection,
        actions=actions,
        assumed=assumed,
    )


def decide_all(graph: Graph, facts: Facts, *, selection: Selection, redoes: bool) -> Decided:
    """Decide about each model in order, on what the ones above it are going to be."""
    actions: list[Action] = []
    logs: dict[TableName, tuple[Touch, ...]] = dict(facts.touches)
    upstream: dict[TableName, Upstream] = {}
    for model in _in_order(graph):
        known = _to_be_looked_up(_folded(model, facts), logs)
        now = Now(
            execution_time=facts.execution_time,
            selection=selection,
            upstream={use.name: upstream[use.name] for use in model.inputs if use.name in upstream},
            touches=facts.touches,
            redoes=redoes,
            stale={name: reason for name, reason in facts.stale.items() if name not in _being_built(actions)},
        )
        decided = within_slices(model, _decided(model, known, facts=facts, now=now, logs=logs))
        actions += decided
        name = TableName(model.name)
        known = with_moved_ends(model, known, now) if decided else known
        upstream[name] = upstream_of(model, known, now, actions=decided)
        if (touch := _predicted(model, decided, facts=facts)) is not None:
            logs[name] = (*logs.get(name, ()), touch)
    views = decide_views(graph, facts, selection=selection, actions=actions)
    return Decided(actions=(*actions, *views), upstream=upstream)


def _in_order(graph: Graph) -> tuple[CompiledModel, ...]:
    ordered = (graph.model(name) for layer in graph.layers for name in layer)
    return tuple(model for model in ordered if not model.is_ephemeral)


def _being_built(actions: list[Action]) -> set[TableName]:
    """Return the tables that get rows in this run: whether they are stale shows then."""
    works = (item for item in actions if isinstance(item, Build | Rebuild) and not is_rewrite(item))
    return {TableName(item.model) for item in works}


def _is_selected(model: CompiledModel, selection: Selection) -> bool:
    return selection.models is None or model.name in selection.models or model.name in selection.upstreams


def _folded(model: CompiledModel, facts: Facts) -> ModelFacts:
    known = facts.models.get(model.name)
    if known is None:
        known = ModelFacts(coverage=Coverage(), target=TargetFacts(status="absent"))
    coverage, _ = fold(known.coverage, model, touches=facts.touches, heads=facts.heads)
    return known.replace(coverage=coverage)


def _to_be_looked_up(known: ModelFacts, logs: Logs) -> ModelFacts:
    """Return a model as it is when tables that its checks look values up in were built: in other versions."""
    built = (name for name in known.looked_up if any(touch.position == PREDICTED for touch in logs.get(name, ())))
    return known.replace(looked_up={**known.looked_up, **dict.fromkeys(built, PREDICTED)})


def _decided(model: CompiledModel, known: ModelFacts, *, facts: Facts, now: Now, logs: Logs) -> tuple[Action, ...]:
    """Decide on what is known, and again as if every build above changed all it may change."""
    if not _is_selected(model, now.selection):
        return ()
    sure = foretell(model, known, now)
    coverage, _ = fold(known.coverage, model, touches=logs, heads=_heads_to_come(facts, logs))
    if coverage != known.coverage:
        bound = foretell(model, known.replace(coverage=coverage), now.replace(touches=logs))
        sure = _with_bound(sure, bound)
    return _with_own_future(model, sure, due=_due(model, known, now))


def _heads_to_come(facts: Facts, logs: Logs) -> dict[TableName, Head]:
    """Return the heads without those of tables that are gone and that this run builds again."""
    return {
        name: head
        for name, head in facts.heads.items()
        if head.position is not None or len(logs.get(name, ())) == len(facts.touches.get(name, ()))
    }


def _with_bound(sure: tuple[Action, ...], bound: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return what is sure, what may come to it, and what is withheld."""
    rewrites = tuple(action for action in sure if is_rewrite(action))
    sure = tuple(action for action in sure if not is_rewrite(action))
    bound = tuple(action for action in bound if not is_rewrite(action))
    works = tuple(action for action in sure if isinstance(action, Build | Rebuild))
    if any(isinstance(action, Rebuild) for action in works):
        return sure
    withheld = tuple(action for action in bound if not isinstance(action, Build | Rebuild | Skip))
    may_come: list[Action] = []
    for action in bound:
        if not isinstance(action, Build | Rebuild):
            continue
        certain = tuple(span for work in works if work.mode == action.mode for span in work.intervals)
        if extra := subtract(action.intervals, merge(certain)):
            may_come.append(action.replace(intervals=extra, reason=f"probably: {action.reason}", is_deferred=True))
    if any(action.mode != work.mode for action in may_come if isinstance(action, Build) for work in works):
        # A whole table is written in one way only, and the wider one is the bound.
        works = ()
    return (*rewrites, *works, *may_come, *withheld) or sure


def _with_own_future(model: CompiledModel, actions: tuple[Action, ...], *, due: Interval | None) -> tuple[Action, ...]:
    """Add, for a model that reads its own past, the later slices that a rebuilt one may change."""
    built = merge(tuple(span for action in actions if isinstance(action, Build) for span in action.intervals))
    if not model.reads_itself or not built or due is None or built[0].start >= due.end:
        return actions
    later = subtract((Interval(built[0].start, due.end),), built)
    if not later:
        return actions
    reason = "probably: it reads its own earlier slices"
    return (
        *actions,
        Build(model=model.name, intervals=later, reason=reason, mode="replace_slices", is_deferred=True),
    )


def _due(model: CompiledModel, known: ModelFacts, now: Now) -> Interval | None:
    return upstream_of(model, known, now, actions=()).due if grid_of(model) is not None else None


def _predicted(model: CompiledModel, actions: tuple[Action, ...], *, facts: Facts) -> Touch | None:
    """Return the touch that the builds of a model would make at most; a rewrite changes no row."""
    works = tuple(action for action in actions if isinstance(action, Build | Rebuild) and not is_rewrite(action))
    if not works:
        return None
    name = TableName(model.name)
    log, head = facts.touches.get(name, ()), facts.heads.get(name)
    parent = log[-1].position if log else head.position if head is not None else None
    slices = model.traits.slices
    touch = Touch(table=name, position=PREDICTED, parent=parent, extent=Everything(), has_new_rows=True)
    if slices is not None and all(work.mode == "replace_slices" for work in works):
        spans = merge(tuple(span for work in works for span in work.intervals))
        ranges = ColumnRanges(column=slices.time_column, ranges=column_ranges(model, spans))
        return touch.replace(extent=Ranges(columns=(ranges,)))
    # Rows at the watermark may be replaced, which only a look at the driver shows.
    is_append = all(work.mode == "append" for work in works) and time_column(model) is None
    return touch.replace(is_append=is_append)


def _assumed(graph: Graph, facts: Facts, selection: Selection) -> Assumed:
    models = tuple(model for model in _in_order(graph) if _is_selected(model, selection))
    sources = {TableName(source.name) for source in graph.sources}
    bases: dict[ModelName, str | None] = {}
    for model in models:
        head = facts.heads.get(TableName(model.name))
        bases[model.name] = head.pointer if head is not None else None
    views = views_of(graph, selection)
    bases |= {model.name: known.pointer for model in views if (known := facts.views.get(model.name)) is not None}
    return Assumed(
        fingerprints={model.name: model.fingerprint for model in (*models, *views)},
        pins={
            name: head.position
            for name, head in sorted(facts.heads.items())
            if name in sources and head.position is not None
        },
        bases=bases,
    )

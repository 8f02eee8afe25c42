"""The verbs that read rows of tables: a query of the user, or a few rows of a model."""

from lamina.api.engine import Engine, open_known
from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel
from lamina.compiler.link.parameters import quoted
from lamina.compiler.render import verbatim
from lamina.errors import LaminaError
from lamina.planner.plain_query import plain_query
from lamina.planner.quarantine import quarantine_model
from lamina.planner.question import Question, question_of, unknown_table
from lamina.planner.select import table_named
from lamina.values.batch import Pin
from lamina.values.facts import Head
from lamina.values.names import TableName, quarantine_of, without_quarantine
from lamina.values.result import QueryResult
from lamina.values.rows_asked import RowsAsked
from lamina.warehouse.sources.kinds import catalog_tables


def query_tables(project: Opened, sql: str, *, limit: int) -> QueryResult:
    """Run a query over the project's tables; models and sources go by their project names."""
    with open_known(project) as engine:
        catalog = engine.config.catalog.name
        now, tables = engine.runtime.clock(), catalog_tables(engine.graph.sources)
        question = question_of(engine.graph, sql, catalog=catalog, tables_of=tables, execution_time=now)
        views = _views(engine, question)
        plain = _without_spark(engine, question, sql=sql, limit=limit)
        return plain or engine.warehouse.query(question.rendering, limit=limit, views=views)


def _without_spark(engine: Engine, question: Question, *, sql: str, limit: int) -> QueryResult | None:
    """Answer a plain query over one model's table from its files, where that is surely what Spark would answer."""
    if len(question.models) != 1 or question.sources or question.others or question.is_composed:
        return None
    table = question.models[0].target
    asked = plain_query(sql, engine.warehouse.heads([table])[table].columns)
    return None if asked is None else engine.warehouse.read_rows(table, asked, limit=limit)


def _views(engine: Engine, question: Question) -> dict[str, Pin]:
    """Return the files a query reads, as they are now; what is missing is reported before Spark starts."""
    tables = [*(model.target for model in question.models), *(_table_of(name) for name in question.others)]
    heads = engine.warehouse.heads(tables)
    for model in question.models:
        _require_built(model, heads[model.target])
    for name in question.others:
        if heads[_table_of(name)].pointer is None:
            raise unknown_table(engine.graph, name)
    sources = engine.warehouse.source_heads(question.sources)
    positions = {name: head.position for name, head in sources.items() if head.position is not None}
    return {view: Pin(input=name, position=positions[name]) for view, name in question.views.items()}


def show_model(project: Opened, model: str, *, limit: int) -> QueryResult:
    """Return some rows of a model's table."""
    with open_known(project) as engine:
        found = _shown(engine, model)
        slices = found.traits.slices
        asked = RowsAsked(order_by=slices.time_column if slices is not None else None)
        plain = engine.warehouse.read_rows(found.target, asked, limit=limit)
        return plain or engine.warehouse.query(verbatim(_rows_of(found)), limit=limit)


def _shown(engine: Engine, name: str) -> CompiledModel:
    """Return the model that a name means, or a model whose table is the quarantine that it means."""
    found = table_named(engine.graph, without_quarantine(name))
    target = quarantine_of(found.target)
    heads = engine.warehouse.heads([found.target, target])
    _require_built(found, heads[found.target])
    if name == without_quarantine(name):
        return found
    if heads[target].pointer is None:
        raise LaminaError(
            f"`{found.name}` has no quarantine", hint="no row of it ever failed a check that sorts rows out"
        )
    return quarantine_model(found)


def _require_built(model: CompiledModel, head: Head) -> None:
    if head.pointer is None:
        raise LaminaError(f"`{model.name}` is not built yet", hint=f"`lamina run -s {model.name}` builds it")


def _table_of(name: TableName) -> TableName:
    """Return the table of a name, which may end in one of Iceberg's metadata tables: `sales.orders.snapshots`."""
    return TableName(".".join(name.split(".")[:2]))


def _rows_of(model: CompiledModel) -> str:
    """Return the query for a model's rows, in the order of its time."""
    slices = model.traits.slices
    names = ".".join(quoted(part) for part in model.target.split("."))
    order = f" ORDER BY {quoted(slices.time_column)}" if slices is not None else ""
    return f"SELECT * FROM {names}{order}"

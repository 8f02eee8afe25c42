"""Define a view of the catalog in Spark: the query with the full names of all tables, so that any reader finds them."""

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.link.parameters import variable_values
from lamina.compiler.render import Rendering, Stretch, render
from lamina.project.source import SourceTable
from lamina.values.facts import CatalogView
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.iceberg.view_metadata import properties_of
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sql import relation, text

_FOLDER_ENDING = "__view"  # beside the folder that a table of the same name has


def view_statement(
    model: CompiledModel, graph: Graph, *, settings: WarehouseSettings, commit: CommitId, view: CatalogView
) -> Rendering:
    """Return the statement that defines a view aside."""
    tables = {TableName(item.name): item.target for item in graph.models if not item.is_ephemeral}
    tables |= {TableName(item.name): found for item in graph.sources if (found := _table_of(item)) is not None}
    query = render(
        graph,
        model,
        relations={name: relation(settings.catalog, table) for name, table in tables.items()},
        parameters=variable_values(settings.variables),
    )
    schema, _, name = model.target.partition(".")
    properties = {**properties_of(view), "location": f"{settings.warehouse}/{schema}/{name}{_FOLDER_ENDING}"}
    listed = ", ".join(f"{text(key)} = {text(value)}" for key, value in sorted(properties.items()))
    comment = f"COMMENT {text(model.settings.description)}\n" if model.settings.description else ""
    head = f"CREATE VIEW {relation(settings.catalog, stage_of(commit))}\n{comment}TBLPROPERTIES ({listed})\nAS\n"
    return Rendering((Stretch(head), *query.stretches))


def _table_of(source: SourceTable) -> TableName | None:
    return kind_of(source).table_of(source)

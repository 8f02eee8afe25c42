"""Link one model: its object, its settings and the schemas of its inputs become a compiled model with its findings."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from lamina.compiler.graph import CompiledModel, EdgeKind, InputUse, LineageEdge
from lamina.compiler.identity.fingerprint import layout_of, local, without_grid, without_layout
from lamina.compiler.identity.former import FormerNames, choices_of, former_code, former_settings, renamed_in
from lamina.compiler.identity.modules import imported_modules, source_hash
from lamina.compiler.link.link import Linker
from lamina.compiler.link.linked import Linked
from lamina.compiler.link.parameters import RANGE_BOUNDS, RUN_PARAMETERS
from lamina.compiler.link.reads import Reads
from lamina.compiler.link.readset import read_sets, reads_of, row_sets
from lamina.compiler.link.rows import ALL, Rows
from lamina.compiler.link.struct_fields import unknown_fields
from lamina.compiler.query.object import Output, QueryObject, SelectScope
from lamina.compiler.query.places import place_at
from lamina.compiler.rules import duplicate_column, unknown_parameter
from lamina.compiler.types.spark_types import Typed
from lamina.project.model import ModelFile
from lamina.project.project import Variable
from lamina.strategies.driver import find_driver
from lamina.strategies.table import traits_of
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ColumnName, Fingerprint, TableName, same_name
from lamina.values.nearest import nearest
from lamina.values.schema import UNKNOWN, Column, Schema

_KINDS: tuple[EdgeKind, ...] = ("direct", "cast", "expression", "aggregation")


class Surroundings:
    """What linking a model may ask about the rest of the project; all of it is part of the model's link key."""

    def __init__(
        self,
        schemas: Mapping[str, Schema | None],
        ephemeral: Mapping[str, Linked],
        *,
        variables: Mapping[str, Variable],
        modules: Mapping[str, str],
        models: frozenset[str],
        former: FormerNames,
    ) -> None:
        self.schemas = schemas
        self.ephemeral = ephemeral
        self.variables = variables
        self.modules = modules
        self.models = models
        self.former = former


class ModelNames:
    """The resolved names of one model."""

    def __init__(
        self,
        references: tuple[str, ...],
        declared: tuple[TableName, ...],
        inputs: Mapping[str, TableName],
        looked_up: Mapping[str, TableName],
    ) -> None:
        self.references = references  # one for each reference of the query; as written where unknown
        self.declared = declared  # `depends_on` of the sidecar
        self.settings = inputs  # keys of `[inputs]` and `driver`, in lower case
        self.looked_up = looked_up  # `to` of checks, as written


def link_query(file: ModelFile, query: QueryObject, names: ModelNames, *, around: Surroundings, layer: int) -> Linked:
    """Return a SQL model linked against its inputs."""
    ephemeral = {name: around.ephemeral[name] for name in names.references if name in around.ephemeral}
    linker, rows = _rows(file, query, names, around=around)
    inner = {name: item.reads for name, item in ephemeral.items() if item.reads is not None}
    reads = reads_of(rows, inner)
    own = {use.name for use in query.parameters}
    inherited = {name for item in ephemeral.values() for name in item.model.reads_parameters}
    variables = tuple(around.variables[name] for name in sorted(own) if name in around.variables)
    fingerprint = partial(
        local,
        code=query.canonical,
        kind=file.kind,
        relations={},
        join_columns=tuple(tuple(ColumnName(name) for name in join) for join in linker.shared_names()),
        variables=variables,
        modules={},
        inlined={TableName(name): item.model.fingerprint for name, item in ephemeral.items()},
    )
    own_fingerprint, bare = fingerprint(file.settings), without_layout(file.settings)
    gridless = without_grid(file.settings)
    inlined = {name: item.model for name, item in ephemeral.items()}
    model = CompiledModel(
        name=file.name,
        kind=file.kind,
        path=file.path,
        text=file.text,
        settings=file.settings,
        target=target_of(file),
        layer=layer,
        depends_on=tuple(sorted({TableName(name) for name in names.references} | set(names.declared))),
        inputs=tuple(_inputs(file, names, reads, rows=rows, around=around)),
        columns=None if rows.is_open or query.root < 0 else (*_schema(rows), *traits_of(file.settings.strategy).added),
        lineage=tuple(_lineage(rows)),
        fingerprint=own_fingerprint,
        rows_fingerprint=own_fingerprint if bare is file.settings else fingerprint(bare),
        layout=layout_of(file.settings),
        gridless_fingerprint=None if gridless is None else fingerprint(gridless),
        former_fingerprints=_former(file, query, names, around=around, inlined=inlined, fingerprint=fingerprint),
        looked_up=dict(names.looked_up),
        is_deterministic=not query.volatile and all(item.model.is_deterministic for item in ephemeral.values()),
        reads_parameters=tuple(sorted(own | inherited)),
    )
    found = [*_problems(file, linker), *_unknown_parameters(file, query, around), *_duplicates(file, query, rows)]
    found.extend(_placed(item, file) for item in query.diagnostics)
    linker.release()
    return Linked(model=model, diagnostics=tuple(found), reads=reads if model.is_ephemeral else None)


def link_other(file: ModelFile, names: ModelNames, *, around: Surroundings, layer: int) -> Linked:
    """Return a Python model or a seed; what it reads is declared, how it reads is not known."""
    declared: Schema | None = file.settings.columns or None
    added = traits_of(file.settings.strategy).added
    columns = None if declared is None else (*declared, *(item for item in added if not _has(declared, item)))
    is_python = file.kind == "python"
    modules = imported_modules(file.path, file.text, read=around.modules.get) if is_python else {}
    fingerprint = partial(
        local,
        code=source_hash(file.text) if is_python else file.text,
        kind=file.kind,
        relations={},
        join_columns=(),
        variables=tuple(around.variables[name] for name in sorted(around.variables)) if is_python else (),
        modules=modules,
        inlined={},
    )
    own_fingerprint, bare = fingerprint(file.settings), without_layout(file.settings)
    model = CompiledModel(
        name=file.name,
        kind=file.kind,
        path=file.path,
        text=file.text,
        settings=file.settings,
        target=target_of(file),
        layer=layer,
        depends_on=tuple(sorted(set(names.declared))),
        inputs=tuple(_declared_inputs(file, names, set(names.declared), around=around)),
        columns=columns,
        lineage=(),
        fingerprint=own_fingerprint,
        rows_fingerprint=own_fingerprint if bare is file.settings else fingerprint(bare),
        layout=layout_of(file.settings),
        looked_up=dict(names.looked_up),
    )
    return Linked(model=model, diagnostics=())


def _former(
    file: ModelFile,
    query: QueryObject,
    names: ModelNames,
    *,
    around: Surroundings,
    inlined: Mapping[str, CompiledModel],
    fingerprint: Callable[..., Fingerprint],
) -> dict[str, Fingerprint]:
    """Return the fingerprints that a query had before models it reads were renamed, some of them or all."""
    inner = {name for item in inlined.values() for name in renamed_in(item.former_fingerprints)}
    own = {TableName(name) for name in names.references if TableName(name) in around.former}
    found: dict[str, Fingerprint] = {}
    for chosen in choices_of(own | inner):
        former = {name: around.former[name] for name in chosen if name in around.former}
        references = zip((reference.parts for reference in query.references), names.references, strict=True)
        code = former_code(file.text, references, former)
        if code is None:
            return {}
        before = {former.get(TableName(name), TableName(name)): _inner(item, chosen) for name, item in inlined.items()}
        settings = former_settings(file.settings, names.settings, former)
        found[" ".join(chosen)] = fingerprint(settings, code=code, inlined=before)
    return found


def _inner(model: CompiledModel, chosen: tuple[TableName, ...]) -> Fingerprint:
    """Return the fingerprint of an ephemeral model when some of the models it reads had their former names."""
    known = model.former_fingerprints
    return known.get(" ".join(name for name in chosen if name in renamed_in(known)), model.fingerprint)


def target_of(file: ModelFile) -> TableName:
    """Return the table a model writes."""
    schema, _, name = file.name.partition(".")
    return TableName(f"{file.settings.schema or schema}.{file.settings.alias or name}")


def _rows(file: ModelFile, query: QueryObject, names: ModelNames, *, around: Surroundings) -> tuple[Linker, Rows]:
    types = _parameter_types(around) if query.parameters else {}
    slices = traits_of(file.settings.strategy).slices
    linker = Linker(query, names.references, schema=around.schemas.get, parameters=types)
    if query.root < 0:
        return linker, Rows([], tables=frozenset(), is_open=True)
    rows = linker.result()
    if slices is not None and any(use.name in RANGE_BOUNDS for use in query.parameters):
        column = rows.find(slices.time_column)
        bound = column.typed.type if column is not None else UNKNOWN
        if bound != UNKNOWN and any(item.typed.type == UNKNOWN for item in rows.columns):
            # The bounds have the type of the time column, which is known only after the first pass.
            kind = bound if bound == "date" else RUN_PARAMETERS["start_ts"]
            types |= {name: Typed(kind, nullable=False) for name in RANGE_BOUNDS}
            linker.release()
            linker = Linker(query, names.references, schema=around.schemas.get, parameters=types)
            rows = linker.result()
    return linker, rows


def _parameter_types(around: Surroundings) -> dict[str, Typed]:
    types = {name: Typed(kind, nullable=kind == UNKNOWN) for name, kind in RUN_PARAMETERS.items()}
    return types | {name: Typed(item.type, nullable=False) for name, item in around.variables.items()}


def _has(columns: Schema, wanted: Column) -> bool:
    return any(same_name(column.name, wanted.name) for column in columns)


def _schema(rows: Rows) -> Schema:
    return tuple(
        Column(name=ColumnName(item.name), type=item.typed.type, nullable=item.typed.nullable) for item in rows.columns
    )


def _lineage(rows: Rows) -> Iterator[LineageEdge]:
    for column in rows.columns:
        edges = column.edges.items()
        for (table, name), kind in sorted(edges) if len(edges) > 1 else edges:
            if name != ALL:
                yield LineageEdge(
                    column=ColumnName(column.name),
                    input=TableName(table),
                    input_column=ColumnName(name),
                    kind=_KINDS[kind],
                )


def _inputs(
    file: ModelFile, names: ModelNames, reads: Reads, *, rows: Rows, around: Surroundings
) -> Iterator[InputUse]:
    sets, deciding = read_sets(reads, is_open=rows.is_open), row_sets(reads, is_open=rows.is_open)
    found = {**dict.fromkeys(names.declared), **sets}
    driver = find_driver(traits_of(file.settings.strategy).driver, list(found), names=names.settings)
    for table, columns in sorted(found.items()):
        yield _input(
            file,
            names,
            table,
            read_set=columns,
            row_set=deciding.get(table),
            is_model=table.lower() in around.models,
            is_driver=table == driver,
        )


def _declared_inputs(
    file: ModelFile, names: ModelNames, declared: set[TableName], *, around: Surroundings
) -> Iterator[InputUse]:
    for table in sorted(declared):
        is_model = table.lower() in around.models
        yield _input(file, names, table, read_set=None, row_set=None, is_model=is_model, is_driver=False)


def _input(
    file: ModelFile,
    names: ModelNames,
    table: TableName,
    *,
    read_set: tuple[ColumnName, ...] | None,
    row_set: tuple[ColumnName, ...] | None,
    is_model: bool,
    is_driver: bool,
) -> InputUse:
    slices = traits_of(file.settings.strategy).slices
    own_time = slices.time_column if slices is not None else None
    written = next((key for key in file.settings.inputs if names.settings.get(key.lower()) == table), None)
    settings = file.settings.inputs[written] if written is not None else None
    before, after = settings.window_seconds if settings is not None else (0, 0)
    return InputUse(
        name=table,
        is_model=is_model,
        read_set=read_set,
        row_set=row_set,
        filter_column=own_time if table == TableName(file.name) else None,
        reach_seconds=before,
        after_seconds=after,
        window_seconds=before,
        window_after_seconds=after,
        on_touch=settings.on_touch if settings else "rebuild",
        is_driver=is_driver,
    )


def _placed(item: Diagnostic, file: ModelFile) -> Diagnostic:
    place = item.place.replace(file=file.path) if item.place is not None else None
    return item.at(place).replace(model=file.name)


def _problems(file: ModelFile, linker: Linker) -> Iterator[Diagnostic]:
    found = (*linker.lookup.problems, *linker.lookup.ambiguities(), *unknown_fields(linker.query.fields, linker.lookup))
    for problem in found:
        yield _placed(problem.finding(place=place_at(file.text, problem.start)), file)


def _unknown_parameters(file: ModelFile, query: QueryObject, around: Surroundings) -> Iterator[Diagnostic]:
    known = {*RUN_PARAMETERS, *around.variables}
    for use in query.parameters:
        if use.name not in known:
            place = place_at(file.text, use.start)
            close = nearest(use.name, sorted(known))
            yield _placed(unknown_parameter.finding(use.name, place=place, model=file.name, nearest=close), file)


def _duplicates(file: ModelFile, query: QueryObject, rows: Rows) -> Iterator[Diagnostic]:
    if not traits_of(file.settings.strategy).has_table:
        return  # no table holds them
    if len({column.name.lower() for column in rows.columns}) == len(rows.columns):
        return
    root = query.scopes[query.root] if query.root >= 0 else None
    written = [item for item in root.outputs if isinstance(item, Output)] if isinstance(root, SelectScope) else []
    starts = {item.name.lower(): item.start for item in written}  # the last one of each name
    seen: set[str] = set()
    for column in rows.columns:
        folded = column.name.lower()
        if folded and folded in seen:  # a name that is not known is Spark's, and differs
            place = place_at(file.text, starts.get(folded, 0))
            yield _placed(duplicate_column.finding(column.name, place=place, model=file.name), file)
        seen.add(folded)

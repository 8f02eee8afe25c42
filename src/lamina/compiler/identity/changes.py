"""The diff of two compiled projects: what became of each model and column. It predicts; the data decide.

Both graphs must come from the same compiler: fingerprints of different versions cannot be compared.
"""

from collections import Counter
from typing import Any

from sqlglot import exp

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.identity.blast_radius import Columns, Readers, blast_radius, with_rows
from lamina.compiler.identity.fingerprint import rows_and_layout
from lamina.compiler.identity.query_parts import QueryParts, query_parts
from lamina.compiler.query.parse import Parsed, parse
from lamina.values.change import ChangeClass, ColumnChange, ModelChange
from lamina.values.names import ColumnName, Fingerprint, ModelName
from lamina.values.schema import UNKNOWN


def compare(old: Graph, new: Graph) -> tuple[ModelChange, ...]:
    """Return what became of every model of either graph, sorted by name."""
    before = {model.name: model for model in old.models}
    after = {model.name: model for model in new.models}
    renamed = _renames(before, after)
    readers = Readers(old, new)
    changes = []
    for name in sorted((before.keys() | after.keys()) - set(renamed.values())):
        was, now = before.get(renamed.get(name, name)), after.get(name)
        if was is None:
            changes.append(ModelChange(model=name, change="added", columns=_all_columns(now, "added")))
        elif now is None:
            radius = blast_radius(name, None, readers=readers)
            columns = _all_columns(was, "removed")
            changes.append(ModelChange(model=name, change="removed", columns=columns, blast_radius=radius))
        else:
            change, columns = _compare_model(was, now, before=before, after=after)
            radius = _radius(now, change, columns, readers)
            if name in renamed:
                # A table that moves with the name is the same to its readers; another one is read by none of them yet.
                is_moved = now.settings.renamed_from == renamed[name]
                radius = radius if is_moved else blast_radius(renamed[name], None, readers=readers)
                change = "renamed"
            changes.append(
                ModelChange(
                    model=name, change=change, columns=columns, blast_radius=radius, renamed_from=renamed.get(name)
                )
            )
    return tuple(changes)


Models = dict[ModelName, CompiledModel]


def _renames(before: Models, after: Models) -> dict[ModelName, ModelName]:
    """Pair each new model with the removed one of the same code, where each is the only one."""
    declared = {
        name: model.settings.renamed_from
        for name, model in after.items()
        if model.settings.renamed_from in before.keys() - after.keys() and name not in before
    }
    gone = _by_fingerprint([before[name] for name in before.keys() - after.keys() - set(declared.values())])
    come = _by_fingerprint([after[name] for name in after.keys() - before.keys() - declared.keys()])
    return declared | {
        come[fingerprint][0]: names[0]
        for fingerprint, names in gone.items()
        if len(names) == 1 and len(come.get(fingerprint, ())) == 1
    }


def _by_fingerprint(models: list[CompiledModel]) -> dict[Fingerprint, list[ModelName]]:
    found: dict[Fingerprint, list[ModelName]] = {}
    for model in models:
        found.setdefault(model.fingerprint, []).append(model.name)
    return found


def _compare_model(
    was: CompiledModel, now: CompiledModel, *, before: Models, after: Models
) -> tuple[ChangeClass, tuple[ColumnChange, ...]]:
    retyped = _retyped(was, now)
    if (
        was.fingerprint in (now.fingerprint, *now.former_fingerprints.values())
        or _is_relaid(was, now)
        or _is_regridded(was, now)
    ):
        if retyped:  # the code is the same, an input is not
            return _class_of(retyped), retyped
        is_same = was.settings == now.settings and was.text == now.text and was.target == now.target
        return ("unchanged" if is_same else "metadata"), ()
    old_parts, new_parts = _parts(was, before), _parts(now, after)
    if old_parts is None or new_parts is None or rows_and_layout(was.settings) != rows_and_layout(now.settings):
        return "rows_changed", retyped
    columns = _merge(_rewritten(was, now, old=old_parts, new=new_parts), retyped)
    if old_parts.rows != new_parts.rows or not columns:
        return "rows_changed", columns
    return _class_of(columns), columns


def _is_relaid(was: CompiledModel, now: CompiledModel) -> bool:
    """Return whether a table is only to be laid out otherwise, with the same rows."""
    return was.rows_fingerprint is not None and was.rows_fingerprint == now.rows_fingerprint


def _is_regridded(was: CompiledModel, now: CompiledModel) -> bool:
    """Return whether a table is only to be cut into other slices, which hold the same rows together."""
    if was.gridless_fingerprint is None or was.gridless_fingerprint != now.gridless_fingerprint:
        return False
    is_local = was.settings.timezone != now.settings.timezone and (was.counts_local_days or now.counts_local_days)
    return was.is_cut_freely and now.is_cut_freely and not is_local


def _class_of(columns: tuple[ColumnChange, ...]) -> ChangeClass:
    kinds = {column.change for column in columns}
    if "removed" in kinds:
        return "column_removed"
    return "column_changed" if "changed" in kinds else "column_added"


def _retyped(was: CompiledModel, now: CompiledModel) -> tuple[ColumnChange, ...]:
    if was.columns is None or now.columns is None:
        return ()
    old = {column.name: (column.type, column.nullable) for column in was.columns}
    new = {column.name: (column.type, column.nullable) for column in now.columns}
    # A type that cannot be seen, of a source that cannot be read, is not another type.
    hidden = {name for name, (kind, _) in new.items() if kind == UNKNOWN}
    return tuple(_with_types(item, old, new) for item in _differences(old, new) if item.name not in hidden)


def _with_types(item: ColumnChange, old: dict[ColumnName, Any], new: dict[ColumnName, Any]) -> ColumnChange:
    """Return the change of a column with both of its types, where it has another one now."""
    before, after = old.get(item.name, ("", True))[0], new.get(item.name, ("", True))[0]
    return item.replace(before=before, after=after) if before and after and before != after else item


def _rewritten(was: CompiledModel, now: CompiledModel, *, old: QueryParts, new: QueryParts) -> tuple[ColumnChange, ...]:
    """Compare columns by what they are computed from, those under a star by the star, and by their order."""
    before, after = _programs(was, old), _programs(now, new)
    kept = [name for name in before if name in after]
    moved = {
        name for name, other in zip(kept, [name for name in after if name in before], strict=True) if name != other
    }
    copied = _copied(was) & _copied(now) if None in (old.star, new.star) else set()  # a star became names, or back
    rewritten = tuple(item for item in _differences(before, after) if (item.name, item.name) not in copied)
    return _merge(rewritten, tuple(ColumnChange(name=name, change="changed") for name in moved))


def _copied(model: CompiledModel) -> set[tuple[ColumnName, ColumnName]]:
    """Return the columns that a query over one table takes from it as they are, under the same names."""
    tree = _tree(model)
    if tree is None or len(list(tree.find_all(exp.Table))) != 1:
        return set()
    sources = Counter(edge.column for edge in model.lineage)
    return {
        (edge.column, edge.input_column)
        for edge in model.lineage
        if edge.kind == "direct" and sources[edge.column] == 1 and edge.column == edge.input_column
    }


def _programs(model: CompiledModel, parts: QueryParts) -> dict[ColumnName, Any]:
    names = [column.name for column in model.columns] if model.columns is not None else list(parts.columns)
    folded = {name.lower(): program for name, program in parts.columns.items()}
    return {name: folded.get(name.lower(), parts.star) for name in names}


def _differences(old: dict[ColumnName, Any], new: dict[ColumnName, Any]) -> tuple[ColumnChange, ...]:
    gone = [ColumnChange(name=name, change="removed") for name in old.keys() - new.keys()]
    come = [ColumnChange(name=name, change="added") for name in new.keys() - old.keys()]
    other = [ColumnChange(name=name, change="changed") for name in old.keys() & new.keys() if old[name] != new[name]]
    return tuple(sorted(gone + come + other, key=lambda item: item.name))


def _merge(one: tuple[ColumnChange, ...], other: tuple[ColumnChange, ...]) -> tuple[ColumnChange, ...]:
    found = {item.name: item for item in (*one, *other)}
    return tuple(found[name] for name in sorted(found))


def _parts(model: CompiledModel, models: Models) -> QueryParts | None:
    """Take a model's query apart with its ephemeral inputs in place; None if it is not a query."""
    tree = _tree(model)
    if tree is None:
        return None
    inlined: dict[str, Any] = {}
    queue = [model]
    while queue:
        reader = queue.pop()
        for name in reader.depends_on:
            source = models.get(ModelName(name))
            if source is None or not source.is_ephemeral or name in inlined:
                continue
            inner = _tree(source)
            if inner is not None:
                inlined[name] = inlined[name.rpartition(".")[2]] = inner
                queue.append(source)
    return query_parts(tree, inlined)


def _tree(model: CompiledModel) -> Any:
    parsed = parse(model.text) if model.kind == "sql" else None
    return parsed.tree if isinstance(parsed, Parsed) else None


def _radius(
    model: CompiledModel, change: ChangeClass, columns: tuple[ColumnChange, ...], readers: Readers
) -> tuple[Any, ...]:
    if change in ("unchanged", "metadata"):
        return ()
    changed: Columns = None
    if change != "rows_changed":
        changed = with_rows(model, frozenset(column.name for column in columns))
    return blast_radius(model.name, changed, readers=readers)


def _all_columns(model: CompiledModel | None, change: Any) -> tuple[ColumnChange, ...]:
    columns = model.columns if model is not None else None
    return tuple(
        ColumnChange(name=column.name, change=change) for column in sorted(columns or (), key=lambda c: c.name)
    )

"""Models that were given another name by `renamed_from`: what is recorded under the old one is known by the new one.

Records, logs, cursors, pins and marks name models. A rename replaces the old name in all of them and changes nothing
else, so that neither the table nor its readers owe anything by it.
"""

from collections.abc import Iterable, Mapping

from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError
from lamina.planner.recompiled import under_new_fingerprint
from lamina.planner.segments import fuse
from lamina.values.coverage import Coverage, Cursor, Logic, Mark, Segment
from lamina.values.facts import Failure, Version
from lamina.values.names import ModelName, TableName
from lamina.values.touch import Touch

ModelNames = Mapping[ModelName, ModelName]  # the names that models had: what they are called now


class RenameRefused(LaminaError):
    """A model says that it was renamed from another one, and both have tables.

    Why: a table moves to a name that has none, so that no rows are lost.
    Fix: remove `renamed_from`; or drop the table of the new name, and the next run moves the other one there.
    """

    code = "L646"

    def __init__(self, before: ModelName, now: ModelName) -> None:
        super().__init__(
            f"`{now}` says that it was renamed from `{before}`, and both have tables",
            hint=f"remove `renamed_from`, or go on with the table of `{before}`: `lamina drop {now}`",
        )


def names_of(graph: Graph) -> dict[ModelName, ModelName]:
    """Return the names that models of a project had before, with what they are called now."""
    present = {model.name for model in graph.models}
    renamed = ((model.settings.renamed_from, model.name) for model in graph.models if not model.is_ephemeral)
    return {before: now for before, now in renamed if before is not None and before not in present}


def pending_names(names: ModelNames, built: Iterable[ModelName]) -> dict[ModelName, ModelName]:
    """Return the renames that state has not done yet; `built` are the models that it has tables of."""
    known = frozenset(built)
    for before, now in names.items():
        if before in known and now in known:
            raise RenameRefused(before, now)
    return {before: now for before, now in names.items() if before in known}


def coverage_now(coverage: Coverage, names: ModelNames) -> Coverage:
    """Return coverage in which inputs have the names of now."""
    if not names or not _mentions(coverage, names):
        return coverage
    return coverage.replace(
        segments=fuse(tuple(_segment(segment, names) for segment in coverage.segments)),
        cursors=_cursors(coverage.cursors, names),
        logics=tuple(_logic(logic, names) for logic in coverage.logics),
        not_followed=tuple(sorted({_table(name, names) for name in coverage.not_followed})),
        loaded=_cursors(coverage.loaded, names),
    )


def without_inputs(coverage: Coverage, gone: frozenset[TableName]) -> Coverage:
    """Return coverage as if some inputs had never been read: earlier tables of names that others have now."""
    return coverage.replace(
        segments=fuse(
            tuple(
                segment.replace(debts=tuple(debt for debt in segment.debts if debt.input not in gone))
                for segment in coverage.segments
            )
        ),
        cursors=tuple(item for item in coverage.cursors if item.input not in gone),
        loaded=tuple(item for item in coverage.loaded if item.input not in gone),
    )


def mark_now(mark: Mark, names: ModelNames) -> Mark:
    """Return a mark as the model of now would have written it."""
    pins = {_table(name, names): position for name, position in mark.pins.items()}
    model = names.get(ModelName(mark.model), ModelName(mark.model))
    return mark.replace(model=model, pins=pins, coverage=coverage_now(mark.coverage, names))


def touch_now(touch: Touch, names: ModelNames) -> Touch:
    """Return a touch of the table under its name of now."""
    return touch.replace(table=_table(touch.table, names))


def version_now(version: Version, names: ModelNames) -> Version:
    """Return a version of a table as the model of now would have written it."""
    mark = None if version.mark is None else mark_now(version.mark, names)
    return version.replace(mark=mark, touch=touch_now(version.touch, names))


def failure_now(failure: Failure, names: ModelNames) -> Failure:
    """Return a failure under the names of now."""
    pins = {_table(name, names): position for name, position in failure.pins.items()}
    return failure.replace(model=names.get(failure.model, failure.model), pins=pins)


def under_former_names(coverage: Coverage, model: CompiledModel) -> Coverage:
    """Return coverage in which what a query built under former names of its inputs counts as built by it."""
    if not model.former_fingerprints:
        return coverage
    return under_new_fingerprint(
        coverage,
        model.fingerprint,
        rows=model.rows_fingerprint,
        gridless=model.gridless_fingerprint if model.is_cut_freely else None,
        before=frozenset(model.former_fingerprints.values()),
    )


def _mentions(coverage: Coverage, names: ModelNames) -> bool:
    cursors = {item.input for item in (*coverage.cursors, *coverage.loaded)}
    debts = {debt.input for segment in coverage.segments for debt in segment.debts}
    read = {name for logic in coverage.logics for name in (*logic.reads, *logic.ranges)}
    return any(TableName(name) in cursors | debts | read | set(coverage.not_followed) for name in names)


def _table(name: TableName, names: ModelNames) -> TableName:
    return TableName(names.get(ModelName(name), ModelName(name)))


def _segment(segment: Segment, names: ModelNames) -> Segment:
    debts = (debt.replace(input=_table(debt.input, names)) for debt in segment.debts)
    return segment.replace(debts=tuple(sorted(debts, key=lambda debt: (debt.input, debt.is_foreign))))


def _cursors(cursors: tuple[Cursor, ...], names: ModelNames) -> tuple[Cursor, ...]:
    renamed = (item.replace(input=_table(item.input, names)) for item in cursors)
    return tuple(sorted(renamed, key=lambda item: item.input))


def _logic(logic: Logic, names: ModelNames) -> Logic:
    return logic.replace(
        reads={_table(name, names): columns for name, columns in logic.reads.items()},
        ranges={_table(name, names): span for name, span in logic.ranges.items()},
    )

"""Fold the touches of a model's inputs into debts; nothing here ever removes one."""

from collections.abc import Mapping

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import grid_of, inverse_image
from lamina.planner.overlay import overlay
from lamina.planner.owed_rows import added_up, owed_rows
from lamina.planner.segments import fuse, owe, split
from lamina.planner.time_position import is_by_time, pass_below
from lamina.planner.words import changed_columns, changes_for_reader, spared_in_words
from lamina.strategies.kept import saves_rows_of
from lamina.values.coverage import Coverage, Cursor, Debt, InputRange, Logic, Segment
from lamina.values.facts import Head
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval, intersect, merge
from lamina.values.names import ColumnName, Fingerprint, Position, TableName, folded_names, same_name
from lamina.values.result import Propagation
from lamina.values.touch import Everything, Nothing, Ranges, Refinement, Touch


def fold(
    coverage: Coverage,
    model: CompiledModel,
    *,
    touches: Mapping[TableName, tuple[Touch, ...]],
    heads: Mapping[TableName, Head],
) -> tuple[Coverage, tuple[Propagation, ...]]:
    """Return the coverage with every touch after the cursors turned into debts, and what was decided for each input.

    `touches` are the inputs' logs, oldest first, new entries last; a head that its log does not lead to touches all.
    """
    decisions: list[Propagation] = []
    for use in model.inputs:
        log, head = touches.get(use.name, ()), heads.get(use.name)
        current = _current(use.name, log, head)
        if current is None:
            continue
        new = unfolded(coverage.cursor(use.name), log, current=current)
        coverage = _move_cursor(fold_touches(coverage, model, use=use, touches=new), current)
        if coverage.segments and any(not isinstance(touch.extent, Nothing) for touch in new):
            decisions.append(_decision(coverage, model, use=use, touches=new, head=head))
    return coverage, tuple(decisions)


def loads_appends(model: CompiledModel, use: InputUse) -> bool:
    """Say whether an input drives a table by its new rows, which are loaded whatever else changes in it."""
    return model.traits.driver is not None and use.is_driver


def keeps_old_rows(model: CompiledModel, use: InputUse) -> bool:
    """Say whether touches of an input do not revisit what is built: declared so, or a side input of an append."""
    if is_by_time(model, use):
        return False  # any touch may bring rows after the watermark
    if use.on_touch == "keep":
        return True
    return model.traits.is_append and model.driver is not None and not use.is_driver


def unfolded(cursor: Cursor | None, log: tuple[Touch, ...], *, current: Cursor) -> tuple[Touch, ...]:
    """Return the touches after a cursor, each linked to the one before; a missing link touches everything."""
    name, position, linked = current.input, cursor.position if cursor is not None else None, []
    for touch in touches_after(log, cursor) if cursor is not None else ():
        linked.append(touch if touch.parent == position else _leap(touch, position))
        position = touch.position
    if position != current.position:
        unknown = Touch(table=name, position=current.position, parent=position, extent=Everything(), has_new_rows=True)
        linked.append(unknown)
    return tuple(linked)


def touches_after(log: tuple[Touch, ...], cursor: Cursor) -> tuple[Touch, ...]:
    """Return the touches of a log after a cursor."""
    # Positions of files are hashes of their content, so an old one can come again: then nothing changed since it.
    for index in range(len(log), 0, -1):
        if log[index - 1].position == cursor.position:
            return log[index:]
    starts = [index for index, touch in enumerate(log) if touch.parent == cursor.position]
    return log[starts[-1] :] if starts else log[-1:]


def _leap(touch: Touch, position: Position | None) -> Touch:
    """Return a touch whose predecessor is not what was folded: anything may have changed on the way."""
    return Touch(
        table=touch.table,
        position=touch.position,
        parent=position,
        extent=Everything(),
        has_new_rows=True,
        sequence=touch.sequence,
    )


def _current(name: TableName, log: tuple[Touch, ...], head: Head | None) -> Cursor | None:
    """Return where an input's log ends, or its head where the log does not know it; None for a table that is gone."""
    if head is not None and head.position is None:
        return None
    observed = head.position if head is not None else None
    if observed is not None and observed not in {item for touch in log for item in (touch.position, touch.parent)}:
        return Cursor(input=name, position=observed)
    return Cursor(input=name, position=log[-1].position, sequence=log[-1].sequence) if log else None


def _move_cursor(coverage: Coverage, current: Cursor) -> Coverage:
    cursor = coverage.cursor(current.input)
    if cursor is not None and cursor.position == current.position:
        return coverage
    others = tuple(item for item in coverage.cursors if item.input != current.input)
    return coverage.replace(cursors=tuple(sorted((*others, current), key=lambda item: item.input)))


def fold_touches(coverage: Coverage, model: CompiledModel, *, use: InputUse, touches: tuple[Touch, ...]) -> Coverage:
    """Return the coverage with touches of one input turned into debts; its cursor stays."""
    seen = tuple(touch for touch in touches if not isinstance(touch.extent, Nothing))
    if is_by_time(model, use):
        coverage = pass_below(coverage, model, tuple(touch for touch in seen if not _spares(touch, use)))
    elif use.on_touch == "keep" and coverage.segments:
        coverage = let_pass(coverage, model, use=use, touches=seen)
    if keeps_old_rows(model, use):
        seen = _new_rows(seen) if loads_appends(model, use) else ()
    if not seen:
        return coverage
    folded: list[Segment] = []
    for logic in sorted({segment.logic for segment in coverage.segments}):
        segments = tuple(segment for segment in coverage.segments if segment.logic == logic)
        reaches = [_reached(coverage, model, use=use, touch=touch, logic=logic) for touch in seen]
        grid, read = _mapping(coverage, model, use=use, logic=logic)
        rows = [
            owed_rows(touch, reach, grid=grid, read=read, is_own=model.is_own(use))
            for touch, reach in zip(seen, reaches, strict=True)
        ]
        stretches = overlay(reaches)
        for part, place in split(segments, tuple(stretch.interval for stretch in stretches)):
            older = no_longer_append(part, use.name, touches=seen)
            if place is not None:
                places = stretches[place].places
                counts = added_up((rows[touch] for touch in places), part.interval)
                older = owe(older, _debt(use.name, seen, places).replace(counts=counts))
            folded.append(older)
    return coverage.replace(segments=fuse(tuple(folded)))


def _spares(touch: Touch, use: InputUse) -> bool:
    return any(proof.is_equal and holds_for(proof, use.read_set) for proof in touch.refinements)


def let_pass(coverage: Coverage, model: CompiledModel, *, use: InputUse, touches: tuple[Touch, ...]) -> Coverage:
    """Note that changes of an input are not followed, and what the table goes on holding of it."""
    changes = tuple(touch for touch in touches if not touch.is_append)
    if not (changes if loads_appends(model, use) else touches):
        return coverage
    coverage = coverage.replace(not_followed=tuple(sorted({*coverage.not_followed, use.name})))
    if saves_rows_of(model.traits, use):
        coverage = coverage.replace(held=merge((*coverage.held, *_reached_parts(coverage, model, use, changes))))
    position = consumed_before(coverage, use.name)
    if position is None or not loads_appends(model, use):
        return coverage
    known = Cursor(input=use.name, position=position)
    return coverage if known in coverage.loaded else coverage.replace(loaded=(*coverage.loaded, known))


def _reached_parts(
    coverage: Coverage, model: CompiledModel, use: InputUse, touches: tuple[Touch, ...]
) -> tuple[Interval, ...]:
    """Return the built ranges that touches reach."""
    return tuple(
        part
        for segment in coverage.segments
        for touch in touches
        for part in intersect((segment.interval,), _reached(coverage, model, use=use, touch=touch, logic=segment.logic))
    )


def consumed_before(coverage: Coverage, name: TableName) -> Position | None:
    """Return the version of a driver up to which its rows are in the table: what is owed is not."""
    owed = (debt for segment in coverage.segments for debt in segment.debts if debt.input == name)
    debt, cursor = next(owed, None), coverage.cursor(name)
    if debt is not None:
        return debt.since
    return cursor.position if cursor is not None else None


def _new_rows(touches: tuple[Touch, ...]) -> tuple[Touch, ...]:
    """Return the touches that brought new rows, as if that were all they did."""
    return tuple(touch.replace(is_append=True) for touch in touches if touch.is_append or touch.has_new_rows)


def _debt(name: TableName, touches: tuple[Touch, ...], places: tuple[int, ...]) -> Debt:
    """Return what a stretch owes; appended rows can be distinguished only while nothing else happens after them."""
    first, last = touches[places[0]], touches[places[-1]]
    is_append = all(touch.is_append for touch in touches[places[0] :])
    return Debt(input=name, since=first.parent, position=last.position, sequence=last.sequence, is_append=is_append)


def no_longer_append(segment: Segment, name: TableName, *, touches: tuple[Touch, ...]) -> Segment:
    """Read an older append debt as any other where rows were rewritten since, even if the reader is spared that."""
    if not any(debt.input == name and debt.is_append for debt in segment.debts):
        return segment
    if all(touch.is_append for touch in touches):
        return segment
    debts = (debt.replace(is_append=False) if debt.input == name else debt for debt in segment.debts)
    return segment.replace(debts=tuple(debts))


def _reached(
    coverage: Coverage, model: CompiledModel, *, use: InputUse, touch: Touch, logic: Fingerprint
) -> tuple[Interval, ...]:
    """Return the ranges of segments built by one code that a touch stales."""
    is_current = logic == model.fingerprint
    known = _logic(coverage, logic)
    if known is not None and not is_current and use.name not in known.reads:
        return ()
    reads = known.reads.get(use.name) if known is not None else None
    proofs = tuple(item for item in touch.refinements if holds_for(item, reads))
    if any(proof.is_equal for proof in proofs):
        return ()
    grid, read = _mapping(coverage, model, use=use, logic=logic)
    if grid is None or read is None:
        return (WHOLE,)
    bounds = _bounds(touch, proofs, read.column)
    if not bounds:
        return (WHOLE,)
    ranges = bounds[0]
    for bound in bounds[1:]:
        ranges = intersect(ranges, bound)
    return inverse_image(grid, read, ranges, is_own=model.is_own(use)) if ranges else ()


def _mapping(
    coverage: Coverage, model: CompiledModel, *, use: InputUse, logic: Fingerprint
) -> tuple[Grid | None, InputRange | None]:
    # Slices of other code read what that code says, as long as they are there: it may be the current one again.
    if logic == model.fingerprint:
        return grid_of(model), use.range
    return mapping_of(_logic(coverage, logic), use.name)


def _logic(coverage: Coverage, logic: Fingerprint) -> Logic | None:
    return next((item for item in coverage.logics if item.fingerprint == logic), None)


def mapping_of(logic: Logic | None, name: TableName) -> tuple[Grid | None, InputRange | None]:
    """Return how slices that other code built map to an input; None where that is not known."""
    return (logic.grid, logic.ranges.get(name)) if logic is not None else (None, None)


def _bounds(touch: Touch, proofs: tuple[Refinement, ...], column: ColumnName) -> tuple[tuple[Interval, ...], ...]:
    """Return what is known of the changed ranges of a column; each of them holds."""
    known = touch.extent.columns if isinstance(touch.extent, Ranges) else ()
    by_extent = tuple(item.ranges for item in known if _is_same(item.column, column))
    by_proof = tuple(proof.ranges for proof in proofs if _is_same(proof.filter_column, column))
    return (*by_extent, *by_proof)


def holds_for(proof: Refinement, reads: tuple[ColumnName, ...] | None) -> bool:
    """Say whether a proof of equal columns covers all that a reader reads."""
    if proof.columns is None:
        return True
    return reads is not None and folded_names(reads) <= folded_names(proof.columns)


def _is_same(left: ColumnName | None, right: ColumnName) -> bool:
    return left is not None and same_name(left, right)


def _decision(
    coverage: Coverage, model: CompiledModel, *, use: InputUse, touches: tuple[Touch, ...], head: Head | None
) -> Propagation:
    positions = {touch.position for touch in touches}
    debts = (debt for segment in coverage.segments for debt in segment.debts if debt.input == use.name)
    if any(debt.position in positions for debt in debts):
        reason = changes_for_reader(use, touches, zone=model.settings.timezone)
        return Propagation(input=use.name, model=model.name, decision="recompute", reason=reason)
    if keeps_old_rows(model, use):
        reason = f"it keeps the rows it has when `{use.name}` changes"
        return Propagation(input=use.name, model=model.name, decision="skip", reason=reason)
    # Of a source only what its readers read was compared, so the others may be as they were.
    columns = changed_columns(touches, head) if use.is_model else ()
    reason = spared_in_words(use, columns=columns)
    return Propagation(input=use.name, model=model.name, decision="skip", reason=reason, columns=columns)

"""Derive a model's record from its table: state is a cache of the fold over the main ancestry.

Crash, lost acknowledgement, restored backup, rollback and lost state all take this one path.
"""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel
from lamina.planner.segments import fuse, owe, owe_apart
from lamina.values.coverage import Coverage, Debt, Mark
from lamina.values.facts import Head, TargetFacts, Version
from lamina.values.names import Position, TableName
from lamina.values.touch import Everything, Nothing, Touch
from lamina.values.value import Value


class Identity(Value, frozen=True):
    """Whose marks count as ours."""

    projects: tuple[str, ...]  # our name, and those that we had before
    environment: str
    stores: tuple[str, ...]  # our own store's identity, and one taken over


class Recorded(Value, frozen=True):
    """What state holds of a table."""

    pointer: str | None
    position: Position | None
    coverage: Coverage


class Found(Value, frozen=True):
    """What the table's history says: the versions after the recorded one, or all known where it is not an ancestor."""

    versions: tuple[Version, ...]
    is_linked: bool
    mark: Mark | None  # the newest one


class Recovery(Value, frozen=True):
    """The record as it should be, the state of the table, and what to append to its log."""

    recorded: Recorded
    target: TargetFacts
    touches: tuple[Touch, ...] = ()


def accepted_stores(marks: Iterable[Mark], *, project: str, own: str, is_empty: bool) -> tuple[str, ...]:
    """Return the store identities whose marks are ours; an empty state takes over the only one it finds."""
    found = sorted({mark.store for mark in marks if mark.project == project} - {own})
    return (own, *found) if is_empty and len(found) == 1 else (own,)


def stand(head: Head, recorded: Recorded | None) -> TargetFacts | None:
    """Return the state of a table without looking at its history; None where it has moved and must be recovered."""
    if head.pointer is None:
        return TargetFacts(status="absent")
    if head.fault is not None:
        # Without a record nothing says that the table is ours.
        return TargetFacts(status="unreadable" if recorded is None else "lost", detail=head.fault)
    if recorded is None or recorded.pointer != head.pointer:
        return None
    return standing_of(recorded.coverage)


def as_it_stands(model: CompiledModel, recorded: Recorded | None, *, target: TargetFacts) -> Recorded:
    """Return the record of a table that needs no recovery.

    A model that reads itself is built slice by slice: where its table is gone, so are the slices it would read.
    """
    if recorded is None:
        return Recorded(pointer=None, position=None, coverage=Coverage())
    if target.status != "absent" or not model.reads_itself:
        return recorded
    return Recorded(pointer=None, position=None, coverage=without_own_past(model, recorded.coverage))


def without_own_past(model: CompiledModel, coverage: Coverage) -> Coverage:
    """Return the coverage of a model that must build its own earlier slices again before it can read them."""
    own = TableName(model.name)
    cursors = tuple(item for item in coverage.cursors if item.input != own)
    return Coverage(cursors=cursors, start=coverage.start, ever_built=coverage.ever_built)


def recover(
    model: CompiledModel, head: Head, *, recorded: Recorded | None, found: Found, identity: Identity
) -> Recovery:
    """Return what a moved table's history makes of its record."""
    if recorded is None or not found.is_linked:
        return _restore(model, head, recorded=recorded, found=found, identity=identity)
    touches = _linked(tuple(version.touch for version in found.versions), recorded.position)
    # A debt begins where its touch does, so that the two are known for one write.
    versions = tuple(item.replace(parent=touch.parent) for item, touch in zip(found.versions, touches, strict=True))
    coverage = _fold_versions(model, recorded.coverage, versions, identity=identity)
    moved = Recorded(pointer=head.pointer, position=head.position, coverage=coverage)
    return Recovery(recorded=moved, target=standing_of(coverage), touches=touches)


def accept(model: CompiledModel, coverage: Coverage, *, position: Position | None) -> Coverage:
    """Forget that another writer wrote to a table; one that reads itself goes on from their version.

    What it owes itself from its own writes stays, and so does its cursor where some of those are not folded yet.
    """
    own, writes = TableName(model.name), _foreign_debts(coverage)
    starts, ends = {write.since for write in writes}, {write.position for write in writes}

    def is_forgiven(debt: Debt) -> bool:
        return debt.is_foreign or (debt.input == own and debt.since in starts and debt.position in ends)

    segments = tuple(
        segment.replace(debts=tuple(debt for debt in segment.debts if not is_forgiven(debt)))
        for segment in coverage.segments
    )
    left = tuple(sorted({*coverage.not_followed, own}))
    accepted, cursor = coverage.replace(segments=fuse(segments), not_followed=left), coverage.cursor(own)
    return _go_on_from(own, accepted, position) if cursor is not None and cursor.position in starts else accepted


def _go_on_from(own: TableName, coverage: Coverage, position: Position | None) -> Coverage:
    """Return the coverage of a table that reads itself as folded up to a version of itself."""
    if position is None:
        return coverage
    moved = (item.replace(position=position) if item.input == own else item for item in coverage.cursors)
    return coverage.replace(cursors=tuple(moved))


def is_foreign(coverage: Coverage) -> bool:
    """Say whether another writer's write is still to be dealt with; a table that reads itself owes it other things."""
    return bool(_foreign_debts(coverage))


def _foreign_debts(coverage: Coverage) -> tuple[Debt, ...]:
    return tuple(debt for segment in coverage.segments for debt in segment.debts if debt.is_foreign)


def standing_of(coverage: Coverage) -> TargetFacts:
    """Return the state of a table of ours: others have written to it as long as a slice of it owes that."""
    return TargetFacts(status="foreign_write" if is_foreign(coverage) else "ours")


def _restore(
    model: CompiledModel, head: Head, *, recorded: Recorded | None, found: Found, identity: Identity
) -> Recovery:
    """Start again from the newest mark; readers of a table that left its recorded past are touched in everything."""
    # The pointer of a table that is not ours is not kept: at the next look it would be taken for ours.
    before = recorded or Recorded(pointer=None, position=None, coverage=Coverage())
    mark = found.mark
    if mark is None:
        return Recovery(recorded=before, target=TargetFacts(status="unmarked"))
    if not _is_ours(mark, model, identity=identity):
        return Recovery(recorded=before, target=TargetFacts(status="other_project", detail=owner_of(mark)))
    later = _after_mark(found.versions, mark)
    coverage = _fold_versions(model, mark.coverage, later, identity=identity)
    restored = Recorded(pointer=head.pointer, position=head.position, coverage=coverage)
    if recorded is None:
        touches = tuple(version.touch for version in found.versions)
    elif head.position is not None:
        touches = (
            Touch(table=TableName(model.name), position=head.position, parent=recorded.position, extent=Everything()),
        )
    else:
        touches = ()
    return Recovery(recorded=restored, target=standing_of(coverage), touches=touches)


def _fold_versions(
    model: CompiledModel, coverage: Coverage, versions: tuple[Version, ...], *, identity: Identity
) -> Coverage:
    """Fold versions one after another: ours bring their coverage, other writes leave a debt of the table to itself."""
    for version in versions:
        if version.mark is not None and _is_ours(version.mark, model, identity=identity):
            coverage = version.mark.coverage
        elif not version.is_content_preserving and not isinstance(version.touch.extent, Nothing):
            coverage = owe_itself(model, coverage, version)
    return coverage


def owe_itself(model: CompiledModel, coverage: Coverage, version: Version) -> Coverage:
    """Return coverage in which a table owes itself what another writer wrote, or goes on from it if accepted."""
    # Whichever keys others wrote, no check has seen them.
    own, coverage = TableName(model.name), coverage.replace(proven=())
    if model.settings.on_foreign_write == "accept":
        coverage = coverage.replace(not_followed=tuple(sorted({*coverage.not_followed, own})))
        # What the table owes itself from before is not passed over: then it is built again, as after any change.
        cursor = coverage.cursor(own)
        is_folded = cursor is not None and cursor.position == version.parent
        return _go_on_from(own, coverage, version.position) if is_folded else coverage
    debt = Debt(input=own, since=version.parent, position=version.position, is_foreign=True)
    # Of a table that reads itself, each write is a touch that is folded too: the two are forgiven together.
    owe_once = owe_apart if model.reads_itself else owe
    return coverage.replace(segments=fuse(tuple(owe_once(segment, debt) for segment in coverage.segments)))


def _linked(touches: tuple[Touch, ...], position: Position | None) -> tuple[Touch, ...]:
    """Return touches as a chain from a position; a snapshot's own parent may be one that never was a head."""
    chain: list[Touch] = []
    for touch in touches:
        chain.append(touch.replace(parent=position))
        position = touch.position
    return tuple(chain)


def _after_mark(versions: tuple[Version, ...], mark: Mark) -> tuple[Version, ...]:
    """Return the versions after the one that carries a mark; none where that one is no longer listed."""
    for index in range(len(versions), 0, -1):
        found = versions[index - 1].mark
        if found is not None and found.commit == mark.commit:
            return versions[index:]
    return versions if versions and all(version.mark is None for version in versions) else ()


def _is_ours(mark: Mark, model: CompiledModel, *, identity: Identity) -> bool:
    return is_made_by(mark, model.name, identity=identity)


def is_made_by(mark: Mark, model: str, *, identity: Identity) -> bool:
    """Return whether a mark is one that a model of ours made."""
    return (
        mark.project in identity.projects
        and mark.environment == identity.environment
        and mark.model == model
        and mark.store in identity.stores
    )


def is_marked_by(mark: Mark, project: str, environment: str, model: str, store: str) -> bool:
    """Say whether a mark was made by one model of one project, in one environment, with one state."""
    return (mark.project, mark.environment, mark.model, mark.store) == (project, environment, model, store)


def owner_of(mark: Mark) -> str:
    """Say whose table a mark is of."""
    return f"model `{mark.model}` of project `{mark.project}`, environment `{mark.environment}`, state `{mark.store}`"

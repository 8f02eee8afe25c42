"""snapshot: every version of a row stays, with the time from and to which it was valid."""

from lamina.project.strategy import SnapshotHistory
from lamina.strategies.traits import Traits, Versions
from lamina.values.names import folded, folded_names
from lamina.values.value import tag_of
from lamina.values.words import listed


def traits(settings: SnapshotHistory) -> Traits:
    """Return what is known of it; each build reads the whole source, or it could not see which keys are gone."""
    key, updated_at, checked = settings.unique_key, settings.updated_at, settings.check_columns or ()
    told_by = f"`{updated_at}`" if updated_at is not None else f"a change of {listed(checked)}"
    return Traits(
        name=tag_of(settings),
        identity=_identity(settings),
        in_words=f"each build evaluates the whole query and keeps every version of {listed(key)}, by {told_by}",
        mode="snapshot",
        versions=Versions(key=key, updated_at=updated_at, checked=checked),
        telling=(*key, *([updated_at] if updated_at is not None else checked)),
        kept_by=key,
    )


def _identity(settings: SnapshotHistory) -> SnapshotHistory:
    """Return the settings without spelling; none of them is a sequence."""
    checked = settings.check_columns
    return settings.replace(
        unique_key=tuple(sorted(folded_names(settings.unique_key))),
        updated_at=settings.updated_at and folded(settings.updated_at),
        check_columns=tuple(sorted(folded_names(checked))) if checked is not None else None,
    )

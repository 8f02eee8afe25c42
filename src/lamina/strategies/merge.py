"""merge: upsert by key, from the driver's new rows where they suffice, else from the whole query."""

from lamina.project.strategy import Merge
from lamina.strategies.traits import Driver, Traits, Upsert
from lamina.values.names import folded, folded_names
from lamina.values.value import tag_of


def traits(settings: Merge) -> Traits:
    """Return what is known of it."""
    key, order, updated = settings.unique_key, settings.order_by, settings.update_columns
    deletes = settings.on_delete == "delete"
    # New rows suffice only if the user says what drives them, and no key has to be looked for in the whole source.
    is_driven = settings.driver is not None or settings.timestamp_column is not None
    return Traits(
        name=tag_of(settings),
        identity=_identity(settings),
        in_words=f"each build evaluates the whole query and merges it by {', '.join(f'`{name}`' for name in key)}",
        mode="merge",
        new_rows="merge" if is_driven and not deletes else None,
        driver=Driver(named=settings.driver, timestamp_column=settings.timestamp_column) if is_driven else None,
        upsert=Upsert(key=key, order_by=order, update_columns=updated, deletes_missing=deletes),
        telling=(*key, *order),
        kept_by=() if deletes else key,
        compared=None if updated is None else (*key, *updated, *order),
    )


def _identity(settings: Merge) -> Merge:
    """Return the settings without spelling; only `order_by` is a sequence."""
    updated = settings.update_columns
    return settings.replace(
        unique_key=tuple(sorted(folded_names(settings.unique_key))),
        update_columns=tuple(sorted(folded_names(updated))) if updated is not None else None,
        timestamp_column=settings.timestamp_column and folded(settings.timestamp_column),
        driver=settings.driver and folded(settings.driver),
        order_by=tuple(folded(name) for name in settings.order_by),
    )

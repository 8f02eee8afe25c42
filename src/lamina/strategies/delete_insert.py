"""delete_insert: the key tuples the query produces replace those in the table; vanished ones stay."""

from lamina.project.strategy import DeleteInsert
from lamina.strategies.traits import Traits
from lamina.values.names import folded_names
from lamina.values.value import tag_of


def traits(settings: DeleteInsert) -> Traits:
    """Return what is known of it."""
    columns = settings.partition_by
    return Traits(
        name=tag_of(settings),
        identity=settings.replace(partition_by=tuple(sorted(folded_names(columns)))),
        in_words="each build evaluates the whole query and replaces the key tuples it contains",
        mode="delete_insert",
        partition_by=columns,
        telling=columns,
        kept_by=columns,
    )

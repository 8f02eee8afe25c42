"""incremental: append what was appended to the driver; anything else rebuilds the table."""

from lamina.project.strategy import Incremental
from lamina.strategies.spelling import folded
from lamina.strategies.traits import Driver, Traits
from lamina.values.value import tag_of


def traits(settings: Incremental) -> Traits:
    """Return what is known of it."""
    column = settings.timestamp_column
    return Traits(
        name=tag_of(settings),
        identity=settings.replace(timestamp_column=folded(column), driver=folded(settings.driver)),
        mode="replace_all",
        new_rows="append",
        driver=Driver(named=settings.driver, timestamp_column=column),
    )

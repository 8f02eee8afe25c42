"""incremental: append what was appended to the driver; anything else rebuilds the table."""

from lamina.project.strategy import Incremental
from lamina.strategies.traits import Driver, Traits
from lamina.values.names import folded
from lamina.values.value import tag_of


def traits(settings: Incremental) -> Traits:
    """Return what is known of it."""
    column, driver = settings.timestamp_column, settings.driver
    return Traits(
        name=tag_of(settings),
        identity=settings.replace(timestamp_column=column and folded(column), driver=driver and folded(driver)),
        mode="replace_all",
        new_rows="append",
        driver=Driver(named=driver, timestamp_column=column),
    )

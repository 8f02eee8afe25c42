"""incremental: append what is new in the driver; where that is by version, anything else rebuilds the table."""

from typing import Literal

from lamina.project.strategy import Incremental, Strategy
from lamina.strategies.traits import Driver, Traits
from lamina.values.duration import parse_duration
from lamina.values.names import ColumnName, TableName, folded
from lamina.values.value import Value, tag_of


class Identity(Value, frozen=True, tag="incremental", tag_field="type"):
    """The settings that decide rows, in the form that fingerprints have always been made of."""

    timestamp_column: ColumnName | None
    position: Literal["version", "timestamp"]
    driver: TableName | None


def traits(settings: Incremental) -> Traits:
    """Return what is known of it; how long rows are left alone changes only when they are loaded."""
    column, driver = settings.timestamp_column, settings.driver
    return Traits(
        name=tag_of(settings),
        identity=Identity(
            timestamp_column=ColumnName(folded(column)) if column else column,
            position=settings.position or "version",
            driver=TableName(folded(driver)) if driver else driver,
        ),
        mode="replace_all",
        new_rows="append",
        driver=Driver(
            named=driver,
            timestamp_column=column,
            is_by_time=settings.position == "timestamp",
            lag_seconds=None if settings.safety_lag is None else parse_duration(settings.safety_lag),
        ),
        # Rows at the watermark are replaced where they changed, found by the column of that name.
        telling=(column,) if column is not None and settings.position == "timestamp" else (),
    )


def without_versions(settings: Strategy) -> Strategy:
    """Return a strategy for a driver that has no versions: what is new in it is known by time, unless stated."""
    is_open = isinstance(settings, Incremental) and settings.position is None
    return settings.replace(position="timestamp") if is_open else settings

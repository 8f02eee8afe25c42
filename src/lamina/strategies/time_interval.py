"""time_interval: a build replaces the ranges of its slices, also by nothing."""

from lamina.project.strategy import TimeInterval
from lamina.strategies.traits import Slices, Traits
from lamina.values.names import folded
from lamina.values.value import tag_of


def traits(settings: TimeInterval) -> Traits:
    """Return what is known of it; how far back and how much at a time it builds changes no row."""
    column = settings.time_column
    return Traits(
        name=tag_of(settings),
        identity=settings.replace(time_column=folded(column), lookback=0, batch_size="auto"),
        mode="replace_slices",
        slices=Slices(
            time_column=column,
            unit=settings.granularity,
            lookback=settings.lookback,
            batch_size=settings.batch_size,
        ),
        telling=(column,),
    )

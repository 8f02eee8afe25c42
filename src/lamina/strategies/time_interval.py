"""time_interval: a build replaces the ranges of its slices, also by nothing."""

from typing import Literal

from lamina.project.strategy import TimeInterval
from lamina.strategies.traits import Slices, Traits
from lamina.values.grid import Unit
from lamina.values.names import ColumnName, folded
from lamina.values.value import Value, tag_of


class Identity(Value, frozen=True, tag="time_interval", tag_field="type"):
    """The settings that decide rows, in the form that fingerprints have always been made of."""

    time_column: ColumnName
    granularity: Unit
    lookback: int = 0
    batch_size: Literal["auto"] = "auto"


def traits(settings: TimeInterval) -> Traits:
    """Return what is known of it; how far back, how often and how much at a time it builds changes no row."""
    column = settings.time_column
    return Traits(
        name=tag_of(settings),
        identity=Identity(time_column=ColumnName(folded(column)), granularity=settings.granularity),
        mode="replace_slices",
        slices=Slices(
            time_column=column,
            unit=settings.granularity,
            lookback=settings.lookback,
            batch_size=settings.batch_size,
            rebuild=_redone(settings.rebuild),
        ),
        gridless=TimeInterval(ColumnName(folded(column))),
        telling=(column,),
    )


def _redone(rebuild: str) -> Literal["stale", "always"] | int:
    """Return which slices every run builds, as the planner asks for it."""
    word, _, units = rebuild.partition(":")
    if units:
        return int(units)
    return "always" if word == "always" else "stale"

"""When something becomes due next, by cadence."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.due import declared_end, next_release
from lamina.values.pending import NextDue


def next_due(models: tuple[CompiledModel, ...], execution_time: datetime) -> tuple[NextDue, ...]:
    """Return the next tick of each cadence and how many models it releases."""
    ticks: dict[tuple[str, datetime], int] = {}
    for model in models:
        grid = grid_of(model)
        end = declared_end(model, grid) if grid is not None else None
        if end is not None and end <= execution_time:
            continue
        at = next_release(model, grid, execution_time)
        cadence = model.settings.cron or (f"each {grid.unit}" if grid is not None else None)
        if at is not None and cadence is not None:
            ticks[cadence, at] = ticks.get((cadence, at), 0) + 1
    ordered = sorted(ticks.items(), key=lambda item: (item[0][1], item[0][0]))
    return tuple(
        NextDue(cadence=cadence, at=f"{at:%Y-%m-%dT%H:%M:%SZ}", models=count) for (cadence, at), count in ordered
    )

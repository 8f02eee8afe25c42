"""Why a column on the clock of a zone does not identify the slice of a row, in words."""

from typing import NamedTuple

from lamina.compiler.query.operators import Term
from lamina.compiler.slices.cuts import Grid
from lamina.compiler.slices.units import DAY_OR_LONGER
from lamina.project.schedule import is_zone


class Misfit(NamedTuple):
    """What is in the way, and what to write instead."""

    text: str
    hint: str


def misfit(term: Term, grid: Grid, *, is_date: bool) -> Misfit | None:
    """Return why a term on a zone's clock identifies no slice, None if it does; `is_date` unless its column is one."""
    column, zone = term.column, term.zone
    if not zone:
        return None
    if zone != grid.zone:
        text = f"`{column}` is put on the clock of `{zone}`, but the model's days are those of `{grid.zone}`"
        other = f', or set `timezone = "{zone}"` in its sidecar' if is_zone(zone) else ""
        return Misfit(text, f"use the zone of the model, `{grid.zone}`{other}")
    if not is_date:
        return Misfit(
            f"`{column}` is a date, so the clock of `{zone}` moves it to another day", f"use `{column}` itself"
        )
    if term.unit not in DAY_OR_LONGER:
        text = f"`{column}` on the clock of `{zone}` is not an instant: when clocks go back, an hour occurs twice"
        return Misfit(text, f"cut it to the day: `to_date(from_utc_timestamp({column}, '{zone}'))`")
    if not grid.has_local_days and grid.unit in DAY_OR_LONGER:
        text = f"clocks in `{zone}` have been changed across midnight, so days do not begin where their dates do"
        return Misfit(text, f"filter `{column}` by `@start_ts` and `@end_ts`, and use it as the time column")
    return None

"""Checks as SQL: which rows fail one, and how many; or the value that a check of many rows compares."""

from dataclasses import dataclass
from datetime import datetime

from lamina.project.model import CheckSettings
from lamina.values.names import folded
from lamina.warehouse.spark.ranges import literal
from lamina.warehouse.sql import quote, quote_all, text


@dataclass(frozen=True)
class CheckSql:
    """The SQL of checks over rows whose columns have these types, at one moment."""

    kinds: dict[str, str]  # by the folded names of columns
    moment: datetime
    zone: str

    def value(self, check: CheckSettings, *, mark: str) -> str:
        """Return the SQL of what a check compares; `mark` is true in rows whose value was found where it belongs."""
        match check.type:
            case "unique":
                distinct = f"count(DISTINCT {quote_all(check.names)}) FILTER (WHERE {looked_at(check)})"
                return f"count_if({has_key(check)}) - {distinct}"
            case "aggregate":
                return f"({check.expression})"
            case "freshness":
                newest = f"max({self._instant(check)}) FILTER (WHERE {looked_at(check)})"
                return f"CAST({newest} AS STRING)"
            case _:
                return f"count_if({self.failing(check, mark=mark)})"

    def failing(self, check: CheckSettings, *, mark: str) -> str:
        """Return the condition of the rows that fail a check by themselves; of a count, of those it counts.

        As in SQL a null is neither right nor wrong: only `not_null` and `expression` refuse one.
        """
        rows = looked_at(check)
        match check.type:
            case "not_null":
                missing = " OR ".join(f"{quote(column)} IS NULL" for column in check.names)
                return f"{rows} AND ({missing})"
            case "expression":
                return f"{rows} AND NOT coalesce(({check.expression}), false)"
            case "accepted_values":
                return f"{rows} AND {_column(check)} NOT IN ({', '.join(_literal(value) for value in check.values)})"
            case "in_range":
                return f"{rows} AND {_column(check)} IS NOT NULL AND NOT coalesce({_inside(check)}, false)"
            case "regex_match":
                return f"{rows} AND NOT {_column(check)} RLIKE {text(check.pattern or '')}"
            case "relationships":
                return f"{rows} AND {_column(check)} IS NOT NULL AND {quote(mark)} IS NULL"
            case "not_in_future":
                return f"{rows} AND {self._instant(check)} > {literal(self.moment)}"
            case "row_count" | "unique" | "aggregate" | "freshness" | "custom_sql":
                return rows

    def _instant(self, check: CheckSettings) -> str:
        """Return a time as an instant: a day begins in the zone of the model, a time without zone is one in UTC."""
        (name,) = check.names
        instant = f"CAST({quote(name)} AS TIMESTAMP)"
        is_day = self.kinds.get(folded(name)) == "date"
        return f"to_utc_timestamp({instant}, {text(self.zone)})" if is_day else instant


def looked_at(check: CheckSettings) -> str:
    """Return the condition of the rows a check is about."""
    return f"({check.where})" if check.where else "true"


def has_key(check: CheckSettings) -> str:
    """Return the condition of the rows that have a key; as in SQL, one with a null in it is like no other."""
    return " AND ".join((looked_at(check), *(f"{quote(column)} IS NOT NULL" for column in check.names)))


def _column(check: CheckSettings) -> str:
    (name,) = check.names
    return quote(name)


def _inside(check: CheckSettings) -> str:
    sides = [f"{_column(check)} >= {_literal(check.min)}"] if check.min is not None else []
    sides += [f"{_column(check)} <= {_literal(check.max)}"] if check.max is not None else []
    return f"({' AND '.join(sides)})"


def _literal(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return text(value) if isinstance(value, str) else repr(value)

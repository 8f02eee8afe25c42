"""Checks as SQL: which rows fail one, and how many."""

from lamina.project.model import CheckSettings
from lamina.warehouse.sql import quote, quote_all, text


def aggregate(check: CheckSettings) -> str:
    """Return the SQL that counts for a check."""
    if check.type == "unique":
        distinct = f"count(DISTINCT {quote_all(check.names)}) FILTER (WHERE {looked_at(check)})"
        return f"count_if({has_key(check)}) - {distinct}"
    return f"count_if({failing(check)})"


def failing(check: CheckSettings) -> str:
    """Return the condition of the rows that fail a check by themselves; of a count, of those it counts."""
    rows = looked_at(check)
    match check.type:
        case "not_null":
            missing = " OR ".join(f"{quote(column)} IS NULL" for column in check.names)
            return f"{rows} AND ({missing})"
        case "accepted_values":
            listed = ", ".join(_literal(value) for value in check.values)
            (column,) = check.names
            return f"{rows} AND {quote(column)} NOT IN ({listed})"
        case "expression":
            return f"{rows} AND NOT coalesce(({check.expression}), false)"
        case "row_count" | "unique":
            return rows


def looked_at(check: CheckSettings) -> str:
    """Return the condition of the rows a check is about."""
    return f"({check.where})" if check.where else "true"


def has_key(check: CheckSettings) -> str:
    """Return the condition of the rows that have a key; as in SQL, one with a null in it is like no other."""
    return " AND ".join((looked_at(check), *(f"{quote(column)} IS NOT NULL" for column in check.names)))


def _literal(value: str | int | float | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return text(value) if isinstance(value, str) else repr(value)

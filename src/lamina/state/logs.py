"""Touch logs and model records: appended to and replaced together, trimmed where no reader looks back any more."""

from lamina.state.dialect import StateTransaction
from lamina.state.errors import LogOutOfStep
from lamina.state.port import ModelRecord
from lamina.values.codec import from_json, to_json
from lamina.values.names import EnvironmentName, ModelName, TableName
from lamina.values.touch import Touch


def read_logs(transaction: StateTransaction, environment: EnvironmentName) -> dict[TableName, tuple[Touch, ...]]:
    """Return every kept log, oldest touch first."""
    rows = transaction.execute(
        "SELECT input, touch FROM lamina_touch WHERE environment = ? ORDER BY input, sequence", (environment,)
    )
    logs: dict[TableName, list[Touch]] = {}
    for name, text in rows:
        logs.setdefault(TableName(name), []).append(from_json(text, Touch))
    return {name: tuple(log) for name, log in logs.items()}


def read_records(transaction: StateTransaction, environment: EnvironmentName) -> dict[ModelName, ModelRecord]:
    """Return the record of every model."""
    rows = transaction.execute("SELECT model, record FROM lamina_model WHERE environment = ?", (environment,))
    return {ModelName(name): from_json(text, ModelRecord) for name, text in rows}


def append(transaction: StateTransaction, environment: EnvironmentName, touch: Touch) -> Touch:
    """Append a touch to the log of its table and return it with its place there."""
    # The newest touch of a log is never trimmed, so the sequence goes on.
    last = transaction.execute(
        "SELECT coalesce(max(sequence), 0) FROM lamina_touch WHERE environment = ? AND input = ?",
        (environment, touch.table),
    ).fetchone()[0]
    if touch.sequence not in (0, last + 1):
        raise LogOutOfStep(touch.table, given=touch.sequence, expected=last + 1)
    placed = touch.replace(sequence=last + 1)
    transaction.execute(
        "INSERT INTO lamina_touch (environment, input, sequence, touch) VALUES (?, ?, ?, ?)",
        (environment, placed.table, placed.sequence, to_json(placed).decode()),
    )
    return placed


def replace_record(transaction: StateTransaction, environment: EnvironmentName, record: ModelRecord) -> None:
    """Store what is known of a model, and where its cursors are."""
    key = {"environment": environment, "model": record.model}
    transaction.put("lamina_model", key, record=to_json(record).decode())
    transaction.execute("DELETE FROM lamina_cursor WHERE environment = ? AND model = ?", (environment, record.model))
    transaction.executemany(
        "INSERT INTO lamina_cursor (environment, input, model, sequence) VALUES (?, ?, ?, ?)",
        [(environment, cursor.input, record.model, cursor.sequence) for cursor in record.coverage.cursors],
    )


def forget_record(transaction: StateTransaction, environment: EnvironmentName, model: ModelName) -> None:
    """Forget a model; the log of its table stays, so that its readers notice when it comes back."""
    transaction.execute("DELETE FROM lamina_model WHERE environment = ? AND model = ?", (environment, model))
    transaction.execute("DELETE FROM lamina_cursor WHERE environment = ? AND model = ?", (environment, model))


def trim(transaction: StateTransaction, environment: EnvironmentName, tables: tuple[TableName, ...]) -> None:
    """Drop the touches that every reader has folded, but the newest of each log, which holds its position."""
    transaction.executemany(
        "DELETE FROM lamina_touch WHERE environment = ? AND input = ?"
        " AND sequence < (SELECT max(sequence) FROM lamina_touch WHERE environment = ? AND input = ?)"
        " AND sequence <= coalesce((SELECT min(sequence) FROM lamina_cursor"
        " WHERE environment = ? AND input = ?), sequence)",
        [(environment, table) * 3 for table in sorted(set(tables))],
    )

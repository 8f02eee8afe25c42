"""Touch logs and model records: appended to and replaced together, trimmed where no reader looks back any more."""

from lamina.state.dialect import StateTransaction
from lamina.state.errors import LogOutOfStep
from lamina.state.port import ModelRecord
from lamina.state.scope import OURS, Scope
from lamina.values.codec import from_json, to_json
from lamina.values.names import ModelName, RunId, TableName
from lamina.values.touch import Touch


def read_logs(transaction: StateTransaction, scope: Scope) -> dict[TableName, tuple[Touch, ...]]:
    """Return every kept log, oldest touch first."""
    rows = transaction.execute(
        f"SELECT input, touch FROM lamina_touch WHERE {OURS} ORDER BY input, sequence", scope.key
    )
    logs: dict[TableName, list[Touch]] = {}
    for name, text in rows:
        logs.setdefault(TableName(name), []).append(from_json(text, Touch))
    return {name: tuple(log) for name, log in logs.items()}


def read_records(transaction: StateTransaction, scope: Scope) -> dict[ModelName, ModelRecord]:
    """Return the record of every model."""
    rows = transaction.execute(f"SELECT model, record FROM lamina_model WHERE {OURS}", scope.key)
    return {ModelName(name): from_json(text, ModelRecord) for name, text in rows}


def append(transaction: StateTransaction, scope: Scope, touch: Touch, *, run_id: RunId) -> Touch:
    """Append a touch to the log of its table and return it with its place there."""
    # The newest touch of a log is never trimmed, so the sequence goes on.
    last = transaction.execute(
        f"SELECT coalesce(max(sequence), 0) FROM lamina_touch WHERE {OURS} AND input = ?", (*scope.key, touch.table)
    ).fetchone()[0]
    if touch.sequence not in (0, last + 1):
        raise LogOutOfStep(touch.table, given=touch.sequence, expected=last + 1)
    placed = touch.replace(sequence=last + 1)
    transaction.execute(
        "INSERT INTO lamina_touch (project, environment, input, sequence, touch, run_id) VALUES (?, ?, ?, ?, ?, ?)",
        (*scope.key, placed.table, placed.sequence, to_json(placed).decode(), run_id),
    )
    return placed


def replace_record(transaction: StateTransaction, scope: Scope, record: ModelRecord, *, run_id: RunId) -> None:
    """Store what is known of a model, and where its cursors are."""
    key = {**scope.columns, "model": record.model}
    transaction.put("lamina_model", key, record=to_json(record).decode(), run_id=run_id)
    _forget_cursors(transaction, scope, record.model)
    transaction.executemany(
        "INSERT INTO lamina_cursor (project, environment, input, model, sequence, run_id) VALUES (?, ?, ?, ?, ?, ?)",
        [(*scope.key, cursor.input, record.model, cursor.sequence, run_id) for cursor in record.coverage.cursors],
    )


def forget_record(transaction: StateTransaction, scope: Scope, model: ModelName) -> None:
    """Forget a model; the log of its table stays, so that its readers notice when it comes back."""
    transaction.execute(f"DELETE FROM lamina_model WHERE {OURS} AND model = ?", (*scope.key, model))
    _forget_cursors(transaction, scope, model)


def trim(transaction: StateTransaction, scope: Scope, tables: tuple[TableName, ...]) -> None:
    """Drop the touches that every reader has folded, but the newest of each log, which holds its position."""
    transaction.executemany(
        f"DELETE FROM lamina_touch WHERE {OURS} AND input = ?"
        f" AND sequence < (SELECT max(sequence) FROM lamina_touch WHERE {OURS} AND input = ?)"
        f" AND sequence <= coalesce((SELECT min(sequence) FROM lamina_cursor WHERE {OURS} AND input = ?), sequence)",
        [(*scope.key, table) * 3 for table in sorted(set(tables))],
    )


def _forget_cursors(transaction: StateTransaction, scope: Scope, model: ModelName) -> None:
    transaction.execute(f"DELETE FROM lamina_cursor WHERE {OURS} AND model = ?", (*scope.key, model))

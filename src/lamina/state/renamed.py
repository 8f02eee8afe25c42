"""Models that got another name: what is recorded, as a view and as rows, under the names of now."""

from collections.abc import Callable
from typing import TypeVar

from lamina.compiler.graph import CompiledModel
from lamina.planner.renamed_models import (
    ModelNames,
    coverage_now,
    failure_now,
    pending_names,
    touch_now,
    without_inputs,
)
from lamina.state import logs, slices
from lamina.state.dialect import StateTransaction
from lamina.state.port import BatchRecord, CheckRecord, ModelRecord, StateView
from lamina.state.scope import OURS, Scope
from lamina.values.codec import DecodeError, content_hash, from_json, to_json
from lamina.values.facts import Failure
from lamina.values.interval import WHOLE, merge
from lamina.values.names import ModelName, RunId, TableName
from lamina.values.touch import Touch

T = TypeVar("T")

# What may be left of a model without a table: the table, and the column that names the model.
_LEFT = (
    ("lamina_touch", "input"),
    ("lamina_failure", "model"),
    ("lamina_promoted", "model"),
)


def pending_of(view: StateView, names: ModelNames) -> dict[ModelName, ModelName]:
    """Return the renames that the state has not done yet."""
    return pending_names(names, (name for name, record in view.models.items() if record.pointer is not None))


def view_now(view: StateView, names: ModelNames) -> StateView:
    """Return what is recorded under the names of now, without what is left of earlier tables of these names."""
    if not names:
        return view
    gone, former = frozenset(names.values()), {name: before for before, name in names.items()}

    def now(name: ModelName) -> ModelName:
        return names.get(name, name)

    return StateView(
        models={now(name): _record_now(item, names) for name, item in view.models.items() if name not in gone},
        touches={
            TableName(now(ModelName(name))): tuple(touch_now(touch, names) for touch in log)
            for name, log in view.touches.items()
            if ModelName(name) not in gone
        },
        failures=tuple(failure_now(item, names) for item in view.failures if item.model not in gone),
        requests={
            name: merge((*view.requests.get(name, ()), *view.requests.get(former.get(name, name), ())))
            for name in sorted({now(name) for name in view.requests})
        },
        promoted={now(name): item for name, item in view.promoted.items() if name not in gone},
    )


def _record_now(record: ModelRecord, names: ModelNames) -> ModelRecord:
    coverage = without_inputs(record.coverage, frozenset(TableName(name) for name in names.values()))
    return record.replace(model=names.get(record.model, record.model), coverage=coverage_now(coverage, names))


def rename_models(transaction: StateTransaction, scope: Scope, names: ModelNames, *, run_id: RunId) -> None:
    """Put what is recorded of models under the names of now, in the caller's transaction; history comes along."""
    records = logs.read_records(transaction, scope)
    for before, now in names.items():
        for table, column in _LEFT:
            transaction.execute(f"DELETE FROM {table} WHERE {OURS} AND {column} = ?", (*scope.key, now))
        for name in (before, now):
            logs.forget_record(transaction, scope, name)
    for name, record in records.items():
        if name not in names.values() and (renamed := _record_now(record, names)) != record:
            logs.replace_record(transaction, scope, renamed, run_id=run_id)
    _rewrite(transaction, scope, "lamina_failure.failure", Failure, lambda item: failure_now(item, names))
    for before, now in names.items():
        for table, column in (*_LEFT, ("lamina_batch", "model"), ("lamina_check", "model")):
            values = (now, *scope.key, before)
            transaction.execute(f"UPDATE {table} SET {column} = ? WHERE {OURS} AND {column} = ?", values)
        _promoted_now(transaction, scope, now)
        _move_requests(transaction, scope, before, now, run_id=run_id)
    _rewrite(transaction, scope, "lamina_touch.touch", Touch, lambda item: touch_now(item, names))
    _rewrite(transaction, scope, "lamina_batch.batch", BatchRecord, lambda item: _batch_now(item, names))
    _rewrite(transaction, scope, "lamina_check.result", CheckRecord, lambda item: _check_now(item, names))


def _rewrite(transaction: StateTransaction, scope: Scope, place: str, kind: type[T], convert: Callable[[T], T]) -> None:
    """Replace the values of a column that are others under the names of now."""
    table, _, column = place.partition(".")
    rows = transaction.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {OURS}", scope.key).fetchall()
    for (text,) in rows:
        before = from_json(text, kind)
        if (now := convert(before)) != before:
            values = (to_json(now).decode(), *scope.key, text)
            transaction.execute(f"UPDATE {table} SET {column} = ? WHERE {OURS} AND {column} = ?", values)


def _move_requests(
    transaction: StateTransaction, scope: Scope, before: ModelName, now: ModelName, *, run_id: RunId
) -> None:
    """Request of a model what was requested under its old name, beside what is requested already."""
    asked = slices.read_requests(transaction, scope).get(before, ())
    slices.add_request(transaction, scope, model=now, asked=asked, run_id=run_id)
    slices.clear_requests(transaction, scope, model=before, built=(WHOLE,))


def _batch_now(batch: BatchRecord, names: ModelNames) -> BatchRecord:
    return batch.replace(model=names.get(batch.model, batch.model))


def _check_now(check: CheckRecord, names: ModelNames) -> CheckRecord:
    return check.replace(result=check.result.replace(model=names.get(check.result.model, check.result.model)))


def _promoted_now(transaction: StateTransaction, scope: Scope, now: ModelName) -> None:
    """Give the promoted version of a model its name; one that another compiler wrote in a form of its own stays."""
    key = (*scope.key, now)
    row = transaction.execute(f"SELECT compiled FROM lamina_promoted WHERE {OURS} AND model = ?", key).fetchone()
    try:
        model = None if row is None else from_json(row[0], CompiledModel).replace(name=now)
    except DecodeError:
        return
    if model is not None:
        transaction.execute(
            f"UPDATE lamina_promoted SET compiled = ?, hash = ? WHERE {OURS} AND model = ?",
            (to_json(model).decode(), content_hash(model), *key),
        )

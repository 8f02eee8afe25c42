"""Whatever is folded and recorded, a reader finds every touch after its cursor, and logs stay short."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.behaviour.examples import PROD, coverage_of, days, lease_of, store_at, touch_of

from lamina.state.port import ModelRecord
from lamina.state.store import SqlStore
from lamina.values.coverage import Cursor
from lamina.values.names import ModelName, Position, TableName
from lamina.values.touch import Touch

READERS = ("m.a", "m.b", "m.c")
TABLES = ("raw.x", "raw.y")

# One step: the tables that are touched, then the readers that fold up to the heads of both.
STEPS = st.lists(
    st.tuples(st.lists(st.sampled_from(TABLES), max_size=3), st.lists(st.sampled_from(READERS), unique=True)),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(STEPS)
def test_reader_finds_every_touch_after_its_cursor(steps: list[tuple[list[str], list[str]]]) -> None:
    with TemporaryDirectory() as folder:
        store = store_at(Path(folder) / "lamina.db")
        lease = lease_of(store)
        logs: dict[str, list[Touch]] = {table: [] for table in TABLES}
        cursors: dict[str, dict[str, int]] = {}
        for touched, folding in steps:
            touches = [_next_touch(logs, table) for table in touched]
            for reader in folding:
                cursors[reader] = {table: len(logs[table]) for table in TABLES if logs[table]}
            models = tuple(_record(reader, cursors[reader]) for reader in folding)
            store.fold(PROD, lease, touches=tuple(touches), models=models)
            _check(store, logs, cursors)
        store.close()


def _next_touch(logs: dict[str, list[Touch]], table: str) -> Touch:
    number = len(logs[table]) + 1
    touch = touch_of(table, str(number), parent=str(number - 1)).replace(sequence=number)
    logs[table].append(touch)
    return touch


def _record(reader: str, cursors: dict[str, int]) -> ModelRecord:
    found = tuple(Cursor(TableName(table), Position(str(at)), at) for table, at in sorted(cursors.items()))
    coverage = coverage_of(days(1, 2)).replace(cursors=found)
    return ModelRecord(ModelName(reader), pointer=None, position=None, coverage=coverage)


def _check(store: SqlStore, logs: dict[str, list[Touch]], cursors: dict[str, dict[str, int]]) -> None:
    view = store.view(PROD)
    for table, log in logs.items():
        kept = view.touches.get(TableName(table), ())
        slowest = min((cursor[table] for cursor in cursors.values() if table in cursor), default=len(log))
        assert kept == tuple(log[min(slowest, max(len(log) - 1, 0)) :])

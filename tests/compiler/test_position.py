"""How a driver is read where nothing is said: by version, or by time where it has no versions."""

from pathlib import Path

import pytest

import lamina
from lamina.values.names import ModelName

SIDECAR = "[strategy]\ntype = 'incremental'\ntimestamp_column = 'at'\n"


def is_by_time(folder: Path, sidecar: str) -> bool:
    files = {
        "lamina.toml": "[project]\nname = 'shop'\n",
        "sources/raw.toml": "[source.raw]\ntype = 'files'\nformat = 'csv'\npath = 'data'\n[source.raw.tables.orders]\n"
        "columns = [{ name = 'id', type = 'bigint' }, { name = 'at', type = 'timestamp' }]\n",
        "models/load/orders.sql": "SELECT id, at FROM raw.orders",
        "models/load/orders.toml": sidecar,
    }
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    graph = lamina.open(folder).graph
    driver = graph.model(ModelName("load.orders")).traits.driver
    assert driver is not None
    assert not graph.diagnostics
    return driver.is_by_time


def test_a_driver_with_versions_is_read_by_them(tmp_path: Path) -> None:
    assert not is_by_time(tmp_path, SIDECAR)


def test_a_driver_without_versions_is_read_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lamina.compiler.linking.VERSIONLESS", frozenset({"files"}))
    assert is_by_time(tmp_path, SIDECAR)


def test_what_is_stated_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_by_time(tmp_path, f"{SIDECAR}position = 'timestamp'\n")
    monkeypatch.setattr("lamina.compiler.linking.VERSIONLESS", frozenset({"files"}))
    assert not is_by_time(tmp_path, f"{SIDECAR}position = 'version'\n")

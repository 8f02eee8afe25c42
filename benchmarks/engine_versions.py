"""Give tables the versions that many runs would have left, without running them."""

import json
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any


def age(root: Path, versions: int) -> None:
    """Put older versions before those that the tables of a project have; each is as large as the newest one."""
    with closing(sqlite3.connect(root / ".lamina" / "lamina.db")) as database:
        found = database.execute("SELECT metadata_location FROM iceberg_tables").fetchall()
        for (pointer,) in found:
            aged = _write_aged(pointer, versions)
            database.execute(
                "UPDATE iceberg_tables SET metadata_location = ? WHERE metadata_location = ?", (aged, pointer)
            )
            database.execute("UPDATE lamina_model SET record = replace(record, ?, ?)", (pointer, aged))
        database.commit()


def _write_aged(pointer: str, versions: int) -> str:
    path = Path("/" + pointer.removeprefix("file:").lstrip("/"))
    document = json.loads(path.read_bytes())
    known = sorted(document["snapshots"], key=lambda item: int(item["timestamp-ms"]))
    older = [_older(known, number, versions) for number in range(1, versions + 1)]
    known[0]["parent-snapshot-id"] = versions
    document["snapshots"] = [*older, *known]
    version = int(path.name.partition("-")[0]) + 1
    aged = path.with_name(f"{version:05d}-{uuid.uuid4()}.metadata.json")
    aged.write_text(json.dumps(document, separators=(",", ":")))
    return f"{pointer.rpartition('/')[0]}/{aged.name}"


def _older(known: list[dict[str, Any]], number: int, versions: int) -> dict[str, Any]:
    """Return a version from before the first known one."""
    parent = {"parent-snapshot-id": number - 1} if number > 1 else {}
    newest = {key: value for key, value in known[-1].items() if key != "parent-snapshot-id"}
    at = int(known[0]["timestamp-ms"]) - versions + number - 1
    return {**newest, **parent, "snapshot-id": number, "sequence-number": 1, "timestamp-ms": at}

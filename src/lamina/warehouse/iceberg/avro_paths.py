"""Rewrite the paths in Iceberg's manifests and lists of manifests; every other byte of a value is copied as it is.

Spark's own `rewrite_table_path` was not tried: it needs a JVM, and should read files at the paths they name.
"""

import io
from collections.abc import Callable
from typing import Any

from lamina.warehouse.avro import FIXED, Container, read_bytes, read_long, write_bytes, write_long

PATH_FIELDS = ("file_path", "manifest_path", "referenced_data_file")


class DeletesByPosition(Exception):
    """The file lists files that delete rows of other files, which they name inside."""


def rewrite_paths(data: bytes, *, moved: Callable[[str], str], length_of: Callable[[str], int | None]) -> bytes:
    """Return an Avro file with its paths moved; a list of manifests also gets their new lengths."""
    container = Container(data)
    copier = _Copier(moved, length_of)
    blocks = []
    for count, block in container.blocks:
        source, out = io.BytesIO(block), io.BytesIO()
        for _ in range(count):
            copier.copy(container.schema, source, out, field="")
        blocks.append((count, out.getvalue()))
    return data if blocks == container.blocks else container.packed(blocks)


class _Copier:
    """Copies values of a schema from one stream to another, changing paths on the way."""

    def __init__(self, moved: Callable[[str], str], length_of: Callable[[str], int | None]) -> None:
        self._moved = moved
        self._length_of = length_of
        self._named: dict[str, Any] = {}

    def copy(self, schema: Any, source: io.BytesIO, out: io.BytesIO, *, field: str) -> Any:
        """Copy one value, and return it where it is a number or text."""
        if isinstance(schema, list):
            chosen = read_long(source)
            write_long(out, chosen)
            return self.copy(schema[chosen], source, out, field=field)
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, (dict, list)):
            return self.copy(kind, source, out, field=field)
        if kind in self._named:
            return self.copy(self._named[kind], source, out, field=field)
        if kind in FIXED:
            out.write(source.read(FIXED[kind]))
            return None
        match kind:
            case "int" | "long" | "enum":
                number = read_long(source)
                write_long(out, number)
                return number
            case "bytes" | "string":
                return self._copy_text(kind, source, out, field=field)
            case "fixed":
                self._named[schema["name"]] = schema
                out.write(source.read(schema["size"]))
            case "array" | "map":
                self._copy_items(schema, source, out)
            case "record":
                self._copy_record(schema, source, out, field=field)
            case _:
                raise ValueError(f"it contains the unknown type {kind}")
        return None

    def _copy_text(self, kind: str, source: io.BytesIO, out: io.BytesIO, *, field: str) -> str | None:
        data = read_bytes(source)
        if kind == "string" and field in PATH_FIELDS:
            data = self._moved(data.decode()).encode()
        write_bytes(out, data)
        return data.decode() if kind == "string" else None

    def _copy_items(self, schema: Any, source: io.BytesIO, out: io.BytesIO) -> None:
        is_map = schema["type"] == "map"
        while count := read_long(source):
            if count < 0:
                read_long(source)
            write_long(out, abs(count))
            for _ in range(abs(count)):
                if is_map:
                    write_bytes(out, read_bytes(source))
                self.copy(schema["values" if is_map else "items"], source, out, field="")
        write_long(out, 0)

    def _copy_record(self, schema: Any, source: io.BytesIO, out: io.BytesIO, *, field: str) -> None:
        self._named[schema["name"]] = schema
        seen: dict[str, Any] = {}
        for item in schema["fields"]:
            name = item["name"]
            if name == "manifest_length":
                length = read_long(source)
                found = self._length_of(seen.get("manifest_path", ""))
                write_long(out, length if found is None else found)
                continue
            seen[name] = self.copy(item["type"], source, out, field=name)
        is_by_position = field == "data_file" and seen.get("content") == 1
        if is_by_position and str(seen.get("file_format", "")).upper() != "PUFFIN":
            raise DeletesByPosition

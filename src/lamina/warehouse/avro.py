"""Avro files, in which Iceberg keeps its manifests and lists of them: taken apart, put together, and read."""

import io
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any

from lamina.values import codec

_MAGIC, _SYNC = b"Obj\x01", 16
FIXED = {"null": 0, "boolean": 1, "float": 4, "double": 8}  # sizes of the types that have one


class Container:
    """One Avro file taken apart: its schema, its header as it was, and its blocks unpacked."""

    def __init__(self, data: bytes) -> None:
        source = io.BytesIO(data)
        header = read_header(source)
        self.sync = source.read(_SYNC)
        self._header = data[: source.tell()]
        self.schema: Any = codec.from_json(header["avro.schema"], Any)
        self._is_packed = header.get("avro.codec", b"null") == b"deflate"
        if header.get("avro.codec", b"null") not in (b"null", b"deflate"):
            raise ValueError(f"it is compressed with {header['avro.codec'].decode()}")
        self.blocks: list[tuple[int, bytes]] = []
        while source.tell() < len(data):
            count, block = read_long(source), read_bytes(source)
            self.blocks.append((count, zlib.decompress(block, -15) if self._is_packed else block))
            source.read(_SYNC)

    def packed(self, blocks: list[tuple[int, bytes]]) -> bytes:
        """Return the file with other blocks."""
        out = io.BytesIO()
        out.write(self._header)
        for count, block in blocks:
            write_long(out, count)
            write_bytes(out, _deflate(block) if self._is_packed else block)
            out.write(self.sync)
        return out.getvalue()


def read_header(source: IO[bytes]) -> dict[str, bytes]:
    """Read what a file says of itself, such as the schema of its records; `source` is then behind it."""
    if source.read(4) != _MAGIC:
        raise ValueError("it is not an Avro file")
    header: dict[str, bytes] = {}
    while count := read_long(source):
        if count < 0:
            read_long(source)
        for _ in range(abs(count)):
            key = read_bytes(source).decode()
            header[key] = read_bytes(source)
    return header


def read_records(data: bytes) -> Iterator[Any]:
    """Yield the records of a file, fields by name; PyIceberg does the same, and takes a second to import."""
    container = Container(data)
    named: dict[str, Any] = {}
    for count, block in container.blocks:
        source = io.BytesIO(block)
        for _ in range(count):
            yield _read_value(container.schema, source, named)


def _read_value(schema: Any, source: io.BytesIO, named: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return _read_value(schema[read_long(source)], source, named)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, (dict, list)):
        return _read_value(kind, source, named)
    if kind in named:
        return _read_value(named[kind], source, named)
    if isinstance(schema, dict) and "name" in schema:
        named[schema["name"]] = schema
    match kind:
        case "array":
            return [_read_value(schema["items"], source, named) for _ in _items(source)]
        case "map":
            return {read_bytes(source).decode(): _read_value(schema["values"], source, named) for _ in _items(source)}
        case "record":
            return {field["name"]: _read_value(field["type"], source, named) for field in schema["fields"]}
        case "fixed":
            return source.read(schema["size"])
        case _:
            return _read_scalar(kind, source)


def _read_scalar(kind: str, source: io.BytesIO) -> Any:
    match kind:
        case "null":
            return None
        case "boolean":
            return source.read(1) == b"\x01"
        case "int" | "long" | "enum":
            return read_long(source)
        case "float" | "double":
            return struct.unpack("<f" if kind == "float" else "<d", source.read(FIXED[kind]))[0]
        case "bytes":
            return read_bytes(source)
        case "string":
            return read_bytes(source).decode()
        case _:
            raise ValueError(f"it contains the unknown type {kind}")


def _items(source: io.BytesIO) -> Iterator[None]:
    """Yield once for each item of an array or map, which come in counted parts."""
    while count := read_long(source):
        if count < 0:
            read_long(source)  # the size of the part
        for _ in range(abs(count)):
            yield None


def _deflate(block: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(block) + packer.flush()


def read_long(source: IO[bytes]) -> int:
    """Read a number of variable length."""
    shift, number = 0, 0
    while True:
        byte = source.read(1)
        if not byte:
            raise ValueError("it ends in the middle of a value")
        number |= (byte[0] & 0x7F) << shift
        shift += 7
        if not byte[0] & 0x80:
            return (number >> 1) ^ -(number & 1)


def write_long(out: io.BytesIO, number: int) -> None:
    """Write a number of variable length."""
    rest = (number << 1) ^ (number >> 63)
    while rest & ~0x7F:
        out.write(bytes(((rest & 0x7F) | 0x80,)))
        rest >>= 7
    out.write(bytes((rest,)))


def read_bytes(source: IO[bytes]) -> bytes:
    """Read bytes with their length before them."""
    size = read_long(source)
    data = source.read(size)
    if len(data) != size:
        raise ValueError("it ends in the middle of a value")
    return data


def write_bytes(out: io.BytesIO, data: bytes) -> None:
    """Write bytes with their length before them."""
    write_long(out, len(data))
    out.write(data)

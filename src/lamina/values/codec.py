"""Text and bytes of values: JSON for people and stores, msgpack for caches, a stable hash for identities."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

Packed = msgspec.Raw  # a value left encoded until someone needs it

# Raised for text that is not what it should be.
DecodeError = msgspec.DecodeError


# Made once: an encoder costs as much as a small value.
_JSON = msgspec.json.Encoder(order="deterministic")
_PACK = msgspec.msgpack.Encoder(order="deterministic")


def to_json(value: Any) -> bytes:
    """Encode a value as compact JSON with sorted keys, so equal values give equal bytes."""
    return _JSON.encode(value)


def from_json(data: bytes | str, kind: type[T]) -> T:
    """Decode JSON into `kind`, refusing unknown fields."""
    return msgspec.json.decode(data, type=kind)


def to_pack(value: Any) -> bytes:
    """Encode a value as msgpack."""
    return _PACK.encode(value)


def from_pack(data: bytes | memoryview | Packed, kind: type[T]) -> T:
    """Decode msgpack into `kind`."""
    return msgspec.msgpack.decode(data, type=kind)


def to_builtins(value: Any) -> Any:
    """Turn a value into dicts, lists and scalars ready to print."""
    return msgspec.to_builtins(value, order="deterministic")


def content_hash(value: Any, *, size: int = 16) -> str:
    """Return a stable hexadecimal hash of a value's JSON form."""
    return blake2b(to_json(value), digest_size=size).hexdigest()


def to_document(value: Any, *, indent: int) -> str:
    """Write a value as JSON for a reader, its fields in their own order; no indent means one line."""
    data = msgspec.json.encode(value)
    return msgspec.json.format(data, indent=indent).decode() if indent else data.decode()


def json_schemas(kinds: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON Schema of each named type, and the definitions they refer to under `$defs`."""
    found, definitions = msgspec.json.schema_components(tuple(kinds.values()), ref_template="#/$defs/{name}")
    return dict(zip(kinds, found, strict=True)), definitions

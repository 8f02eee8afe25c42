"""Columns and their Spark types; a type is Spark's own simple string, such as `decimal(10,2)` or `array<int>`."""

import re
from functools import lru_cache
from typing import NewType

from lamina.values.names import ColumnName
from lamina.values.value import Value

DataType = NewType("DataType", str)

UNKNOWN = DataType("unknown")


class Column(Value, frozen=True):
    """A column of a table; a type that is not known is `unknown`, never a guess."""

    name: ColumnName
    type: DataType = UNKNOWN
    nullable: bool = True
    description: str | None = None


Schema = tuple[Column, ...]

_ORDERED = frozenset({"tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz"})


def is_ordered(kind: DataType) -> bool:
    """Return whether values of a type can be counted up to one of them: whole numbers, dates, timestamps."""
    return kind in _ORDERED


def is_instant(kind: DataType) -> bool:
    """Return whether values of a type can be compared with the clock."""
    return kind in ("timestamp", "timestamp_ntz")


@lru_cache(maxsize=4096)
def parse_type(text: str) -> DataType | None:
    """Return the canonical form of a type as a user writes it, or None if Spark knows no such type.

    >>> parse_type("STRUCT<a: INTEGER, b: ARRAY<NUMERIC(10, 2)>>")
    'struct<a:int,b:array<decimal(10,2)>>'
    """
    tokens = _TOKEN.findall(text) if len(text) <= _LONGEST else []
    if "".join(tokens) != text:
        return None
    reader = _TypeReader([token for token in tokens if not token.isspace()])
    found = reader.read_type(0)
    return DataType(found) if found is not None and reader.is_done() else None


# The deepest and longest type worth reading; real ones stay far below.
_DEEPEST = 50
_LONGEST = 100_000

_TOKEN = re.compile(r"\s+|`[^`]*`|'[^']*'|\w+|[<>(),:]")

_NAMES = {
    "tinyint": "tinyint",
    "byte": "tinyint",
    "smallint": "smallint",
    "short": "smallint",
    "int": "int",
    "integer": "int",
    "bigint": "bigint",
    "long": "bigint",
    "float": "float",
    "real": "float",
    "double": "double",
    "boolean": "boolean",
    "string": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ltz": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "variant": "variant",
    "void": "void",
}

# Spark keeps the length of `char` and `varchar` in column metadata only: to a query they are strings.
_TEXTS = ("varchar", "char", "character")
_DECIMALS = ("decimal", "dec", "numeric")

_YEAR_UNITS = ("year", "month")
_DAY_UNITS = ("day", "hour", "minute", "second")


class _TypeReader:
    """Reads one type from tokens by recursive descent; every method answers None where the text is not a type."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def is_done(self) -> bool:
        return self.at == len(self.tokens)

    def read_type(self, depth: int) -> str | None:
        word = self._next().lower()
        if depth > _DEEPEST:
            return None
        if word in _NAMES:
            return _NAMES[word]
        if word in _DECIMALS:
            return self._read_decimal()
        if word in _TEXTS:
            return "string" if self._read_numbers(most=1) else None
        if word == "interval":
            return self._read_interval()
        if word == "array":
            return self._read_array(depth)
        if word == "map":
            return self._read_map(depth)
        if word == "struct":
            return self._read_struct(depth)
        return None

    def _next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else ""

    def _take(self, word: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at].lower() == word:
            self.at += 1
            return True
        return False

    def _read_numbers(self, *, most: int) -> list[int] | None:
        """Return the numbers between round brackets, or None if they are not there as expected."""
        if not self._take("("):
            return None
        numbers: list[int] = []
        while len(numbers) < most:
            word = self._next()
            if not (word.isascii() and word.isdigit() and len(word) < 10):
                return None
            numbers.append(int(word))
            if not self._take(","):
                break
        return numbers if self._take(")") else None

    def _read_decimal(self) -> str | None:
        if self.at >= len(self.tokens) or self.tokens[self.at] != "(":
            return "decimal(10,0)"
        numbers = self._read_numbers(most=2)
        if numbers is None:
            return None
        precision, scale = (numbers[0], numbers[1]) if len(numbers) == 2 else (numbers[0], 0)
        return f"decimal({precision},{scale})" if 1 <= precision <= 38 and scale <= precision else None

    def _read_interval(self) -> str | None:
        first = self._next().lower()
        last = self._next().lower() if self._take("to") else first
        for units in (_YEAR_UNITS, _DAY_UNITS):
            if first in units and last in units and units.index(first) <= units.index(last):
                return f"interval {first}" if first == last else f"interval {first} to {last}"
        return None

    def _read_array(self, depth: int) -> str | None:
        if not self._take("<"):
            return None
        element = self.read_type(depth + 1)
        return f"array<{element}>" if element and self._take(">") else None

    def _read_map(self, depth: int) -> str | None:
        if not self._take("<"):
            return None
        key = self.read_type(depth + 1)
        value = self.read_type(depth + 1) if key and self._take(",") else None
        return f"map<{key},{value}>" if value and self._take(">") else None

    def _read_struct(self, depth: int) -> str | None:
        if not self._take("<"):
            return None
        fields: list[str] = []
        while not self._take(">"):
            if fields and not self._take(","):
                return None
            name = self._next().strip("`")
            self._take(":")
            kind = self.read_type(depth + 1)
            if not name or kind is None:
                return None
            self._skip_field_words()
            fields.append(f"{name}:{kind}")
        return f"struct<{','.join(fields)}>"

    def _skip_field_words(self) -> None:
        if self._take("not"):
            self._take("null")
        if self._take("comment"):
            self._next()

"""Read the files of `tests/`: unit tests of models with given and expected rows."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from lamina.project.decode import INVALID, Decoder, Findings, columns_list, decode_table, table, table_of, text
from lamina.project.rules import duplicate_test, missing_key
from lamina.project.scan import ScannedFile
from lamina.project.toml import parse_toml
from lamina.project.unit_test import FOLDER, UnitTest, UnitTests
from lamina.values.diagnostic import Diagnostic


def read_unit_tests(files: Iterable[ScannedFile]) -> UnitTests:
    """Read every unit test among some files; a name that two files give is noted and its first test kept."""
    tests: dict[str, UnitTest] = {}
    found: list[Diagnostic] = []
    for file in files:
        if not file.path.startswith(FOLDER):
            continue
        read = read_unit_test_file(file.path, file.text())
        found.extend(read.diagnostics)
        for test in read.tests:
            first = tests.setdefault(test.name, test)
            if first is not test:
                found.append(duplicate_test.finding(test.name, place=test.place(), first=first.place()))
    return UnitTests(tests=tuple(tests.values()), diagnostics=tuple(found))


def read_unit_test_file(path: str, content: str) -> UnitTests:
    """Read the unit tests of one file; texts are data, so `${NAME}` in them means nothing."""
    document = parse_toml(path, content)
    findings = Findings(document.places)
    decoded = decode_table(document.data, {"test": table_of(table(_KEYS))}, at="", findings=findings)
    tests = []
    for name, keys in decoded.get("test", {}).items():
        written = document.data["test"][name]
        for key in ("model", "expect"):
            if key not in written:
                place = document.places.of(f"test.{name}")
                findings.add(missing_key.finding(key, place=place, needed_by=f"the unit test `{name}`"))
        if "model" in keys and "expect" in keys:
            tests.append(UnitTest(name=name, places=document.places, **keys))
    return UnitTests(tests=tuple(tests), diagnostics=(*document.diagnostics, *findings.found))


def _key(value: Any, key: str, findings: Findings) -> Any:
    """Decode a partition key, which TOML may take for a date."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    return text(value, key, findings)


def _row(value: Any, key: str, findings: Findings) -> Any:
    return value if isinstance(value, dict) else findings.wrong_type(key, expected="a table", value=value)


def _rows(value: Any, key: str, findings: Findings) -> Any:
    if not isinstance(value, list):
        return findings.wrong_type(key, expected="a list of tables", value=value)
    rows = tuple(_row(item, f"{key}.{index}", findings) for index, item in enumerate(value))
    return INVALID if INVALID in rows else rows


_KEYS: dict[str, Decoder] = {
    "model": text,
    "partition": _key,
    "parameters": _row,
    "given": table_of(_rows),
    "expect": _rows,
    "columns": columns_list,
}

"""How a source is detected, as it is written: for the whole source or a table, and what has no effect is refused."""

import pytest

from lamina.project.source import SourceTable
from lamina.project.source_file import read_source_file
from lamina.values.diagnostic import Diagnostic


def read(text: str) -> tuple[SourceTable, tuple[Diagnostic, ...]]:
    content = f'[source.raw]\ntype = "files"\npath = "data"\n{text}'
    found = read_source_file("sources/raw.toml", content, root="/nowhere", variables={})
    return found.tables[0], found.diagnostics


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[source.raw.tables.orders]\n", ("auto", (), None, False)),
        ('detect = "checksum"\n[source.raw.tables.orders]\n', ("checksum", (), None, True)),
        ('detect = "checksum"\n[source.raw.tables.orders]\ndetect = "auto"\n', ("auto", (), None, False)),
        ('refine = "columns"\n[source.raw.tables.orders]\n', ("auto", (), "columns", True)),
        ('[source.raw.tables.orders]\ndetect = "checksum"\nchecksum_by = "day"\n', ("checksum", ("day",), None, True)),
        (
            '[source.raw.tables.orders]\ndetect = "checksum"\nchecksum_by = ["region", "day"]\n',
            ("checksum", ("region", "day"), None, True),
        ),
    ],
)
def test_a_table_has_its_own_detector_or_that_of_its_source(text: str, expected: tuple[object, ...]) -> None:
    table, diagnostics = read(text)
    assert diagnostics == ()
    assert (table.detect, table.checksum_by, table.refine, table.is_compared) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('checksum_by = ["day"]', '`checksum_by` has no effect with `detect = "auto"`'),
        ('detect = "always"\nchecksum_by = ["day"]', '`checksum_by` has no effect with `detect = "always"`'),
        ('detect = "checksum"\nrefine = "columns"', '`refine` has no effect: `detect = "checksum"` compares'),
        ('detect = "always"\nrefine = "columns"', '`refine` has no effect: `detect = "always"` has its readers built'),
        ('detect = "checksum"\nchecksum_by = ["day", "Day"]', "`checksum_by` names column `Day` twice"),
        ('detect = "checksum"\nchecksum_by = []', "`checksum_by`"),
        ('refine = "rows"', "`refine`"),
    ],
)
def test_settings_without_effect_and_wrong_ones_are_refused(text: str, message: str) -> None:
    _, diagnostics = read(f"[source.raw.tables.orders]\n{text}\n")
    (found,) = diagnostics
    assert message in found.message
    assert found.file == "sources/raw.toml"

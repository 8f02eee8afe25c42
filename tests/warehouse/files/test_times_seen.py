"""The compiler knows of which files times are seen without Spark: as the formats themselves say it."""

from lamina.project.source import TIMES_SEEN
from lamina.warehouse.files.formats import FORMATS


def test_the_compiler_and_the_formats_agree_on_the_types_whose_times_are_seen() -> None:
    assert {name: found.range_types for name, found in FORMATS.items()} == TIMES_SEEN

"""The table of the formats of files: one line for each."""

from lamina.project.source import FormatName, SourceTable
from lamina.warehouse.files.avro_format import AVRO
from lamina.warehouse.files.csv_format import CSV
from lamina.warehouse.files.file_format import FileFormat
from lamina.warehouse.files.json_format import JSON
from lamina.warehouse.files.orc_format import ORC
from lamina.warehouse.files.parquet_format import PARQUET

FORMATS: dict[FormatName, FileFormat] = {
    "parquet": PARQUET,
    "csv": CSV,
    "json": JSON,
    "orc": ORC,
    "avro": AVRO,
}


def format_of(source: SourceTable) -> FileFormat:
    """Return what is known of the format that a source's files have."""
    return FORMATS[source.format]

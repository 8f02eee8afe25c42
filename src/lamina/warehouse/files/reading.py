"""The hash of all that decides which rows the files of a source hold, beside their bytes."""

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.warehouse.files.formats import format_of


def reading_of(source: SourceTable) -> str:
    """Return the hash of all that decides which rows the files of a source hold, beside their bytes."""
    columns = [] if source.is_inferred else [(column.name, column.type) for column in source.columns]
    declared = (source.format, columns, sorted(source.options.items()))
    format = format_of(source)
    if format.reading is None:
        return codec.content_hash(declared)
    # Whether columns were inferred changes two of the options, and no row.
    ours = {key: value for key, value in format.options(source).items() if key not in ("enforceSchema", "inferSchema")}
    return codec.content_hash((*declared, format.reading, sorted(ours.items())))

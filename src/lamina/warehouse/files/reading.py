"""How files of a source are read by default, and the hash of all that decides which rows the same bytes give."""

from lamina.project.source import SourceTable
from lamina.values import codec

# Doubled quotes are Spark's escape only if it is named; its own default is the backslash. Where columns are pruned, a
# row with too few or too many values is not noticed.
RFC_4180 = {"escape": '"', "header": "true", "columnPruning": "false"}

# Raise a number where the same bytes give other rows than before, beyond what options say: tables are then built again.
# A format without a number is read as it always was.
_READINGS = {"csv": 2}


def default_options(source: SourceTable) -> dict[str, str]:
    """Return the options that a source is read with unless its own say otherwise: strict, and CSV by RFC 4180."""
    strict = {"mode": "FAILFAST"} if source.format in ("csv", "json") else {}
    if source.format == "csv":
        # Without `enforceSchema = false` Spark takes declared columns by place, whatever the header says.
        strict |= RFC_4180 | ({"enforceSchema": "false"} if source.columns else {"inferSchema": "true"})
    if source.format == "parquet" and not source.columns:
        strict["mergeSchema"] = "true"
    return strict


def reading_of(source: SourceTable) -> str:
    """Return the hash of all that decides which rows the files of a source hold, beside their bytes."""
    columns = [] if source.is_inferred else [(column.name, column.type) for column in source.columns]
    declared = (source.format, columns, sorted(source.options.items()))
    number = _READINGS.get(source.format)
    if number is None:
        return codec.content_hash(declared)
    # Whether columns were inferred changes two of the options, and no row.
    ours = {key: value for key, value in default_options(source).items() if key not in ("enforceSchema", "inferSchema")}
    return codec.content_hash((*declared, number, sorted(ours.items())))

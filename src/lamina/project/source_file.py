"""Read `sources/*.toml`: one block per source, one table of the project per folder or catalog table."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_args

from lamina.project.column_keys import columns
from lamina.project.decode import (
    INVALID,
    NAME,
    TABLE_NAME,
    Decoder,
    Findings,
    choice,
    columns_list,
    decode_table,
    homes_of,
    integer,
    spark_conf,
    text,
)
from lamina.project.limit_keys import FRESHNESS_KEYS, ON_STALE, build_freshness, freshness_table
from lamina.project.model import SettingPlaces
from lamina.project.rules import conflicting_keys, invalid_name, later_feature, misplaced_key, missing_key
from lamina.project.schedule import duration
from lamina.project.secret_keys import address, hide_secrets, variable
from lamina.project.source import Connection, FormatName, SourceTable, SourceType
from lamina.project.toml import parse_toml, read_toml
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import SourceName
from lamina.values.value import Value

Settings = dict[str, Any]
Declared = dict[str, Settings]  # the tables that a source names

LATER_TYPES = ("delta", "catalog", "manual", "fivetran")
# By default a source is asked as its kind allows: snapshots of Iceberg tables, manifests of files.
DETECTORS = choice("auto", "checksum", "always", later=("version", "files", "watermark"))
FORMATS = choice(*get_args(FormatName))
LATER_KEYS = frozenset(["catalog", "discover"])


def tables(value: Any, key: str, findings: Findings) -> Any:
    """Decode the tables of a source: a list of names, or names with a path or settings."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = {item: {} for item in value}
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table of source tables", value=value)
    decoded = {}
    for table, settings in value.items():
        path = f"{key}.{table}"
        if not TABLE_NAME.fullmatch(table) or "." in table:
            findings.add(invalid_name.finding(table[:60], place=findings.places.of(path), what="source table"))
        elif isinstance(settings, str):
            decoded[table] = {"path": str(settings)}
        elif isinstance(settings, dict):
            decoded[table] = decode_table(settings, TABLE_KEYS, at=path, findings=findings, later=LATER_KEYS)
        else:
            findings.wrong_type(path, expected="a path or a table", value=settings)
    return decoded


def names_of_columns(value: Any, key: str, findings: Findings) -> Any:
    """Decode one column, or a list of them."""
    return columns_list([value] if isinstance(value, str) else value, key, findings)


TABLE_KEYS: dict[str, Decoder] = {
    "path": text,
    "format": FORMATS,
    "detect": DETECTORS,
    "options": spark_conf,
    "time_column": text,
    "checksum_by": names_of_columns,
    "refine": choice("columns"),
    "columns": columns,
    "description": text,
    "freshness": freshness_table,
    "on_stale": ON_STALE,
    "table": text,
    "load_time": text,
    "safety_lag": duration,
    "partition_column": text,
    "num_partitions": integer(2, 1000),
}
KEYS: dict[str, Decoder] = {
    "type": choice(*get_args(SourceType), later=LATER_TYPES),
    "path": text,
    "namespace": text,
    "format": FORMATS,
    "detect": DETECTORS,
    "refine": choice("columns"),
    "options": spark_conf,
    "description": text,
    "tables": tables,
    "url": address,
    "user": text,
    "password": variable,
}
HOMES = homes_of(
    {
        "`[source.NAME]`": KEYS,
        "`[source.NAME.tables.TABLE]`": TABLE_KEYS,
        "`[source.NAME.tables.TABLE.freshness]`": FRESHNESS_KEYS,
    }
)


class SourceFile(Value, frozen=True):
    """What one file declares; `names` are its source blocks, to find those that are declared twice."""

    tables: tuple[SourceTable, ...]
    names: tuple[str, ...]
    places: SettingPlaces
    diagnostics: tuple[Diagnostic, ...]


def read_source_file(path: str, content: str, *, root: str, variables: Mapping[str, str]) -> SourceFile:
    """Read the sources of one file; folders are listed to find the tables of a source that names only a path."""
    if '"jdbc"' in content and isinstance(blocks := parse_toml(path, content).data.get("source"), dict):
        # What is kept of a file, such as the places of its keys, holds no secret that someone wrote into it.
        content = hide_secrets(content, blocks)
    document = read_toml(path, content, variables=variables)
    findings = Findings(document.places, HOMES)
    found: list[SourceTable] = []
    top = decode_table(document.data, {"source": _blocks}, at="", findings=findings, later=frozenset({"pipeline"}))
    for source, settings in top.get("source", {}).items():
        found.extend(_tables_of(source, settings, root=root, findings=findings))
    names = tuple(sorted(top.get("source", {})))
    return SourceFile(
        tables=tuple(found),
        names=names,
        places=document.places,
        diagnostics=(*document.diagnostics, *findings.found),
    )


def _blocks(value: Any, key: str, findings: Findings) -> Any:
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    blocks = {}
    for source, settings in value.items():
        path = f"{key}.{source}"
        if not NAME.fullmatch(source):
            findings.add(invalid_name.finding(source[:60], place=findings.places.of(path), what="source"))
        elif (block := _block(settings, path, findings)) is not INVALID:
            blocks[source] = block
    return blocks


def _block(value: Any, key: str, findings: Findings) -> Any:
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    kind = value.get("type")
    if kind is None:
        return findings.add(missing_key.finding("type", place=findings.places.of(key), needed_by="a source"))
    if isinstance(kind, str) and kind in LATER_TYPES:
        where = findings.places.of(f"{key}.type")
        return findings.add(later_feature.finding(f"source type `{kind}`", place=where))
    settings = decode_table(value, KEYS, at=key, findings=findings, later=LATER_KEYS)
    return settings if "type" in settings else INVALID


def _tables_of(source: str, settings: Settings, *, root: str, findings: Findings) -> list[SourceTable]:
    """Return the tables of one source, with the settings of the source as their defaults."""
    kind: SourceType = settings["type"]
    own = _KINDS[kind]
    for key in sorted(settings.keys() - set(own.keys)):
        owners = tuple(name for name, other in _KINDS.items() if key in other.keys)
        if owners:
            place = findings.places.of(f"source.{source}.{key}")
            findings.add(misplaced_key.finding(key, place=place, of=_one(kind), owners=owners))
    for table, declared in settings.get("tables", {}).items():
        for key in sorted(declared.keys() & _OF_SOME_KINDS - set(own.table_keys)):
            place = findings.places.of(f"source.{source}.tables.{table}.{key}")
            findings.add(_misplaced(key, kind, place))
    return own.tables(source, settings, settings.get("tables", {}), root, findings)


def _file_tables(
    source: str, settings: Settings, declared: Declared, root: str, findings: Findings
) -> list[SourceTable]:
    at, folder = f"source.{source}", settings.get("path")
    listed: Declared = {} if folder is None else {table: {} for table in _folders(root, folder)}
    if folder is None and (not declared or any("path" not in table for table in declared.values())):
        needed = "path or tables" if not declared else "path"
        place = findings.places.of(f"{at}.tables" if declared else at)
        findings.add(missing_key.finding(needed, place=place, needed_by=_one("files")))
        return []
    found = []
    for table, own in sorted({**listed, **declared}.items()):
        location = own.get("path", f"{str(folder).rstrip('/')}/{table}")
        found.append(_table(source, table, settings, own, location=location, findings=findings))
    return found


def _iceberg_tables(
    source: str, settings: Settings, declared: Declared, _root: str, findings: Findings
) -> list[SourceTable]:
    if not declared:
        place = findings.places.of(f"source.{source}")
        findings.add(missing_key.finding("tables", place=place, needed_by=_one("iceberg")))
    namespace = settings.get("namespace", source)
    return [
        _table(source, table, settings, own, location=own.get("path", f"{namespace}.{table}"), findings=findings)
        for table, own in sorted(declared.items())
    ]


def _database_tables(
    source: str, settings: Settings, declared: Declared, _root: str, findings: Findings
) -> list[SourceTable]:
    at = findings.places.of(f"source.{source}")
    missing = [key for key in ("url", "tables") if not settings.get(key)]
    for key in missing:
        findings.add(missing_key.finding(key, place=at, needed_by=_one("jdbc")))
    if missing:
        return []
    connection = Connection(url=settings["url"], user=settings.get("user"), password=settings.get("password"))
    found = []
    for table, own in sorted(declared.items()):
        place = findings.places.of(f"source.{source}.tables.{table}")
        for key, other in _NEEDS:
            if key in own and other not in own:
                findings.add(missing_key.finding(other, place=place, needed_by=f"`{key}`"))
        if (own.get("detect") or settings.get("detect")) == "checksum" or own.get("refine") or settings.get("refine"):
            # Its old rows cannot be read again, and their checksums are not kept.
            findings.add(later_feature.finding(f"comparing rows of {_one('jdbc')}", place=place))
        named = own.get("table") or own.get("path") or table
        location = named if "." in named else f"{settings.get('namespace', 'public')}.{named}"
        made = _table(source, table, settings, own, location=location, findings=findings)
        found.append(made.replace(connection=connection))
    return found


class _Kind(NamedTuple):
    """What is written differently for one kind of source."""

    keys: tuple[str, ...]  # that not every kind has
    tables: Callable[[str, Settings, Declared, str, Findings], list[SourceTable]]
    table_keys: tuple[str, ...]  # of one table, that not every kind has


_DATABASE_KEYS = ("table", "load_time", "safety_lag", "partition_column", "num_partitions")
_NEEDS = (
    ("safety_lag", "load_time"),
    ("partition_column", "num_partitions"),
    ("num_partitions", "partition_column"),
)
_KINDS: dict[SourceType, _Kind] = {
    "files": _Kind(("format", "options", "path"), _file_tables, ("format", "options")),
    "iceberg": _Kind(("namespace",), _iceberg_tables, ()),
    "jdbc": _Kind(("namespace", "url", "user", "password"), _database_tables, _DATABASE_KEYS),
}
_OF_SOME_KINDS = {key for kind in _KINDS.values() for key in kind.table_keys}


def _misplaced(key: str, kind: SourceType, place: Place) -> Diagnostic:
    """Return the finding for a key of one table that its kind of source does not have."""
    if key == "load_time":  # other kinds are to have it too
        return later_feature.finding(f"`{key}` of {_one(kind)}", place=place)
    owners = tuple(name for name, other in _KINDS.items() if key in other.table_keys)
    return misplaced_key.finding(key, place=place, of=_one(kind), owners=owners)


def _one(kind: SourceType) -> str:
    """Return a source of some kind in words.

    >>> _one("files"), _one("iceberg")
    ('a `files` source', 'an `iceberg` source')
    """
    return f"{'an' if kind[0] in 'aeiou' else 'a'} `{kind}` source"


def _table(
    source: str,
    table: str,
    settings: Settings,
    own: Settings,
    *,
    location: str,
    findings: Findings,
) -> SourceTable:
    keys = ("format", "options", "detect", "refine", "description")
    shared: dict[str, Any] = {key: settings[key] for key in keys if key in settings}
    merged: dict[str, Any] = {**shared, **own}
    merged.pop("path", None)
    merged.pop("table", None)
    if "options" in own and "options" in shared:
        merged["options"] = {**shared["options"], **own["options"]}
    at, on_stale = f"source.{source}.tables.{table}", merged.pop("on_stale", None)
    _refuse_unused(at, merged, findings)
    if "freshness" in own:
        settings_of = own["freshness"] if on_stale is None else {"on_stale": on_stale, **own["freshness"]}
        merged["freshness"] = build_freshness(settings_of, f"{at}.freshness", findings)
    elif on_stale is not None:
        findings.add(
            missing_key.finding("freshness", place=findings.places.of(f"{at}.on_stale"), needed_by="`on_stale`")
        )
    return SourceTable(
        name=SourceName(f"{source}.{table}"),
        type=settings["type"],
        location=location,
        places=findings.places,
        **merged,
    )


def _refuse_unused(at: str, merged: Settings, findings: Findings) -> None:
    """Note settings of a detector that another one has."""
    detect = merged.get("detect", "auto")
    if "checksum_by" in merged and detect != "checksum":
        message = f'`checksum_by` has no effect with `detect = "{detect}"`'
        place = findings.places.of(f"{at}.checksum_by")
        findings.add(conflicting_keys.finding(message, place=place, hint='use `detect = "checksum"`, or remove it'))
    if "refine" in merged and detect != "auto":
        why = "compares all that its readers read" if detect == "checksum" else "has its readers built by every run"
        place = findings.places.of(f"{at}.refine")
        message = f'`refine` has no effect: `detect = "{detect}"` {why}'
        findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))


def _folders(root: str, folder: str) -> list[str]:
    """Return the folders below a local path that can be the name of a table; a remote path lists none."""
    if "://" in folder:
        return []
    try:
        with os.scandir(os.path.join(root, folder)) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except (OSError, ValueError):  # no such folder, or no name a folder can have
        return []
    return sorted(name for name in names if TABLE_NAME.fullmatch(name) and not name.startswith("_") and "." not in name)

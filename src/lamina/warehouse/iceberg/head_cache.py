"""The heads of tables as their metadata gives them: a table that did not move is not looked into again.

Every version of a table has a metadata file of its own, which lists all versions before it and so grows with each run.
"""

from pathlib import Path

from lamina.project.cache_file import cache_path, code_of, read_cached, write_cached
from lamina.values import facts, schema
from lamina.values.facts import Head
from lamina.values.names import TableName
from lamina.values.value import Value
from lamina.warehouse.iceberg import iceberg_types, metadata
from lamina.warehouse.iceberg.metadata import MetadataUnreadable, local_path, read_metadata
from lamina.warehouse.plain_sentence import system_words


class KeptHead(Value, frozen=True, array_like=True):
    """A head and the metadata file it was read from: one that has another size or time is another file."""

    head: Head
    size: int
    modified_ns: int


class HeadCache:
    """Owns the kept heads of one project."""

    def __init__(self, root: Path) -> None:
        self._path = cache_path(root, "heads.msgpack")
        self._code = code_of((__file__, facts.__file__, iceberg_types.__file__, metadata.__file__, schema.__file__))
        self._known: dict[TableName, KeptHead] | None = None
        self._asked: dict[TableName, KeptHead] = {}

    def head(self, table: TableName, pointer: str) -> Head:
        """Return the head a pointer leads to, reading its metadata if that was not read before."""
        known = self._load().get(table)
        try:
            file = local_path(pointer).stat()
        except OSError as error:
            raise MetadataUnreadable(pointer, system_words(error)) from error
        stamp = (pointer, file.st_size, file.st_mtime_ns)
        if known is None or (known.head.pointer, known.size, known.modified_ns) != stamp:
            known = KeptHead(_read_head(table, pointer), file.st_size, file.st_mtime_ns)
        self._asked[table] = known
        return known.head

    def keep(self) -> None:
        """Keep the heads that were requested, and those known of other tables, unless nothing is new."""
        known = self._load() if self._asked else {}
        if known | self._asked != known:
            self._known = known | self._asked
            write_cached(self._path, tuple(self._known.values()), written_by=self._code)

    def _load(self) -> dict[TableName, KeptHead]:
        if self._known is None:
            kept = read_cached(self._path, tuple[KeptHead, ...], written_by=self._code) or ()
            self._known = {item.head.table: item for item in kept}
        return self._known


def _read_head(table: TableName, pointer: str) -> Head:
    found = read_metadata(pointer)
    size = 0 if found.snapshot is None else found.snapshot.count("total-files-size")
    files = 0 if found.snapshot is None else found.snapshot.count("total-data-files")
    return Head(
        table=table,
        pointer=pointer,
        position=found.position,
        columns=found.columns,
        bytes=size,
        files=files,
    )

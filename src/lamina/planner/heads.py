"""Find which metadata file of a table was its published head, when the catalog that knew is lost.

Stages are written into the folder of the table they build, so files that were never published are beside those that
were. A stage is *sealed* by its last file, which holds the mark and the touch of the batch; an unsealed one is passed
over. Every foreign write is published at once. Of sealed files the one with the highest token, then the latest, is the
head: a run with a lower token cannot publish after a higher one was given, and the batches of one run are staged one
after another, so each published version is an ancestor of that file. It may be one that was sealed and not published;
that is a whole version of the table too, built from pinned inputs on a published base.
"""

from collections.abc import Iterable
from typing import Literal

from lamina.values.value import Value

Kind = Literal["sealed", "foreign", "unfinished"]


class MetadataFile(Value, frozen=True):
    """What one metadata file says of its own place in a table's history; files are known by their bare names."""

    name: str
    log: tuple[str, ...]  # the files before it, oldest first
    kind: Kind
    token: int  # of its mark, 0 without one
    updated: int  # in milliseconds
    commit: str = ""  # of its mark


def published_head(
    files: Iterable[MetadataFile], *, known: str | None = None, dropped: int | None = None
) -> MetadataFile | None:
    """Return the head of a table among its files.

    Where one is known to be published, the head is it, a file that follows it, or a table built in its place later.
    Of a table that was dropped, at a time in milliseconds, nothing counts but what others put in its place afterwards.
    """
    left = (file for file in files if dropped is None or (not file.token and file.updated > dropped))
    everything = {file.name: file for file in left}
    published = {name: file for name, file in everything.items() if file.kind != "unfinished"}
    children: dict[str | None, list[MetadataFile]] = {}
    for file in published.values():
        children.setdefault(_base(file, published), []).append(file)
    ends = [_newest_below(root, children) for root in children.get(None, [])]
    if known is None or known not in everything:
        return max(ends, key=age_of, default=None)
    end = _newest_below(everything[known], children)
    # A table that was dropped, or whose files were lost, was built again without a past, by a later run.
    again = [item for item in ends if item.token > end.token and known not in item.log]
    return max(again, key=age_of, default=end)


def quarantine_head(files: Iterable[MetadataFile], *, commit: str | None) -> MetadataFile | None:
    """Return the head of a quarantine among its files: what one commit wrote, or others made of that since.

    The mark at the head of the table that it is beside names the commit; None: its quarantine was never published.
    """
    return published_head(file for file in files if commit is not None and file.commit == commit)


def _newest_below(file: MetadataFile, children: dict[str | None, list[MetadataFile]]) -> MetadataFile:
    """Follow the history from a file to its end; a foreign write on a version shows that no stage on it was used."""
    while below := children.get(file.name):
        foreign = [item for item in below if item.kind == "foreign" or _is_same_batch(item, file)]
        branches = {item.name: _newest_age(item, children) for item in foreign or below}
        file = max(foreign or below, key=lambda item: branches[item.name])
    return file


def _is_same_batch(file: MetadataFile, base: MetadataFile) -> bool:
    """Return whether a file keeps the mark of its base: another program changed a property or forgot old versions."""
    return bool(file.commit) and (file.commit, file.token) == (base.commit, base.token)


def _newest_age(file: MetadataFile, children: dict[str | None, list[MetadataFile]]) -> tuple[int, int]:
    """Return the token and time of the newest file of a branch."""
    newest, left = age_of(file), [file]
    while left:
        newest = max(newest, *(age_of(item) for item in left))
        left = [item for parent in left for item in children.get(parent.name, [])]
    return newest


def age_of(file: MetadataFile) -> tuple[int, int]:
    """Return what orders metadata files: the token of their run, then the time they were written."""
    return file.token, file.updated


def _base(file: MetadataFile, published: dict[str, MetadataFile]) -> str | None:
    return next((name for name in reversed(file.log) if name in published and name != file.name), None)

"""Keys that show whether a scanned project is the one seen before, in whole or but for the text of its queries."""

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple

from lamina.project.scan import Scan
from lamina.values.codec import to_pack

_VARIABLE = re.compile(rb"\$\{(\w+)")


class ProjectKeys(NamedTuple):
    """The key of everything, and the key of everything but the text inside SQL files."""

    project: str
    frame: str


def used_variables(scan: Scan, variables: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """Return the variables of the environment that some file names, with their values."""
    used = {name.decode() for file in scan.files if b"${" in file.content for name in _VARIABLE.findall(file.content)}
    return tuple((name, variables.get(name)) for name in sorted(used))


def keys_of(scan: Scan, variables: Mapping[str, str]) -> ProjectKeys:
    """Return the keys of a scan; of the environment only the variables that some file names count."""
    common = to_pack((scan.root, used_variables(scan, variables), scan.diagnostics))
    frame, project = blake2b(common, digest_size=16), blake2b(common, digest_size=16)
    for file in scan.files:
        line = f"{file.path}\0{file.hash}\0".encode()
        project.update(line)
        frame.update(f"{file.path}\0".encode() if file.path.endswith(".sql") else line)
    return ProjectKeys(project.hexdigest(), frame.hexdigest())

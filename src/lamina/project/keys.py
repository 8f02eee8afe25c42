"""Keys that show whether a scanned project is the one seen before, in whole or but for the text of its queries."""

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import NamedTuple

from lamina.project.scan import Scan
from lamina.values.codec import to_pack
from lamina.values.secret import HIDDEN

_VARIABLE = re.compile(rb"\$\{(\w+)")
_PASSWORD = re.compile(rb"""\bpassword\s*=\s*["']\$\{(\w+)\}["']""")  # of a source: only its name is compiled


class ProjectKeys(NamedTuple):
    """The key of everything, and the key of everything but the text inside SQL files."""

    project: str
    frame: str


def used_variables(scan: Scan, variables: Mapping[str, str]) -> tuple[tuple[str, str | None], ...]:
    """Return the variables of the environment that some file names, with their values; of passwords, that they are set.

    So a new password is no new project, and no hash of it is kept.
    """
    texts = [file.content for file in scan.files if b"${" in file.content]
    used = {name.decode() for text in texts for name in _VARIABLE.findall(_PASSWORD.sub(b"", text))}
    secret = {name.decode() for text in texts for name in _PASSWORD.findall(text)} - used
    shown = {name: HIDDEN for name in secret if name in variables}
    return tuple((name, shown.get(name, variables.get(name))) for name in sorted(used | secret))


def keys_of(scan: Scan, variables: Mapping[str, str]) -> ProjectKeys:
    """Return the keys of a scan; of the environment only the variables that some file names count."""
    common = to_pack((scan.root, used_variables(scan, variables), scan.diagnostics))
    frame, project = blake2b(common, digest_size=16), blake2b(common, digest_size=16)
    for file in scan.files:
        line = f"{file.path}\0{file.hash}\0".encode()
        project.update(line)
        frame.update(f"{file.path}\0".encode() if file.path.endswith(".sql") else line)
    return ProjectKeys(project.hexdigest(), frame.hexdigest())

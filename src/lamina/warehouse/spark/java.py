"""The Java that runs Spark: where it is and whether it is new enough, asked before anything is started."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from lamina.values.value import Value
from lamina.warehouse.spark.faults import JavaMissing, JavaTooOld

NEEDED = 17

_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


class Java(Value, frozen=True):
    """A Java installation; `build` distinguishes two builds of one version."""

    executable: str
    version: int
    build: str


def find_java() -> Java:
    """Return the Java that Spark will use, or raise why there is none."""
    home = os.environ.get("JAVA_HOME")
    executable = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if executable is None:
        raise JavaMissing("java")
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaMissing(executable) from error
    version = parse_version(answer.stderr)
    if version is None:
        raise JavaMissing(executable)
    if version < NEEDED:
        raise JavaTooOld(executable, found=version, needed=NEEDED)
    return Java(executable=executable, version=version, build=answer.stderr)


def parse_version(text: str) -> int | None:
    """Return the feature version in the answer of `java -version`.

    >>> parse_version('openjdk version "17.0.15" 2025-04-15'), parse_version('java version "1.8.0_401"')
    (17, 8)
    """
    found = _VERSION.search(text)
    if found is None:
        return None
    first = int(found[1])
    return int(found[2]) if first == 1 and found[2] else first

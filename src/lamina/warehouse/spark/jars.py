"""The jars Spark needs beside its own: resolved once by Maven coordinates into a user cache, then found offline."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from lamina.values.value import Value
from lamina.warehouse.plain_sentence import system_words
from lamina.warehouse.spark import faults
from lamina.warehouse.spark.java import Java

_DOWNLOAD_SECONDS = 600


class Coordinate(Value, frozen=True):
    """A jar's place in a Maven repository."""

    group: str
    artifact: str
    version: str

    @property
    def file_name(self) -> str:
        """The name of the jar."""
        return f"{self.artifact}-{self.version}.jar"

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


# The Iceberg runtime is shaded and SQLite's driver needs no other jar: neither needs its dependencies.
NEEDED = (
    Coordinate("org.apache.iceberg", "iceberg-spark-runtime-4.1_2.13", "1.12.0"),
    Coordinate("org.xerial", "sqlite-jdbc", "3.53.4.0"),
)

# Drivers of databases, which need no other jar; only those are fetched that a project has sources of.
DRIVERS = {"postgresql": Coordinate("org.postgresql", "postgresql", "42.7.8")}


def cache_folder() -> Path:
    """Return the folder of the user in which lamina keeps what it can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lamina"


def resolve_jars(given: tuple[str, ...], java: Java, *, drivers: tuple[str, ...] = ()) -> tuple[Path, ...]:
    """Return the jars to start Spark with: the given ones, else cached ones, else fetched ones."""
    if given:
        return tuple(_existing(Path(path)) for path in given)
    needed = (*NEEDED, *(DRIVERS[name] for name in drivers))
    return tuple(_find(coordinate) or _fetch(coordinate, java) for coordinate in needed)


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise faults.JarMissing(str(path), "the file does not exist, but `jars` under `[spark]` names it")
    return path.absolute()


def _find(coordinate: Coordinate) -> Path | None:
    """Return a jar that is on this machine already: in our cache, or in Maven's own."""
    in_maven = Path.home() / ".m2" / "repository" / coordinate.group.replace(".", "/")
    places = (
        cache_folder() / "jars" / coordinate.file_name,
        in_maven / coordinate.artifact / coordinate.version / coordinate.file_name,
    )
    return next((place for place in places if place.is_file()), None)


def _fetch(coordinate: Coordinate, java: Java) -> Path:
    """Download one jar with the Ivy that comes with Spark; it needs nothing but Java."""
    folder = cache_folder() / "jars"
    target = folder / coordinate.file_name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            output = _run_ivy(coordinate, java, Path(scratch))
            fetched = Path(scratch, coordinate.file_name)
            if not fetched.is_file():
                raise faults.JarMissing(str(coordinate), _last_line(output))
            # A rename is atomic: another process sees no jar or a whole one.
            shutil.move(fetched, target)
    except OSError as error:
        raise faults.JarMissing(str(coordinate), system_words(error)) from error
    return target


def _run_ivy(coordinate: Coordinate, java: Java, scratch: Path) -> str:
    command = [
        java.executable,
        "-jar",
        str(_ivy_jar()),
        "-m2compatible",
        "-notransitive",
        *("-cache", str(scratch / "cache")),
        *("-dependency", coordinate.group, coordinate.artifact, coordinate.version),
        *("-confs", "default"),
        *("-types", "jar"),
        *("-retrieve", f"{scratch}/[artifact]-[revision].[ext]"),
        "-warn",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_DOWNLOAD_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise faults.JarMissing(str(coordinate), f"no answer within {_DOWNLOAD_SECONDS} seconds") from error
    return done.stdout + done.stderr


def _ivy_jar() -> Path:
    import pyspark

    found = sorted(Path(pyspark.__file__).parent.joinpath("jars").glob("ivy-*.jar"))
    if not found:
        raise faults.JarMissing("ivy", "this pyspark has no Ivy, which downloads jars")
    return found[0]


def _last_line(output: str) -> str:
    lines = [line.strip(" \t:") for line in output.splitlines()]
    unresolved = [line for line in lines if "not found" in line or "UnknownHost" in line]
    return next(iter(unresolved), None) or next((line for line in reversed(lines) if line), "Ivy said nothing")

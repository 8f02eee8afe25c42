"""A PostgreSQL server of the tests' own: a folder, a free port, a user with a password."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

USER = "reader"
PASSWORD = "correct-horse-battery"


class Database:
    """One server, started and stopped as tests need it; its data stays until it is removed."""

    def __init__(self) -> None:
        self._programs = _programs()
        self._owner = _owner()
        self.folder = Path(tempfile.mkdtemp(prefix="lamina-postgres-"))
        if self._owner is not None:
            shutil.chown(self.folder, self._owner, _group(self._owner))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        options = ("--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8", "--locale=C", "--no-sync")
        self._do("initdb", "-D", str(self.folder / "data"), f"--username={USER}", *options)
        self.start()

    @property
    def url(self) -> str:
        """The address of the database as Spark takes it."""
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        settings = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} -c fsync=off"
        log = str(self.folder / "log")
        self._do("pg_ctl", "start", "--wait", "-D", str(self.folder / "data"), "-l", log, "-o", settings)

    def stop(self) -> None:
        """Stop the server, with whoever is connected."""
        self._do("pg_ctl", "stop", "--wait", "-m", "immediate", "-D", str(self.folder / "data"))

    def remove(self) -> None:
        """Remove all of it."""
        self.stop()
        shutil.rmtree(self.folder)

    def sql(self, *statements: str) -> str:
        """Do statements, each in a transaction of its own, and return what the last one gives."""
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port)]
        command += [part for statement in statements for part in ("-c", statement)]
        return self._do(*command, "-U", USER, "postgres")

    def _do(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            cwd=self.folder,
            env={**os.environ, "PGPASSWORD": PASSWORD, "PGTZ": "UTC"},
            user=self._owner,
            group=None if self._owner is None else _group(self._owner),
            extra_groups=None if self._owner is None else [],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            stderr=subprocess.PIPE if program != "pg_ctl" else subprocess.DEVNULL,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{program}: {done.stdout} {done.stderr}"
        return (done.stdout or "").strip()


def _programs() -> Path:
    """Return the folder of the server's programs; Debian keeps them beside `PATH`."""
    found = shutil.which("initdb")
    places = (
        [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    )
    complete = [place for place in places if all((place / name).exists() for name in ("initdb", "pg_ctl", "psql"))]
    assert complete, "tests of databases need PostgreSQL: `make setup` installs it, or install `postgresql`"
    return complete[0]


def _owner() -> str | None:
    """Return the user to run the server as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


def _group(owner: str) -> int:
    return pwd.getpwnam(owner).pw_gid

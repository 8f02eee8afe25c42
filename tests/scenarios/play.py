"""Play a scenario: a project in a folder and steps that change it, run it, and say what must have been built."""

import io
import json
import os
import shlex
import shutil
import socket
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.behaviour.examples import store_at
from tests.rewriting import move_ctime, rewrite
from tests.spark.lake import Borrowed

from lamina.cli.app import run_command
from lamina.cli.commands import split_command
from lamina.values.names import EnvironmentName, RunId
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark.session import Application

PROD = EnvironmentName("prod")
CASES = Path(__file__).parent / "cases"
TIMED = ("run", "plan", "status", "intervals", "pending")  # commands that take the step's time as now


@dataclass(frozen=True)
class Step:
    """What happens, and what must be true afterwards; what is not mentioned must not be built."""

    name: str
    write: dict[str, str] = field(default_factory=dict)
    remove: tuple[str, ...] = ()
    edit: dict[str, list[str]] = field(default_factory=dict)  # path: old text, new text
    rewrite: dict[str, str] = field(default_factory=dict)  # with the same size and mtime, as `cp -p` does
    chmod: tuple[str, ...] = ()  # files that get other rights and nothing else
    sql: tuple[str, ...] = ()  # done by another writer
    is_state_lost: bool = False  # beforehand; the tables stay
    state_file: str = ""  # what happens to the file that holds state and catalog: see `_harm_state_file`
    move: str = ""  # the project is `moved` to another folder, or `copied` and used there
    is_held: bool = False  # another run, which lives, holds the lease meanwhile
    command: str = "run"
    at: str | None = None
    exit: int = 0
    status: str | None = None
    built: dict[str, Any] = field(default_factory=dict)
    states: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    spared: dict[str, str] = field(default_factory=dict)
    says: dict[str, dict[str, Any]] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)  # fields of the document
    tells: dict[str, dict[str, Any]] = field(default_factory=dict)  # path in the document: some of the fields there
    actions: dict[str, str] = field(default_factory=dict)  # of a plan
    diagnostics: tuple[str, ...] = ()
    failed_checks: tuple[str, ...] = ()
    rows: dict[str, list[str]] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    is_same_plan: bool = False
    is_silent: bool = False  # wrong usage has no document
    verify: str | dict[str, str] = "equal"


@dataclass(frozen=True)
class Scenario:
    """A project as it begins, and its steps."""

    name: str
    files: dict[str, str]
    steps: tuple[Step, ...]
    settles: bool = True  # a last run finds nothing to do


def scenarios() -> list[Scenario]:
    """Return every case, by name."""
    return [_read(path) for path in sorted(CASES.glob("*.toml"))]


def _read(path: Path) -> Scenario:
    data = tomllib.loads(path.read_text())
    steps = tuple(Step(**step) for step in data["step"])
    return Scenario(name=path.stem, files=data["files"], steps=steps, settles=data.get("settles", True))


class Player:
    """One project folder, driven through the command line inside the tests' one Spark application."""

    def __init__(self, folder: Path, owner: Application, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._owner = owner
        self._applications: list[Borrowed] = []
        self._plan_id = ""
        self._originals: dict[Path, dict[str, bytes]] = {}  # what projects held when they were copied
        patch.setattr("lamina.warehouse.spark.warehouse.Application", self._borrow)

    def play(self, scenario: Scenario) -> None:
        """Play all steps; afterwards nothing is left to do, and looking starts no Spark."""
        self.write({"lamina.toml": '[project]\nname = "scenario"\n', **scenario.files})
        at = None
        for step in scenario.steps:
            at = step.at or at
            try:
                self._play(step, at)
            except AssertionError as error:
                raise AssertionError(f"{scenario.name}: {step.name}: {error}") from error
        if scenario.settles:
            self._check_idle(at)
        for folder, contents in self._originals.items():
            assert self._contents(folder) == contents, f"a copy wrote into {folder}"

    def write(self, files: dict[str, str]) -> None:
        """Write files of the project."""
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def command(self, line: str, at: str | None) -> tuple[int, dict[str, Any]]:
        """Run one command and return its exit code and document."""
        out, err = io.StringIO(), io.StringIO()
        code = self._run(line, at, output="json", out=out, err=err)
        text = out.getvalue()
        document = json.loads(text) if text.startswith("{") else {"status": text + err.getvalue(), "exit_code": code}
        return code, document

    def printed(self, step: Step, at: str | None) -> tuple[int, str]:
        """Make a step happen and return the exit code of its command, and what a person reads."""
        self._prepare(step)
        with self._other_run() if step.is_held else nullcontext():
            screen = io.StringIO()
            code = self._run(step.command, at, output="text", out=screen, err=screen)
        return code, screen.getvalue()

    def _run(self, line: str, at: str | None, *, output: str, out: io.StringIO, err: io.StringIO) -> int:
        name, arguments = split_command(shlex.split(line.replace("{plan}", self._plan_id)))
        if at is not None and name in TIMED and "--execution-time" not in arguments:
            arguments += ["--execution-time", at]
        with redirect_stdout(out), redirect_stderr(err):
            return run_command(name, [*arguments, "--project-dir", str(self.folder), "--output", output])

    def query(self, text: str) -> list[str]:
        """Return the rows of a query as text, sorted."""
        rows = self._other_session().sql(text).collect()
        return sorted("|".join("NULL" if cell is None else str(cell) for cell in row) for row in rows)

    def pointers(self) -> dict[str, str]:
        """Return the metadata of every table in the catalog."""
        with sqlite3.connect(self.folder / ".lamina" / "lamina.db") as connection:
            found = connection.execute("SELECT table_namespace, table_name, metadata_location FROM iceberg_tables")
            return {f"{space}.{name}": pointer for space, name, pointer in found}

    def _play(self, step: Step, at: str | None) -> None:
        self._prepare(step)
        if not step.command:
            return
        with self._other_run() if step.is_held else nullcontext():
            code, document = self.command(step.command, at)
        if step.is_silent:
            assert code == step.exit, _in_words(document)
            return
        said = _in_words(document)
        assert code == step.exit, said
        if step.status is not None:
            assert document["status"] == step.status, said
        self._check_answer(step, document, said)
        if step.command.split()[0] in ("run", "apply", "retry"):
            self._check_run(step, document, said)
            self._check_verdicts(step, at)
        for name, expected in step.rows.items():
            found = self.query(f"SELECT * FROM lake.{name}")
            assert found == sorted(expected), f"{name}: {found}"
        for name, expected_columns in step.columns.items():
            there = self._columns(name)
            assert there == expected_columns, f"{name}: {there}"

    def _prepare(self, step: Step) -> None:
        self.write(step.write)
        for pattern in step.remove:
            found = tuple(self.folder.glob(pattern))
            assert found, f"there is no {pattern}"
            for file in found:
                shutil.rmtree(file) if file.is_dir() else file.unlink()
        for path, (old, new) in step.edit.items():
            text = (self.folder / path).read_text()
            assert old in text, f"`{old}` is not in {path}"
            (self.folder / path).write_text(text.replace(old, new))
        for path, text in step.rewrite.items():
            rewrite(self.folder / path, text.encode())
        for path in step.chmod:
            move_ctime(self.folder / path)
        if step.sql:
            session = self._other_session()
            for statement in step.sql:
                session.sql(statement)
        if step.is_state_lost:
            self._lose_state()
        if step.state_file:
            self._harm_state_file(step.state_file)
        if step.move:
            self._move(step.move)

    def _harm_state_file(self, how: str) -> None:
        """Lose or damage the file that holds the state and the catalog."""
        file = self.folder / ".lamina" / "lamina.db"
        copies = sorted((file.parent / "backup").glob("*.db"))
        match how:
            case "deleted":
                file.unlink()
            case "deleted with its copies":
                file.unlink()
                shutil.rmtree(file.parent / "backup")
            case "emptied":
                file.write_bytes(b"")
            case "cut off":
                file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
            case "overwritten":
                file.write_text("not a database\n" * 100)
            case "without rows of tables":
                with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                    connection.execute("DELETE FROM iceberg_tables")
            case "an old copy":
                for end in ("", "-wal", "-shm"):
                    Path(f"{file}{end}").unlink(missing_ok=True)
                shutil.copyfile(copies[0], file)
            case _:
                raise AssertionError(how)

    def _move(self, how: str) -> None:
        """Go on in another folder; what a copy was made of is never written to again."""
        there = self.folder.with_name(f"{self.folder.name}x")
        if how == "moved":
            self.folder.rename(there)
        else:
            shutil.copytree(self.folder, there, copy_function=shutil.copy2)
            self._originals[self.folder] = self._contents(self.folder)
        self.folder = there

    def _contents(self, folder: Path) -> dict[str, bytes]:
        lake = folder / ".lamina"
        files = (path for path in lake.rglob("*") if path.is_file() and "cache" not in path.parts)
        return {str(path): path.read_bytes() for path in files}

    def _lose_state(self) -> None:
        """Drop what state holds beside the catalog, whose file it shares."""
        with sqlite3.connect(self.folder / ".lamina" / "lamina.db") as connection:
            named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in named:
                if name.startswith("lamina_"):
                    connection.execute(f'DROP TABLE "{name}"')

    @contextmanager
    def _other_run(self) -> Iterator[None]:
        """Hold the lease as another run would, in a process that lives: this one."""
        name = tomllib.loads((self.folder / "lamina.toml").read_text())["project"]["name"]
        store = store_at(self.folder / ".lamina" / "lamina.db", project=name)
        process = f"{socket.gethostname()}:{os.getpid()}:{Path('/proc/self/stat').read_text().split()[21]}"
        now, ttl = datetime.now(UTC), timedelta(minutes=1)
        lease = store.take_lease(PROD, RunId("run-of-others"), process=process, now=now, ttl=ttl, above=0)
        try:
            yield
        finally:
            store.release_lease(lease)
            store.close()

    def _check_answer(self, step: Step, document: dict[str, Any], said: str) -> None:
        for name, value in step.answers.items():
            assert document[name] == value, f"{name}: {said}"
        for path, fields in step.tells.items():
            place = _at(document, path)
            assert {key: place.get(key) for key in fields} == fields, f"{path}: {json.dumps(place, indent=1)}"
        found = [item["code"] for item in document.get("diagnostics", [])]
        found += [item["error"]["code"] for item in document.get("materializations", []) if item.get("error")]
        assert set(step.diagnostics) <= set(found), said
        for model, action in step.actions.items():
            assert action in [item["action"] for item in document["actions"] if item["model"] == model], said
        if step.is_same_plan:
            assert document["plan_id"] == self._plan_id, said
        if step.command.split()[0] == "plan":
            self._plan_id = document["plan_id"]

    def _check_run(self, step: Step, document: dict[str, Any], said: str) -> None:
        done = {item["model"]: item for item in document.get("materializations", [])}
        built = {name: _spans(item) for name, item in done.items() if item["intervals"]}
        assert built == {name: _listed(spans) for name, spans in step.built.items()}, said
        for name, status in step.states.items():
            assert done[name]["status"] == status, said
        for name, reason in step.reasons.items():
            assert reason in done[name]["reason"], f"{name}: {done[name]['reason']}"
        for name, fields in step.says.items():
            assert {key: done[name][key] for key in fields} == fields, said
        spared = {item["model"]: item["reason"] for item in document.get("propagation", []) if _is_skip(item)}
        for name, reason in step.spared.items():
            assert reason in spared.get(name, ""), f"{name}: {said}"
        failed = {item["name"] for item in document.get("check_results", []) if not item["passed"]}
        assert failed == set(step.failed_checks), said

    def _check_verdicts(self, step: Step, at: str | None) -> None:
        """Prove every table; one that is not expected to equal a recompute is named with what is said of it.

        What `verify` calls different, `status` must not call current, whatever a step expects.
        """
        if step.verify == "no":
            return
        expected = step.verify if isinstance(step.verify, dict) else {}
        _, document = self.command("verify", None)
        assert "models" in document, json.dumps(document)
        for verdict in document["models"]:
            word = expected.get(verdict["model"], "equal")
            said = f"{verdict['status']}: {verdict['reason']}"
            assert word in said, json.dumps(verdict, indent=1)
        different = {verdict["model"] for verdict in document["models"] if verdict["status"] == "different"}
        if different:
            _, standing = self.command("status", at)
            current = {item["model"] for item in standing["models"] if item["status"] == "current"}
            assert not different & current, f"different, and called current: {different & current}"

    def _check_idle(self, at: str | None) -> None:
        before, count = self.pointers(), len(self._applications)
        code, document = self.command("run", at)
        assert (code, document["status"]) == (0, "nothing_to_do"), _in_words(document)
        assert self.pointers() == before
        _, left = self.command("pending", at)
        assert not [item for item in left["pending"] if item["status"] in ("stale", "not_built")], json.dumps(left)
        assert not any(item.is_started for item in self._applications[count:]), "looking started Spark"

    def _columns(self, name: str) -> str:
        fields = self._other_session().table(f"lake.{name}").schema.fields
        return ", ".join(f"{item.name} {item.dataType.simpleString()}" for item in fields)

    def _borrow(self, settings: WarehouseSettings, **_: Any) -> Borrowed:
        self._applications.append(Borrowed(settings, self._owner))
        return self._applications[-1]

    def _other_session(self) -> Any:
        """Return a session of someone who is not lamina."""
        settings = WarehouseSettings(
            root=str(self.folder),
            database=str(self.folder / ".lamina" / "lamina.db"),
            warehouse=str(self.folder / ".lamina" / "warehouse"),
            logs=str(self.folder / ".lamina" / "logs"),
        )
        (self.folder / ".lamina").mkdir(exist_ok=True)
        return Borrowed(settings, self._owner).session()


def _at(document: Any, path: str) -> Any:
    """Return what a dotted path of keys and places leads to."""
    for part in path.split("."):
        document = document[int(part)] if part.isdigit() else document[part]
    return document


def _in_words(document: dict[str, Any]) -> str:
    """Return what matters of a document when an expectation fails."""
    lines = [f"{document['status']} {document['exit_code']}"]
    for item in document.get("materializations", []):
        lines.append(f"{item['model']}: {item['status']} {_spans(item)}: {item['reason']} {item['error'] or ''}")
        lines.append(str({key: value for key, value in item.items() if key.startswith("rows_") and value}))
    lines += [f"{key}: {document.get(key)}" for key in ("actions", "propagation", "diagnostics", "plan_id")]
    return "\n".join(lines)


def _spans(item: dict[str, Any]) -> list[str]:
    """Return built intervals as `start/end`, midnights as dates; the whole table is `whole`."""
    if item["intervals"] and item["intervals"][0]["start"] is None:
        return ["whole"]
    return [f"{_short(span['start'])}/{_short(span['end'])}" for span in item["intervals"]]


def _short(time: str) -> str:
    return time.removesuffix("Z").removesuffix("+00:00").removesuffix(":00").removesuffix("T00:00")


def _listed(spans: str | list[str]) -> list[str]:
    return [spans] if isinstance(spans, str) else spans


def _is_skip(item: dict[str, Any]) -> bool:
    return bool(item["decision"] == "skip")

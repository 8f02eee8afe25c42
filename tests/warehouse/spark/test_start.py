"""What must be there before Spark starts: Java, jars, a folder to write; each missing piece is reported."""

from pathlib import Path

import pytest

from lamina.values.secret import Secret
from lamina.warehouse.failure import WarehouseNotWritable
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark import class_archive, jars
from lamina.warehouse.spark.faults import JarMissing, JavaMissing, JavaTooOld
from lamina.warehouse.spark.java import Java, find_java
from lamina.warehouse.spark.profile import catalog_conf, launch_conf, session_conf
from lamina.warehouse.spark.session import Application

JAVA = Java(executable="java", version=17, build="17")


def fake_java(folder: Path, answer: str) -> None:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f"#!/bin/sh\n{answer}\n")
    program.chmod(0o755)


def settings(folder: Path, **fields: object) -> WarehouseSettings:
    paths = {"database": f"{folder}/db", "warehouse": f"{folder}/warehouse", "logs": f"{folder}/logs"}
    return WarehouseSettings(root=str(folder), **paths, **fields)  # type: ignore[arg-type]  # any fields


def test_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(JavaMissing, match="bin/java"):
        find_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JavaMissing):
        find_java()


@pytest.mark.parametrize("answer", ["echo 'openjdk version \"11.0.2\"' >&2", "echo 'java version \"1.8.0_1\"' >&2"])
def test_old_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    fake_java(tmp_path, answer)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(JavaTooOld, match="17 or newer"):
        Application(settings(tmp_path), emit=lambda _: None).session()


def test_program_that_is_not_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path, "exit 1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(JavaMissing):
        find_java()


def test_cached_jars_are_found_without_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "lamina" / "jars"
    folder.mkdir(parents=True)
    for coordinate in jars.NEEDED:
        (folder / coordinate.file_name).touch()

    found = jars.resolve_jars((), JAVA)

    assert found == tuple(folder / coordinate.file_name for coordinate in jars.NEEDED)


def test_the_driver_of_a_database_is_a_jar_only_of_projects_that_read_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / "lamina" / "jars"
    folder.mkdir(parents=True)
    for coordinate in (*jars.NEEDED, *jars.DRIVERS.values()):
        (folder / coordinate.file_name).touch()

    driver = folder / jars.DRIVERS["postgresql"].file_name
    assert driver not in jars.resolve_jars((), JAVA)
    assert driver in jars.resolve_jars((), JAVA, drivers=("postgresql",))


def test_jar_that_cannot_be_had_is_reported_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    fake_java(tmp_path, "echo ':: org.xerial#sqlite-jdbc;3: not found'")

    with pytest.raises(JarMissing, match="not found") as caught:
        jars.resolve_jars((), JAVA.replace(executable=str(tmp_path / "bin" / "java")))

    assert "jars" in str(caught.value.hint)
    assert list((tmp_path / "lamina" / "jars").iterdir()) == []


def test_given_jars_are_used_and_must_exist(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    jar.touch()

    assert jars.resolve_jars((str(jar),), JAVA) == (jar,)
    with pytest.raises(JarMissing, match=r"b\.jar"):
        jars.resolve_jars((str(jar), str(tmp_path / "b.jar")), JAVA)


def test_warehouse_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    jar.touch()
    given = settings(tmp_path, jars=(str(jar),)).replace(warehouse=f"{jar}/warehouse")

    with pytest.raises(WarehouseNotWritable):
        Application(given, emit=lambda _: None).session()


def test_user_settings_cannot_change_what_results_depend_on(tmp_path: Path) -> None:
    given = settings(tmp_path, conf={"spark.sql.ansi.enabled": "false", "spark.sql.shuffle.partitions": "7"})

    conf = session_conf(given)

    assert (conf["spark.sql.ansi.enabled"], conf["spark.sql.shuffle.partitions"]) == ("true", "7")
    assert catalog_conf(given)["spark.sql.catalog.lake.cache-enabled"] == "false"


def test_only_what_the_jvm_needs_is_on_its_command_line(tmp_path: Path) -> None:
    given = settings(
        tmp_path,
        conf={"spark.driver.memory": "2g", "spark.hadoop.fs.s3a.endpoint": "there"},
        secret_conf={"spark.hadoop.fs.s3a.secret.key": Secret("hush")},
    )

    launch = launch_conf(given, jars=(Path("/x/a.jar"),), java_options="-XX:+UseSerialGC")

    assert {"hush", "there"}.isdisjoint(launch.values())
    assert launch["spark.driver.memory"] == "2g"
    assert session_conf(given)["spark.hadoop.fs.s3a.secret.key"] == "hush"


def test_a_small_joined_table_takes_little_of_the_drivers_memory_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    given = settings(tmp_path, conf={"spark.buffer.pageSize": "64m"})

    launch = launch_conf(settings(tmp_path), jars=(), java_options="")

    assert launch["spark.buffer.pageSize"] == "4m"
    assert {**launch, **session_conf(given)}["spark.buffer.pageSize"] == "64m"


def test_archive_is_keyed_by_java_and_jars_and_used_only_when_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LAMINA_CLASS_ARCHIVE", "on")
    jar = tmp_path / "a.jar"
    jar.touch()
    wanted = class_archive.request(settings(tmp_path), java=JAVA, jars=(jar,))
    other = class_archive.request(settings(tmp_path), java=JAVA.replace(build="18"), jars=(jar,))

    assert wanted.path != other.path
    assert class_archive.options(wanted) == ""
    Path(wanted.path).parent.mkdir(parents=True)
    Path(wanted.path).touch()
    assert wanted.path in class_archive.options(wanted)
    monkeypatch.setenv("LAMINA_CLASS_ARCHIVE", "off")
    assert class_archive.options(wanted) == ""


def test_another_training_makes_another_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    paths = [class_archive.request(settings(tmp_path), java=JAVA, jars=()).path]
    monkeypatch.setattr(class_archive, "__file__", str(tmp_path / "class_archive.py"))
    for training in ("one", "two", "two"):
        (tmp_path / "class_training.py").write_text(training)
        paths.append(class_archive.request(settings(tmp_path), java=JAVA, jars=()).path)

    assert len(set(paths[:3])) == 3
    assert paths[2] == paths[3]


def test_an_archive_that_is_there_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LAMINA_CLASS_ARCHIVE", "on")
    started: list[object] = []

    class Made:
        def __init__(self, command: list[str], **_streams: object) -> None:
            started.append(command)

        def wait(self) -> None:
            Path(wanted.path).touch()

    monkeypatch.setattr("lamina.warehouse.spark.class_archive.subprocess.Popen", Made)
    wanted = class_archive.request(settings(tmp_path), java=JAVA, jars=())
    class_archive.make_and_wait(wanted)
    class_archive.make_and_wait(wanted)

    assert len(started) == 1


def test_large_input_gets_the_optimising_compiler() -> None:
    assert class_archive.compiler_options(0) == class_archive.SMALL_WORK
    assert class_archive.compiler_options(class_archive.LARGE_BYTES + 1) == ""

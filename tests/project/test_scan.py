"""Scanning a folder: what is read, what is left alone, and what is refused in bounded time."""

import os
from pathlib import Path

import pytest

from lamina.project.scan import scan_project


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode() if isinstance(content, str) else content)


def test_only_the_files_of_a_project_are_read(tmp_path: Path) -> None:
    wanted = ["lamina.toml", "models/a.sql", "models/deep/er/b.py", "seeds/s.csv", "sources/r.toml", "lib/money.py"]
    others = [
        "README.md",
        ".git/x.sql",
        "models/.hidden.sql",
        "models/__pycache__/b.py",
        "data/big/a.csv",
        "models/a.md",
    ]
    write(tmp_path, dict.fromkeys([*wanted, *others], "x"))
    scan = scan_project(str(tmp_path))
    assert [file.path for file in scan.files] == sorted(wanted)
    assert scan.diagnostics == ()


def test_equal_content_has_an_equal_hash(tmp_path: Path) -> None:
    write(tmp_path, {"models/a.sql": "SELECT 1", "models/b.sql": "SELECT 1", "models/c.sql": "SELECT 2"})
    first, second, third = scan_project(str(tmp_path)).files
    assert first.hash == second.hash != third.hash


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    write(tmp_path, {"models/a.sql": b"\xef\xbb\xbfSELECT 1"})
    assert scan_project(str(tmp_path)).files[0].text() == "SELECT 1"


def test_a_web_of_links_is_walked_once(tmp_path: Path) -> None:
    for level in range(30):
        folder = tmp_path / "models" / f"d{level}"
        folder.mkdir(parents=True)
        for twin in ("a", "b"):
            os.symlink(f"../d{level + 1}", folder / twin)
    scan = scan_project(str(tmp_path))
    assert {item.code for item in scan.diagnostics} <= {"L104", "L108"}
    assert len(scan.diagnostics) <= 62


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    os.mkfifo(tmp_path / "models" / "a.sql")
    (found,) = scan_project(str(tmp_path)).diagnostics
    assert found.code == "L108"


def test_a_name_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    with open(os.path.join(os.fsencode(tmp_path), b"models", b"caf\xe9.sql"), "wb") as file:
        file.write(b"SELECT 1")
    (found,) = scan_project(str(tmp_path)).diagnostics
    assert (found.code, str(found.place)) == ("L108", r"models/caf\xe9.sql:1:1")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_rights_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"models/a.sql": "SELECT 1"})
    (tmp_path / "models/a.sql").chmod(0)
    assert [item.code for item in scan_project(str(tmp_path)).diagnostics] == ["L108"]


def test_a_missing_folder_is_a_finding(tmp_path: Path) -> None:
    (found,) = scan_project(str(tmp_path / "nowhere")).diagnostics
    assert (found.code, found.message) == ("L108", "`.` cannot be read: No such file or directory")


def test_seeds_may_be_larger_than_queries(tmp_path: Path) -> None:
    write(tmp_path, {"seeds/a.csv": "x" * 1_500_000, "models/a.sql": "x" * 1_500_000})
    scan = scan_project(str(tmp_path))
    assert [file.path for file in scan.files] == ["seeds/a.csv"]
    assert [item.code for item in scan.diagnostics] == ["L105"]


def test_one_source_may_declare_thousands_of_tables(tmp_path: Path) -> None:
    write(tmp_path, {"sources/many.toml": "x" * 4_500_000, "sources/more.toml": "x" * 5_500_000})
    scan = scan_project(str(tmp_path))
    assert [file.path for file in scan.files] == ["sources/many.toml"]
    (found,) = scan.diagnostics
    assert found.hint is not None
    assert found.hint.startswith("divide the tables among several sources")

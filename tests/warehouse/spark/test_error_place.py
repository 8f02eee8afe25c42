"""Where in the project's files an exception points to."""

from pathlib import Path

import pytest

from lamina.warehouse.spark.error_place import python_place

PATH = "models/mart/m.py"


def raised(text: str, root: Path, *, file: str) -> BaseException:
    """Run code as if it stood in a file, and return what it raises."""
    try:
        exec(compile(text, file, "exec"), {"root": str(root)})
    except Exception as error:  # noqa: BLE001 - what it is does not matter
        return error
    raise AssertionError("it raised nothing")


def test_the_innermost_line_of_the_model_is_named(tmp_path: Path) -> None:
    error = raised("def f():\n    return 1 // 0\n\nf()\n", tmp_path, file=PATH)
    place = python_place(error, path=PATH, root=str(tmp_path))
    assert place is not None
    assert (place.file, place.line) == (PATH, 2)


def test_a_module_beside_the_project_file_counts_as_its_code(tmp_path: Path) -> None:
    helper = str(tmp_path / "helpers" / "money.py")
    inner = f"exec(compile('\\n\\n1 // 0', {helper!r}, 'exec'))"
    place = python_place(raised(inner, tmp_path, file=PATH), path=PATH, root=str(tmp_path))
    assert place is not None
    assert (place.file, place.line) == ("helpers/money.py", 3)


@pytest.mark.parametrize("folder", [".venv/lib/site-packages", "lib/site-packages", ".."])
def test_a_package_inside_or_outside_the_folder_is_not_blamed(tmp_path: Path, folder: str) -> None:
    package = str(tmp_path / folder / "package.py")
    inner = f"\nexec(compile('1 // 0', {package!r}, 'exec'))"
    place = python_place(raised(inner, tmp_path, file=PATH), path=PATH, root=str(tmp_path))
    assert place is not None
    assert (place.file, place.line) == (PATH, 2)


def test_what_failed_in_a_worker_is_found_in_its_traceback(tmp_path: Path) -> None:
    given = f'worker\n  File "/spark/worker.py", line 9, in main\n  File "{PATH}", line 7, in f\nValueError: no'
    place = python_place(RuntimeError(given), path=PATH, root=str(tmp_path))
    assert place is not None
    assert (place.file, place.line) == (PATH, 7)


def test_a_syntax_error_is_shown_where_it_is(tmp_path: Path) -> None:
    place = python_place(raised("x = 1\ny = = 2\n", tmp_path, file=PATH), path=PATH, root=str(tmp_path))
    assert place is not None
    assert (place.file, place.line, place.column) == (PATH, 2, 5)


def test_an_exception_outside_the_project_has_no_place(tmp_path: Path) -> None:
    assert python_place(RuntimeError("no"), path=PATH, root=str(tmp_path)) is None

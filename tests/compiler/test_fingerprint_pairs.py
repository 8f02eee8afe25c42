"""Pairs of queries that must, or must not, share a canonical form; a new case is a new file."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lamina.compiler.identity.canonical import canonical
from lamina.compiler.query.parse import Parsed, parse

PAIRS = Path(__file__).parents[1] / "fixtures" / "fingerprints"


def cases(folder: str) -> list[Path]:
    return sorted((PAIRS / folder).glob("*.sql"))


def forms(path: Path) -> tuple[str, str]:
    first, second = (parse(text) for text in path.read_text().split("-- versus\n"))
    assert isinstance(first, Parsed)
    assert isinstance(second, Parsed)
    return canonical(first.tree), canonical(second.tree)


@pytest.mark.parametrize("path", cases("equal"), ids=lambda path: path.stem)
def test_spelling_does_not_change_the_canonical_form(path: Path) -> None:
    first, second = forms(path)
    assert first == second


@pytest.mark.parametrize("path", cases("different"), ids=lambda path: path.stem)
def test_meaning_changes_the_canonical_form(path: Path) -> None:
    first, second = forms(path)
    assert first != second


ALL_FORMS = """
from tests.compiler.test_fingerprint_pairs import cases, forms
print([forms(path) for folder in ("equal", "different") for path in cases(folder)])
"""


def test_a_form_is_the_same_in_every_process() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", ALL_FORMS],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(3)
    }
    assert len(found) == 1


def test_there_are_pairs_of_both_kinds() -> None:
    assert len(cases("equal")) >= 40
    assert len(cases("different")) >= 40

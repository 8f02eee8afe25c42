"""Random damage to valid projects never ends in a traceback, a crash or a hang; every run takes a fresh seed.

`LAMINA_FUZZ_SEED` repeats a run, `LAMINA_FUZZ_SECONDS` makes it longer.
"""

import os
import shutil
import time
from pathlib import Path
from random import Random, SystemRandom

from tests.fuzz.mutate import broken_sql, broken_toml
from tests.fuzz.outcome import Compiler, Outcome

FIXTURES = Path(__file__).parents[1] / "fixtures"
SECONDS = float(os.environ.get("LAMINA_FUZZ_SECONDS", "4"))
FEWEST = 200  # projects, however slow the machine
MODELS_IN_A_PROJECT = 4
LONGEST = 10.0

PROJECT = """[project]
name = "shop"
default_schema = "sales"

[vars]
minimum = { type = "decimal(10,2)", value = "0.00" }
"""
SOURCES = """[source.raw]
type = "files"
format = "csv"
path = "data"
[source.raw.tables.orders]
time_column = "day"
columns = [{ name = "id", type = "bigint" }, { name = "day", type = "date" }, { name = "tags", type = "array<string>" }]
"""
SIDECARS = (
    '[strategy]\ntype = "time_interval"\ntime_column = "day"\ngranularity = "day"\nlookback = 2\n',
    '[strategy]\ntype = "merge"\nunique_key = ["id"]\norder_by = ["day"]\n',
    'description = "x"\ncron = "@daily"\ntimezone = "Europe/Stockholm"\nstart = "2026-01-01"\ntags = ["a", "b"]\n',
    '[strategy]\ntype = "incremental"\ntimestamp_column = "day"\n[[checks]]\ntype = "not_null"\ncolumn = "id"\n',
    '[strategy]\ntype = "ephemeral"\n[[columns]]\nname = "id"\ntype = "bigint"\nnullable = false\n',
    '[strategy]\ntype = "delete_insert"\npartition_by = ["day"]\n[inputs."raw.orders"]\nwindow = "6 days"\n',
)


def queries() -> list[str]:
    """Return every valid query among the fixtures."""
    files = sorted(path for folder in ("corpus", "fingerprints") for path in (FIXTURES / folder).rglob("*.sql"))
    texts = [path.read_text() for path in files]
    return [part for text in texts for part in text.split("-- versus\n") if len(part) < 5_000]


def write_project(root: Path, texts: list[str], random: Random) -> None:
    """Write a project of which some files are damaged."""
    models = root / "models"
    models.mkdir(parents=True)
    (root / "sources").mkdir()
    whole = {root / "lamina.toml": PROJECT, root / "sources" / "raw.toml": SOURCES}
    for path, text in whole.items():
        path.write_bytes(broken_toml(text, random) if random.random() < 0.1 else text.encode())
    for number in range(MODELS_IN_A_PROJECT):
        (models / f"m{number}.sql").write_bytes(broken_sql(_reading_each_other(random.choice(texts), random), random))
        sidecar = random.choice(SIDECARS)
        damaged = broken_toml(sidecar, random) if random.random() < 0.5 else sidecar.encode()
        (models / f"m{number}.toml").write_bytes(damaged)


def _reading_each_other(text: str, random: Random) -> str:
    name = random.choice((f"m{random.randrange(MODELS_IN_A_PROJECT)}", "raw.orders"))
    return text.replace("FROM t", f"FROM {name} t").replace("from lineitem", f"from {name} lineitem")


def describe(outcome: Outcome, root: Path) -> str:
    """Return what is needed to repeat a failure: how it ended and the text of every file."""
    files = [
        f"== {path.relative_to(root)}\n{path.read_bytes()!r}" for path in sorted(root.rglob("*")) if path.is_file()
    ]
    return "\n".join([outcome.crash or f"{outcome.seconds:.1f} seconds", *files])[:20_000]


def test_damaged_projects_end_in_success_or_a_diagnostic(tmp_path: Path) -> None:
    seed = os.environ.get("LAMINA_FUZZ_SEED") or str(SystemRandom().getrandbits(64))
    print(f"\nLAMINA_FUZZ_SEED={seed}")
    random = Random(seed)
    texts = queries()
    deadline = time.monotonic() + SECONDS
    compiled = 0
    with Compiler(seconds=120) as compiler:
        while compiled < FEWEST or time.monotonic() < deadline:
            folder = tmp_path / str(compiled)
            write_project(folder, texts, random)
            outcome = compiler.outcome(folder)
            is_bad = outcome.crash is not None or outcome.seconds > LONGEST
            assert not is_bad, f"LAMINA_FUZZ_SEED={seed}: {describe(outcome, folder)}"
            shutil.rmtree(folder)
            compiled += 1
    print(f"{compiled} projects")

"""Schedules that once found a fault, kept as text: a later generator cannot change what they do."""

from pathlib import Path

from tests.simulation.schedule import Schedule

from lamina.values.codec import from_json, to_json

FOLDER = Path(__file__).parent / "recorded"


def names() -> tuple[str, ...]:
    """Return the names of the recorded schedules; each says what it found."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.json")))


def load(name: str) -> Schedule:
    """Return a recorded schedule."""
    return from_json((FOLDER / f"{name}.json").read_text(), Schedule)


def save(name: str, schedule: Schedule) -> None:
    """Record a schedule."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_bytes(to_json(schedule) + b"\n")

"""Write `schemas/`: one JSON Schema for the document of each command."""

import json
from pathlib import Path

from lamina.cli.commands import names
from lamina.cli.documents import schema_of

FOLDER = Path(__file__).parents[1] / "schemas"


def schema_files() -> dict[Path, str]:
    """Return the text of every schema file by path."""
    return {
        FOLDER / f"{command.replace(' ', '-')}.json": json.dumps(schema_of(command), indent=2) + "\n"
        for command in names()
    }


if __name__ == "__main__":
    wanted = schema_files()
    for stale in set(FOLDER.glob("*.json")) - wanted.keys():
        stale.unlink()
    for path, text in wanted.items():
        path.write_text(text)

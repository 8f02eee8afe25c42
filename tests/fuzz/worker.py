"""Compile projects one after another in a process of its own, telling what each came to; a crash ends only that.

Usage: python worker.py FOLDER..., one line of JSON before and one after each project.
"""

import json
import resource
import sys
import time
import traceback

MEMORY = 4 << 30


def main() -> None:
    """Compile every folder named on the command line."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from lamina.api import compile_project, load_project

    for folder in sys.argv[1:]:
        tell(folder=folder)
        started = time.process_time()
        try:
            graph = compile_project(load_project(folder, {}))
            found = [f"{item.severity} {item.code} {item.message[:200]} at {item.place}" for item in graph.diagnostics]
            tell(folder=folder, seconds=time.process_time() - started, models=len(graph.models), found=found[:50])
        except Exception:  # noqa: BLE001  # whatever escapes is what the test looks for
            tell(folder=folder, seconds=time.process_time() - started, traceback=traceback.format_exc()[-3000:])


def tell(**facts: object) -> None:
    """Print one line, at once."""
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()

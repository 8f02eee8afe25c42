"""Compile projects in a process of its own, which a crash ends; one line of JSON for each folder named on its input.

Usage: python worker.py, then one folder a line.
"""

import json
import resource
import sys
import time
import traceback

MEMORY = 4 << 30


def main() -> None:
    """Compile every folder named on the input."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    from lamina.api.compiling import schema_reader
    from lamina.compiler.cache import NOTHING
    from lamina.compiler.compile import compile_models
    from lamina.compiler.objects import compile_objects
    from lamina.config import CatalogConfig
    from lamina.project.read import read_project
    from lamina.project.scan import scan_project

    nowhere = CatalogConfig(name="lake", database="", warehouse="")

    for line in sys.stdin:
        started = time.process_time()
        try:
            project = read_project(scan_project(line.rstrip("\n")), {})
            known = schema_reader(project.root, lambda: nowhere)
            graph = compile_models(project, NOTHING, source_schema=known, run=compile_objects).graph
            found = [f"{item.severity} {item.code} {item.message[:200]} at {item.place}" for item in graph.diagnostics]
            tell(seconds=time.process_time() - started, models=len(graph.models), found=found[:50])
        except Exception:  # noqa: BLE001  # whatever escapes is what the test looks for
            tell(seconds=time.process_time() - started, traceback=traceback.format_exc()[-3000:])


def tell(**facts: object) -> None:
    """Print one line, at once."""
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()

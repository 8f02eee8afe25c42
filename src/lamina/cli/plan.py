"""`lamina plan`: say what a run would do and why, without Spark.

Job: run, 1
"""

from typing import Any

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.asking import asking_options


@answer_command("plan", sentence="Say what a run would do and why; touches no table and starts no Spark.")
@asking_options
def command(options: Options, **flags: Any) -> Answer:
    """Plan and keep the plan."""
    from lamina.cli.plan_tree import plan_tree
    from lamina.cli.words import open_ended
    from lamina.values.codec import to_builtins

    planned = options.open().plan(**flags)

    found = (*planned.findings, *planned.diagnostics)

    def show(screen: Screen) -> None:
        from lamina.cli.render import show_diagnostics

        show_diagnostics(screen, found)
        screen.out.print(plan_tree(planned.plan, planned.changes, planned.zones, planned.allowed))

    body = {
        **open_ended(to_builtins(planned.plan)),
        "changes": to_builtins(planned.changes),
        "allowed": to_builtins(planned.allowed),
        "diagnostics": to_builtins(found),
    }
    # What can be built is planned all the same, as a run would build it in part.
    return Answer(status="ok", body=body, show=show, exit_code=2 if planned.diagnostics else 0)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.cli.documents import fields_of
    from lamina.values.change import ModelChange
    from lamina.values.diagnostic import Diagnostic
    from lamina.values.plan import Plan

    return {
        **fields_of(Plan),
        "changes": tuple[ModelChange, ...],
        "allowed": dict[str, tuple[str, ...]],
        "diagnostics": tuple[Diagnostic, ...],
    }

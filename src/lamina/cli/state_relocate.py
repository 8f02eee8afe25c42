"""`lamina state relocate`: rewrite paths after a project was moved or copied.

Job: trust, 8
"""

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command


@answer_command("state relocate", sentence="After a project was moved or copied, rewrite the paths of its tables.")
def command(options: Options) -> Answer:
    """Rewrite paths; no row is changed."""
    from lamina.values.codec import to_builtins
    from lamina.values.words import counted

    result = options.open().state_relocate()

    def show(screen: Screen) -> None:
        if not result.moved_from:
            screen.out.print("the tables are where the state says; there is nothing to relocate")
        else:
            screen.out.print(f"{counted(len(result.tables), 'table')} relocated to {result.moved_to}")

    return Answer(status="ok", body=to_builtins(result), show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.custody import StateRelocation

    return StateRelocation

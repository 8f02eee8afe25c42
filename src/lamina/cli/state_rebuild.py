"""`lamina state rebuild`: restore a lost state from its copies and the tables.

Job: trust, 7
"""

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command


@answer_command("state rebuild", sentence="Restore the state from its newest good copy and the marks in the tables.")
def command(options: Options) -> Answer:
    """Restore; no table is changed."""
    from lamina.values.codec import to_builtins

    result = options.open().state_rebuild()

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        table = Ledger("model", "table", "version", "as of run")
        for item in result.models:
            table.add(item.model, item.status.replace("_", " "), item.snapshot_id or "", item.run_id or "")
        screen.out.print(table)
        if result.copy is not None:
            screen.out.print(f"from the copy {result.copy}")
        if result.aside is not None:
            screen.out.print(f"the damaged file is kept as {result.aside}")
        if result.not_restored:
            screen.out.print(f"not restored: {', '.join(result.not_restored)}")

    return Answer(status="ok", body=to_builtins(result), show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.custody import StateRebuild

    return StateRebuild

"""`lamina state check`: compare the state with what the tables say.

Job: trust, 6
"""

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command


@answer_command("state check", sentence="Compare what the state records about every model with what its table says.")
def command(options: Options) -> Answer:
    """Compare; nothing is changed."""
    from lamina.values.codec import to_builtins

    found = options.open().state_check().differences

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        if found:
            table = Ledger("model", "what", "the state says", "the table says")
            for item in found:
                table.add(item.model, item.what, item.state, item.table)
            screen.out.print(table)
            screen.out.print(
                "`lamina run` follows the tables; `lamina state rebuild` derives the whole state from them"
            )
        else:
            screen.out.print("the state agrees with the tables")

    status = "different" if found else "ok"
    return Answer(status=status, body={"differences": to_builtins(found)}, show=show, exit_code=1 if found else 0)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.custody import StateCheck

    return StateCheck

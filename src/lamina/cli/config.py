"""`lamina config`: print every setting and where it came from.

Job: start, 2
"""

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command


@answer_command("config", sentence="Print every effective setting and where it came from; secrets print as ***.")
def command(options: Options) -> Answer:
    """Read the configuration."""
    config = options.open().config

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        table = Ledger("setting", "from", "value", labelled=("from",))
        for setting in config.settings:
            table.add(setting.key, setting.origin, _words(setting.value))
        screen.out.print(f"project `{config.project}` in `{config.root}`\n")
        screen.out.print(table)

    body = {"project": config.project, "root": config.root, "settings": config.settings}
    return Answer(status="ok", body=body, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.config import Setting

    return {"project": str, "root": str, "settings": tuple[Setting, ...]}


def _words(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return str(value).lower()
        case dict():
            return ", ".join(f"{key}={item}" for key, item in sorted(value.items())) or "-"
        case tuple():
            return ", ".join(value) or "-"
        case _:
            return str(value)

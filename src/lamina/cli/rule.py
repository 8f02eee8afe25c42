"""`lamina rule`: explain a diagnostic code.

Job: understand, 6
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.errors import UsageError


@answer_command("rule", sentence="Explain a diagnostic code, such as L201, or list all codes.")
@click.argument("code", required=False)
def command(_: Options, code: str | None) -> Answer:
    """Find the page of a code."""
    from lamina.api.rulebook import find_rule, rule_pages

    pages = rule_pages() if code is None else tuple(page for page in [find_rule(code)] if page is not None)
    if not pages:
        raise UsageError(f"no rule `{code}`", hint="`lamina rule` lists all codes")

    def show(screen: Screen) -> None:
        for page in pages:
            screen.out.print(f"{page.code} {page.name}: {page.title}")
            if code is not None and page.text:
                screen.out.print(f"\n{page.text}")

    return Answer(status="ok", body={"rules": pages}, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.api.rulebook import RulePage

    return {"rules": tuple[RulePage, ...]}

"""The page of commands is the one the commands themselves give."""

from scripts.generate_cli_reference import PAGE, page_text

from lamina.cli.commands import names


def test_the_page_of_commands_is_up_to_date() -> None:
    assert PAGE.read_text() == page_text(), "run `make docs`"


def test_every_command_is_on_the_page() -> None:
    text = PAGE.read_text()
    assert [name for name in names() if f"### `lamina {name}`" not in text] == []

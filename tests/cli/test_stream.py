"""The two streams: what goes where, and in which form."""

import pytest
from rich.table import Table
from rich.text import Text

from lamina.cli.stream import Stream


def test_text_is_written_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    Stream("stdout").print("[bold]a[/] :smile: ", "b")
    Stream("stderr").print("story", end="")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("[bold]a[/] :smile:  b\n", "story")


def test_a_table_outside_of_a_terminal_has_no_blanks_at_line_ends(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("name", "why", box=None, pad_edge=False)
    table.add_row("a", "a rather long reason")
    table.add_row("b", "")
    Stream("stdout").print(table)
    assert capsys.readouterr().out == "name  why\na     a rather long reason\nb\n"


def test_a_style_is_no_part_of_the_text_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    Stream("stdout").print("done", style="bold green")
    Stream("stdout").print(Text("x", style="red"), end="")
    assert capsys.readouterr().out == "done\nx"

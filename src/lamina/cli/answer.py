"""What every command shares: common options, one answer as text or JSON, and never a traceback."""

import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lamina.api.project_root import project_root
from lamina.cli.crash import crash_diagnostic
from lamina.cli.stream import Stream
from lamina.errors import LaminaError, ProjectInvalid, UsageError
from lamina.values.codec import to_document
from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value
from lamina.version import VERSION

if TYPE_CHECKING:
    from lamina.api.project import Project
    from lamina.values.event import Event

INTERRUPTED = 130
Document = type[Value] | dict[str, Any]
"""What the JSON document of a command has, beside what all have: the fields of a value, or types by name."""


class Options(NamedTuple):
    """What the common options say."""

    root: str
    output: str  # text | json
    is_quiet: bool
    variables: Mapping[str, str]

    def open(self, emit: "Callable[[Event], None] | None" = None) -> "Project":
        """Open the project that the command is about."""
        from lamina.api.project import open_project

        return open_project(self.root, variables=self.variables, emit=emit or self._say)

    def _say(self, event: "Event") -> None:
        """Print an event for a command without a display; that a lost state was restored is nearly the only one."""
        from lamina.cli.progress import event_line

        line = event_line(event)
        if line is not None and not self.is_quiet:
            Stream("stderr").print(line)


class Answer(NamedTuple):
    """The result of a command: the fields of its JSON document, and how to print it for people."""

    status: str
    body: Mapping[str, Any]
    show: Callable[["Screen"], None]
    exit_code: int = 0


class Screen:
    """Own the two streams: stdout for the answer, stderr for the story."""

    def __init__(self, options: Options) -> None:
        self.root = options.root
        self.out = Stream("stdout")
        self.err = Stream("stderr")
        self.is_quiet = options.is_quiet


def never(_: Mapping[str, Any]) -> bool:
    """Say that an answer is data, whatever the parameters are: into a pipe it is printed as JSON."""
    return False


def always(_: Mapping[str, Any]) -> bool:
    """Say that an answer is itself a text, which programs read as it is."""
    return True


def answer_command(
    name: str, *, sentence: str, is_text: Callable[[Mapping[str, Any]], bool] = never
) -> Callable[[Callable[..., Answer]], click.Command]:
    """Make a command of a function that takes the common options first and returns one answer.

    `is_text` says for which parameters the answer is itself a text: that is printed also into a pipe.
    """

    def decorate(function: Callable[..., Answer]) -> click.Command:
        def callback(project_dir: str | None, output: str | None, *, quiet: bool, **parameters: Any) -> int:
            chosen = output or ("text" if sys.stdout.isatty() or is_text(parameters) else "json")
            root = project_root(project_dir, os.getcwd())
            options = Options(root=root, output=chosen, is_quiet=quiet, variables=os.environ)
            return emit(name, _attempt(lambda: function(options, **parameters), options), options)

        made = click.command(name, help=sentence, context_settings={"help_option_names": ["-h", "--help"]})(callback)
        made.params += [*getattr(function, "__click_params__", [])[::-1], *COMMON]
        return made

    return decorate


COMMON: tuple[click.Option, ...] = (
    click.Option(
        ["--project-dir"],
        envvar="LAMINA_PROJECT_DIR",
        help="Folder of the project; default: the current folder, or the nearest one above it, with a `lamina.toml`",
    ),
    click.Option(
        ["--output"],
        type=click.Choice(["text", "json"]),
        help="Default: text on a terminal, json elsewhere unless the answer is itself a text",
    ),
    click.Option(["--quiet", "-q"], is_flag=True, help="Print the answer only"),
)


def emit(name: str, answer: Answer, options: Options) -> int:
    """Print an answer and return its exit code; a reader that closed the pipe has read enough."""
    try:
        if options.output == "json" and answer.exit_code != UsageError.exit_code:
            header = {"version": VERSION, "command": name, "status": answer.status, "exit_code": answer.exit_code}
            sys.stdout.write(to_document({**header, **answer.body}, indent=2 if sys.stdout.isatty() else 0) + "\n")
        else:
            answer.show(Screen(options))
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return answer.exit_code


def failure(diagnostics: tuple[Diagnostic, ...], *, status: str = "error", exit_code: int = 1) -> Answer:
    """Return the answer of a command that could not do its work."""

    def show(screen: Screen) -> None:
        from lamina.cli.render import show_diagnostics

        show_diagnostics(screen, diagnostics)

    return Answer(status=status, body={"diagnostics": diagnostics}, show=show, exit_code=exit_code)


def _attempt(work: Callable[[], Answer], options: Options) -> Answer:
    """Turn whatever goes wrong into an answer."""
    try:
        return work()
    except ProjectInvalid as error:
        return failure(error.diagnostics)
    except LaminaError as error:
        return failure((error.diagnostic(),), status=error.status, exit_code=error.exit_code)
    except KeyboardInterrupt:
        return failure((), status="interrupted", exit_code=INTERRUPTED)
    except click.ClickException:
        raise
    except Exception as error:  # noqa: BLE001  # the boundary: a user never sees a traceback
        return failure((crash_diagnostic(error, root=options.root, is_debug="LAMINA_DEBUG" in os.environ),))

"""`lamina completions`: print the completion script of a shell.

Job: start, 3
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, always, answer_command
from lamina.cli.commands import commands

BASH = """\
_lamina() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{names}" -- "$word"))
    elif [ "${{COMP_WORDS[1]}}" = state ] && [ "$COMP_CWORD" -eq 2 ]; then
        COMPREPLY=($(compgen -W "{state}" -- "$word"))
    else
        COMPREPLY=($(compgen -W "--project-dir --output --quiet --help" -f -- "$word"))
    fi
}}
complete -F _lamina lamina
"""
ZSH = """\
#compdef lamina
_lamina() {{
    local -a commands=({described})
    if (( CURRENT == 2 )); then
        _describe command commands
    elif [[ $words[2] == state ]] && (( CURRENT == 3 )); then
        compadd {state}
    else
        _arguments '--project-dir[folder of the project]:folder:_files -/' '--output[form]:form:(text json)' \\
            '--quiet[print the answer only]' '--help[list the options]' '*:file:_files'
    fi
}}
compdef _lamina lamina
"""
FISH = """\
complete -c lamina -f -n __fish_use_subcommand
{lines}
complete -c lamina -f -n '__fish_seen_subcommand_from state' -a '{state}'
complete -c lamina -l project-dir -r -d 'Folder of the project'
complete -c lamina -l output -x -a 'text json'
complete -c lamina -l quiet -d 'Print the answer only'
"""


@answer_command("completions", sentence="Print the completion script of a shell, to be sourced by it.", is_text=always)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(_: Options, shell: str) -> Answer:
    """Print the script."""
    text = script(shell)

    def show(screen: Screen) -> None:
        screen.out.print(text, end="")

    return Answer(status="ok", body={"shell": shell, "script": text}, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    return {"shell": str, "script": str}


def script(shell: str) -> str:
    """Return the completion script of one shell."""
    every = {item.name: item.sentence for item in commands().values()}
    described = {name: sentence for name, sentence in every.items() if " " not in name}
    described["state"] = "Check, rebuild or relocate the state"
    state = " ".join(sorted(name.removeprefix("state ") for name in every if name.startswith("state ")))
    match shell:
        case "bash":
            return BASH.format(names=" ".join(sorted(described)), state=state)
        case "zsh":
            lines = [f"'{name}:{text}'" for name, text in sorted(described.items())]
            return ZSH.format(described=" ".join(lines), state=state)
        case _:
            lines = [
                f"complete -c lamina -n __fish_use_subcommand -a {name} -d '{text}'"
                for name, text in sorted(described.items())
            ]
            return FISH.format(lines="\n".join(lines), state=state)

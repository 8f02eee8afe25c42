"""Every command by the job it does, with its sentence; a command's module is imported only when it is called."""

JOBS: dict[str, dict[str, str]] = {
    "start": {
        "init": "Start a project from a template",
        "config": "Print every setting and where it came from",
        "completions": "Print the completion script of a shell",
    },
    "understand": {
        "compile": "Check the whole project, without Spark",
        "list": "List models by name, tag, path, source or graph",
        "explain": "Say what a model does, reads and proves",
        "render": "Print the SQL of a model as it would run",
        "lineage": "Follow columns up to their origins or down to their readers",
        "rule": "Explain a diagnostic code",
    },
    "run": {
        "plan": "Say what a run would do and why, without Spark",
        "apply": "Do what a plan lists, or refuse",
        "run": "Build what new data or new code made stale, and only that",
        "retry": "Try failed models again",
        "accept": "Keep the rows that another writer left in a table",
    },
    "trust": {
        "verify": "Prove that tables equal a recompute",
        "status": "Say how up to date every model is, and why",
        "intervals": "List the ranges of a model: built, missing, stale, failed",
        "state check": "Compare the state with what the tables say",
        "state rebuild": "Restore a lost state from its copies and the tables",
        "state relocate": "Rewrite paths after a project was moved or copied",
    },
    "operate": {
        "drop": "Remove the table of a model, and what is recorded about it",
    },
    "look back": {
        "history": "List the latest runs",
        "run-info": "Show what an earlier run did",
        "query": "Run a query over the tables",
        "show": "Print some rows of a model",
    },
}
MODULES = {"render": "render_model"}  # where the module is not named like the command


def module_of(command: str) -> str:
    """Return the module that holds a command."""
    return "lamina.cli." + MODULES.get(command, command.replace("-", "_").replace(" ", "_"))


def split_command(words: list[str]) -> tuple[str, list[str]]:
    """Return the command that words begin with, which may be two of them, and the rest.

    >>> split_command(["state", "check", "--quiet"])
    ('state check', ['--quiet'])
    """
    both = " ".join(words[:2])
    return (both, words[2:]) if both in names() else (words[0], words[1:])


def names() -> list[str]:
    """Return all commands, sorted."""
    return sorted(name for job in JOBS.values() for name in job)

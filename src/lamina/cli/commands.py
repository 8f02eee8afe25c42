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
        "retry": "Try again what failed for good",
        "accept": "Keep what somebody else wrote to a table",
    },
    "trust": {
        "verify": "Prove that tables equal a recompute",
        "status": "Say how every model stands, and why",
        "intervals": "List the ranges of a model by how they stand",
    },
    "look back": {
        "history": "List the latest runs",
        "run-info": "Show what an earlier run did",
        "query": "Ask the tables something",
        "show": "Print some rows of a model",
    },
}
MODULES = {"render": "render_model"}  # where the module is not named like the command


def module_of(command: str) -> str:
    """Return the module that holds a command."""
    return "lamina.cli." + MODULES.get(command, command.replace("-", "_"))


def names() -> list[str]:
    """Return all commands, sorted."""
    return sorted(name for job in JOBS.values() for name in job)

"""`lamina compile`: check the whole project, without Spark.

Job: understand, 1
"""

from collections import Counter

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.values.words import counted


@answer_command("compile", sentence="Check the whole project: files, queries, types, contracts. Starts no Spark.")
def command(options: Options) -> Answer:
    """Compile and list all problems."""
    report = options.open().compile()
    has_errors = any(item.severity == "error" for item in report.diagnostics)

    def show(screen: Screen) -> None:
        from lamina.cli.render import counts, show_diagnostics

        show_diagnostics(screen, report.diagnostics)
        strategies = Counter(model.strategy for model in report.models)
        kinds = ", ".join(f"{count} {strategy}" for strategy, count in sorted(strategies.items()))
        if report.models:
            screen.out.print(
                f"{counted(len(report.models), 'model')} in {counted(len(report.layers), 'layer')} ({kinds})"
            )
        else:
            screen.out.print("no models: a model is a query in `models/SCHEMA/NAME.sql`")
        screen.out.print(counts(report.diagnostics))

    body = {"models": report.models, "layers": report.layers, "diagnostics": report.diagnostics}
    return Answer(status="error" if has_errors else "ok", body=body, show=show, exit_code=1 if has_errors else 0)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.compiler.report import CompileReport

    return CompileReport

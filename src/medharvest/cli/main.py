"""The command group: it loads the module of a verb when the verb is called, and prints errors as one line."""

from __future__ import annotations

import difflib
import importlib
import shlex
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

import click

from medharvest import __version__
from medharvest.cli.output_gate import complete_commands, find_program_name, gate_streams
from medharvest.errors import MedharvestError

# Verb -> what it does, in the order of the help text; the module medharvest.cli.VERB has its `command`.
VERBS = MappingProxyType(
    {
        "demo": "Serve the bundled journals on loopback and harvest them",
        "issue": "Harvest a journal issue: contents page to citation records",
        "topic": "Crawl the web for a medical topic, the most promising links first",
        "runs": "List runs, show what a run is missing, resume it",
        "read": "Read article pages into citations",
        "classify": "Show the kind of pages: abstract, full text, issue, PDF or other",
        "links": "Find the article links of contents pages",
        "zones": "Show the zones of pages and their labels",
        "learn": "Teach a journal its links and its layout",
        "journals": "List, add, name, find, export and import journals",
        "blocks": "Find the link blocks of pages, and their body text",
        "convert": "Convert PDFs to HTML",
        "concepts": "Show the terms that a medical topic stands for",
        "search": "Search the collection: citations and the pages of topical crawls",
        "import": "Import records from files into the store, and show what is new",
        "enrich": "Look up stored records in services such as Crossref, by DOI",
        "export": "Write the stored citations in a format",
        "review": "Review records in the browser",
        "deliver": "Send the stored records to other databases",
        "validate": "Check citation files against schema and rules",
        "store": "Check, migrate, copy and back up the store",
        "evaluate": "Score a stage on labelled pages",
    }
)
# A verb that is a Python keyword has a module of another name.
_MODULE_BY_VERB = MappingProxyType({"import": "import_"})


class _Verbs(click.Group):
    """A group that knows every verb by name and loads only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's own signature)
        """Return the verbs in the order of the help text."""
        return list(VERBS)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a verb with all its output passing the gate."""
        with gate_streams():
            return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; commands in its error are completed while it is known how the verb was called."""
        try:
            return super().invoke(ctx)
        except MedharvestError as error:
            error.message, error.hint = complete_commands(error.message), complete_commands(error.hint)
            raise

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Load the command of a verb."""
        if cmd_name not in VERBS:
            return None
        file = _MODULE_BY_VERB.get(cmd_name, cmd_name)
        command: click.Command = importlib.import_module(f"medharvest.cli.{file}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; for a wrong one, suggest what may be meant."""
        if args[0] not in VERBS and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}; hint: {_suggest_command(args[0])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


def _suggest_command(word: str) -> str:
    """Suggest the verb that a wrong word stands for; an address or a file lacks its verb."""
    if "://" in word or Path(word).is_file():
        return f"`medharvest issue {shlex.quote(word)}` harvests an issue, `medharvest read` reads an article page"
    near = difflib.get_close_matches(word, VERBS, n=1)
    return f"did you mean {near[0]}" if near else "`medharvest --help` lists the commands"


@click.group(
    cls=_Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="From a journal issue to validated citation records, with evidence for every field.",
)
@click.version_option(__version__, prog_name="medharvest", message="%(prog)s %(version)s")
def command_group() -> None:
    """Do nothing: the verbs do the work."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; exit 0, or 1 (an error), 2 (wrong usage), 3 (some inputs failed), 130 (Ctrl-C)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console without UTF-8 shows `?` instead of failing
    with gate_streams():
        _run_verb(arguments)


def _run_verb(arguments: list[str] | None) -> NoReturn:
    try:
        code = command_group.main(args=arguments, prog_name=find_program_name(), standalone_mode=False)
    except MedharvestError as error:
        click.echo(error_line(error), err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)  # click returns the code of its own `Exit`


def error_line(error: MedharvestError) -> str:
    """Write an error as one line: what is wrong, then the hint."""
    line = f"error: {error.message}" + (f"; hint: {error.hint}" if error.hint else "")
    return " ".join(line.split())

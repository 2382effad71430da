"""`medharvest validate`: check citation files against schema and rules."""

from __future__ import annotations

import click

from medharvest.cli.main import error_line
from medharvest.cli.options import ENCODING_OPTION, JSON_OPTION, load_cli_settings
from medharvest.codec import format_json, to_json
from medharvest.errors import MedharvestError
from medharvest.formats import find_input_format
from medharvest.formats.citation_rules import Finding, Level
from medharvest.library.record_import import CheckedFile, validate_file


@click.command("validate", short_help="Check citation files.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--format", "form", default="", metavar="FORMAT", help="Format of the files; default: detected for each.")
@ENCODING_OPTION
@JSON_OPTION
def command(*, files: tuple[str, ...], form: str, encoding: str, as_json: bool) -> None:
    """Check citation files against the schema of their format, and against rules that a schema cannot express.

    Nothing is fetched. Errors block delivery; the exit code is then 1, or 3 if other files are valid. Warnings block
    nothing.
    """
    chosen = find_input_format(form) if form else None
    limits = load_cli_settings().read
    right = 0
    for name in files:
        try:
            checked = validate_file(name, form=chosen, limits=limits, encoding=encoding)
        except MedharvestError as error:
            if len(files) == 1:
                raise
            _print_file_error(name, error, as_json=as_json)
        else:
            _print_checked_file(checked, as_json=as_json)
            right += checked.valid
    if right < len(files):
        raise click.exceptions.Exit(3 if right else 1)


def _print_file_error(name: str, error: MedharvestError, *, as_json: bool) -> None:
    if as_json:
        click.echo(format_json({"file": name, "error": error.message, "hint": error.hint}))
    else:
        click.echo(error_line(error), err=True)


def _print_checked_file(checked: CheckedFile, *, as_json: bool) -> None:
    if as_json:
        found = [to_json(finding) for finding in checked.findings]
        row = {"file": checked.name, "format": checked.format, "encoding": checked.encoding, "valid": checked.valid}
        row |= {"schema": checked.by_schema, "findings": found}
        click.echo(format_json(row))
        return
    errors = sum(finding.level is Level.ERROR for finding in checked.findings)
    warnings = len(checked.findings) - errors
    for finding in checked.findings:
        click.echo(_finding_line(checked.name, finding))
    verdict = ("valid" if checked.by_schema else "valid by the rules only") if checked.valid else "not valid"
    form = checked.format if checked.encoding == "utf-8" else f"{checked.format}, {checked.encoding}"
    click.echo(f"{checked.name}: {form}, {verdict}; {errors} errors, {warnings} warnings")


def _finding_line(name: str, finding: Finding) -> str:
    """Write a finding as compilers do: `autumn.xml:12: error: Journal: …; hint: …`."""
    place = f"{name}:{finding.line}" if finding.line else name
    record = f"record {finding.record}, " if finding.record else ""
    hint = f"; hint: {finding.repair}" if finding.repair else ""
    return f"{place}: {finding.level}: {record}{finding.field}: {finding.message}{hint}"

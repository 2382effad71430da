"""`medharvest journals`: the journals the store knows, and what was taught of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import to_json
from medharvest.journals.catalogue import (
    KnownTitle,
    check_journal_name,
    export_journal,
    import_journal,
    import_journal_list,
    is_journal_list,
    look_up_title,
    set_journal_title,
)
from medharvest.journals.policy import set_policy
from medharvest.records import JournalTitle, Policy
from medharvest.store import Journal, Store, open_store

_JOURNAL_ARGUMENT = click.argument("name", metavar="JOURNAL")
_POLICY_OPTIONS = ("permission", "abstracts", "embargo", "download", "robots", "terms")


@click.group("journals", short_help="List and keep journals.", invoke_without_command=True)
@STORE_OPTION
@JSON_OPTION
@click.pass_context
def command(context: click.Context, *, store: str | None, as_json: bool) -> None:
    """List the journals that were taught; or add, set, find, show, export, import or remove one."""
    opened = context.with_resource(open_store(load_cli_settings(store=store).store))
    context.obj = opened
    if context.invoked_subcommand is None:
        for journal in opened.journals():
            click.echo(_journal_line(journal, as_json=as_json))


@command.command("add")
@_JOURNAL_ARGUMENT
@click.option("--title", default="", help="Its full title.")
@click.option("--issn", multiple=True, help="An ISSN of it; may be given more than once.")
@click.option("--host", "hosts", multiple=True, help="Where its issues are, such as journal.example.")
@click.pass_obj
def add_journal_command(store: Store, *, name: str, title: str, issn: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    """Add JOURNAL, or replace title, ISSN and hosts of the one there is."""
    store.save_journal(Journal(name=check_journal_name(name), title=title, issn=issn, hosts=hosts))


@command.command("set")
@_JOURNAL_ARGUMENT
@click.option("--title", default="", help="Its full title.")
@click.option("--abbreviation", default="", help="NLM's title abbreviation, such as Ann Intern Med.")
@click.option("--iso", default="", help="Its abbreviation by ISO 4, with stops.")
@click.option("--issn", multiple=True, help="An ISSN of it; may be given more than once.")
@click.option("--nlm-id", default="", help="Its identifier in NLM's catalogue.")
@click.option("--publisher", default="", help="Name of its publisher.")
@click.option("--permission", help="Who permits its use: a permission, a licence or a subscription, in your words.")
@click.option("--abstracts/--no-abstracts", default=None, help="Whether its abstracts may be handed out.")
@click.option("--embargo", help="Nothing is handed out until this day, or for so long after publication: 12 months.")
@click.option("--download/--no-download", default=None, help="Whether its pages may be downloaded.")
@click.option("--robots", help="What its robots.txt says, in your words.")
@click.option("--terms", help="What its terms say, in your words, or where they are.")
@click.pass_obj
def set_journal_command(store: Store, /, *, name: str, issn: tuple[str, ...], **values: Any) -> None:
    """Say what JOURNAL, a short name or a title, is called in records, and what it permits.

    What is not given stays as it was; an empty text takes a note away.
    """
    rules = {rule: values.pop(rule) for rule in _POLICY_OPTIONS}
    given = {rule: value for rule, value in rules.items() if value is not None}
    if given:
        click.echo(_policy_line(set_policy(store, name, given)))
    if issn or any(values.values()) or not given:
        entry = set_journal_title(store, name, JournalTitle(issn=issn, **values))
        click.echo(_title_line(KnownTitle(entry)))


@command.command("find")
@click.argument("name", metavar="TITLE|ISSN")
@JSON_OPTION
@click.pass_obj
def find_journal_command(store: Store, *, name: str, as_json: bool) -> None:
    """Find a journal by title, abbreviation, short name or ISSN; an abbreviation not known is guessed and marked."""
    known = look_up_title(store, name)
    own = {**to_json(known.entry), "guess": known.guessed}
    click.echo(json.dumps(own, ensure_ascii=False) if as_json else _title_line(known))


@command.command("show")
@_JOURNAL_ARGUMENT
@click.pass_obj
def show_journal_command(store: Store, *, name: str) -> None:
    """Show JOURNAL and the pages that taught it."""
    click.echo(_journal_line(store.journal(name), as_json=False))
    known = store.journal_titles(name)
    if known is not None:
        click.echo(_title_line(KnownTitle(known)))
    if store.journal(name).policy != Policy():
        click.echo(_policy_line(store.journal(name)))
    for page in store.taught_pages(name):
        click.echo(f"  {page}")


@command.command("export")
@_JOURNAL_ARGUMENT
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.pass_obj
def export_journal_command(store: Store, *, name: str, file: Path | None) -> None:
    """Write JOURNAL and all that was taught of it to FILE, or to stdout, to be mailed and imported."""
    lines = list(export_journal(store, name))
    if file is None:
        click.echo("".join(lines), nl=False)
    else:
        write_text_file(file, lines)


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--as", "name", default="", metavar="JOURNAL", help="Take it under another name.")
@click.pass_obj
def import_journal_command(store: Store, *, file: Path, name: str) -> None:
    """Take a journal from a FILE that was exported, or the titles of a list.

    One that is known learns from it. A list is NLM's J_Medline.txt or J_Entrez.txt, or a CSV list of JabRef.
    """
    limits = load_cli_settings().read
    if is_journal_list(file, limits=limits):
        click.echo(f"{import_journal_list(store, file, limits=limits):,} journals: {file}")
    else:
        click.echo(_journal_line(import_journal(store, file, name=name, limits=limits), as_json=False))


@command.command("remove")
@_JOURNAL_ARGUMENT
@click.option("--page", default="", help="Forget only what this page taught.")
@click.pass_obj
def remove_journal_command(store: Store, *, name: str, page: str) -> None:
    """Remove JOURNAL and all that was taught of it."""
    store.forget(name, page=page)


def _policy_line(journal: Journal) -> str:
    policy = journal.policy
    parts = (
        ("permission", policy.permission or "none noted"),
        ("abstracts", "" if policy.abstracts else "not handed out"),
        ("embargo", policy.embargo),
        ("download", "" if policy.download else "not permitted"),
        ("robots", policy.robots),
        ("terms", policy.terms),
    )
    return "; ".join([f"policy of {journal.name}", *(f"{name}: {value}" for name, value in parts if value)])


def _title_line(known: KnownTitle) -> str:
    entry = known.entry
    marked = f"{entry.abbreviation} (a guess, not to be delivered)" if known.guessed else entry.abbreviation
    parts = (
        ("abbreviation", marked),
        ("ISO", entry.iso),
        ("ISSN", " ".join(entry.issn)),
        ("NLM id", entry.nlm_id),
        ("publisher", entry.publisher),
    )
    return "; ".join([entry.title, *(f"{name}: {value}" for name, value in parts if value)])


def _journal_line(journal: Journal, *, as_json: bool) -> str:
    if as_json:
        return json.dumps(
            {
                "name": journal.name,
                "title": journal.title,
                "issn": journal.issn,
                "hosts": journal.hosts,
                "examples": journal.examples,
                "policy": to_json(journal.policy),
            },
            ensure_ascii=False,
        )
    known = [journal.title, " ".join(journal.issn), " ".join(journal.hosts), f"{journal.examples} links taught"]
    return f"{journal.name}: " + "; ".join(part for part in known if part)

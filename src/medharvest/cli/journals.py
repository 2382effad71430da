"""`medharvest journals`: the journals of the store, their titles, policies and what they were taught."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from medharvest.atomic_file import write_text_file
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json, to_json
from medharvest.journals.catalogue import (
    KnownTitle,
    check_journal_name,
    export_journal,
    find_journal_title,
    import_journal,
    import_journal_list,
    is_journal_list,
    look_up_title,
    set_journal_title,
)
from medharvest.journals.policy import set_policy
from medharvest.records import JournalTitle, Policy
from medharvest.store import Journal, Store, open_existing, open_store

_JOURNAL_ARGUMENT = click.argument("name", metavar="JOURNAL")
_Command = Callable[..., None]
_POLICY_OPTIONS = ("permission", "abstracts", "embargo", "download", "robots", "terms")


def _pass_store(open_it: Callable[[str], Store]) -> Callable[[_Command], _Command]:
    """Open the store when a command runs, not when its help is shown, and pass it as the first argument."""

    def decorate(command: _Command) -> _Command:
        @click.pass_context
        def call(context: click.Context, /, **options: Any) -> None:
            command(context.with_resource(open_it(context.obj)), **options)

        return functools.update_wrapper(call, command)

    return decorate


@click.group("journals", short_help="List, add and change journals.", invoke_without_command=True)
@STORE_OPTION
@JSON_OPTION
@click.pass_context
def command(context: click.Context, *, store: str | None, as_json: bool) -> None:
    """List the journals of the store; or add, set, find, show, export, import or remove one."""
    context.obj = load_cli_settings(store=store).store
    if context.invoked_subcommand is None:
        for journal in context.with_resource(open_existing(context.obj)).journals.all():
            click.echo(_journal_line(journal, as_json=as_json))


@command.command("add")
@_JOURNAL_ARGUMENT
@click.option("--title", default="", help="Full title.")
@click.option("--issn", multiple=True, help="ISSN; repeatable.")
@click.option("--host", "hosts", multiple=True, help="Host of its issues, such as journal.example; repeatable.")
@_pass_store(open_store)
def add_journal_command(store: Store, *, name: str, title: str, issn: tuple[str, ...], hosts: tuple[str, ...]) -> None:
    """Add JOURNAL, or replace title, ISSN and hosts if it exists."""
    store.journals.save(Journal(name=check_journal_name(name), title=title, issn=issn, hosts=hosts))


@command.command("set")
@_JOURNAL_ARGUMENT
@click.option("--title", default="", help="Full title.")
@click.option("--abbreviation", default="", help="NLM title abbreviation, such as Ann Intern Med.")
@click.option("--iso", default="", help="ISO 4 abbreviation, with full stops.")
@click.option("--issn", multiple=True, help="ISSN; repeatable.")
@click.option("--nlm-id", default="", help="Identifier in the NLM catalogue.")
@click.option("--publisher", default="", help="Name of the publisher.")
@click.option("--permission", help="Who permits its use: a permission, a licence or a subscription, in your words.")
@click.option("--abstracts/--no-abstracts", default=None, help="Whether its abstracts may be delivered.")
@click.option("--embargo", help="Deliver nothing until this day, or until a time after publication, such as 12 months.")
@click.option("--download/--no-download", default=None, help="Whether its pages may be downloaded.")
@click.option("--robots", help="What its robots.txt says, in your words.")
@click.option("--terms", help="What its terms say, in your words, or where they are.")
@_pass_store(open_store)
def set_journal_command(store: Store, /, *, name: str, issn: tuple[str, ...], **values: Any) -> None:
    """Set how JOURNAL, a short name or a title, is written in records, and its policy.

    Options that are not given stay as they are; an empty text removes a note.
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
@_pass_store(open_existing)
def find_journal_command(store: Store, *, name: str, as_json: bool) -> None:
    """Find a journal by title, abbreviation, short name or ISSN; an unknown abbreviation is guessed and marked."""
    known = look_up_title(store, name)
    own = {**to_json(known.entry), "guess": known.guessed}
    click.echo(format_json(own) if as_json else _title_line(known))


@command.command("show")
@_JOURNAL_ARGUMENT
@_pass_store(open_existing)
def show_journal_command(store: Store, *, name: str) -> None:
    """Show JOURNAL and the pages that taught it."""
    click.echo(_journal_line(store.journals.get(name), as_json=False))
    known = find_journal_title(store, name)
    if known is not None:
        click.echo(_title_line(KnownTitle(known)))
    if store.journals.get(name).policy != Policy():
        click.echo(_policy_line(store.journals.get(name)))
    for page in store.journals.taught_pages(name):
        click.echo(f"  {page}")


@command.command("export")
@_JOURNAL_ARGUMENT
@click.argument("file", type=click.Path(path_type=Path), required=False)
@_pass_store(open_existing)
def export_journal_command(store: Store, *, name: str, file: Path | None) -> None:
    """Write JOURNAL and all that it was taught to FILE, or to stdout, so that it can be imported elsewhere."""
    lines = list(export_journal(store, name))
    if file is None:
        click.echo("".join(lines), nl=False)
    else:
        write_text_file(file, lines)


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--as", "name", default="", metavar="JOURNAL", help="Import it under another name.")
@_pass_store(open_store)
def import_journal_command(store: Store, *, file: Path, name: str) -> None:
    """Import a journal from a FILE written by `journals export`, or the titles of a journal list.

    What the file teaches is added to a journal that exists. A list is NLM's J_Medline.txt or J_Entrez.txt, or a CSV
    list of JabRef.
    """
    limits = load_cli_settings().read
    if is_journal_list(file, limits=limits):
        click.echo(f"{import_journal_list(store, file, limits=limits):,} journals: {file}")
    else:
        click.echo(_journal_line(import_journal(store, file, name=name, limits=limits), as_json=False))


@command.command("remove")
@_JOURNAL_ARGUMENT
@click.option("--page", default="", help="Forget only what this page taught.")
@_pass_store(open_existing)
def remove_journal_command(store: Store, *, name: str, page: str) -> None:
    """Remove JOURNAL and all that it was taught."""
    if page:
        store.journals.forget_page(name, page)
    else:
        store.journals.remove(name)


def _policy_line(journal: Journal) -> str:
    policy = journal.policy
    parts = (
        ("permission", policy.permission or "none noted"),
        ("abstracts", "" if policy.abstracts else "not delivered"),
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
        return format_json(
            {
                "name": journal.name,
                "title": journal.title,
                "issn": journal.issn,
                "hosts": journal.hosts,
                "examples": journal.examples,
                "policy": to_json(journal.policy),
            }
        )
    known = [journal.title, " ".join(journal.issn), " ".join(journal.hosts), f"{journal.examples} links taught"]
    return f"{journal.name}: " + "; ".join(part for part in known if part)

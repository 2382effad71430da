"""`medharvest store`: check, migrate, copy, back up and shrink the store, and decide on duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from medharvest.cli.display import first_author_text, journal_place, page_range, shorten_value
from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.cli.output_gate import complete_commands
from medharvest.codec import format_json, to_json
from medharvest.records import Citation
from medharvest.store import Store, backup_store, open_existing, open_store
from medharvest.store.duplicates import DuplicatePair


@click.group("store", short_help="Check, migrate, copy and back up the store; merge duplicates.")
def command() -> None:
    """Check the store, migrate it, copy it to another database, back it up, shrink it, or merge duplicates."""


@command.command("check")
@STORE_OPTION
@JSON_OPTION
def check_store_command(*, store: str | None, as_json: bool) -> int:
    """Check that nothing is damaged or lost: the database, its references, and every record against its log.

    The archives of the runs are checked too, where their folders are within reach: none may be shorter than recorded.
    The exit code is 1 if something is wrong.
    """
    from medharvest.harvest.run_folder import find_archive_problems  # the other commands need no archive

    with open_existing(load_cli_settings(store=store).store) as opened:
        lost = tuple(find_archive_problems(opened))
        problems = (*opened.check(), *lost)
        if as_json:
            click.echo(format_json({"store": opened.url, "problems": problems}))
        else:
            click.echo(complete_commands("\n".join(problems)) if problems else f"no problems: {opened.url}")
        if problems:
            hint = "restore a backup" if len(problems) > len(lost) else "resume these runs"
            click.echo(f"{len(problems)} problems: {opened.url}; hint: {hint}", err=True)
    return 1 if problems else 0


@command.command("migrate")
@STORE_OPTION
def migrate_store_command(*, store: str | None) -> None:
    """Migrate a store of an older medharvest, after a backup beside it; every other verb does so too."""
    with open_existing(load_cli_settings(store=store).store) as opened:
        done = opened.migrated
        if done.before == done.after:
            click.echo(f"up to date: {opened.url}, revision {done.after}")
            return
        click.echo(f"migrated: {opened.url}, revision {done.before or 'none'} to {done.after}")
        click.echo(f"backup: {done.backup}" if done.backup else "no backup: a database server has its own", err=True)


@command.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_store_command(*, source: str, target: str) -> None:
    """Copy the whole store FROM to TO, a file or the URL of a database, which must be new or empty.

    A digest over all rows shows that both are equal.
    """
    with open_existing(source) as opened, open_store(target) as other:
        copied = opened.copy_to(other)
        click.echo(f"copied: {copied.rows} rows to {other.url}")
        click.echo(f"equal, digest: {copied.digest}")


@command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@STORE_OPTION
def backup_store_command(*, file: Path, store: str | None) -> None:
    """Copy the store to FILE, which is a complete store; others may keep writing meanwhile."""
    with open_existing(load_cli_settings(store=store).store) as opened:
        backup_store(opened, file)
    click.echo(f"backup: {file}")


@command.command("vacuum")
@STORE_OPTION
def vacuum_store_command(*, store: str | None) -> None:
    """Return unused space to the disk."""
    with open_existing(load_cli_settings(store=store).store) as opened:
        before, after = opened.vacuum()
        click.echo(f"{opened.url}: {before / 1e6:.1f} MB, now {after / 1e6:.1f} MB")


@dataclass(frozen=True, slots=True, kw_only=True)
class _PairChoice:
    """The pairs that an action is for, and who decides."""

    numbers: tuple[int, ...]
    every: bool
    least: float
    rule: str
    keep: int
    who: str

    def of(self, opened: Store) -> Iterator[tuple[int, int]]:
        """Yield the two numbers of each pair."""
        if self.numbers:
            yield self.numbers[0], self.numbers[1]
            return
        chosen = [pair for pair in opened.duplicates.open_pairs() if self.fits(pair)]
        yield from ((pair.one, pair.two) for pair in chosen)

    def fits(self, pair: DuplicatePair) -> bool:
        """Whether a pair has the wanted score and rule."""
        return pair.score >= self.least and self.rule in {"", pair.method}


@command.command("duplicates")
@click.argument("action", type=click.Choice(["list", "find", "merge", "keep", "split", "undo"]), default="list")
@click.argument("numbers", metavar="[ONE TWO]", nargs=-1, type=int)
@click.option("--keep", type=int, default=0, metavar="ONE", help="With merge: the record to keep; default: the better.")
@click.option(
    "--all", "every", is_flag=True, help="With list: decided pairs too. With merge and keep: all listed pairs."
)
@click.option("--least", type=float, default=0.0, metavar="SCORE", help="Only pairs with at least this score, 0 to 1.")
@click.option("--rule", default="", metavar="RULE", help="Only pairs that this rule found, such as doi.")
@click.option("--who", default="operator", show_default=True, help="Who decides, for the history of the records.")
@STORE_OPTION
@JSON_OPTION
def decide_duplicates_command(
    *, action: str, numbers: tuple[int, ...], every: bool, store: str | None, as_json: bool, **options: object
) -> None:
    """List pairs of records that may be one article, and decide on them by the numbers of the two records.

    \b
    list   the pairs that wait for a decision
    find   compare all records of the store, and add the pairs that are not known yet
    merge  one article: complete one record with the other, which is hidden
    keep   two articles: keep both; the pair is not offered again
    split  two articles after all: give back both records of a merge
    undo   take back a decision; the pair is offered again
    """  # noqa: D301  (the mark of click for lines that are not wrapped)
    settings = load_cli_settings(store=store)
    choice = _PairChoice(numbers=numbers, every=every, **options)  # type: ignore[arg-type]
    _check_pair_choice(action, choice)
    with open_existing(settings.store) as opened:
        if action == "find":
            from medharvest.library.record_import import find_stored_duplicates  # the other actions compare nothing

            click.echo(f"{find_stored_duplicates(opened, settings.match)} new pairs", err=True)
        if action in {"list", "find"}:
            _print_pairs(opened, choice, as_json=as_json)
            return
        for one, two in list(choice.of(opened)):
            said = _PAIR_ACTIONS[action](opened, one, two, choice)
            click.echo(format_json({"one": one, "two": two, "action": action}) if as_json else complete_commands(said))


def _check_pair_choice(action: str, choice: _PairChoice) -> None:
    """Refuse numbers where none belong, and an action that names no pair."""
    wanted = 0 if action in {"list", "find"} or (choice.every and action in {"merge", "keep"}) else 2
    if len(choice.numbers) != wanted:
        what = "no numbers" if not wanted else "the numbers of two records"
        raise click.UsageError(f"{action} takes {what}")


def _merge_pair(opened: Store, one: int, two: int, choice: _PairChoice) -> str:
    from medharvest.library.record_import import merge_stored_records

    merge_stored_records(opened, one, two, who=choice.who, keep=choice.keep)
    pair = opened.duplicates.get(one, two)
    return f"merged: {pair.gone} into {pair.kept}; hint: `medharvest store duplicates undo {one} {two}` takes it back"


def _keep_pair(opened: Store, one: int, two: int, choice: _PairChoice) -> str:
    opened.duplicates.keep_both(one, two, who=choice.who)
    return f"two articles: {one} and {two}"


def _split_pair(opened: Store, one: int, two: int, choice: _PairChoice) -> str:
    opened.review.split(one, two, who=choice.who)
    return f"split: {one} and {two}"


def _undo_pair(opened: Store, one: int, two: int, choice: _PairChoice) -> str:
    from medharvest.library.record_import import undo_pair_decision

    undo_pair_decision(opened, one, two, who=choice.who)
    return f"undecided again: {one} and {two}"


_PAIR_ACTIONS: dict[str, Callable[[Store, int, int, _PairChoice], str]] = {
    "merge": _merge_pair,
    "keep": _keep_pair,
    "split": _split_pair,
    "undo": _undo_pair,
}


def _print_pairs(opened: Store, choice: _PairChoice, *, as_json: bool) -> None:
    """Print the pairs with both records below each other."""
    count = 0
    kinds = (
        (opened.duplicates.open_pairs, opened.duplicates.decided_pairs)
        if choice.every
        else (opened.duplicates.open_pairs,)
    )
    for pair in (pair for read in kinds for pair in read() if choice.fits(pair)):
        count += 1
        records = opened.records.citations_of([pair.one, pair.two])
        if as_json:
            both = {str(number): to_json(record) for number, record in records.items()}
            click.echo(format_json({**to_json(pair), "records": both}))
            continue
        click.echo(f"{pair.one} {pair.two}: {pair.state}, {pair.score:.2f} by {pair.method}")
        for number, record in sorted(records.items()):
            click.echo(f"  {number}: {_describe_record(record)}")
    if not as_json:
        click.echo(
            f"{count} pairs" if count else "no pairs; hint: `medharvest store duplicates find` compares all records",
            err=True,
        )


def _describe_record(record: Citation) -> str:
    parts = (
        shorten_value(record.title),
        first_author_text(record.authors),
        journal_place(record),
        record.date[:4],
        page_range(record),
        record.doi or record.pmid,
    )
    return " | ".join(part for part in parts if part)

"""`medharvest store`: check, migrate, copy, back up and shrink the store."""

from __future__ import annotations

from pathlib import Path

import click

from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.codec import format_json
from medharvest.store import backup_store, open_existing, open_store


@click.group("store", short_help="Check, migrate, copy and back up the store.")
def command() -> None:
    """Check the store, migrate it, copy it to another database, back it up, or shrink it."""


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
            click.echo("\n".join(problems) if problems else f"no problems: {opened.url}")
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

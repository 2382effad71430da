"""`medharvest store`: check, migrate, copy, back up and shrink the store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from medharvest.cli.options import JSON_OPTION, STORE_OPTION, load_cli_settings
from medharvest.store import backup_store, open_existing, open_store


@click.group("store", short_help="Check, migrate, copy and back up the store.")
def command() -> None:
    """Look after the store: check it, migrate it, copy it to another database, back it up, shrink it."""


@command.command("check")
@STORE_OPTION
@JSON_OPTION
def check_store_command(*, store: str | None, as_json: bool) -> int:
    """Check that nothing is damaged or lost: the database itself, its references, and every record against its log.

    The exit code is 1 where something is wrong.
    """
    with open_existing(load_cli_settings(store=store).store) as opened:
        problems = opened.check()
        if as_json:
            click.echo(json.dumps({"store": opened.url, "problems": problems}, ensure_ascii=False))
        else:
            click.echo("\n".join(problems) if problems else f"whole: {opened.url}")
        if problems:
            click.echo(f"{len(problems)} problems: {opened.url}; hint: restore a backup", err=True)
    return 1 if problems else 0


@command.command("migrate")
@STORE_OPTION
def migrate_store_command(*, store: str | None) -> None:
    """Bring a store of an older medharvest up to date, after a backup beside it; every other verb does so too."""
    with open_existing(load_cli_settings(store=store).store) as opened:
        done = opened.migrated
        if done.before == done.after:
            click.echo(f"up to date: {opened.url}, revision {done.after}")
            return
        click.echo(f"migrated: {opened.url}, revision {done.before or 'none'} to {done.after}")
        click.echo(f"backup: {done.backup}" if done.backup else "no backup: the server keeps its own", err=True)


@command.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_store_command(*, source: str, target: str) -> None:
    """Copy all of the store FROM to TO, which must be new or empty: a file, or the URL of a database.

    A digest over every row proves that both are equal.
    """
    with open_existing(source) as opened, open_store(target) as other:
        copied = opened.copy_to(other)
        click.echo(f"copied: {copied.rows} rows to {other.url}")
        click.echo(f"equal, digest: {copied.digest}")


@command.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@STORE_OPTION
def backup_store_command(*, file: Path, store: str | None) -> None:
    """Copy the store to FILE, a store of its own, while others may write to it."""
    with open_existing(load_cli_settings(store=store).store) as opened:
        backup_store(opened, file)
    click.echo(f"backup: {file}")


@command.command("vacuum")
@STORE_OPTION
def vacuum_store_command(*, store: str | None) -> None:
    """Give space that is no longer used back to the disk."""
    with open_existing(load_cli_settings(store=store).store) as opened:
        before, after = opened.vacuum()
        click.echo(f"{opened.url}: {before / 1e6:.1f} MB, now {after / 1e6:.1f} MB")

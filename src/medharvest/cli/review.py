"""`medharvest review`: the review app in the browser."""

from __future__ import annotations

import webbrowser
from dataclasses import dataclass
from pathlib import Path

import click

from medharvest.cli.options import STORE_OPTION, data_folder, load_cli_settings
from medharvest.settings import Settings
from medharvest.store import Store, open_existing, open_store


@click.command("review", short_help="Review records in the browser.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but this machine's own requires a login.",
)
@click.option("--port", default=8321, show_default=True, help="Port to listen on; 0 means any free one.")
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Name or address by which others reach this machine; needed with --host 0.0.0.0; repeatable.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address of a reverse proxy whose forwarded host and scheme are trusted; needs --name; repeatable.",
)
@click.option("--into", type=click.Path(path_type=Path), help="Folder for harvests that are started in the app.")
@click.option("--enter", is_flag=True, help="Print a new address for the app that is already running, and exit.")
@click.option("--add-person", metavar="NAME", help="Add a person, ask for the password, and exit.")
@click.option(
    "--role",
    type=click.Choice(["reader", "operator", "reviewer", "admin"]),
    default="operator",
    show_default=True,
    help="Role of the person that is added.",
)
@click.option("--open/--no-open", "opens", default=True, help="Whether to open the browser.")
@STORE_OPTION
def command(  # noqa: PLR0913  (one parameter per option)
    *,
    host: str,
    port: int,
    names: tuple[str, ...],
    proxies: tuple[str, ...],
    into: Path | None,
    enter: bool,
    add_person: str | None,
    role: str,
    opens: bool,
    store: str | None,
) -> None:
    """Review records in the browser: evidence beside every field, corrections that teach the journal.

    On this machine the printed address logs you in, once; --enter prints a new one when the session has ended. With
    another --host, or behind a --proxy, people log in with a password; add them first with --add-person. Ctrl-C stops
    the server; everything accepted so far is kept.
    """
    settings = load_cli_settings(store=store)
    with (open_existing if enter else open_store)(settings.store) as opened:
        if add_person:
            _add_person(opened, add_person, role)
            return
        if enter:
            _print_new_entrance(opened, host, port, opens=opens)
            return
        place = ReviewPlace(
            host=host, port=port, names=names, proxies=proxies, folder=into or data_folder() / "harvests"
        )
        serve_review(opened, settings, place, opens=opens)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPlace:
    """Where the app listens, the names it answers to, the proxies it trusts, and the folder of its harvests."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    folder: Path


def serve_review(store: Store, settings: Settings, place: ReviewPlace, *, opens: bool) -> None:
    """Serve the app until Ctrl-C; print its address, and open it in the browser if `opens`."""
    from medharvest.web.app import make_review_server  # imports a web framework, which no other verb needs

    made = make_review_server(
        store,
        settings,
        host=place.host,
        port=place.port,
        folder=place.folder,
        names=place.names,
        proxies=place.proxies,
    )
    _print_review_address(made.enter, opens=opens)
    made.run()


def _print_new_entrance(store: Store, host: str, port: int, *, opens: bool) -> None:
    from medharvest.web.app import make_entrance_url

    _print_review_address(make_entrance_url(store, host=host, port=port), opens=opens)


def _print_review_address(address: str, *, opens: bool) -> None:
    click.echo(f"review at {address}", err=True)
    if opens:
        webbrowser.open(address)


def _add_person(store: Store, name: str, role: str) -> None:
    from medharvest.store.people import Person, Role
    from medharvest.web.request_checks import hash_new_password

    password = click.prompt("password", hide_input=True, confirmation_prompt=True)
    store.people.add(Person(name=name, role=Role(role), secret=hash_new_password(password)))
    click.echo(f"{name} may log in as {role}", err=True)

"""Open a store by path or URL; whatever is wrong with it is a `StoreError`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from medharvest.errors import StoreError
from medharvest.store import postgres, schema, sqlite
from medharvest.store.problems import masked, translated
from medharvest.store.recording import Recording
from medharvest.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

FILE = "medharvest.sqlite"
BACKENDS: dict[str, ModuleType] = {"sqlite": sqlite, "postgres": postgres, "postgresql": postgres}


def utc_now() -> str:
    """The time as the store writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def open_store(url: str, *, data_folder: Path | None = None, now: Callable[[], str] = utc_now) -> Store:
    """Open the store at a path or URL; `""` is a file in the user's data folder (`data_folder`).

    A missing one is created, an older one is backed up and migrated.
    """
    place = _parse(url) if url else _default(data_folder)
    name = _name(place)
    backend = BACKENDS[place.get_backend_name()]
    with translated(name):
        engine = backend.make_engine(place)
        try:
            migrated = schema.bring_up_to_date(engine, backend, url=name)
            backend.settle(engine)
        except BaseException:
            engine.dispose()
            raise
    return Store(engine, Recording(backend), url=name, now=now, migrated=migrated)


def open_existing(url: str, *, data_folder: Path | None = None) -> Store:
    """Open a store as `open_store` does, but make none where there is no file, or no table."""
    place = _parse(url) if url else _default(data_folder)
    if not _is_there(place):
        hint = "name it with --store or MEDHARVEST_STORE; a harvest or an import makes one"
        raise StoreError(f"no such store: {_name(place)}", url=_name(place), hint=hint)
    return open_store(url, data_folder=data_folder)


def _is_there(place: URL) -> bool:
    kind, name = place.get_backend_name(), _name(place)
    if kind == "sqlite" and not Path(name).is_file():
        return False
    with translated(name):
        engine = BACKENDS[kind].make_engine(place)
        try:
            with engine.connect() as connection:
                return bool(schema.stored_revision(connection, url=name))
        finally:
            engine.dispose()


def _default(folder: Path | None) -> URL:
    if folder is None:
        from platformdirs import user_data_path

        folder = user_data_path("medharvest", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"{error.strerror}; name a store with --store or MEDHARVEST_STORE"
        raise StoreError(f"data folder cannot be made: {folder}", url=str(folder), hint=hint) from error
    return URL.create("sqlite", database=str(folder / FILE))


def _parse(text: str) -> URL:
    if "://" not in text:
        path = text if text == ":memory:" else str(Path(text).expanduser())
        return URL.create("sqlite", database=path)
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise StoreError(f"not a store URL: {masked(text)}", url=masked(text), hint=_FORMS) from error
    if url.get_backend_name() not in BACKENDS:
        raise StoreError(f"no such kind of store: {url.get_backend_name()}", url=masked(text), hint=_FORMS)
    return url


def _name(place: URL) -> str:
    if place.get_backend_name() == "sqlite":
        return place.database or ":memory:"
    return place.render_as_string(hide_password=True)


_FORMS = "give a file name, sqlite:///FILE or postgresql://USER@HOST/DATABASE"

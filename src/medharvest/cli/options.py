"""What several verbs share: options, the settings in force, the folders of the user, messages on stderr."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import platformdirs

from medharvest.cli.output_gate import name_printed_store
from medharvest.settings import Settings, load_settings

STORE_OPTION = click.option("--store", metavar="URL", help="Store to use; default: a SQLite file in your data folder.")
ENCODING_OPTION = click.option(
    "--encoding", default="", metavar="NAME", help="Encoding of the files, such as cp1252 or gbk; default: detected."
)
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line on stdout.")
JOURNAL_OPTION = click.option(
    "--journal", default="", metavar="NAME", help="Only this journal: its title, abbreviation, short name or ISSN."
)
QUIET_OPTION = click.option("--quiet", is_flag=True, help="Print errors only, no progress and no other messages.")


def load_cli_settings(**options: Any) -> Settings:
    """Load the settings: defaults, settings file, environment, then options, written `fetch__delay=1.0`.

    Commands in messages will name the store of the option; the next call finds any other by itself.
    """
    if options.get("store"):
        from medharvest.store.transactions import mask_store_password  # loads the database driver

        name_printed_store(mask_store_password(options["store"]))
    named = {name.replace("__", "."): value for name, value in options.items()}
    return load_settings(file=_settings_file(), environment=os.environ, options=named)


def _settings_file() -> Path | None:
    """Return the file named by MEDHARVEST_SETTINGS, or the one in the user's configuration folder if there is one."""
    named = os.environ.get("MEDHARVEST_SETTINGS")
    if named:
        return Path(named)
    usual = Path(platformdirs.user_config_path("medharvest", appauthor=False)) / "medharvest.toml"
    return usual if usual.is_file() else None


def data_folder() -> Path:
    """Return the folder of runs and of the default store."""
    return Path(platformdirs.user_data_path("medharvest", appauthor=False))


def cache_folder() -> Path:
    """Return the folder of cached vocabulary answers, and of databases built from vocabulary files."""
    return Path(platformdirs.user_cache_path("medharvest", appauthor=False))


def make_announcer(*, quiet: bool) -> Callable[[str], None]:
    """Make a function that prints messages to stderr, or nothing if `quiet`."""
    return lambda message: None if quiet else click.echo(message, err=True)

"""Options that several verbs share, and the settings they are read into."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import platformdirs

from medharvest.settings import Settings, load_settings

STORE_OPTION = click.option("--store", metavar="URL", help="Store to use; default a SQLite file in your data folder.")
JSON_OPTION = click.option("--json", "as_json", is_flag=True, help="One JSON object a line on stdout.")
QUIET_OPTION = click.option("--quiet", is_flag=True, help="No progress and no messages but errors.")


def load_cli_settings(**options: Any) -> Settings:
    """The settings in force: defaults, the settings file, the environment, then these options by dotted name."""
    named = {name.replace("__", "."): value for name, value in options.items()}
    return load_settings(file=_settings_file(), environment=os.environ, options=named)


def _settings_file() -> Path | None:
    """The file MEDHARVEST_SETTINGS names, or the one in the user's configuration folder if it is there."""
    named = os.environ.get("MEDHARVEST_SETTINGS")
    if named:
        return Path(named)
    usual = Path(platformdirs.user_config_path("medharvest", appauthor=False)) / "medharvest.toml"
    return usual if usual.is_file() else None


def data_folder() -> Path:
    """Where runs and the default store live."""
    return Path(platformdirs.user_data_path("medharvest", appauthor=False))


def cache_folder() -> Path:
    """Where answers of vocabulary services and databases made from files are kept."""
    return Path(platformdirs.user_cache_path("medharvest", appauthor=False))

"""A real browser on a real server, for tests of the review app."""

from __future__ import annotations

import functools
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.needs import lacking

from medharvest.demo import serve
from medharvest.settings import Settings
from medharvest.store import Store, open_store
from medharvest.web.server import Serving, serving


@contextmanager
def app(folder: Path) -> Iterator[tuple[Store, Serving]]:
    """The app over a new store, allowed to ask the demo's server."""
    settings = Settings()
    settings = replace(settings, fetch=replace(settings.fetch, allow_private=True, delay=0.0, backoff=0.0))
    with (
        open_store(str(folder / "store.sqlite")) as store,
        serving(store, settings, folder=folder / "harvests") as made,
    ):
        yield store, made


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright

    program = _chromium()
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield opened
        finally:
            opened.close()


@functools.cache
def _chromium() -> str:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        lacking("browser", "no chromium")
    subprocess.run([program, "--version"], check=True, capture_output=True)
    return str(program)


__all__ = ["app", "browser", "serve"]

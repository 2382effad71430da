"""Runs the command line in this process and in one of its own."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from tests.waiting import LONG

from medharvest.cli import main


@dataclass(frozen=True)
class Ran:
    """What a call left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def medharvest(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Call the command line in this process."""

    def call(*arguments: object, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(int(stop.value.code or 0), out, err)

    return call


@pytest.fixture
def process() -> Callable[..., Ran]:
    """Call the command line in a process of its own."""

    def call(*arguments: object) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "medharvest", *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            timeout=LONG,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call

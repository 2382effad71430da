"""The gate that all output passes: text of pages and records cannot send commands to the terminal.

`main` wraps stdout and stderr with it, so `click.echo` needs no care. Only `print_trusted` writes codes of our own.
Messages name commands as `medharvest runs 3`; on stderr the gate completes them, so that they run as printed.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

import click

# Control characters (C0, DEL, C1), and the bidi embeddings, overrides and isolates, which reorder what is shown. Line
# ends and tabs stay, and so do the joiners and direction marks that scripts need.
_UNSAFE_OUTPUT = re.compile("(?!\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SHOWN_INSTEAD = "\ufffd"
# Verbs with --store; in the groups `learn` and `store` each command has it.
STORE_VERBS = frozenset(
    "issue topic runs read links zones learn journals search import enrich export review deliver store".split()
)
# In a message a command stands in backticks, after a colon, or at the start of a line.
_PRINTED_COMMAND = re.compile(r"(?m)(?P<before>^ {0,8}|`|: )medharvest (?P<verb>(?:learn|store) [a-z]+|[a-z]+)\b")
_STORE_KEY = "medharvest.store"  # in `meta` of the click context


def clean_output(text: str) -> str:
    """Return the text with a replacement character for each one that a terminal would obey."""
    return text if text.isprintable() else _UNSAFE_OUTPUT.sub(_SHOWN_INSTEAD, text)


def find_program_name() -> str:
    """Return how this command line was called, for the shell: `./medharvest` from a checkout."""
    called = Path(sys.argv[0])
    if launcher := os.environ.get("MEDHARVEST_COMMAND"):
        return shlex.quote(launcher)
    if called.parts[-2:] == ("medharvest", "__main__.py"):
        python = "python" if shutil.which("python") == sys.executable else sys.executable
        return f"{shlex.quote(python)} -m medharvest"
    on_path = called.name != "medharvest" or shutil.which("medharvest") == str(called)
    return "medharvest" if on_path else shlex.quote(str(called))


def name_printed_store(url: str) -> None:
    """Name the store that printed commands are to use; none is needed for the default one."""
    if context := click.get_current_context(silent=True):
        context.meta[_STORE_KEY] = url


def complete_commands(text: str) -> str:
    """Complete the commands in a message: the program as it was called, and the store that was named."""
    context = click.get_current_context(silent=True)
    if "medharvest " not in text or context is None:
        return text
    program, store = context.find_root().info_name or "medharvest", context.meta.get(_STORE_KEY, "")

    def complete(found: re.Match[str]) -> str:
        verb = found["verb"]
        option = f" --store {shlex.quote(store)}" if store and verb.split()[0] in STORE_VERBS else ""
        return f"{found['before']}{program} {verb}{option}"

    return _PRINTED_COMMAND.sub(complete, text)


class GatedStream:
    """A text stream that cleans what is written; it has no `buffer`, so nothing can be written past it.

    In `messages` commands are completed.
    """

    def __init__(self, stream: TextIO, *, messages: bool = False) -> None:
        self.ungated = stream
        self._messages = messages

    def write(self, text: str) -> int:
        """Write the cleaned text."""
        return self.ungated.write(clean_output(complete_commands(text) if self._messages else text))

    def writelines(self, lines: list[str]) -> None:
        """Write the cleaned lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.ungated, name)


@contextmanager
def gate_streams() -> Iterator[None]:
    """Let stdout and stderr pass the gate, unless they do already."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        stream if isinstance(stream, GatedStream) else cast("TextIO", GatedStream(stream, messages=messages))
        for stream, messages in zip(before, (False, True), strict=True)
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def ungated_stream(*, err: bool = False) -> TextIO:
    """Return the stream below the gate, for a writer that cleans its texts itself."""
    stream = sys.stderr if err else sys.stdout
    return stream.ungated if isinstance(stream, GatedStream) else stream


def print_trusted(text: str, *, err: bool = False) -> None:
    """Write a text with codes of our own, past the gate; foreign text in it must be cleaned before."""
    stream = ungated_stream(err=err)
    stream.write(text)
    stream.flush()


def print_bytes(body: bytes) -> None:
    """Write bytes to stdout as they are; to a terminal as text that has passed the gate."""
    stream = ungated_stream()
    if stream.isatty():
        stream.write(clean_output(body.decode("utf-8", "replace")))
    else:
        stream.flush()
        stream.buffer.write(body)
    stream.flush()

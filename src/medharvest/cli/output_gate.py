"""The gate that all output passes: text of pages and records cannot send commands to the terminal.

`main` wraps stdout and stderr with it, so `click.echo` needs no care. Only `print_trusted` writes codes of our own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

# Control characters (C0, DEL, C1), and the bidi embeddings, overrides and isolates, which reorder what is shown. Line
# ends and tabs stay, and so do the joiners and direction marks that scripts need.
_UNSAFE_OUTPUT = re.compile("(?!\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_SHOWN_INSTEAD = "\ufffd"


def clean_output(text: str) -> str:
    """Return the text with a replacement character for each one that a terminal would obey."""
    return text if text.isprintable() else _UNSAFE_OUTPUT.sub(_SHOWN_INSTEAD, text)


class GatedStream:
    """A text stream that cleans what is written; it has no `buffer`, so nothing can be written past it."""

    def __init__(self, stream: TextIO) -> None:
        self.ungated = stream

    def write(self, text: str) -> int:
        """Write the cleaned text."""
        return self.ungated.write(clean_output(text))

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
        stream if isinstance(stream, GatedStream) else cast("TextIO", GatedStream(stream)) for stream in before
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

"""The objects of a JSON array one by one, so that a long file needs the memory of one."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from medharvest.errors import InputError

_CHUNK = 1 << 16
_LONGEST = 4_000_000  # characters of one object
_BETWEEN = " \t\r\n,[]"
_DECODER = json.JSONDecoder()


def items(file: BinaryIO, name: str) -> Iterator[dict[str, Any]]:
    """Every object of an array, or of a file with objects one after the other; anything else is an `InputError`."""
    buffer = ""
    for chunk in _chunks(file):
        buffer = (buffer + chunk).lstrip(_BETWEEN)
        while found := _first(buffer, name):
            yield found[0]
            buffer = buffer[found[1] :].lstrip(_BETWEEN)
        if len(buffer) > _LONGEST:
            raise _broken(name, "an object without end")
    if buffer:
        raise _broken(name, "the last object is cut off")


def _chunks(file: BinaryIO) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    while chunk := file.read(_CHUNK):
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _first(buffer: str, name: str) -> tuple[dict[str, Any], int] | None:
    """The object a text begins with and where it ends; nothing where it is not complete."""
    if not buffer:
        return None
    try:
        found, end = _DECODER.raw_decode(buffer)
    except ValueError:
        if not buffer.startswith("{"):
            raise _broken(name, "not an object") from None
        return None
    except RecursionError:
        raise _broken(name, "nested too deeply") from None
    if not isinstance(found, dict):
        raise _broken(name, "not an object")
    return found, end


def _broken(name: str, why: str) -> InputError:
    return InputError(f"not {name} JSON: {why}", name=name, hint="the file is a JSON array of objects")

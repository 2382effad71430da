"""Records as plain JSON values or as JSON text, and back.

`from_json(Citation, to_json(citation)) == citation`
"""

from __future__ import annotations

import json
import re
import threading
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")
# JSON escapes C0 itself; these would be obeyed by a terminal, or reorder what it shows.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_DECODER_LOCK = threading.Lock()
_encode_json = msgspec.json.Encoder().encode
_decode_json = msgspec.json.Decoder().decode


def to_json(value: Any) -> Any:
    """Turn a record, or a tuple of them, into plain JSON values; bytes become base64 text."""
    try:
        return _decode_json(_encode_json(value))
    except UnicodeEncodeError:
        return json.loads(encode_record(value))


def from_json(cls: type[T], data: Any) -> T:
    """Build a record from what `to_json` gave; missing keys take their defaults, unknown ones are a `ValueError`."""
    _decoder_for(cast("Any", cls))  # inspects the fields of the class, one thread at a time
    record = msgspec.convert(data, cls)
    _check_field_names(data, msgspec.to_builtins(record))
    return record


def _check_field_names(given: Any, known: Any) -> None:
    """Raise if an object has a key that its record has no field for."""
    if isinstance(given, dict):
        unknown = sorted(given.keys() - known.keys())
        if unknown:
            raise ValueError(f"no such field: {unknown[0]}")
        for name, value in given.items():
            _check_field_names(value, known[name])
    elif isinstance(given, list | tuple):
        for pair in zip(given, known, strict=True):
            _check_field_names(*pair)


def encode_record(record: Any) -> str:
    """Write a record as JSON text that SQLite and PostgreSQL both accept."""
    try:
        return _encode_json(record).decode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form; its JSON escape means the same
        text = json.dumps(msgspec.to_builtins(record), ensure_ascii=False, separators=(",", ":"))
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def format_json(value: Any, *, separators: tuple[str, str] = (", ", ": ")) -> str:
    """Write plain values as one line of JSON for output; characters that a terminal would obey are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=separators)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def decode_record(cls: type[T], text: str | bytes) -> T:
    """Read back what `encode_record` wrote; unknown keys, such as those of a newer medharvest, are ignored."""
    try:
        return cast("T", _decoder_for(cast("Any", cls)).decode(text))
    except msgspec.DecodeError:  # a lone surrogate
        return msgspec.convert(json.loads(text), cls)


@cache
def _decoder_for(cls: type[Any]) -> msgspec.json.Decoder[Any]:
    # msgspec crashes if two threads inspect the fields of a class at the same time.
    with _DECODER_LOCK:
        return msgspec.json.Decoder(cls)

"""Records as JSON text and back, quicker than by `to_json` and `from_json`, which give the same."""

from __future__ import annotations

import json
import re
import threading
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from medharvest.records import from_json, to_json

T = TypeVar("T")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ONE_AT_A_TIME = threading.Lock()
_encode = msgspec.json.Encoder().encode


def dump(record: Any) -> str:
    """Write a record as JSON text that both databases take."""
    try:
        return _encode(record).decode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair has no UTF-8 form; inside JSON its escape means the same
        text = json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"))
        return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def load(cls: type[T], text: str | bytes) -> T:
    """Read back what `dump` wrote."""
    try:
        return cast("T", _decoder(cast("Any", cls)).decode(text))
    except msgspec.DecodeError:  # half a surrogate pair, or what an older medharvest wrote otherwise
        return from_json(cls, json.loads(text))


@cache
def _decoder(cls: type[Any]) -> msgspec.json.Decoder[Any]:
    # Two threads that look at the fields of a class at a time crash the library.
    with _ONE_AT_A_TIME:
        return msgspec.json.Decoder(cls)

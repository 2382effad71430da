"""What the keyboard does: every action has a key, each person may choose another or none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from medharvest.errors import InputError

_LONGEST = 30


@dataclass(frozen=True, slots=True)
class Key:
    """An action, the key it has unless somebody chose another, and what it does in words."""

    action: str
    key: str
    does: str


KEYS = (
    Key("accept-field", "Enter", "accept the field, go to the next weak one"),
    Key("accept-record", "Ctrl+Enter", "accept the record, go to the next"),
    Key("previous-record", "Shift+Enter", "go back to the record before"),
    Key("next-field", "J", "next field"),
    Key("previous-field", "K", "field before"),
    Key("edit", "E", "edit the field"),
    Key("alternative", "A", "take the field's next alternative"),
    Key("undo", "U", "undo the last act on this record"),
    Key("note", "N", "write a note"),
    Key("flag", "F", "flag the record, or take the flag away"),
    Key("diff", "D", "compare with what else is known"),
    Key("history", "H", "who changed what, and when"),
    Key("label-title", "1", "label the chosen zone as title"),
    Key("label-author", "2", "label the chosen zone as authors"),
    Key("label-affiliation", "3", "label the chosen zone as affiliation"),
    Key("label-abstract", "4", "label the chosen zone as abstract"),
    Key("teach", "T", "show what a correction teaches the journal, then apply it"),
    Key("search", "/", "search"),
    Key("help", "?", "show the keys"),
)
_ACTIONS = frozenset(key.action for key in KEYS)


def keys_of(likes: Mapping[str, str]) -> dict[str, str]:
    """The key of each action as a person has it; an action without one is left out, or whose key they gave another."""
    if likes.get("keys") == "off":
        return {}
    own = json.loads(likes.get("keymap", "{}"))
    taken = set(own.values())
    chosen = {key.action: own.get(key.action, "" if key.key in taken else key.key) for key in KEYS}
    return {action: key for action, key in chosen.items() if key}


def checked(chosen: Mapping[str, str]) -> str:
    """A choice of keys as it is kept; two actions on one key are an error."""
    named = {action: key.strip() for action, key in chosen.items() if action in _ACTIONS}
    taken: dict[str, str] = {}
    for action, key in named.items():
        if len(key) > _LONGEST or not key.isprintable():
            raise InputError(f"no key: {key[:_LONGEST]!r}", name=action, hint="write it as in Ctrl+Enter or E")
        if key and key in taken:
            hint = "give one of them another key, or none"
            raise InputError(f"{key} would mean both {taken[key]} and {action}", name=action, hint=hint)
        taken[key] = action
    return json.dumps(named)

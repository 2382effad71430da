"""Keys as people choose them."""

from __future__ import annotations

import json

import pytest

from medharvest.errors import InputError
from medharvest.web.responses import SHORTCUTS, check_shortcuts, shortcuts_of


def test_every_action_has_a_key_of_its_own() -> None:
    keys = shortcuts_of({})
    assert len(keys) == len(SHORTCUTS) == len(set(keys.values()))


def test_a_choice_is_kept_and_an_empty_one_means_no_key() -> None:
    kept = check_shortcuts({"edit": "X", "undo": "", "nothing": "Q"})
    keys = shortcuts_of({"keymap": kept})
    assert keys["edit"] == "X"
    assert "undo" not in keys
    assert "nothing" not in keys
    assert keys["flag"] == "F"
    assert "flag" not in shortcuts_of({"keymap": check_shortcuts({"edit": "F"})})
    assert json.loads(kept) == {"edit": "X", "undo": ""}


def test_keys_can_be_switched_off() -> None:
    assert shortcuts_of({"keys": "off"}) == {}


@pytest.mark.parametrize("chosen", [{"edit": "U", "undo": "U"}, {"edit": "\x07"}, {"edit": "x" * 40}])
def test_a_choice_that_makes_no_sense_is_refused(chosen: dict[str, str]) -> None:
    with pytest.raises(InputError):
        check_shortcuts(chosen)

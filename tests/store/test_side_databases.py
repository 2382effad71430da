"""A terminology in a SQLite file."""

from __future__ import annotations

import pytest

from medharvest.errors import StoreError
from medharvest.store.side_databases import Terminology, build_terminology

NAMES = [("C1", "Buzz", "buzz", 1), ("C1", "Ear Noise", "ear noise", 0), ("C2", "Buzz", "buzz", 0)]


def test_names_and_relatives_are_found_again(tmp_path):
    path = tmp_path / "deep" / "t.sqlite"
    build_terminology(path, NAMES, [("C1", "broader", "C2"), ("C1", "broader", "C2")])
    terminology = Terminology(path)
    assert terminology.concepts("buzz") == ["C2", "C1"]
    assert terminology.names("C1") == ["Ear Noise", "Buzz"]
    assert terminology.relatives("C1", "broader") == ["C2"]
    assert terminology.relatives("C2", "broader") == terminology.names("C3") == []
    terminology.close()


def test_what_breaks_off_leaves_no_file(tmp_path):
    def broken():
        yield NAMES[0]
        raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken off"):
        build_terminology(tmp_path / "t.sqlite", broken(), [])
    assert list(tmp_path.iterdir()) == []


def test_a_row_that_does_not_fit_is_an_error_of_the_store(tmp_path):
    with pytest.raises(StoreError, match="cannot be written"):
        build_terminology(tmp_path / "t.sqlite", [("C1", None, "x", 0)], [])  # type: ignore[list-item]

"""Records as the text of a column, and back."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from medharvest import codec
from medharvest.codec import decode_record, encode_record, from_json, to_json
from medharvest.records import Alternative, Author, Citation, Evidence, Kind, Page

WHOLE = Citation(
    kind=Kind.ABSTRACT,
    title="Ebb \N{GREEK SMALL LETTER BETA}",
    authors=(Author(family="Núñez", affiliations=(0, 1)),),
    evidence=(
        Evidence(
            field="title", page="d", source="zone", path="h1", start=0, end=3, text="Ebb", method="layout", score=0.25
        ),
    ),
    alternatives=(Alternative(field="title", value='Flow "and" ebb\n', score=1e-7),),
)


@pytest.mark.parametrize(
    "citation", [Citation(), WHOLE, Citation(title="a\x00b\x1f \u2028"), Citation(title="a\ud800b")]
)
def test_a_record_is_written_as_json_without_blanks_and_read_back(citation: Citation) -> None:
    text = encode_record(citation)
    text.encode("utf-8")
    assert json.loads(text) == to_json(citation)
    assert text.startswith('{"url":"","kind":')
    assert decode_record(Citation, text) == citation


def test_a_value_is_written_as_json() -> None:
    assert [encode_record(value) for value in (WHOLE.authors[0].affiliations, "é", Kind.PDF, ("a\ud800",))] == [
        "[0,1]",
        '"é"',
        '"pdf"',
        '["a\\ud800"]',
    ]


def test_what_was_left_out_takes_its_default_and_what_is_no_record_is_refused() -> None:
    assert decode_record(Citation, '{"title": "Ebb"}') == Citation(title="Ebb")
    with pytest.raises(ValueError, match="Expecting value"):
        decode_record(Citation, "Ebb")


@pytest.mark.parametrize(
    "data", [{"colour": "red"}, {"authors": [{"name": "Berg"}]}, {"title": 7}, {"kind": "novel"}, {"issn": "1234-5678"}]
)
def test_what_a_record_has_no_place_for_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no such field: (colour|name)|Expected|Invalid"):
        from_json(Citation, data)
    with pytest.raises(ValueError, match="missing required field"):
        from_json(Page, {"url": ""})


def test_a_stored_record_may_name_fields_of_a_newer_medharvest() -> None:
    assert decode_record(
        Citation, '{"title": "Ebb", "colour": "red", "authors": [{"family": "Berg", "shoe": 43}]}'
    ) == Citation(title="Ebb", authors=(Author(family="Berg"),))


def test_half_a_surrogate_pair_survives_both_forms() -> None:
    citation = Citation(title="a\ud800b", keywords=("\udfff",))
    assert to_json(citation)["title"] == "a\ud800b"
    assert from_json(Citation, to_json(citation)) == citation
    assert decode_record(Citation, encode_record(citation)) == citation


def test_threads_that_read_at_a_time_look_at_a_class_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, decoder = [0], [0], msgspec.json.Decoder

    def slow(cls: type[Any]) -> msgspec.json.Decoder[Any]:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.02)  # long enough for the others to come, were they let in
        inside[0] -= 1
        return decoder(cls)

    monkeypatch.setattr(msgspec.json, "Decoder", slow)
    codec._decoder_for.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: decode_record(Citation, "{}"), range(8)))) == 1
    assert most == [1]

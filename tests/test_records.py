import inspect
import json
import pickle
from dataclasses import FrozenInstanceError, fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.citations.strategies import any_of

from medharvest import records
from medharvest.codec import from_json, to_json
from medharvest.records import (
    Author,
    Citation,
    Kind,
    Link,
    Mark,
    Miss,
    Reason,
    Response,
    Zone,
    keep_alphanumerics,
    title_key,
    unescape_html,
)

RECORDS = [cls for _, cls in inspect.getmembers(records, inspect.isclass) if is_dataclass(cls)]
ALMOST_EMPTY: dict[type, dict[str, Any]] = {
    Citation: {},
    Author: {"family": "Berg"},
    Miss: {"url": "u", "reason": "robots"},
}


@pytest.mark.parametrize("record", RECORDS, ids=lambda cls: cls.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_every_record_survives_json_and_pickle(record: type, data: st.DataObject) -> None:
    value = data.draw(any_of(record))
    assert from_json(record, to_json(value)) == value
    assert from_json(record, json.loads(json.dumps(to_json(value)))) == value
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("record", RECORDS, ids=lambda cls: cls.__name__)
def test_every_record_is_frozen_has_no_dictionary_and_says_what_it_is(record: type) -> None:
    value: object = object.__new__(record)
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(record)[0].name, None)
    assert not hasattr(value, "__dict__")
    assert inspect.getdoc(record)


@pytest.mark.parametrize("record", [cls for cls in RECORDS if len(fields(cls)) > 4], ids=lambda cls: cls.__name__)
def test_records_of_more_than_four_fields_are_made_by_keyword(record: type) -> None:
    assert all(field.kw_only for field in fields(record))


@pytest.mark.parametrize(("record", "data"), ALMOST_EMPTY.items(), ids=lambda it: getattr(it, "__name__", ""))
def test_keys_left_out_take_their_defaults(record: type, data: dict[str, Any]) -> None:
    assert to_json(from_json(record, data)) == {**to_json(from_json(record, data)), **data}


def test_json_of_a_record_holds_plain_values_only() -> None:
    link = Link(index=1, offset=2, end=3, href="#", url="", text="x", attributes=(("class", "a"),))
    assert to_json(link)["attributes"] == [["class", "a"]]
    assert type(to_json(Kind.PDF)) is str
    assert to_json((Reason.ROBOTS, None, 1.5)) == ["robots", None, 1.5]
    body = Response(url="u", final_url="u", status=200, media_type="", charset="", body=b"\xff\x00")
    assert to_json(body)["body"] == "/wA="


def test_zones_are_objects_in_json_and_survive_it() -> None:
    zone = Zone(level=3, tag="p", path="p[1]", text="one", marks=(Mark(0, 3, "i"),), words=("title",))
    data = to_json(zone)
    assert data["marks"] == [{"start": 0, "end": 3, "tag": "i"}]
    assert from_json(Zone, data) == zone


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Ménière's disease", "menieresdisease"),
        ("  Straße 7 ", "strasse7"),
        ("CO₂ – a gas", "co2agas"),
        ("心臓の病気", "心臓の病気"),
        ("—…!", ""),
    ],
)
def test_a_title_key_keeps_letters_and_digits_only(text: str, key: str) -> None:
    assert title_key(text) == key


@given(st.text())
def test_a_title_key_of_a_title_key_is_itself(text: str) -> None:
    assert title_key(title_key(text)) == title_key(text)


def test_a_reference_of_any_length_is_replaced() -> None:
    assert unescape_html("a &lt; b &#233;") == "a < b é"
    assert unescape_html(f"a&#{'9' * 100_000};b &amp; c") == "a\ufffdb & c"


def test_the_package_unescapes_in_one_place() -> None:
    package = Path(records.__file__).parent
    names = {
        str(path.relative_to(package)) for path in package.rglob("*.py") if "html.unescape(" in path.read_text("utf-8")
    }
    assert names == {"records.py"}


@given(st.text())
def test_the_letters_of_a_text_are_those_that_python_calls_alphanumeric(text: str) -> None:
    assert keep_alphanumerics(text) == "".join(filter(str.isalnum, text))

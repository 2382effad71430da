"""Seeds from a search service: valid answers, and errors for all others."""

from __future__ import annotations

import asyncio
import json

import pytest

from medharvest.errors import FetchError, InputError
from medharvest.fetch import ReplayFetcher
from medharvest.library.collection_search import find_service_seeds
from medharvest.records import Response

SERVICE = "https://search.example/"
ASKED = "https://search.example/search?q=motion%20sickness&format=json"


def found(answer: object, *, service: str = SERVICE, asked: str = ASKED, most: int = 15) -> tuple[str, ...]:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    response = Response(url=asked, final_url=asked, status=200, media_type="application/json", charset="", body=body)
    fetcher = ReplayFetcher({asked: response})
    return asyncio.run(find_service_seeds(service, "motion sickness", most=most, fetcher=fetcher))


@pytest.mark.parametrize(
    "answer",
    [
        {"query": "x", "results": [{"url": "https://a.example/"}, {"url": "https://b.example/"}]},
        {"items": [{"link": "https://a.example/"}, {"link": "https://b.example/", "title": "b"}, {"link": 3}]},
        ["https://a.example/", "https://b.example/", "https://a.example/", "mailto:x", 7],
    ],
)
def test_several_forms_of_answers_are_read(answer: object) -> None:
    assert found(answer) == ("https://a.example/", "https://b.example/")
    assert found(answer, most=1) == ("https://a.example/",)


def test_an_address_with_braces_is_used_as_it_is() -> None:
    asked = "https://s.example/?find=motion%20sickness&n=9"
    seeds = found(["https://a.example/"], service="https://s.example/?find={}&n=9", asked=asked)
    assert seeds == ("https://a.example/",)


@pytest.mark.parametrize("answer", [{}, [], {"results": "no list"}, 5, None])
def test_nothing_found_is_said(answer: object) -> None:
    with pytest.raises(InputError, match="search found nothing"):
        found(answer)


def test_what_is_no_json_or_does_not_come_is_said() -> None:
    with pytest.raises(InputError, match="did not answer in JSON"):
        found(b"<html>")
    with pytest.raises(FetchError):
        found([], asked="https://elsewhere.example/")

"""Seeds from a search service that answers in JSON, such as SearXNG."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from medharvest.errors import InputError
from medharvest.fetch import Fetcher
from medharvest.records import Miss
from medharvest.run.inputs import fetch_error

_LISTS = ("results", "items", "hits", "data")  # where services put what they found
_ADDRESSES = ("url", "link", "href")
_WEB = ("http://", "https://")


async def find_seeds(service: str, topic: str, *, most: int, fetcher: Fetcher) -> tuple[str, ...]:
    """The first addresses a service finds; `{}` in its address stands for the topic, else SearXNG's form is used."""
    query = quote(topic)
    url = service.replace("{}", query) if "{}" in service else f"{service.rstrip('/')}/search?q={query}&format=json"
    answer = await fetcher(url)
    if isinstance(answer, Miss):
        raise fetch_error(answer)
    found = tuple(dict.fromkeys(_addresses(answer.body, url)))[:most]
    if not found:
        raise InputError(f"search found nothing: {topic}", name=url, hint="give pages to start from with --seed")
    return found


def _addresses(body: bytes, url: str) -> list[str]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as error:
        hint = "a service that answers in JSON is needed; SearXNG must have its json format switched on"
        raise InputError(f"search did not answer in JSON: {url}", name=url, hint=hint) from error
    lists = [answer] if not isinstance(answer, dict) else [answer.get(name) for name in _LISTS]
    return [found for rows in lists if isinstance(rows, list) for row in rows if (found := _address(row))]


def _address(row: Any) -> str:
    """The address of one result, a text or an object."""
    values = [row] if isinstance(row, str) else [row.get(name) for name in _ADDRESSES] if isinstance(row, dict) else []
    return next((value for value in values if isinstance(value, str) and value.startswith(_WEB)), "")

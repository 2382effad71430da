"""An offline web in one SQLite file, and the topics to crawl it for: what an evaluation of `topic` runs on."""

from __future__ import annotations

import functools
import json
import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medharvest.errors import InputError
from medharvest.records import Page
from medharvest.run.topic_pages import topic_page
from medharvest.topics.estimates import TopicPage

_LARGEST = 20_000_000  # bytes of one page after decompression
_KEPT = 8_000  # pages held in memory: the topics of one web meet again


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A topic with its seeds, near the topic or hubs, and its truth, which no estimator ever sees."""

    name: str
    term: str
    seeds: tuple[str, ...]
    relevant: frozenset[str]
    targets: frozenset[str]


class OfflineWeb:
    """The pages of an SQLite file with a table `pages`: `url`, and `html` compressed by zlib."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise InputError(f"no such file: {path}", name=str(path), hint="give the offline web, an SQLite file")
        self._pages = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        self.page = functools.lru_cache(maxsize=_KEPT)(self._page)
        try:
            self._row("")
        except sqlite3.Error as error:
            raise InputError(f"not an offline web: {path}", name=str(path), hint=str(error)) from error

    def urls(self) -> tuple[str, ...]:
        """Every address, in the order of the file."""
        return tuple(url for (url,) in self._pages.execute("SELECT url FROM pages ORDER BY rowid"))

    def _page(self, url: str) -> TopicPage | None:
        """The page at an address, as a crawl would see it; None where there is none."""
        row = self._row(url)
        if row is None:
            return None
        body = zlib.decompressobj().decompress(row[0], _LARGEST)
        return topic_page(Page(url=url, text=body.decode("utf-8", "replace"), digest="", encoding="utf-8"))

    def _row(self, url: str) -> tuple[bytes] | None:
        row: tuple[bytes] | None = self._pages.execute("SELECT html FROM pages WHERE url = ?", (url,)).fetchone()
        return row


def load_topics(path: Path, *, seeds: str = "hub") -> tuple[Topic, ...]:
    """The topics of a JSON file: by name `term`, `seeds`, `seeds_near`, `core`, `related` and `targets`."""
    try:
        topics = json.loads(path.read_text(encoding="utf-8"))
        return tuple(_topic(name, topic, "seeds" if seeds == "hub" else "seeds_near") for name, topic in topics.items())
    except OSError as error:
        hint = error.strerror or str(error)
        raise InputError(f"topics cannot be read: {path}", name=str(path), hint=hint) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        hint = "each topic needs term, seeds, seeds_near, core, related and targets"
        raise InputError(f"not a file of topics: {path}", name=str(path), hint=hint) from error


def _topic(name: str, topic: Mapping[str, Any], seeds: str) -> Topic:
    return Topic(
        name=name,
        term=topic["term"],
        seeds=tuple(topic[seeds]),
        relevant=frozenset(topic["core"]) | frozenset(topic["related"]),
        targets=frozenset(topic["targets"]),
    )

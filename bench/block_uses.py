"""What link blocks and body text bring: links, zones, topical crawls and searches, with and without them.

.venv/bin/python -m bench.block_uses --corpus DIR --web FILE --topics FILE    writes bench/results/block_uses.json
.venv/bin/python -m bench.render                                              renders the page of the docs from it

Every measurement runs twice on the same pages. `--only PART` measures one part and keeps the figures of the others.
Links are judged by models that did not learn from the platform of the page, which needs the extra `train`.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.crawl import output

from medharvest.evaluate.page_sets import load_all_issues, load_untouched_articles
from medharvest.evaluate.results import mean_of, share_of
from medharvest.evaluate.search_scores import BARE_NAME, DEFAULT_REACH, score_search
from medharvest.evaluate.topic_scores import (
    Crawler,
    CrawlSetup,
    OfflineWeb,
    load_offline_topics,
    mean_figures,
    survey_crawlers,
)
from medharvest.links.blocks import find_blocks
from medharvest.pages import parse_page
from medharvest.records import Page
from medharvest.topics.estimates import TopicPage
from medharvest.zones import label_zones
from training.link_folds import score_platform_folds, train_platform_folds
from training.link_models import describe_links_page

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "block_uses.json"
_PEOPLE = {"author": "authors", "affiliation": "affiliations"}
_LEAST_WORD = 4  # letters of a word that tells a name or a place from others
_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[^\W\d_]+")


def main() -> None:
    """Measure, print the figures and write them raw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--web", type=Path, required=True, help="the offline web, SQLite")
    parser.add_argument("--topics", type=Path, required=True, help="its topics, JSON")
    parser.add_argument("--only", choices=("links", "zones", "topics", "search"))
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    parts: dict[str, Callable[[], Any]] = {
        "links": lambda: measure_links(given.corpus),
        "zones": lambda: measure_zones(given.corpus),
        "topics": lambda: measure_topics(given.web, given.topics),
        "search": lambda: measure_search(given.web, given.topics),
    }
    known = json.loads(given.result.read_text(encoding="utf-8")) if given.result.exists() else {}
    for name, measure in parts.items():
        if given.only in {None, name}:
            known[name] = measure()
            print(name, json.dumps(known[name], indent=1))
    head = {
        "command": "python -m bench.block_uses --corpus CORPUS --web WEB --topics TOPICS",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version()},
    }
    given.result.write_text(json.dumps({**known, **head}, indent=1) + "\n", encoding="utf-8")


def measure_links(corpus: Path) -> dict[str, dict[str, float]]:
    """Article links of platforms never seen, each link judged alone and the links of a list judged together."""
    pages = load_all_issues(corpus)
    read = [describe_links_page(page) for page in pages]
    folds = train_platform_folds(read, progress=lambda _done, _all: None)
    score = partial(score_platform_folds, pages, read, folds, data="issues")
    with patch("medharvest.links.zero_shot._agree_in_lists", lambda _described, margins, _out: list(margins)):
        alone = score()
    return {"without": dict(alone.figures), "with": dict(score().figures)}


def measure_zones(corpus: Path) -> dict[str, Any]:
    """The zones labelled as people or affiliations that are none, and how many of them are in link blocks."""
    counts = {label: {"right": 0, "right in blocks": 0, "false": 0, "false in blocks": 0} for label in _PEOPLE}
    pages = load_untouched_articles(corpus)
    for labelled in pages:
        page = parse_page(labelled.body, url=labelled.url, charset=labelled.encoding, name=labelled.id)
        listed = _squeeze(" ".join(_texts_of_blocks(page)))
        for label, text in _zones_of_people(page):
            truth = labelled.truth.get(_PEOPLE[label])
            if truth:
                found = "right" if _names_any(text, json.dumps(truth, ensure_ascii=False)) else "false"
                counts[label][found] += 1
                counts[label][f"{found} in blocks"] += _squeeze(text) in listed
    return {"pages": len(pages), "labels": counts}


def _zones_of_people(page: Page) -> Iterator[tuple[str, str]]:
    for zone in label_zones(page):
        if zone.verdict.label in _PEOPLE and zone.zone.text:
            yield zone.verdict.label, zone.zone.text


def _texts_of_blocks(page: Page) -> Iterator[str]:
    for block in find_blocks(page).blocks:
        yield _TAG.sub(" ", page.text[block.start : block.end])


def _squeeze(text: str) -> str:
    return "".join(_WORD.findall(text.lower()))


def _names_any(text: str, truth: str) -> bool:
    """Whether a zone and the true values share a telling word."""
    words, known = ({word for word in _WORD.findall(one.lower()) if len(word) >= _LEAST_WORD} for one in (text, truth))
    return not words or not words.isdisjoint(known)


def measure_topics(web: Path, topics: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Crawls from hubs and from near pages: with the whole text, with body text, and with blocks of links too."""
    ways: dict[str, Callable[[TopicPage], TopicPage]] = {
        "without": lambda page: replace(_without_blocks(page), body=None),
        "body text": _without_blocks,
        "with": lambda page: page,
    }
    found: dict[str, dict[str, dict[str, float]]] = {}
    for seeds in ("hub", "near"):
        known = load_offline_topics(topics, seeds=seeds)
        for name, change in ways.items():
            (survey,) = survey_crawlers(CrawlSetup(_changed_web(web, change), known), (Crawler(),))
            found.setdefault(seeds, {})[name] = mean_figures(survey.rows)
    return found


def _without_blocks(page: TopicPage) -> TopicPage:
    return replace(page, links=tuple(link._replace(listed=False) for link in page.links))


def _changed_web(path: Path, change: Callable[[TopicPage], TopicPage]) -> OfflineWeb:
    web = OfflineWeb(path)
    original = web.page

    def page(url: str) -> TopicPage | None:
        found = original(url)
        return change(found) if found else None

    web.page = page  # type: ignore[assignment]
    return web


def measure_search(web: Path, topics: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Searches for each topic in the whole texts and in the body texts of a web."""
    known = load_offline_topics(topics)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, body in (("without", False), ("with", True)):
        changed = _changed_web(web, (lambda page: page) if body else (lambda page: replace(page, body="")))
        scores = score_search(changed, known)
        for way in (BARE_NAME, DEFAULT_REACH):
            own = [score for score in scores if score.way == way]
            found.setdefault(name, {})[way] = {
                "recall": mean_of([score.recall for score in own]),
                "precision": mean_of([score.precision for score in own]),
                "found": share_of(sum(score.found for score in own), len(own)),
            }
    return found


if __name__ == "__main__":
    main()

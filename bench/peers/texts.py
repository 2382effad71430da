"""Blocks beside a parser, and body texts beside those of others: each page by every contender in turn.

Runs in the environment of the peers: texts.py CORPUS ROUNDS prints one JSON object.
"""

from __future__ import annotations

import importlib.metadata
import json
import logging
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import lxml.html
import readability
import trafilatura
from resiliparse.extract.html2text import extract_plain_text
from selectolax.lexbor import LexborHTMLParser

from medharvest.evaluate.labelled_pages import BlocksPage
from medharvest.evaluate.page_scores import body_text_figures
from medharvest.evaluate.page_sets import load_block_folder
from medharvest.links.blocks import find_blocks
from medharvest.links.body_text import body_text
from medharvest.pages import parse_page
from medharvest.records import Page
from training.body_models import is_kept_aside

Work = Callable[[Page], object]
SCANS: dict[str, Work] = {
    "selectolax": lambda page: LexborHTMLParser(page.text),
    "blocks by code distance": partial(find_blocks, distance="code"),
    "blocks by text distance": find_blocks,
}
OURS = "medharvest"
PACKAGES = ("selectolax", "trafilatura", "readability-lxml", "resiliparse")


def readable(page: Page) -> str:
    """What readability keeps, as text."""
    summary = readability.Document(page.text).summary()
    return str(lxml.html.fromstring(summary).text_content())


TEXTS: dict[str, Work] = {
    OURS: body_text,
    "trafilatura": lambda page: trafilatura.extract(page.text) or "",
    "trafilatura, fast": lambda page: trafilatura.extract(page.text, fast=True) or "",
    "readability-lxml": readable,
    "resiliparse": lambda page: extract_plain_text(page.text, main_content=True),
}


def main() -> None:
    """Measure what each contender needs for all pages, and how good its texts are."""
    logging.disable(logging.CRITICAL)
    corpus, rounds = Path(sys.argv[1]), int(sys.argv[2])
    labelled = load_block_folder(corpus)
    pages = [parse_page(one.body, url=one.url, charset=one.encoding) for one in labelled]
    told = [place for place, one in enumerate(labelled) if one.truth.kind == "content"]
    content = [pages[place] for place in told]
    result = {
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
        "pages": len(pages),
        "characters": sum(len(page.text) for page in pages),
        "links": sum(find_blocks(page).links for page in pages),
        "scans": {name: [sum(seconds) for seconds in runs] for name, runs in timed(SCANS, pages, rounds).items()},
        "content": len(content),
        "speeds": {name: [sum(seconds) for seconds in runs] for name, runs in timed(TEXTS, content, rounds).items()},
        "texts": {name: quality(work, [labelled[place] for place in told], content) for name, work in TEXTS.items()},
        "aside": {name: quality(work, *pages_aside(labelled, pages)) for name, work in TEXTS.items()},
    }
    print(json.dumps(result))


def pages_aside(labelled: Sequence[BlocksPage], pages: Sequence[Page]) -> tuple[list[BlocksPage], list[Page]]:
    """The content pages of sites that our own model never saw."""
    places = [n for n, one in enumerate(labelled) if one.truth.kind == "content" and is_kept_aside(one.layout)]
    return [labelled[n] for n in places], [pages[n] for n in places]


def timed(works: dict[str, Work], pages: Sequence[Page], rounds: int) -> dict[str, list[list[float]]]:
    """CPU seconds of each contender for each page of each round; contenders take turns at every page."""
    runs: dict[str, list[list[float]]] = {name: [[] for _ in range(rounds)] for name in works}
    for n in range(rounds):
        for page in pages:
            for name, work in works.items():
                start = time.process_time()
                attempt(work, page)
                runs[name][n].append(time.process_time() - start)
    return runs


def attempt(work: Work, page: Page) -> object:
    """What a contender makes of a page; nothing where it gives up."""
    try:
        return work(page)
    except Exception:  # noqa: BLE001  (a peer may raise whatever it likes)
        return ""


def quality(work: Work, labelled: Sequence[BlocksPage], pages: Sequence[Page]) -> dict[str, float]:
    """The figures that `evaluate blocks` gives, of a contender's texts."""
    texts = [str(attempt(work, page)) for page in pages]
    return dict(body_text_figures([one.truth for one in labelled], texts))


if __name__ == "__main__":
    main()

"""How fast pages are scored for a topic, beside the bare parse, and how fast the frontier is.

.venv/bin/python -m bench.topics [--pages 200] [--urls 1000000]

Pages are made up: 50 kB each, 150 links, words as frequent as in a language. Everything is processor time.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser

from medharvest.crawl.frontier import Frontier
from medharvest.crawl.ways import ESTIMATORS
from medharvest.records import Page
from medharvest.run.topic_pages import topic_page
from medharvest.topics import build_concept_set, embedded_vocabulary
from medharvest.topics.estimates import Standing

_SIZE, _LINKS = 50_000, 150
_SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split()


def main() -> None:
    """Print pages a second for each estimator, and operations a second of the frontier."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--urls", type=int, default=1_000_000)
    given = parser.parse_args()
    pages = [made_page(number) for number in range(given.pages)]
    bare = seconds(lambda: [LexborHTMLParser(page.text).root is None for page in pages]) / len(pages)
    read = seconds(lambda: [len(topic_page(page).links) for page in pages]) / len(pages)
    print(f"parse {1000 * bare:.2f} ms a page; words and links {1000 * read:.2f} ms")
    concepts = build_concept_set("tinnitus", embedded_vocabulary())
    for name, make in ESTIMATORS.items():
        estimator = make(concepts)
        spent = seconds(lambda: [estimator.judge(topic_page(page), Standing()).own for page in pages]) / len(pages)  # noqa: B023
        print(f"{name}: {1 / spent:.0f} pages of 50 kB a second, {spent / bare:.1f} times the bare parse")
    print(f"frontier: {frontier_rate(given.urls):,.0f} operations a second with {given.urls:,} addresses")


def made_page(number: int) -> Page:
    """A page of the usual size; one word in a hundred belongs to the topic."""
    draw = random.Random(number)  # noqa: S311  (the same pages each time)
    words = ["".join(parts) for parts in itertools.product(_SYLLABLES, _SYLLABLES)] + ["tinnitus", "hearing", "noise"]
    shares = [1 / (rank + 5) for rank in range(len(words))]
    parts = [f"<html><head><title>{' '.join(draw.choices(words, shares, k=5))}</title></head><body>"]
    for link in range(_LINKS):
        text = " ".join(draw.choices(words, shares, k=28))
        named = " ".join(draw.choices(words, shares, k=4))
        parts.append(
            f'<div class="item wide" id="i{link}"><p class="text">{text}</p><ul class="more"><li class="entry">'
            f'<a class="title" href="/topic/{number % 7}/{number}-{link}.html">{named}</a></li></ul></div>'
        )
    text = "".join(parts)
    filler = " ".join(draw.choices(words, shares, k=max(1, (_SIZE - len(text)) // 6)))
    return Page(
        url=f"https://h{number % 20}.example/topic/{number}.html", text=text + filler, digest="", encoding="utf-8"
    )


def frontier_rate(urls: int) -> float:
    """Operations a second: mostly addresses met, some of them again, now and then the best taken out."""
    draw = random.Random(1)  # noqa: S311
    frontier = Frontier()
    names = [f"https://h{number % 9973}.example/{number}" for number in range(urls)]
    again = [draw.randrange(urls) for _ in range(urls // 2)]
    values = [draw.random() for _ in range(urls)]

    def work() -> None:
        for number, name in enumerate(names):
            frontier.push(name, values[number])
        for number in again:
            frontier.push(names[number], values[-number])
            if number % 10 == 0:
                frontier.pop()

    return (urls + len(again) * 1.1) / seconds(work)


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()

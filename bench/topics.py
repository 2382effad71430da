"""How fast pages are scored for a topic, beside the bare parse, and how fast the frontier is, in memory and on disk.

.venv/bin/python -m bench.topics [--pages 100] [--rounds 5] [--urls 1000000]      writes bench/results/topics.json
.venv/bin/python -m bench.render                                                renders the table of the docs from it

Pages are made up: 50 kB each, 150 links, words as frequent as in a language. Everything is processor time; of each page
the best of the interleaved rounds counts, for whatever else a machine does can only add to it. The durable frontier is
a crawl of one page at a time whose links cost nothing to value: store and memory of the plan as a crawl has them, and
the plan restored at the end.
"""

from __future__ import annotations

import argparse
import itertools
import json
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.crawl import output
from selectolax.lexbor import LexborHTMLParser

from medharvest.crawl.frontier import Frontier
from medharvest.crawl.strategies import ESTIMATORS
from medharvest.crawl.topic_plan import TopicLimits, TopicPlan, Visit
from medharvest.harvest.page_topics import make_topic_page
from medharvest.harvest.topic_run import PlanMemory, node_of_outcome
from medharvest.records import Kind, Outcome, Page, Wish
from medharvest.store import Store, open_store
from medharvest.topics import build_concept_set
from medharvest.topics.estimates import Estimate, Estimator, FixedEstimator, PageOrigin, TopicPage
from medharvest.vocabularies import embedded_vocabulary

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "topics.json"
_SIZE, _LINKS = 50_000, 150
_SYLLABLES = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu".split()


def main() -> None:
    """Measure, print the figures and write them raw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--result", type=Path, default=RESULT, help="another file, for a trial")
    given = parser.parse_args()
    result = {
        "command": f"python -m bench.topics --pages {given.pages} --rounds {given.rounds} --urls {given.urls}",
        "commit": output("git", "rev-parse", "HEAD"),
        "versions": {"python": platform.python_version()},
        "rounds": given.rounds,
        "scoring": scoring(given.pages, given.rounds),
        "frontier": {"addresses": given.urls, "rate": frontier_rate(given.urls)},
        "durable": durable(given.urls // _LINKS),
    }
    given.result.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("\n".join(told(result)))
    print(f"wrote {given.result}")


def told(result: dict[str, Any]) -> list[str]:
    """The figures as lines."""
    best = {name: statistics.mean(pages) for name, pages in result["scoring"].items()}
    frontier, kept = result["frontier"], result["durable"]
    lines = [
        f"{name}: {1000 * spent:.2f} ms a page of 50 kB, {1 / spent:.0f} a second, "
        f"{spent / best['bare parse']:.1f} times the bare parse"
        for name, spent in best.items()
    ]
    lines.append(
        f"frontier in memory: {frontier['rate']:,.0f} operations a second with {frontier['addresses']:,} addresses"
    )
    lines.append(
        f"frontier on disk: {kept['rate']:,.0f} operations a second up to {kept['waiting']:,} addresses; "
        f"written down {kept['written']} times; restored in {kept['restore']:.1f} s"
    )
    return lines


def scoring(pages: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of each page in each way to look at it, the best of the rounds."""
    made = [made_page(number) for number in range(pages)]
    concepts = build_concept_set("tinnitus", embedded_vocabulary())
    found: dict[str, list[float]] = {}
    for _ in range(rounds):
        ways: dict[str, Callable[[Page], object]] = {
            "bare parse": lambda page: LexborHTMLParser(page.text).root,
            "words and links": make_topic_page,
            **{name: _scorer(make(concepts)) for name, make in ESTIMATORS.items()},
        }
        for name, way in ways.items():
            spent = [seconds(partial(way, page)) for page in made]
            found[name] = list(map(min, spent, found.get(name, spent)))
    return found


def _scorer(estimator: Estimator) -> Callable[[Page], object]:
    return lambda page: estimator.judge(make_topic_page(page), PageOrigin())


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


class Given(FixedEstimator):
    """An estimator that makes up the links of a page, new ones each time, and their values."""

    def __init__(self) -> None:
        self._draw = random.Random(2)  # noqa: S311
        self._pages = itertools.count()

    def judge(self, page: TopicPage, standing: PageOrigin) -> Estimate:  # noqa: ARG002  (nothing is looked at)
        """So many links."""
        number, draw = next(self._pages), self._draw.random
        return Estimate(1.0, {f"https://h{number % 997}.example/{number}/{link}": draw() for link in range(_LINKS)})


def durable(pages: int) -> dict[str, float]:
    """A crawl of so many pages with the store and the plan's memory; each link met and page taken out counts one."""
    limits = TopicLimits(max_pages=pages)
    plan = TopicPlan(["https://seed.example/"], Given(), limits=limits)
    with tempfile.TemporaryDirectory() as name, open_store(str(Path(name) / "store.sqlite")) as store:
        memory, written = PlanMemory(Path(name)), []
        began = time.perf_counter()
        spent = seconds(lambda: written.append(_crawl(plan, store, memory, name)))
        wall = time.perf_counter() - began
        kept = memory.read(known=pages + 1)
        assert kept is not None
        restore = seconds(lambda: TopicPlan.restore(json.loads(memory.path.read_bytes()), Given(), limits=limits))
    operations = plan.work + len(plan.visited)
    rates = {"rate": operations / spent, "wall rate": operations / wall}
    return {**rates, "waiting": plan.waiting, "written": written[0], "restore": restore}


def _crawl(plan: TopicPlan, store: Store, memory: PlanMemory, folder: str) -> int:
    """Follow a plan to its end, each outcome kept before the next is asked for; how often the plan was written down."""
    run = store.runs.begin("https://seed.example/", folder, (), "{}")
    wishes, number, written = plan.begin(), 0, 0
    while wishes:
        wish, number = wishes[0], number + 1
        wishes = plan.feed(Visit(wish, TopicPage(url=wish.url)))
        outcome = _outcome(wish)
        store.runs.record(run, outcome, (node_of_outcome(number, outcome),), archive_length=number)
        written += memory.keep(plan)
    return written


def _outcome(wish: Wish) -> Outcome:
    return Outcome(
        wish=wish,
        final_url=wish.url,
        kind=Kind.OTHER,
        digest="0" * 64,
        size=_SIZE,
        status=200,
        asked_at="2026-01-31T12:00:00.000Z",
        arrived_at="2026-01-31T12:00:00.500Z",
    )


def seconds(work: Callable[[], object]) -> float:
    """Processor time of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()

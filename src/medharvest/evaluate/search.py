"""Scores `search`: the pages of an offline web as a collection, each topic's name searched bare and widened."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.offline_web import OfflineWeb, Topic
from medharvest.evaluate.results import Table
from medharvest.run.searching import Question, search
from medharvest.store import Store, open_store
from medharvest.store.documents import Row, of_page
from medharvest.topics import embedded_vocabulary
from medharvest.topics.suggest import name_concepts
from medharvest.topics.widen import REACHES

Progress = Callable[[int, int], None]
FIRST = 20
BARE = "bare"
WAYS = (BARE, *REACHES)
DEFAULT = "near"  # the reach of `search --expand`
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A topic searched in one way: how much was found, the share of what is relevant, and that of the first twenty."""

    topic: str
    way: str
    relevant: int
    found: int
    recall: float
    precision: float


def score_search(web: OfflineWeb, topics: Sequence[Topic], progress: Progress | None = None) -> list[Score]:
    """Load the web into a store of its own, and search it for every topic in every way."""
    with collection(web, progress) as (store, urls):
        return [_score(store, urls, topic, way) for topic in topics for way in WAYS]


@contextmanager
def collection(web: OfflineWeb, progress: Progress | None = None) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """A store with every page of a web; page n has the n-th address, from 1."""
    urls = web.urls()
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "web.sqlite")) as store:
        rows = _rows(web, urls)
        done = 0
        while batch := list(islice(rows, _BATCH)):
            store.collection.put(batch)
            done += len(batch)
            if progress:
                progress(done, len(urls))
        yield store, urls


def _rows(web: OfflineWeb, urls: Sequence[str]) -> Iterator[Row]:
    vocabulary = embedded_vocabulary()
    for number, url in enumerate(urls, 1):
        page = web.page(url)
        if page is not None:
            concepts = name_concepts(f"{page.title}\n{page.text}", vocabulary)
            told = {"title": page.title, "text": page.text, "vocabulary": vocabulary.version()}
            yield of_page(number, url=url, concepts=concepts, **told)


def _score(store: Store, urls: Sequence[str], topic: Topic, way: str) -> Score:
    question = Question(text=topic.term, reach="" if way == BARE else way)
    answer = search(question, store, embedded_vocabulary(), limit=FIRST, log=False)
    found = {urls[number - 1] for _, number in store.collection.refs(answer.query)}
    first = [urls[hit.number - 1] in topic.relevant for hit in answer.found.hits]
    return Score(
        topic=topic.name,
        way=way,
        relevant=len(topic.relevant),
        found=len(found),
        recall=share(len(found & topic.relevant), len(topic.relevant)),
        precision=sum(first) / FIRST,
    )


def rise(scores: Sequence[Score], way: str = DEFAULT) -> float:
    """How much more of the relevant pages a way finds than the bare name, as a share of that; means over topics."""
    bare, widened = (_mean(scores, which, "recall") for which in (BARE, way))
    return (widened - bare) / bare if bare else 0.0


def search_table(scores: Sequence[Score]) -> Table:
    """Recall and precision of each topic by the bare name and by every reach, and how much recall rises."""
    topics = list(dict.fromkeys(score.topic for score in scores))
    known = {(score.topic, score.way): score for score in scores}
    lines = [
        (f"{topic} ({known[topic, BARE].relevant})", *(_cell(known[topic, way]) for way in WAYS)) for topic in topics
    ]
    means = tuple(
        f"{_percent(_mean(scores, way, 'recall'))} / {_percent(_mean(scores, way, 'precision'))}" for way in WAYS
    )
    rises = tuple("" if way == BARE else f"{100 * rise(scores, way):+.0f} %" for way in WAYS)
    return Table(("recall / P@20, %", *WAYS), (*lines, ("mean", *means), ("recall to bare", *rises)))


def search_json(scores: Sequence[Score]) -> dict[str, object]:
    """The scores as one JSON object."""
    ways = {
        way: {
            "recall": _mean(scores, way, "recall"),
            "precision": _mean(scores, way, "precision"),
            "rise": rise(scores, way),
            "topics": {
                score.topic: {"found": score.found, "recall": score.recall, "precision": score.precision}
                for score in scores
                if score.way == way
            },
        }
        for way in WAYS
    }
    return {"relevant": {score.topic: score.relevant for score in scores}, "default": DEFAULT, "ways": ways}


def _mean(scores: Sequence[Score], way: str, figure: str) -> float:
    return mean_of([float(getattr(score, figure)) for score in scores if score.way == way])


def _cell(score: Score) -> str:
    return f"{_percent(score.recall)} / {_percent(score.precision)}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}"

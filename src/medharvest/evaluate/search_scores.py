"""Scorer of `search`.

The pages of an offline web are put into a collection and searched by the name of each topic, as typed and expanded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from medharvest.evaluate.labelled_pages import Progress
from medharvest.evaluate.results import Table, mean_of, share_of
from medharvest.evaluate.topic_scores import OfflineTopic, OfflineWeb
from medharvest.harvest.page_topics import text_to_keep
from medharvest.library.collection_search import SearchQuestion, search_collection
from medharvest.store import Store, open_store
from medharvest.store.search_index import DocumentRow, document_of_page
from medharvest.topics.text_concepts import REACHES, count_named_concepts
from medharvest.vocabularies import embedded_vocabulary

FIRST_HITS = 20
BARE_NAME = "bare"
SEARCH_WAYS = (BARE_NAME, *REACHES)
DEFAULT_REACH = "near"  # the reach of `search --expand`
_PAGES_PER_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScore:
    """The search for one topic in one way: pages found, recall, and precision of the first twenty hits."""

    topic: str
    way: str
    relevant: int
    found: int
    recall: float
    precision: float


def score_search(
    web: OfflineWeb, topics: Sequence[OfflineTopic], progress: Progress | None = None
) -> list[SearchScore]:
    """Load the web into a temporary store and search it for every topic in every way."""
    with open_web_collection(web, progress) as (store, urls):
        return [_score_topic_search(store, urls, topic, way) for topic in topics for way in SEARCH_WAYS]


@contextmanager
def open_web_collection(web: OfflineWeb, progress: Progress | None = None) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """Open a temporary store with every page of a web; document n has the n-th address, counted from 1."""
    urls = web.urls()
    with tempfile.TemporaryDirectory() as folder, open_store(str(Path(folder) / "web.sqlite")) as store:
        rows = _collection_rows(web, urls)
        done = 0
        while batch := list(islice(rows, _PAGES_PER_BATCH)):
            store.collection.put(batch)
            done += len(batch)
            if progress:
                progress(done, len(urls))
        yield store, urls


def _collection_rows(web: OfflineWeb, urls: Sequence[str]) -> Iterator[DocumentRow]:
    vocabulary = embedded_vocabulary()
    for number, url in enumerate(urls, 1):
        page = web.page(url)
        if page is not None:
            text = text_to_keep(page)
            concepts = count_named_concepts(f"{page.title}\n{text}", vocabulary)
            told = {"title": page.title, "text": text, "vocabulary": vocabulary.version()}
            yield document_of_page(number, url=url, concepts=concepts, **told)


def _score_topic_search(store: Store, urls: Sequence[str], topic: OfflineTopic, way: str) -> SearchScore:
    question = SearchQuestion(text=topic.term, reach="" if way == BARE_NAME else way)
    answer = search_collection(question, store, embedded_vocabulary(), limit=FIRST_HITS, log=False)
    found = {urls[number - 1] for _, number in store.collection.refs(answer.query)}
    first = [urls[hit.number - 1] in topic.relevant for hit in answer.found.hits]
    return SearchScore(
        topic=topic.name,
        way=way,
        relevant=len(topic.relevant),
        found=len(found),
        recall=share_of(len(found & topic.relevant), len(topic.relevant)),
        precision=sum(first) / FIRST_HITS,
    )


def recall_rise(scores: Sequence[SearchScore], way: str = DEFAULT_REACH) -> float:
    """The relative rise of the mean recall over the search by the bare name."""
    bare, widened = (_mean_of_figure(scores, which, "recall") for which in (BARE_NAME, way))
    return (widened - bare) / bare if bare else 0.0


def search_score_table(scores: Sequence[SearchScore]) -> Table:
    """The table of recall and precision of each topic by the bare name and by every reach, with the rise of recall."""
    topics = list(dict.fromkeys(score.topic for score in scores))
    known = {(score.topic, score.way): score for score in scores}
    lines = [
        (
            f"{topic} ({known[topic, BARE_NAME].relevant})",
            *(_recall_and_precision(known[topic, way]) for way in SEARCH_WAYS),
        )
        for topic in topics
    ]
    means = tuple(
        " / ".join(_whole_percent(_mean_of_figure(scores, way, figure)) for figure in ("recall", "precision"))
        for way in SEARCH_WAYS
    )
    rises = tuple("" if way == BARE_NAME else f"{100 * recall_rise(scores, way):+.0f} %" for way in SEARCH_WAYS)
    return Table(("recall / P@20, %", *SEARCH_WAYS), (*lines, ("mean", *means), ("recall to bare", *rises)))


def search_scores_json(scores: Sequence[SearchScore]) -> dict[str, object]:
    """The scores as one JSON object."""
    ways = {
        way: {
            "recall": _mean_of_figure(scores, way, "recall"),
            "precision": _mean_of_figure(scores, way, "precision"),
            "rise": recall_rise(scores, way),
            "topics": {
                score.topic: {"found": score.found, "recall": score.recall, "precision": score.precision}
                for score in scores
                if score.way == way
            },
        }
        for way in SEARCH_WAYS
    }
    return {"relevant": {score.topic: score.relevant for score in scores}, "default": DEFAULT_REACH, "ways": ways}


def _mean_of_figure(scores: Sequence[SearchScore], way: str, figure: str) -> float:
    return mean_of([float(getattr(score, figure)) for score in scores if score.way == way])


def _recall_and_precision(score: SearchScore) -> str:
    return f"{_whole_percent(score.recall)} / {_whole_percent(score.precision)}"


def _whole_percent(value: float) -> str:
    return f"{100 * value:.0f}"

"""Trains the model of article links: rows from labelled pages and from invented ones, boosted trees, a calibration."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.evaluate.invented import invent_page
from medharvest.links.features import FEATURES, Described, Vector, describe
from medharvest.links.model import FlatTree, LinkModel, tree_of
from medharvest.links.scan import scan_links
from medharvest.links.zero_shot import ruled_out
from medharvest.pages import parse_page
from medharvest.records import Link, Page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import LinksPage

INVENTED = 1_200  # pages
_PER_INVENTED = 10  # links taken of each
_PER_JOURNAL = 150  # links taken of each journal and class: a long run of years teaches little more
_SHARE = 0.6  # what all invented links weigh, the labelled ones weighing 1
# A journal weighs by its links, a platform by its journals, both damped: half of all links are of one house.
_JOURNAL_DAMPING, _PLATFORM_DAMPING = -0.6, -0.5
_TREES = {
    "max_iter": 140,
    "learning_rate": 0.06,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 20,
    "l2_regularization": 5.0,
    "max_features": 0.15,
    "early_stopping": False,
    "random_state": 1,
}
# Names of the corpus for sites that have nothing in common: each journal there is a platform of its own.
_UNRELATED = frozenset({"static", "publisher home page 2018"})


class Row(NamedTuple):
    """A link to learn from."""

    platform: str
    journal: str
    vector: Vector
    article: bool


class ReadPage(NamedTuple):
    """A labelled page with its links described once, for training and for judging alike."""

    platform: str
    journal: str
    links: tuple[Link, ...]
    described: Described
    articles: tuple[bool | None, ...]  # the labels, None where people could not tell
    rows: tuple[Row, ...]


def read_page(labelled: LinksPage) -> ReadPage:
    """Describe the links of a page; those that are ruled out, or that people could not tell, teach nothing."""
    page = parse_page(labelled.body, url=labelled.url, charset=labelled.encoding, name=labelled.id)
    links = scan_links(page)
    described = describe(page, links)
    truth = {label.offset: label.article for label in labelled.truth}
    platform = labelled.layout if labelled.platform in _UNRELATED else labelled.platform
    articles = tuple(truth.get(link.offset) for link in links)
    rows = _rows(platform, labelled.layout, links, described, articles)
    return ReadPage(platform, labelled.layout, links, described, articles, rows)


def invented_rows(pages: int = INVENTED) -> list[Row]:
    """Rows of invented pages, a few of each."""
    rows: list[Row] = []
    for number in range(pages):
        invented = invent_page(number)
        page = Page(url=invented.url, text=invented.text, digest="", encoding="utf-8")
        links = scan_links(page)
        found = _rows("invented", "invented", links, describe(page, links), [article for article, _ in invented.labels])
        rows += random.Random(number).sample(found, min(_PER_INVENTED, len(found)))  # noqa: S311  (no secret)
    return rows


def _rows(
    platform: str, journal: str, links: Sequence[Link], described: Described, articles: Sequence[bool | None]
) -> tuple[Row, ...]:
    out = ruled_out(links, described)
    return tuple(
        Row(platform, journal, vector, article)
        for vector, article, no in zip(described.vectors, articles, out, strict=True)
        if article is not None and not no
    )


class Trained(NamedTuple):
    """A model, and its trees as they go into a file."""

    model: LinkModel
    trees: tuple[FlatTree, ...]


def train(rows: Sequence[Row], invented: Sequence[Row], card: Mapping[str, Any] | None = None) -> Trained:
    """Train a model, not calibrated yet."""
    booster = boost(rows, invented)
    trees = tuple(_flat(stage[0].nodes) for stage in booster._predictors)  # noqa: SLF001  (a test compares the margins)
    base = round(float(booster._baseline_prediction[0, 0]), 5)  # noqa: SLF001
    return Trained(LinkModel(base=base, trees=tuple(map(tree_of, trees)), card=card or {}), trees)


def boost(rows: Sequence[Row], invented: Sequence[Row]) -> Any:
    """Boosted trees of the learning library."""
    import numpy as np  # extra `train`
    from sklearn.ensemble import HistGradientBoostingClassifier  # extra `train`

    chosen = choose(rows)
    heavy = _weights(chosen)
    light = [_SHARE * max(1.0, sum(heavy)) / max(1, len(invented))] * len(invented)
    learnt = [*chosen, *invented]
    return HistGradientBoostingClassifier(**_TREES).fit(
        np.array([row.vector for row in learnt], dtype=np.float32),
        np.array([row.article for row in learnt]),
        sample_weight=np.array([*heavy, *light]),
    )


def choose(rows: Sequence[Row]) -> list[Row]:
    """At most so many links of each journal and class, drawn always the same."""
    classes: dict[tuple[str, bool], list[Row]] = defaultdict(list)
    for row in rows:
        classes[row.journal, row.article].append(row)
    draw = random.Random(0)  # noqa: S311  (no secret)
    chosen: list[Row] = []
    for _, found in sorted(classes.items()):
        chosen += draw.sample(found, min(_PER_JOURNAL, len(found)))
    return chosen


def _weights(rows: Sequence[Row]) -> list[float]:
    """What each row weighs, one on the mean."""
    links = Counter(row.journal for row in rows)
    journals = Counter(platform for platform, _ in {(row.platform, row.journal) for row in rows})
    raw = [links[row.journal] ** _JOURNAL_DAMPING * journals[row.platform] ** _PLATFORM_DAMPING for row in rows]
    return [weight * len(raw) / sum(raw) for weight in raw]


def _flat(nodes: Any) -> FlatTree:
    """A tree of the trainer: all values are whole numbers, so a limit between two of them is the lower one."""
    return [
        [round(float(node["value"]), 5)]
        if node["is_leaf"]
        else [int(node["feature_idx"]), int(node["num_threshold"] // 1), int(node["left"]), int(node["right"])]
        for node in nodes
    ]


def calibrated(
    model: LinkModel, margins: Sequence[float], articles: Sequence[bool], weights: Sequence[float]
) -> LinkModel:
    """The model with the line that turns margins, of links it never saw, into how often they are articles."""
    from sklearn.linear_model import LogisticRegression  # extra `train`

    line = LogisticRegression(C=1e6).fit([[margin] for margin in margins], articles, sample_weight=weights)
    return replace(model, slope=round(float(line.coef_[0][0]), 4), offset=round(float(line.intercept_[0]), 4))


def card_of(pages: Sequence[ReadPage], invented: int, **figures: Any) -> dict[str, Any]:
    """What a model was trained on, in numbers, and the figures measured on platforms it had not seen."""
    rows = [row for page in pages for row in page.rows]
    return {
        "task": "article links of contents pages of journals never seen",
        "method": "gradient boosted trees over features of place, address, text and repetition; Platt calibration",
        "settings": _TREES,
        "features": len(FEATURES),
        "pages": len(pages),
        "journals": len({page.journal for page in pages}),
        "platforms": len({page.platform for page in pages}),
        "links": len(rows),
        "article links": sum(row.article for row in rows),
        "links used": len(choose(rows)),
        "invented pages": invented,
        **figures,
    }

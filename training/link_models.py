"""Training of the model of article links.

It makes rows from labelled and from generated pages, fits boosted trees, and calibrates them.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.boosted_trees import FlatTree, build_tree
from medharvest.links.features import LINK_FEATURES, FeatureVector, LinkDescriptions, describe_links
from medharvest.links.scan import scan_links
from medharvest.links.zero_shot import LinkModel, find_ruled_out_links
from medharvest.pages import parse_page
from medharvest.records import Link, Page
from training.invented_pages import generate_contents_page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import LinksPage

GENERATED_PAGES = 1_200
_LINKS_PER_GENERATED_PAGE = 10
_LINKS_PER_JOURNAL_CLASS = 150  # links used of each journal and class; more issues of a journal add little
_GENERATED_WEIGHT = 0.6  # the total weight of generated links, relative to the labelled ones
# Weights by the links of a journal and the journals of a platform are damped: half of all links are of one publisher.
_JOURNAL_DAMPING, _PLATFORM_DAMPING = -0.6, -0.5
_TREE_SETTINGS = {
    "max_iter": 140,
    "learning_rate": 0.06,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 20,
    "l2_regularization": 5.0,
    "max_features": 0.15,
    "early_stopping": False,
    "random_state": 1,
}
# Platform names of the corpus for unrelated sites: each journal there counts as a platform of its own.
_UNRELATED_PLATFORMS = frozenset({"static", "publisher home page 2018"})


class LinkRow(NamedTuple):
    """A link as a training example."""

    platform: str
    journal: str
    vector: FeatureVector
    article: bool


class DescribedPage(NamedTuple):
    """A labelled page with the descriptions of its links, for training and for judging."""

    platform: str
    journal: str
    links: tuple[Link, ...]
    described: LinkDescriptions
    articles: tuple[bool | None, ...]  # the labels, None if people could not tell
    rows: tuple[LinkRow, ...]


def describe_links_page(labelled: LinksPage) -> DescribedPage:
    """Describe the links of a page; links that are ruled out or that people could not tell give no rows."""
    page = parse_page(labelled.body, url=labelled.url, charset=labelled.encoding, name=labelled.id)
    links = scan_links(page)
    described = describe_links(page, links)
    truth = {label.offset: label.article for label in labelled.truth}
    platform = labelled.layout if labelled.platform in _UNRELATED_PLATFORMS else labelled.platform
    articles = tuple(truth.get(link.offset) for link in links)
    rows = _rows_of_links(platform, labelled.layout, links, described, articles)
    return DescribedPage(platform, labelled.layout, links, described, articles, rows)


def make_generated_rows(pages: int = GENERATED_PAGES) -> list[LinkRow]:
    """Make rows from generated pages, a few from each."""
    rows: list[LinkRow] = []
    for number in range(pages):
        invented = generate_contents_page(number)
        page = Page(url=invented.url, text=invented.text, digest="", encoding="utf-8")
        links = scan_links(page)
        found = _rows_of_links(
            "invented", "invented", links, describe_links(page, links), [article for article, _ in invented.labels]
        )
        rows += random.Random(number).sample(found, min(_LINKS_PER_GENERATED_PAGE, len(found)))  # noqa: S311  (no secret)
    return rows


def _rows_of_links(
    platform: str, journal: str, links: Sequence[Link], described: LinkDescriptions, articles: Sequence[bool | None]
) -> tuple[LinkRow, ...]:
    out = find_ruled_out_links(links, described)
    return tuple(
        LinkRow(platform, journal, vector, article)
        for vector, article, no in zip(described.vectors, articles, out, strict=True)
        if article is not None and not no
    )


class TrainedLinkModel(NamedTuple):
    """A model, and its trees as they are written to a file."""

    model: LinkModel
    trees: tuple[FlatTree, ...]


def train_link_model(
    rows: Sequence[LinkRow], invented: Sequence[LinkRow], card: Mapping[str, Any] | None = None
) -> TrainedLinkModel:
    """Train a model without calibration."""
    booster = fit_boosted_trees(rows, invented)
    trees = tuple(_flatten_tree(stage[0].nodes) for stage in booster._predictors)  # noqa: SLF001  (a test compares the margins)
    base = round(float(booster._baseline_prediction[0, 0]), 5)  # noqa: SLF001
    return TrainedLinkModel(
        LinkModel(base=base, trees=tuple(build_tree(tree, len(LINK_FEATURES)) for tree in trees), card=card or {}),
        trees,
    )


def fit_boosted_trees(rows: Sequence[LinkRow], invented: Sequence[LinkRow]) -> Any:
    """Fit boosted trees with scikit-learn."""
    import numpy as np  # extra `train`
    from sklearn.ensemble import HistGradientBoostingClassifier  # extra `train`
    from threadpoolctl import threadpool_limits  # of scikit-learn

    chosen = choose_link_rows(rows)
    heavy = _weights_of_rows(chosen)
    light = [_GENERATED_WEIGHT * max(1.0, sum(heavy)) / max(1, len(invented))] * len(invented)
    learnt = [*chosen, *invented]
    with threadpool_limits(limits=1):  # threads that wait for a busy core take many times as long
        return HistGradientBoostingClassifier(**_TREE_SETTINGS).fit(
            np.array([row.vector for row in learnt], dtype=np.float32),
            np.array([row.article for row in learnt]),
            sample_weight=np.array([*heavy, *light]),
        )


def choose_link_rows(rows: Sequence[LinkRow]) -> list[LinkRow]:
    """Draw a limited number of links of each journal and class, always the same."""
    classes: dict[tuple[str, bool], list[LinkRow]] = defaultdict(list)
    for row in rows:
        classes[row.journal, row.article].append(row)
    draw = random.Random(0)  # noqa: S311  (no secret)
    chosen: list[LinkRow] = []
    for _, found in sorted(classes.items()):
        chosen += draw.sample(found, min(_LINKS_PER_JOURNAL_CLASS, len(found)))
    return chosen


def _weights_of_rows(rows: Sequence[LinkRow]) -> list[float]:
    """The weight of each row; their mean is 1."""
    links = Counter(row.journal for row in rows)
    journals = Counter(platform for platform, _ in {(row.platform, row.journal) for row in rows})
    raw = [links[row.journal] ** _JOURNAL_DAMPING * journals[row.platform] ** _PLATFORM_DAMPING for row in rows]
    return [weight * len(raw) / sum(raw) for weight in raw]


def _flatten_tree(nodes: Any) -> FlatTree:
    """Convert a tree of scikit-learn. All features are integers, so thresholds are rounded down."""
    return [
        [round(float(node["value"]), 5)]
        if node["is_leaf"]
        else [int(node["feature_idx"]), int(node["num_threshold"] // 1), int(node["left"]), int(node["right"])]
        for node in nodes
    ]


def calibrate_link_model(
    model: LinkModel, margins: Sequence[float], articles: Sequence[bool], weights: Sequence[float]
) -> LinkModel:
    """Return the model with a calibration fitted on the margins of links that it was not trained on."""
    from sklearn.linear_model import LogisticRegression  # extra `train`

    line = LogisticRegression(C=1e6).fit([[margin] for margin in margins], articles, sample_weight=weights)
    return replace(model, slope=round(float(line.coef_[0][0]), 4), offset=round(float(line.intercept_[0]), 4))


def make_link_model_card(pages: Sequence[DescribedPage], invented: int, **figures: Any) -> dict[str, Any]:
    """Describe the training data of a model in numbers, with its figures on platforms it was not trained on."""
    rows = [row for page in pages for row in page.rows]
    return {
        "task": "article links of contents pages of journals never seen",
        "method": "gradient boosted trees over features of place, address, text and repetition; Platt calibration",
        "settings": _TREE_SETTINGS,
        "features": len(LINK_FEATURES),
        "pages": len(pages),
        "journals": len({page.journal for page in pages}),
        "platforms": len({page.platform for page in pages}),
        "links": len(rows),
        "article links": sum(row.article for row in rows),
        "links used": len(choose_link_rows(rows)),
        "invented pages": invented,
        **figures,
    }

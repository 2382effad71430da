"""Trains the labeller of zones on pages whose field values are known; its weights are plain data."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.evaluate.strip import strip_metadata
from medharvest.evaluate.zone_truth import true_labels
from medharvest.pages import parse_page
from medharvest.zones.constraints import may_be
from medharvest.zones.features import anchors, flat, unannounced
from medharvest.zones.labeller import Models, Observed, observe
from medharvest.zones.model import digest_of, plain
from medharvest.zones.sequence import Model

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import ReadPage

# Layouts in which a word of a class or id must occur: one publisher's word teaches nothing about another's page.
FEWEST_LAYOUTS = 5
MOST_PAGES = 5  # of one layout: more of them teach how its publisher writes
_KEPT, _EACH = 12, 4  # zones kept at each end of a long run without a label, and which of those between
_PEOPLE = frozenset({"author", "affiliation", "both"})
_SETTINGS = {"c1": 0.05, "c2": 0.5, "max_iterations": 80, "feature.minfreq": 2}
_UNSEEN = -7.0  # weight of a move that no page makes
_SMALLEST = 0.02  # weights nearer to nothing are dropped

Row = tuple[list[str], str]


class Example(NamedTuple):
    """What one page teaches: single zones for the title and the abstract, a sequence for the people."""

    layout: str
    title: list[Row]
    abstract: list[Row]
    people: list[Row]


def examples(pages: Iterable[ReadPage]) -> list[Example]:
    """The first pages of each layout, each twice: as it is, and without its machine metadata."""
    out = []
    taken: Counter[str] = Counter()
    for page in pages:
        taken[page.layout] += 1
        if taken[page.layout] <= MOST_PAGES:
            for body in (page.body, strip_metadata(page.body)):
                seen = observe(parse_page(body, url=page.url, charset=page.encoding, name=page.id))
                labels = true_labels(seen.zones, page.truth)
                if labels is not None:
                    out.append(_example(page.layout, seen, labels))
    return out


def _example(layout: str, seen: Observed, labels: Sequence[str]) -> Example:
    title = labels.index("title")
    abstract = [i for i, label in enumerate(labels) if label in {"abstract", "section"}]
    same = seen.zones[title].text
    return Example(
        layout,
        [
            (flat(seen.features[i]), "title" if i == title else "none")
            for i, zone in enumerate(seen.zones)
            if i not in seen.dull
            and may_be("title", zone)
            and (i == title or zone.text != same)
            and (_is_hard(flat(seen.features[i])) or i % 6 == 0)
        ],
        [
            (
                flat([*unannounced(seen.features[i]), anchors(i, title=title, abstract=())]),
                "abstract" if labels[i] == "abstract" else "none",
            )
            for i, zone in enumerate(seen.zones)
            if i > title and i not in seen.dull and may_be("abstract", zone)
        ],
        _shortened(
            [
                (
                    flat([*seen.features[i], anchors(i, title=title, abstract=abstract)]),
                    labels[i] if labels[i] in _PEOPLE else "none",
                )
                for i in range(title + 1, len(labels))
                if i not in abstract and i not in seen.dull
            ]
        ),
    )


def _is_hard(features: Sequence[str]) -> bool:
    """Whether a zone could be taken for a title: a heading, or agreement with TITLE or with metadata."""
    return any(feature.startswith(("H=", "G=", "rule=title", "k-title=True", "+b")) for feature in features)


def _shortened(rows: Sequence[Row]) -> list[Row]:
    """Leave out most of the middle of long runs without a label: a full text teaches little after its first lines."""
    ends = [len(rows)] * len(rows)
    for i in range(len(rows) - 2, -1, -1):
        ends[i] = ends[i + 1] if rows[i][1] == rows[i + 1][1] else i + 1
    kept = []
    run = 0
    for i, row in enumerate(rows):
        run = run + 1 if i and row[1] == rows[i - 1][1] else 0
        if row[1] != "none" or run < _KEPT or ends[i] - i <= _KEPT or run % _EACH == 0:
            kept.append(row)
    return kept


def train(learnt: Sequence[Example]) -> Models:
    """Fit the three models; words of classes count where enough layouts have them."""
    known = vocabulary(learnt)
    return Models(
        title=_fit([[row] for example in learnt for row in example.title], known),
        abstract=_fit([[row] for example in learnt for row in example.abstract], known),
        people=_fit([example.people for example in learnt], known),
    )


def _fit(sequences: Iterable[Sequence[Row]], known: Container[str]) -> Model:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(_SETTINGS)
    for rows in sequences:
        trainer.append([_without_rare(names, known) for names, _ in rows], [state for _, state in rows])
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "model")
        trainer.train(file)
        tagger = pycrfsuite.Tagger()
        tagger.open(file)
        info = tagger.info()
        model = _model(info.labels, info.state_features, info.transitions)
        tagger.close()
    return model


def _model(labels: Iterable[str], weights: Mapping[Any, float], transitions: Mapping[Any, float]) -> Model:
    states = tuple(sorted(labels))
    number = {state: place for place, state in enumerate(states)}
    by_feature: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for (feature, state), weight in weights.items():
        if abs(weight) > _SMALLEST:
            by_feature[feature].append((number[state], round(weight, 3)))
    moves = [[round(transitions.get((one, two), _UNSEEN), 3) for two in states] for one in states]
    return Model(states, dict(by_feature), moves)


def vocabulary(learnt: Iterable[Example]) -> dict[str, int]:
    """The words of classes and ids that enough layouts share, with the number of those."""
    layouts: dict[str, set[str]] = defaultdict(set)
    for example in learnt:
        for names, _ in (*example.title, *example.abstract, *example.people):
            for name in names:
                if name.startswith("w="):
                    layouts[name].add(example.layout)
    return {name: len(seen) for name, seen in layouts.items() if len(seen) >= FEWEST_LAYOUTS}


def _without_rare(names: Iterable[str], known: Container[str]) -> list[str]:
    return [name for name in names if not name.startswith("w=") or name in known]


def folds_of(layouts: Iterable[str], count: int = 10) -> list[frozenset[str]]:
    """Whole layouts in as many folds; those whose names begin alike are kin and stay together."""
    families: dict[str, set[str]] = defaultdict(set)
    for layout in sorted(set(layouts)):
        families[layout.split("_")[0]].add(layout)
    folds: list[set[str]] = [set() for _ in range(count)]
    for family in sorted(families.values(), key=lambda family: (-len(family), min(family))):
        min(folds, key=len).update(family)
    return [frozenset(fold) for fold in folds if fold]


def package(pages: Sequence[ReadPage]) -> str:
    """The file of the shipped models: weights, digest, and the card with the pages they saw."""
    learnt = examples(pages)
    models = plain(train(learnt))
    words = vocabulary(learnt)
    seen = sorted(hashlib.sha256(page.body).hexdigest() for page in pages)
    card = {
        "about": "Trained on article pages of real journals, whose values were aligned to zones; no page is kept here.",
        "layouts": len({example.layout for example in learnt}),
        "pages": seen,
        "vocabulary": {word.removeprefix("w="): count for word, count in sorted(words.items())},
    }
    content = {"card": card, "digest": digest_of(models), "models": models}
    return json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))

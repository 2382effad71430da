"""Training of the model of body text, and its scores out of fold.

The lines of pages whose body text people wrote down are the examples. A third of the sites is kept aside: their pages
are only scored.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from medharvest.evaluate.labelled_pages import BlockTruth, digest_pages
from medharvest.evaluate.page_scores import body_text_figures, tokens_of
from medharvest.evaluate.results import Result, Table, format_share
from medharvest.links.body_text import (
    LINE_FEATURES,
    BodyModel,
    body_text,
    describe_lines,
    read_body_model,
    shipped_body_model,
    write_body_model,
)
from medharvest.links.text_lines import Line, LinedPage, Trait, split_lines
from medharvest.pages import parse_page
from training.tree_fitting import TreeRow, Trend, fit_trees

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import BlocksPage, Progress, ReadPage

_TREE_SETTINGS = {
    "max_iter": 120,
    "learning_rate": 0.12,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 20,
    "l2_regularization": 3.0,
    "max_features": 0.3,
}
# Few pages teach these numbers, so what is known of them is given.
_TREND = Trend(
    rising=frozenset(
        """own marks ends paragraph body article prose in_element in_holder in_place of_kind in_core since_service
        previous next""".split()
    ),
    falling=frozenset(
        """linked_share links item list_links caption margin related hidden outside_body outside_article service credit
        below_core beside_core holder_links to_previous to_next digits""".split()
    ),
)
LIMITS = (0.0, -1.0)  # of the log-odds of a line, and of one beside a kept line: the best for F1 out of fold
FOLDS = 8
_SITES_PER_ONE_ASIDE = 3
_GRAM = 4  # words in a row that tell a line of the body text
_SHORT_LINE_WORDS = 6  # up to which a line must be a whole line of the text, or one of `_GRAM` words in it
_LEAST_SNIPPET = 8  # characters; shorter snippets are found everywhere
_EXCLUDED_LINE_WORDS = 40  # a longer line with an excluded snippet may be text all the same
_LINE_WEIGHT, _LINE_SHARE = 5, 10  # a line weighs as its share of the text, a tenth of the text and more as 1
# Weights of the pages as they are, and of what is made of them: cut short, without names, without telling tags.
_SHORT_WEIGHT, _NAMELESS_WEIGHT, _PLAIN_WEIGHT = 0.5, 0.3, 0.3
_ARTICLE_WEIGHT = 0.3  # of a page of which only the abstract is known
_MOST_LINES_OF_SHORT = 4
_TELLING_TAGS = frozenset({"p", "article", "main", "section"})


class Label(NamedTuple):
    """Whether a line belongs to the body text (None: not known), and the words that it has."""

    body: bool | None
    words: int


class BodyExample(NamedTuple):
    """The rows that a labelled page gives for training, its site, and the digest of a page of body texts."""

    site: str
    rows: tuple[TreeRow, ...]
    digest: str = ""


def is_kept_aside(site: str) -> bool:
    """Whether the pages of a site are only scored: by its digest, one site in three."""
    return _digest_number(site) % _SITES_PER_ONE_ASIDE == 0


def fold_of(site: str) -> int:
    """The fold of a site."""
    return _digest_number(f"f{site}") % FOLDS


def _digest_number(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def train_shipped_body_model(
    pages: Sequence[BlocksPage], articles: Sequence[ReadPage], *, progress: Progress
) -> tuple[str, Result]:
    """Train on all sites that are not kept aside; return the file of the model and the scores out of fold."""
    examples = [*make_body_examples(pages), *make_abstract_examples(articles)]
    models = [*_train_folds(examples, progress), train_body_model(examples)]
    result = score_out_of_fold(pages, models)
    return models[-1], result


def _train_folds(examples: Sequence[BodyExample], progress: Progress) -> Iterator[str]:
    for fold in range(FOLDS):
        yield train_body_model([one for one in examples if fold_of(one.site) != fold])
        progress(fold + 1, FOLDS)


def make_body_examples(pages: Iterable[BlocksPage]) -> list[BodyExample]:
    """Make examples of the content pages that are not kept aside."""
    taken = (page for page in pages if page.truth.kind == "content" and not is_kept_aside(page.layout))
    return [
        BodyExample(page.layout, tuple(_rows_of_page(page)), hashlib.sha256(page.body).hexdigest()) for page in taken
    ]


def make_abstract_examples(articles: Iterable[ReadPage]) -> list[BodyExample]:
    """Make examples of article pages: their abstract belongs to the body text, the affiliations do not."""
    return [
        BodyExample(page.layout, tuple(_rows_of_article(page)))
        for page in articles
        if page.truth.get("abstract") and page.truth.get("affiliations")
    ]


def _rows_of_article(page: ReadPage) -> Iterator[TreeRow]:
    lined = split_lines(parse_page(page.body, url=page.url, charset=page.encoding, name=page.id).text)
    lines, vectors = describe_lines(lined)
    abstract = label_lines(lines, BlockTruth(kind="content", body=page.truth["abstract"]))
    people = label_lines(lines, BlockTruth(kind="content", body="\n".join(page.truth["affiliations"])))
    labels = [
        Label(True if own.body else False if other.body else None, own.words)
        for own, other in zip(abstract, people, strict=True)
    ]
    yield from _rows_of_lines(vectors, labels, _ARTICLE_WEIGHT, page.layout)


def train_body_model(examples: Sequence[BodyExample]) -> str:
    """Train a model, as its file."""
    rows = [row for one in examples for row in one.rows]
    trees = fit_trees(rows, LINE_FEATURES, _TREE_SETTINGS, trend=_TREND)
    card = {"rows": len(rows), "pages": sorted(one.digest for one in examples if one.digest)}
    return write_body_model(trees, limits=LIMITS, card=card)


def _rows_of_page(page: BlocksPage) -> Iterator[TreeRow]:
    lined = split_lines(parse_page(page.body, url=page.url, charset=page.encoding, name=page.id).text)
    for weight, variant in (
        (1.0, lined),
        (_SHORT_WEIGHT, cut_text_short(lined, page)),
        (_NAMELESS_WEIGHT, remove_names(lined)),
        (_PLAIN_WEIGHT, remove_telling_tags(lined)),
    ):
        if variant is not None:
            lines, vectors = describe_lines(variant)
            yield from _rows_of_lines(vectors, label_lines(lines, page.truth), weight, page.layout)


def _rows_of_lines(
    vectors: Iterable[Sequence[float]], labels: Sequence[Label], weight: float, site: str
) -> Iterator[TreeRow]:
    words = sum(one.words for one in labels if one.body) or 1
    for vector, label in zip(vectors, labels, strict=True):
        if label.body is not None and label.words:
            share = min(1.0, (label.words + _LINE_WEIGHT) / words * _LINE_SHARE)
            yield TreeRow(vector, int(label.body), share * weight, site)


def cut_text_short(lined: LinedPage, page: BlocksPage) -> LinedPage | None:
    """Leave a few lines of the body text: what is around the text stands out less beside a long one."""
    places = [n for n, label in enumerate(label_lines(lined.lines, page.truth)) if label.body]
    if not page.truth.body or len(places) <= _MOST_LINES_OF_SHORT:
        return None
    most = random.Random(page.id).randint(1, _MOST_LINES_OF_SHORT)  # noqa: S311  (no secret)
    gone = set(places[most:])
    return lined._replace(lines=[line for n, line in enumerate(lined.lines) if n not in gone])


def remove_names(lined: LinedPage) -> LinedPage:
    """Remove what the names of elements tell."""
    return lined._replace(traits=[0] * len(lined.traits))


def remove_telling_tags(lined: LinedPage) -> LinedPage:
    """Turn paragraphs and articles into plain elements."""
    silent = ~int(Trait.BODY | Trait.ARTICLE | Trait.TEXT)
    return lined._replace(
        names=["div" if name in _TELLING_TAGS else name for name in lined.names],
        traits=[own & silent for own in lined.traits],
    )


def label_lines(lines: Sequence[Line], truth: BlockTruth) -> list[Label]:
    """Tell for each line whether it belongs to the body text, by the text or the snippets that people gave."""
    if not truth.body:
        return [Label(_label_by_snippets(line, truth), line.words) for line in lines]
    words = tokens_of(truth.body)
    whole, paragraphs = _join(words), {_join(tokens_of(one)) for one in truth.body.split("\n")}
    grams = {tuple(words[n : n + _GRAM]) for n in range(len(words) - _GRAM + 1)}
    found = []
    for line in lines:
        own = tokens_of(line.text)
        if len(own) <= _SHORT_LINE_WORDS:
            body = _join(own) in paragraphs or (len(own) >= _GRAM and _join(own) in whole)
        else:
            known = [tuple(own[n : n + _GRAM]) in grams for n in range(len(own) - _GRAM + 1)]
            body = sum(known) > len(known) / 2
        found.append(Label(body, len(own)))
    return found


def _join(words: Sequence[str]) -> str:
    return f" {' '.join(words)} "


def _label_by_snippets(line: Line, truth: BlockTruth) -> bool | None:
    if line.words < _EXCLUDED_LINE_WORDS and _contains_snippet(line, truth.exclude):
        return False
    return True if _contains_snippet(line, truth.include) else None


def _contains_snippet(line: Line, snippets: Iterable[str]) -> bool:
    return any(one in line.text for one in snippets if len(one) > _LEAST_SNIPPET)


def make_unseen_body_reader(pages: Sequence[BlocksPage]) -> Callable[[BlocksPage], str]:
    """Return a function that extracts the body text of a page by a model that did not learn from its site."""
    files = [*_train_folds(make_body_examples(pages), progress=lambda _done, _total: None)]
    models = [*(read_body_model(text, name="fold") for text in files), shipped_body_model()]
    return lambda page: _read_body_text(page, _choose_model(page, models))


def _choose_model(page: BlocksPage, models: Sequence[BodyModel]) -> BodyModel:
    """The model that did not learn from the site of a page: that of its fold, or the last one."""
    return models[-1 if is_kept_aside(page.layout) else fold_of(page.layout)]


def score_out_of_fold(pages: Sequence[BlocksPage], files: Sequence[str]) -> Result:
    """Score each content page by the model that did not learn from its site; the last model learnt from all folds."""
    content = [page for page in pages if page.truth.kind == "content"]
    models = [read_body_model(text, name="fold") for text in files]
    texts = [_read_body_text(page, _choose_model(page, models)) for page in content]
    aside = [is_kept_aside(page.layout) for page in content]
    groups = {"all": [True] * len(content), "kept aside": aside, "in folds": [not one for one in aside]}
    figures = {
        name: body_text_figures(
            [page.truth for page, own in zip(content, members, strict=True) if own],
            [text for text, own in zip(texts, members, strict=True) if own],
        )
        for name, members in groups.items()
    }
    rows = tuple(
        (name, str(sum(groups[name])), *(format_share(value) for _, value in own)) for name, own in figures.items()
    )
    header = ("pages", "number", *(name for name, _ in figures["all"]))
    return Result(
        stage="blocks",
        data="out of fold",
        digest=digest_pages(content),
        pages=len(content),
        figures=tuple(figures["all"]),
        tables=(Table(header, rows),),
    )


def _read_body_text(page: BlocksPage, model: BodyModel) -> str:
    return body_text(parse_page(page.body, url=page.url, charset=page.encoding, name=page.id), model)

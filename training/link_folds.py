"""Out-of-fold scores of article links: each platform is judged by a model that was trained without it.

The guesses of these models are also the starting point of the taught judges. `train_shipped_link_model` makes the
model of the package.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from medharvest.evaluate.labelled_pages import LinksPage, digest_pages
from medharvest.evaluate.page_scores import LinkTally, tally_links
from medharvest.evaluate.results import WORST_SHOWN, Result, Table, add_counts, format_share, mean_of, share_of
from medharvest.evaluate.taught_link_scores import ZeroShotGuesses, score_taught_links
from medharvest.links.examples import ZERO_SHOT_METHOD
from medharvest.links.zero_shot import guess_links, margins_of, shipped_link_model, write_link_model
from medharvest.records import JudgedLink, Verdict
from training.link_models import (
    GENERATED_PAGES,
    DescribedPage,
    calibrate_link_model,
    describe_links_page,
    make_generated_rows,
    make_link_model_card,
    train_link_model,
)

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress
    from medharvest.links.examples import Guess
    from medharvest.links.features import LinkDescriptions
    from medharvest.links.zero_shot import LinkModel

_LIKELY_ARTICLE = 0.5
_MAX_LINKS_OF_ARTICLE = 12  # an address or a list entry with more links has several articles
_CALIBRATION_STEPS = 10  # rows of the calibration table
_CALIBRATION_DAMPING = -0.5  # a journal has the weight of the square root of its number of links


class PlatformFold(NamedTuple):
    """A platform, the model trained without it, the indexes of its pages, and the margins of their links."""

    platform: str
    model: LinkModel
    places: tuple[int, ...]
    said: tuple[tuple[str, float, bool], ...]  # journal, margin, and whether it is an article


def score_unseen_links(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",  # noqa: ARG001  (always by platform)
) -> Result:
    """Score the links of every page, judged by a model trained and calibrated without the page's platform."""
    read = [describe_links_page(page) for page in pages]
    return score_platform_folds(pages, read, train_platform_folds(read, progress=progress), data=data)


def score_platform_folds(
    pages: Sequence[LinksPage], read: Sequence[DescribedPage], folds: Sequence[PlatformFold], *, data: str
) -> Result:
    """Score the models of folds on the pages they were not trained on."""
    note = f"{len({one.platform for one in read})} platforms, each judged by a model trained without it"
    return _score_guesses(pages, read, guess_by_folds(read, folds), data=data, note=note)


def score_shipped_links(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,  # noqa: ARG001  (soon done)
    folds: str = "",  # noqa: ARG001  (no model is trained)
) -> Result:
    """Score the shipped model on pages that it was not trained on."""
    read = [describe_links_page(page) for page in pages]
    guesses = [guess_links(one.links, one.described, shipped_link_model()) for one in read]
    return _score_guesses(pages, read, guesses, data=data, note="judged by the shipped model")


def _score_guesses(
    pages: Sequence[LinksPage],
    read: Sequence[DescribedPage],
    guesses: Sequence[tuple[Guess, ...]],
    *,
    data: str,
    note: str,
) -> Result:
    tallies = [
        tally_links(page.truth, _judge_by_guesses(one, said))
        for page, one, said in zip(pages, read, guesses, strict=True)
    ]
    total, journals = add_counts(tallies, LinkTally()), _tallies_by_journal(read, tallies)
    steps = calibration_steps(_chances_of_links(read, guesses))
    return Result(
        stage="links",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(
            ("accuracy", total.accuracy),
            ("macro", mean_of([tally.accuracy for tally in journals.values() if tally.links])),
            ("precision", total.precision),
            ("recall", total.recall),
            ("kind", total.kind),
            *_score_articles(read, guesses),
        ),
        tables=(_worst_journal_table(journals), _calibration_step_table(steps)),
        notes=(note,),
    )


def train_platform_folds(read: Sequence[DescribedPage], *, progress: Progress) -> list[PlatformFold]:
    """Train a model for each platform on all other platforms and on generated pages."""
    invented = make_generated_rows()
    platforms = sorted({page.platform for page in read})
    folds = []
    for done, platform in enumerate(platforms, 1):
        rows = [row for page in read if page.platform != platform for row in page.rows]
        model = train_link_model(rows, invented).model
        places = tuple(place for place, page in enumerate(read) if page.platform == platform)
        folds.append(
            PlatformFold(platform, model, places, tuple(_margins_of_pages([read[place] for place in places], model)))
        )
        progress(done, len(platforms))
    return folds


def train_shipped_link_model(pages: Sequence[LinksPage], *, progress: Progress) -> tuple[str, Result]:
    """Train the model of the package; return its file and the out-of-fold score of the fold models."""
    read = [describe_links_page(page) for page in pages]
    folds = train_platform_folds(read, progress=progress)
    result = score_platform_folds(pages, read, folds, data="issues")
    figures = {name: round(value, 4) for name, value in result.figures}
    card = make_link_model_card(read, GENERATED_PAGES, corpus=result.digest, unseen=figures)
    trained = train_link_model([row for page in read for row in page.rows], make_generated_rows(), card)
    return write_link_model(calibrate_on_folds(trained.model, folds), trained.trees), result


def _margins_of_pages(pages: Sequence[DescribedPage], model: LinkModel) -> Iterator[tuple[str, float, bool]]:
    for page in pages:
        margins = margins_of(page.links, page.described, model)
        for margin, article in zip(margins, page.articles, strict=True):
            if margin is not None and article is not None:
                yield page.journal, margin, article


def guess_by_folds(read: Sequence[DescribedPage], folds: Sequence[PlatformFold]) -> list[tuple[Guess, ...]]:
    """The guesses for the links of each page by the model trained without its platform."""
    found: list[tuple[Guess, ...]] = [()] * len(read)
    for fold in folds:
        model = calibrate_on_folds(fold.model, [other for other in folds if other is not fold] or folds)
        for place in fold.places:
            found[place] = guess_links(read[place].links, read[place].described, model)
    return found


def calibrate_on_folds(model: LinkModel, folds: Sequence[PlatformFold]) -> LinkModel:
    """Calibrate a model on the margins that fold models gave to platforms they were not trained on."""
    said = [one for fold in folds for one in fold.said]
    links = Counter(journal for journal, _, _ in said)
    weights = [links[journal] ** _CALIBRATION_DAMPING for journal, _, _ in said]
    return calibrate_link_model(model, [margin for _, margin, _ in said], [article for _, _, article in said], weights)


def _judge_by_guesses(page: DescribedPage, guesses: Sequence[Guess]) -> list[JudgedLink]:
    return [
        JudgedLink(
            link=link,
            article=chance > _LIKELY_ARTICLE,
            kind=kind,
            verdict=Verdict(
                "article" if chance > _LIKELY_ARTICLE else "other", max(chance, 1 - chance), ZERO_SHOT_METHOD
            ),
        )
        for link, (chance, kind) in zip(page.links, guesses, strict=True)
    ]


def _score_articles(
    read: Sequence[DescribedPage], guesses: Sequence[Sequence[Guess]]
) -> tuple[tuple[str, float], tuple[str, float]]:
    """The shares of articles that have a found link, and of found articles that are some; means over contents pages."""
    recalls, precisions = [], []
    for page, said in zip(read, guesses, strict=True):
        true = {place for place, article in enumerate(page.articles) if article}
        found = {place for place, (chance, _) in enumerate(said) if chance > _LIKELY_ARTICLE}
        known = {place for place in found if page.articles[place] is not None}
        if true:
            recalls.append(mean_of([not own.isdisjoint(found) for own in group_links_by_article(page.described, true)]))
        if true and known:
            own = group_links_by_article(page.described, known)
            precisions.append(mean_of([not links.isdisjoint(true) for links in own]))
    return ("article-recall", mean_of(recalls)), ("article-precision", mean_of(precisions))


def group_links_by_article(described: LinkDescriptions, places: Iterable[int]) -> list[set[int]]:
    """Group links that lead to forms of one article: they share their address without the form, or their list entry."""
    shared: dict[tuple[str, str | int], list[int]] = defaultdict(list)
    article = {place: {place} for place in sorted(places)}
    for place in article:
        shared["address", described.targets[place].key].append(place)
        if (unit := described.list_positions[place].unit) >= 0:
            shared["entry", unit].append(place)
    for links in shared.values():
        if len(links) <= _MAX_LINKS_OF_ARTICLE:
            joined = set().union(*(article[place] for place in links))
            article |= dict.fromkeys(joined, joined)
    return list({id(links): links for links in article.values()}.values())


def _tallies_by_journal(read: Sequence[DescribedPage], tallies: Sequence[LinkTally]) -> dict[str, LinkTally]:
    journals: dict[str, list[LinkTally]] = {}
    for page, tally in zip(read, tallies, strict=True):
        journals.setdefault(page.journal, []).append(tally)
    return {name: add_counts(found, LinkTally()) for name, found in sorted(journals.items())}


def _worst_journal_table(journals: dict[str, LinkTally]) -> Table:
    """The journals with the lowest accuracy."""
    worst = sorted((item for item in journals.items() if item[1].links), key=lambda item: item[1].accuracy)[
        :WORST_SHOWN
    ]
    return Table(
        ("worst journals", "links", "missed", "false", "accuracy", "kind"),
        tuple(
            (name, str(one.links), str(one.missed), str(one.false), format_share(one.accuracy), format_share(one.kind))
            for name, one in worst
        ),
    )


class CalibrationStep(NamedTuple):
    """The links in one range of probability: their number, mean probability, and share of articles."""

    links: int
    said: float
    true: float


def calibration_steps(chances: Sequence[tuple[float, bool]]) -> tuple[CalibrationStep, ...]:
    """The ranges that contain links, lowest probabilities first."""
    steps: dict[int, list[tuple[float, bool]]] = {}
    for chance, article in chances:
        steps.setdefault(min(_CALIBRATION_STEPS - 1, int(chance * _CALIBRATION_STEPS)), []).append((chance, article))
    return tuple(
        CalibrationStep(
            len(found),
            mean_of([chance for chance, _ in found]),
            share_of(sum(article for _, article in found), len(found)),
        )
        for _, found in sorted(steps.items())
    )


def _calibration_step_table(steps: Sequence[CalibrationStep]) -> Table:
    rows = ((format_share(step.said), str(step.links), format_share(step.true)) for step in steps)
    return Table(("mean probability", "links", "articles"), tuple(rows))


def _chances_of_links(read: Sequence[DescribedPage], guesses: Sequence[Sequence[Guess]]) -> list[tuple[float, bool]]:
    return [
        (chance, article)
        for one, said in zip(read, guesses, strict=True)
        for (chance, _), article in zip(said, one.articles, strict=True)
        if article is not None
    ]


def guess_unseen_links(pages: Sequence[LinksPage], *, progress: Progress) -> ZeroShotGuesses:
    """Return a function that guesses the links of a page by the model trained without its platform."""
    read = [describe_links_page(page) for page in pages]
    guesses = guess_by_folds(read, train_platform_folds(read, progress=progress))
    by_id = {page.id: said for page, said in zip(pages, guesses, strict=True)}
    return lambda page: by_id[page.id]


def score_unseen_taught_links(pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score taught links in the default profile, with out-of-fold zero-shot guesses."""
    guesses = guess_unseen_links(pages, progress=progress)
    return score_taught_links(pages, data=data, progress=progress, folds=folds, zero_shot=guesses)

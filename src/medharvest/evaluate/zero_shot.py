"""Scores article links on journals never seen: for each platform a model trained without it judges its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from medharvest.evaluate.counts import add_counts, mean_of, share
from medharvest.evaluate.labelled import LinksPage, digest
from medharvest.evaluate.links import LinkTally, tally_links
from medharvest.evaluate.results import WORST, Result, Table, number
from medharvest.evaluate.training import INVENTED, ReadPage, calibrated, card_of, invented_rows, read_page, train
from medharvest.links.model import write_model
from medharvest.links.zero_shot import METHOD, guess, margins_of
from medharvest.records import JudgedLink, Verdict

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress
    from medharvest.links.model import LinkModel
    from medharvest.links.taught import Guess

_LIKELY = 0.5
_STEPS = 10  # of the calibration table
_DAMPING = -0.5  # a journal weighs in the calibration by the root of its links


class Fold(NamedTuple):
    """A platform, the model trained without it, the places of its pages, and what the model said of their links."""

    platform: str
    model: LinkModel
    places: tuple[int, ...]
    said: tuple[tuple[str, float, bool], ...]  # journal, margin, and whether it is an article


def score_zero_shot(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",  # noqa: ARG001  (always by platform)
) -> Result:
    """Judge every page by a model that saw no page of its platform, probabilities calibrated on the other platforms."""
    read = [read_page(page) for page in pages]
    return score_folds(pages, read, train_folds(read, progress=progress), data=data)


def score_folds(pages: Sequence[LinksPage], read: Sequence[ReadPage], folds: Sequence[Fold], *, data: str) -> Result:
    """Score what the models of folds say of the pages they had not seen."""
    guesses = fold_guesses(read, folds)
    tallies = [
        tally_links(page.truth, _judged(one, said)) for page, one, said in zip(pages, read, guesses, strict=True)
    ]
    total, journals = add_counts(tallies, LinkTally()), _by_journal(read, tallies)
    steps = calibration(_chances(read, guesses))
    return Result(
        stage="links",
        data=data,
        digest=digest(pages),
        pages=len(pages),
        figures=(
            ("accuracy", total.accuracy),
            ("macro", mean_of([tally.accuracy for tally in journals.values() if tally.links])),
            ("precision", total.precision),
            ("recall", total.recall),
            ("kind", total.kind),
        ),
        tables=(_worst(journals), _calibration_table(steps)),
        notes=(f"{len({one.platform for one in read})} platforms, each judged by a model trained without it",),
    )


def train_folds(read: Sequence[ReadPage], *, progress: Progress) -> list[Fold]:
    """A model for each platform, trained on all others, and on invented pages."""
    invented = invented_rows()
    platforms = sorted({page.platform for page in read})
    folds = []
    for done, platform in enumerate(platforms, 1):
        rows = [row for page in read if page.platform != platform for row in page.rows]
        model = train(rows, invented).model
        places = tuple(place for place, page in enumerate(read) if page.platform == platform)
        folds.append(Fold(platform, model, places, tuple(_said([read[place] for place in places], model))))
        progress(done, len(platforms))
    return folds


def train_shipped(pages: Sequence[LinksPage], *, progress: Progress) -> tuple[str, Result]:
    """The model for the package as text, and how its like do on platforms they had not seen."""
    read = [read_page(page) for page in pages]
    folds = train_folds(read, progress=progress)
    result = score_folds(pages, read, folds, data="issues")
    figures = {name: round(value, 4) for name, value in result.figures}
    card = card_of(read, INVENTED, corpus=result.digest, unseen=figures)
    trained = train([row for page in read for row in page.rows], invented_rows(), card)
    return write_model(calibrated_on(trained.model, folds), trained.trees), result


def _said(pages: Sequence[ReadPage], model: LinkModel) -> Iterator[tuple[str, float, bool]]:
    for page in pages:
        margins = margins_of(page.links, page.described, model)
        for margin, article in zip(margins, page.articles, strict=True):
            if margin is not None and article is not None:
                yield page.journal, margin, article


def fold_guesses(read: Sequence[ReadPage], folds: Sequence[Fold]) -> list[tuple[Guess, ...]]:
    """What models that saw no page of its platform say of each page's links."""
    found: list[tuple[Guess, ...]] = [()] * len(read)
    for fold in folds:
        model = calibrated_on(fold.model, [other for other in folds if other is not fold] or folds)
        for place in fold.places:
            found[place] = guess(read[place].links, read[place].described, model)
    return found


def calibrated_on(model: LinkModel, folds: Sequence[Fold]) -> LinkModel:
    """A model with the calibration that fits what fold models said of platforms they had not seen."""
    said = [one for fold in folds for one in fold.said]
    links = Counter(journal for journal, _, _ in said)
    weights = [links[journal] ** _DAMPING for journal, _, _ in said]
    return calibrated(model, [margin for _, margin, _ in said], [article for _, _, article in said], weights)


def _judged(page: ReadPage, guesses: Sequence[Guess]) -> list[JudgedLink]:
    return [
        JudgedLink(
            link=link,
            article=chance > _LIKELY,
            kind=kind,
            verdict=Verdict("article" if chance > _LIKELY else "other", max(chance, 1 - chance), METHOD),
        )
        for link, (chance, kind) in zip(page.links, guesses, strict=True)
    ]


def _by_journal(read: Sequence[ReadPage], tallies: Sequence[LinkTally]) -> dict[str, LinkTally]:
    journals: dict[str, list[LinkTally]] = {}
    for page, tally in zip(read, tallies, strict=True):
        journals.setdefault(page.journal, []).append(tally)
    return {name: add_counts(found, LinkTally()) for name, found in sorted(journals.items())}


def _worst(journals: dict[str, LinkTally]) -> Table:
    """The journals with the lowest accuracy."""
    worst = sorted((item for item in journals.items() if item[1].links), key=lambda item: item[1].accuracy)[:WORST]
    return Table(
        ("worst journals", "links", "missed", "false", "accuracy", "kind"),
        tuple(
            (name, str(one.links), str(one.missed), str(one.false), number(one.accuracy), number(one.kind))
            for name, one in worst
        ),
    )


class Step(NamedTuple):
    """Links whose probability falls in one step: how many, their mean probability, and the share that are articles."""

    links: int
    said: float
    true: float


def calibration(chances: Sequence[tuple[float, bool]]) -> tuple[Step, ...]:
    """The steps that hold links, lowest probabilities first."""
    steps: dict[int, list[tuple[float, bool]]] = {}
    for chance, article in chances:
        steps.setdefault(min(_STEPS - 1, int(chance * _STEPS)), []).append((chance, article))
    return tuple(
        Step(
            len(found),
            mean_of([chance for chance, _ in found]),
            share(sum(article for _, article in found), len(found)),
        )
        for _, found in sorted(steps.items())
    )


def _calibration_table(steps: Sequence[Step]) -> Table:
    rows = ((number(step.said), str(step.links), number(step.true)) for step in steps)
    return Table(("mean probability", "links", "articles"), tuple(rows))


def _chances(read: Sequence[ReadPage], guesses: Sequence[Sequence[Guess]]) -> list[tuple[float, bool]]:
    return [
        (chance, article)
        for one, said in zip(read, guesses, strict=True)
        for (chance, _), article in zip(said, one.articles, strict=True)
        if article is not None
    ]

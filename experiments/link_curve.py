"""The learning curve of links: the share judged right after a number of answers to the judge's questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from experiments.link_drift import DescribedIssue, count_right_links, describe_issue_links, guess_by_rules
from medharvest.evaluate.labelled_pages import LinksPage, digest_pages
from medharvest.evaluate.results import Result, Table, format_share, mean_of, share_of
from medharvest.evaluate.taught_link_scores import ZeroShotGuesses, promised_kind_of
from medharvest.links.examples import Guess, Opinion, TraitExamples, form_opinions, next_questions
from medharvest.records import LinkExample
from training.link_folds import guess_unseen_links

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress

TAUGHT_LINK_STEPS = (0, 1, 2, 5, 10, 50)


def score_link_curve(
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",  # noqa: ARG001  (each page teaches only itself)
    zero_shot: ZeroShotGuesses = guess_by_rules,
) -> Result:
    """Ask about links of the first issue of each journal, answer with the labels, and judge all links in between.

    Every journal starts from the zero-shot guesses and has the same weight. Links that people could not tell are
    skipped.
    """
    firsts = {page.layout: page for page in reversed(pages)}
    curves = {}
    for done, (journal, page) in enumerate(sorted(firsts.items()), 1):
        curves[journal] = learn_by_questions(describe_issue_links(page), zero_shot(page))
        progress(done, len(firsts))
    means = tuple(mean_of([curve[step] for curve in curves.values()]) for step in range(len(TAUGHT_LINK_STEPS)))
    return Result(
        stage="links",
        data=data,
        digest=digest_pages(pages),
        pages=len(firsts),
        figures=tuple((f"after {step}", mean) for step, mean in zip(TAUGHT_LINK_STEPS, means, strict=True)),
        tables=(_link_curve_table({**curves, "mean": means}),),
    )


def learn_by_questions(
    issue: DescribedIssue, guesses: Sequence[Guess], steps: Sequence[int] = TAUGHT_LINK_STEPS
) -> tuple[float, ...]:
    """The share of links judged right after each number of answers; it stays the same if no question is left."""
    examples: list[LinkExample] = []
    asked: set[int] = set()
    curve: list[float] = []
    for step in steps:
        while len(examples) < step and (
            answer := _answer_next_question(issue, _judge_by_examples(issue, examples, guesses), asked)
        ):
            examples.append(answer)
        links, right = count_right_links(issue, _judge_by_examples(issue, examples, guesses))
        curve.append(share_of(right, links))
    return tuple(curve)


def _judge_by_examples(
    issue: DescribedIssue, examples: Sequence[LinkExample], guesses: Sequence[Guess]
) -> list[Opinion]:
    return form_opinions(TraitExamples(examples), issue.links, issue.traits, guesses)


def _answer_next_question(issue: DescribedIssue, found: Sequence[Opinion], asked: set[int]) -> LinkExample | None:
    """The answer to the next question that has a label; None if there is none."""
    while places := next_questions(found, issue.traits, count=1, asked=asked):
        place = places[0]
        asked.add(place)
        label = issue.labels[place]
        if label is not None and label.article is not None:
            return LinkExample(
                page=issue.page.id,
                index=place,
                article=label.article,
                kind=promised_kind_of(label),
                traits=issue.traits[place],
            )
    return None


def _link_curve_table(curves: dict[str, tuple[float, ...]]) -> Table:
    rows = tuple((name, *map(format_share, curve)) for name, curve in curves.items())
    return Table(("taught links", *map(str, TAUGHT_LINK_STEPS)), rows)


def score_unseen_curve(pages: Sequence[LinksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score the learning curve from out-of-fold zero-shot guesses."""
    return score_link_curve(
        pages, data=data, progress=progress, folds=folds, zero_shot=guess_unseen_links(pages, progress=progress)
    )

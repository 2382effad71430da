"""Scorer of `read`.

It compares the fields of each citation and the affiliations of each author, and checks the scores given to fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from medharvest.citations.metadata_fields import own_article_items, read_metadata_people
from medharvest.codec import to_json
from medharvest.errors import MedharvestError
from medharvest.evaluate.field_scores import (
    SCORED_CORE_FIELDS,
    SCORED_FIELDS,
    PageFieldScore,
    ReadScore,
    affiliation_key,
    author_key,
    score_prediction,
    sum_page_scores,
    word_overlap,
)
from medharvest.evaluate.labelled_pages import ReadPage, digest_pages, group_by_fold, strip_metadata, try_each_page
from medharvest.evaluate.results import (
    Result,
    Table,
    add_counts,
    fold_note,
    fold_table,
    format_share,
    mean_of,
    share_of,
)
from medharvest.formats import report
from medharvest.journals.article_reader import read_bytes
from medharvest.pages import embedded, parse_page
from medharvest.records import Page
from medharvest.zones.segmentation import segment_with_hidden

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress

LabelledPageReader = Callable[[ReadPage], Mapping[str, Any]]
UNREAD_PAGE: Mapping[str, Any] = {}
OTHER_FIELDS = tuple(field for field in SCORED_FIELDS if field not in SCORED_CORE_FIELDS)

_FIELD_TABLE_HEADER = ("field", "pages", "correct", "wrong", "missing", "P", "R", "F1", "page", "on-null")
AuthorLinks = Mapping[tuple[str, ...], frozenset[int]]  # author -> numbers of the true affiliations
_SAME_AFFILIATION_OVERLAP = 0.8  # word overlap from which two affiliations count as the same
_LONGEST_RAISED_MARKER = 3  # characters of a superscript marker
_MIN_MARKED_AUTHORS = 0.5  # share of the authors in zones with markers, on a page that prints markers
SCORE_BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995)
_DERIVED_FIELDS = {"year": "date"}  # fields that are part of another


def read_labelled_page(page: ReadPage) -> Mapping[str, Any]:
    """Read a page and return the object that `read --json` prints."""
    return report(read_bytes(page.body, name=page.id, url=page.url, encoding=page.encoding))


def read_stripped_page(page: ReadPage) -> Mapping[str, Any]:
    """Read a page after its machine metadata is removed."""
    return read_labelled_page(replace(page, body=strip_metadata(page.body)))


def score_read(
    pages: Sequence[ReadPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    read: LabelledPageReader = read_labelled_page,
    by_layout: bool = False,
) -> Result:
    """Score a reader on labelled pages; `folds` adds a table by group of pages.

    With `by_layout` the figures are means over layouts, and the share of accepted fields that is right.

    The score of a fold is the mean F1 of the core fields that are printed in it. The reader must not have learnt from
    the pages.
    """
    answers, failures = try_each_page(pages, read, nothing=UNREAD_PAGE, progress=progress)
    scores = [score_prediction(page.truth, answer) for page, answer in zip(pages, answers, strict=True)]
    total = sum_page_scores(scores)
    given = collect_given_scores(pages, answers, scores)
    links = [
        tally_author_links(known_author_links(page), page.truth.get("affiliations") or (), answer)
        for page, answer in zip(pages, answers, strict=True)
    ]
    known = any(tally.authors for tally in links)
    figures = (
        ("core4", total.core4),
        ("all4", total.all4),
        ("others", total.mean_f1(OTHER_FIELDS)),
        *([("links", share_of_right_links(links))] if known else []),
        ("calibrated", 1 - calibration_error(given)),
        *acceptance_figures(given),
    )
    return Result(
        stage="read",
        data=data,
        digest=digest_pages(pages),
        pages=len(pages),
        figures=(*layout_figures(pages, scores), *acceptance_figures(given)) if by_layout else figures,
        tables=(
            _field_table(total),
            *([_read_fold_table(pages, scores, folds)] if folds else []),
            *([author_link_table(links)] if known else []),
            reliability_table(given),
            acceptance_table(given),
        ),
        failures=failures,
        notes=(fold_note(folds),) if folds else (),
    )


def layout_figures(pages: Sequence[ReadPage], scores: Sequence[PageFieldScore]) -> tuple[tuple[str, float], ...]:
    """The figures as means over layouts: a reader of many small journals meets a new layout every time.

    A layout without a page whose core fields are known says nothing of these.
    """
    layouts = [sum_page_scores(group) for group in group_by_fold(pages, scores, "layout").values()]
    known = [one for one in layouts if any(one.fields[field].pages for field in SCORED_CORE_FIELDS)]
    return (
        ("layouts-core4", mean_of([one.mean_f1(SCORED_CORE_FIELDS) for one in known])),
        ("layouts-all4", mean_of([one.all4 for one in known])),
        ("layouts-others", mean_of([one.mean_f1(OTHER_FIELDS) for one in layouts])),
    )


def _field_table(score: ReadScore) -> Table:
    rows = []
    for field in SCORED_FIELDS:
        tally = score.fields[field]
        if tally.pages:
            counts = (tally.pages, tally.correct, tally.wrong, tally.missing)
            shares = (tally.precision, tally.recall, tally.f1, tally.page)
            rows.append((field, *map(str, counts), *map(format_share, shares), str(tally.on_null)))
    return Table(_FIELD_TABLE_HEADER, tuple(rows))


def _read_fold_table(pages: Sequence[ReadPage], scores: Sequence[PageFieldScore], folds: str) -> Table:
    groups = group_by_fold(pages, scores, folds)
    return fold_table(
        folds, {name: sum_page_scores(group).mean_f1(SCORED_CORE_FIELDS) for name, group in groups.items()}
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorLinkTally:
    """Counts of authors whose affiliations are known: all, those that were read, those with the right affiliations."""

    authors: int = 0
    read: int = 0
    right: int = 0


def tally_author_links(truth: AuthorLinks, places: Sequence[str], answer: Mapping[str, Any]) -> AuthorLinkTally:
    """Compare the author links of one page; an affiliation counts as the true one that is most similar."""
    found = _match_affiliations(answer.get("affiliations") or (), places)
    if not truth:
        return AuthorLinkTally()
    said = {
        author_key(author): frozenset(found[i] for i in author["affiliations"])
        for author in answer.get("authors") or ()
        if isinstance(author, Mapping)
    }
    read = [name for name in truth if name in said]
    return AuthorLinkTally(authors=len(truth), read=len(read), right=sum(said[name] == truth[name] for name in read))


def known_author_links(page: ReadPage) -> AuthorLinks:
    """The author links of a page's truth, or those of its metadata if the truth has none.

    Metadata is used only for pages that print markers.
    """
    authors = page.truth.get("authors") or []
    if any(isinstance(author, Mapping) and author.get("affiliations") for author in authors):
        return {author_key(one): frozenset(one["affiliations"]) for one in authors if isinstance(one, Mapping)}
    try:
        parsed = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id)
    except MedharvestError:
        return {}
    return dict(_links_in_metadata(parsed, page.truth)) if _has_printed_markers(parsed, authors) else {}


def _links_in_metadata(page: Page, truth: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], frozenset[int]]]:
    """The links in the metadata, for authors whose affiliations are all among the true ones."""
    people = read_metadata_people(own_article_items(embedded(page)))
    numbers = _match_affiliations(people.affiliations, truth.get("affiliations") or ())
    for author in people.authors:
        places = frozenset(numbers[i] for i in author.affiliations)
        if author.family and places and None not in places:
            yield author_key(to_json(author)), frozenset(place for place in places if place is not None)


def _has_printed_markers(page: Page, authors: Sequence[Any]) -> bool:
    """Whether most true authors are in a zone with superscript markers."""
    zones = segment_with_hidden(page)
    marked = " ".join(
        zone.text.casefold()
        for zone in zones
        if any(mark.tag == "sup" and 0 < mark.end - mark.start <= _LONGEST_RAISED_MARKER for mark in zone.marks)
    )
    names = [author.casefold() for author in authors if isinstance(author, str)]
    return bool(names) and sum(name in marked for name in names) >= _MIN_MARKED_AUTHORS * len(names)


def _match_affiliations(texts: Sequence[str], places: Sequence[str]) -> list[int | None]:
    """For each text, the number of the most similar true affiliation, or None."""
    bags = [affiliation_key(place) for place in places]
    out: list[int | None] = []
    for text in texts:
        alike = [word_overlap(affiliation_key(text), bag) for bag in bags]
        best = max(range(len(bags)), key=alike.__getitem__, default=None)
        out.append(best if best is not None and alike[best] >= _SAME_AFFILIATION_OVERLAP else None)
    return out


def share_of_right_links(tallies: Sequence[AuthorLinkTally]) -> float:
    """The share of all authors, read or not, with the right affiliations."""
    total = add_counts(tallies, AuthorLinkTally())
    return share_of(total.right, total.authors)


def author_link_table(tallies: Sequence[AuthorLinkTally]) -> Table:
    """The table of authors with the right affiliations."""
    total = add_counts(tallies, AuthorLinkTally())
    pages = sum(bool(tally.authors) for tally in tallies)
    counts = (pages, total.authors, total.read, total.right)
    shares = (share_of(total.right, total.read), share_of_right_links(tallies))
    header = ("author links", "pages", "authors", "read", "right", "of those read", "of all")
    return Table(header, (("", *map(str, counts), *map(format_share, shares)),))


def collect_given_scores(
    pages: Sequence[ReadPage], answers: Sequence[Mapping[str, Any]], scores: Sequence[PageFieldScore]
) -> list[GivenScore]:
    """The score of every field that was read and whose truth is known."""
    return [
        GivenScore(
            field,
            answer["scores"][field],
            bool(score.fields[field].exact),
            page.layout,
            field in answer.get("accepted", ()),
        )
        for page, answer, score in zip(pages, answers, scores, strict=True)
        for field in SCORED_FIELDS
        if field not in _DERIVED_FIELDS and score.fields[field].pages and field in answer.get("scores", {})
    ]


def calibration_error(given: Sequence[GivenScore]) -> float:
    """The mean distance between the scores in a bin and the share of right fields, weighted by the size of the bin."""
    gaps = (
        len(own) * abs(mean_of([one.score for one in own]) - share_of(sum(one.right for one in own), len(own)))
        for _, own in _group_by_bin(given)
    )
    return sum(gaps) / max(1, len(given))


def reliability_table(given: Sequence[GivenScore]) -> Table:
    """The table of score bins: how many fields got such a score, and how many of them are right."""
    rows = (
        (
            f"{low:g} to {high:g}",
            str(len(own)),
            format_share(mean_of([one.score for one in own])),
            format_share(share_of(sum(one.right for one in own), len(own))),
        )
        for (low, high), own in _group_by_bin(given)
    )
    return Table(("score given", "fields", "mean score", "share right"), tuple(rows))


def _group_by_bin(given: Sequence[GivenScore]) -> list[tuple[tuple[float, float], list[GivenScore]]]:
    tops = (*SCORE_BINS[1:], 1.0)
    bins = [
        ((low, high), [one for one in given if low <= one.score and (one.score < high or high == 1.0)])
        for low, high in zip(SCORE_BINS, tops, strict=True)
    ]
    return [(span, own) for span, own in bins if own]


class GivenScore(NamedTuple):
    """The score of one field, whether the whole field is right, and whether the reader accepts it."""

    field: str
    score: float
    right: bool
    layout: str = ""
    accepted: bool = False


def acceptance_table(given: Sequence[GivenScore]) -> Table:
    """The table of fields accepted without review, and how many of them are wrong.

    The thresholds were chosen on other layouts.
    """
    by_field = {name: own for name in SCORED_FIELDS if (own := [one for one in given if one.field == name])}
    rows = [_acceptance_row(name, own) for name, own in by_field.items()]
    return Table(("accept unseen", "fields", "pass", "share", "wrong", "right"), (*rows, _acceptance_row("all", given)))


def _acceptance_row(name: str, given: Sequence[GivenScore]) -> tuple[str, ...]:
    passed = [one for one in given if one.accepted]
    right = sum(one.right for one in passed)
    return (
        name,
        str(len(given)),
        str(len(passed)),
        format_share(share_of(len(passed), len(given))),
        str(len(passed) - right),
        format_share(share_of(right, len(passed))) if passed else "",
    )


def acceptance_figures(given: Sequence[GivenScore]) -> tuple[tuple[str, float], ...]:
    """The share of the fields accepted without review that is right; empty if none is accepted.

    How many are accepted stands in the table: a reader that knows its limits better may accept fewer.
    """
    passed = [one.right for one in given if one.accepted]
    return (("accepted-right", share_of(sum(passed), len(passed))),) if passed else ()

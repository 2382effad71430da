"""Links are compared by their offset; what people could not tell does not count."""

from collections.abc import Sequence

import pytest

from medharvest.errors import InputError
from medharvest.evaluate.labelled_pages import LabelledPage, LinkLabel, LinksPage
from medharvest.evaluate.page_scores import LinkTally, score_links, tally_links
from medharvest.records import JudgedLink, Kind, Link, Verdict


def judged(offset: int, *, article: bool, kind: Kind | None = None) -> JudgedLink:
    link = Link(index=0, offset=offset, end=offset + 1, href="x", url="x", text="x")
    return JudgedLink(link=link, article=article, kind=kind, verdict=Verdict("article", 1.0, "test"))


ARTICLE = LinkLabel(offset=10, article=True, kind="pdf")
MENU = LinkLabel(offset=20, article=False)
UNSURE = LinkLabel(offset=30, article=None)


@pytest.mark.parametrize(
    ("label", "verdict", "expected"),
    [
        (
            ARTICLE,
            judged(10, article=True, kind=Kind.PDF),
            LinkTally(links=1, right=1, found=1, kinds=1, kinds_right=1),
        ),
        (
            ARTICLE,
            judged(10, article=True, kind=Kind.ABSTRACT),
            LinkTally(links=1, right=1, found=1, kinds=1),
        ),
        (ARTICLE, judged(10, article=False, kind=Kind.PDF), LinkTally(links=1, missed=1, kinds=1)),
        (ARTICLE, judged(11, article=True, kind=Kind.PDF), LinkTally(links=1, missed=1, false=1, kinds=1)),
        (ARTICLE, None, LinkTally(links=1, missed=1, kinds=1)),
        (MENU, judged(20, article=False), LinkTally(links=1, right=1)),
        (MENU, judged(20, article=True, kind=Kind.PDF), LinkTally(links=1, false=1)),
        (MENU, None, LinkTally(links=1)),
        (UNSURE, judged(30, article=True, kind=Kind.PDF), LinkTally()),
        (UNSURE, None, LinkTally()),
    ],
)
def test_a_verdict_counts_only_at_the_labelled_offset(
    label: LinkLabel, verdict: JudgedLink | None, expected: LinkTally
) -> None:
    assert tally_links([label], [verdict] if verdict else []) == expected


def page(name: str, journal: str, *labels: LinkLabel) -> LinksPage:
    return LabelledPage(id=name, body=name.encode(), truth=labels, layout=journal, platform="one")


def test_every_journal_weighs_the_same_in_the_macro_mean() -> None:
    many = [LinkLabel(offset=number, article=False) for number in range(98)]
    pages = [page("a", "big", *many), page("b", "small", ARTICLE, MENU)]
    result = score_links(pages, data="t", progress=lambda _done, _all: None, judge=_all_menu)
    figures = dict(result.figures)
    assert figures["accuracy"] == pytest.approx(0.99)
    assert figures["macro"] == pytest.approx(0.75)
    assert (figures["precision"], figures["recall"], figures["kind"]) == (0, 0, 0)


def test_a_page_that_cannot_be_judged_is_listed_and_misses_all_its_links() -> None:
    def refuse(page: LinksPage) -> Sequence[JudgedLink]:
        if page.id == "bad":
            raise InputError("empty file: bad", name="bad")
        return [judged(10, article=True, kind=Kind.PDF)]

    pages = [page("bad", "one", ARTICLE), page("good", "two", ARTICLE)]
    seen: list[tuple[int, int]] = []
    result = score_links(
        pages, data="t", folds="layout", judge=refuse, progress=lambda done, total: seen.append((done, total))
    )
    assert [(failure.page, failure.message) for failure in result.failures] == [("bad", "empty file: bad")]
    assert dict(result.figures)["recall"] == 0.5
    assert seen == [(1, 2), (2, 2)]
    assert result.tables[1].rows == (("one", "0.000"), ("two", "1.000"), ("mean of 2", "0.500"))


def _all_menu(page: LinksPage) -> Sequence[JudgedLink]:
    return [judged(label.offset, article=False) for label in page.truth]

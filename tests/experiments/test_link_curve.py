"""The learning curve starts from zero-shot and rises with each answer."""

from collections.abc import Sequence

from experiments.link_curve import TAUGHT_LINK_STEPS, learn_by_questions, score_link_curve
from experiments.link_drift import describe_issue_links
from medharvest.evaluate.labelled_pages import LabelledPage, LinkLabel, LinksPage
from medharvest.links import scan_links
from medharvest.links.examples import Guess
from medharvest.pages import parse_page


def issue(name: str, journal: str, *, unsure: int = -1) -> LinksPage:
    rows = "".join(f'<li><a href="/a/{n}.htm">A title of snow and ice {n}</a>' for n in range(6))
    body = f'<html><p><a href="/">Home</a> <a href="/x">Help</a></p><ul>{rows}</ul>'.encode()
    url = f"http://journal.example/{name}"
    links = scan_links(parse_page(body, url=url, charset="utf-8"))
    labels = tuple(
        LinkLabel(offset=link.offset, article=None if link.index == unsure else "snow" in link.text) for link in links
    )
    return LabelledPage(id=name, body=body, truth=labels, url=url, encoding="utf-8", layout=journal)


def doubtful(page: LinksPage) -> Sequence[Guess]:
    """Take the articles for others, without being sure."""
    return [(0.1, None), (0.1, None), *[(0.4, None)] * (len(page.truth) - 2)]


def test_one_answer_sets_a_group_right():
    page = issue("1", "snow")
    assert learn_by_questions(describe_issue_links(page), doubtful(page)) == (0.25, *[1.0] * 5)


def test_what_people_could_not_tell_is_passed_over():
    for unsure in range(2, 8):
        page = issue("1", "snow", unsure=unsure)
        curve = learn_by_questions(describe_issue_links(page), doubtful(page), steps=(0, 1))
        assert curve == (2 / 7, 1.0)


def test_where_nothing_is_left_to_ask_the_curve_goes_on_level():
    page = issue("1", "snow")
    certain = [(0.5, None)] * len(page.truth)
    assert learn_by_questions(describe_issue_links(page), certain, steps=(8, 50, 60)) == (1.0, 1.0, 1.0)


def test_the_first_issue_of_each_journal_counts_once_and_journals_weigh_the_same():
    pages = [issue("1", "snow"), issue("2", "snow"), issue("3", "ice")]
    judged: list[str] = []
    seen: list[tuple[int, int]] = []

    def zero_shot(page: LinksPage) -> Sequence[Guess]:
        judged.append(page.id)
        return doubtful(page) if page.layout == "snow" else [(float(bool(one.article)), None) for one in page.truth]

    result = score_link_curve(
        pages, data="t", progress=lambda done, total: seen.append((done, total)), zero_shot=zero_shot
    )
    assert judged == ["3", "1"]
    assert seen == [(1, 2), (2, 2)]
    assert dict(result.figures) == {f"after {step}": 0.625 if step == 0 else 1.0 for step in TAUGHT_LINK_STEPS}
    assert result.tables[0].rows[-1][:2] == ("mean", "0.625")

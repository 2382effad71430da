"""Scorer of links that are judged by examples, with the table of the paper.

One issue of a journal gives the examples, and the links of its other issues are judged by them.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from medharvest.errors import QualityError
from medharvest.evaluate.labelled_pages import LinkLabel, LinksPage, digest_pages
from medharvest.evaluate.results import Result, Table, format_share, mean_of, share_of
from medharvest.links.examples import Guess, examples_of, judge_taught
from medharvest.links.nearest_neighbour import judge_nearest
from medharvest.links.scan import scan_links
from medharvest.links.surroundings import Surrounding, find_surroundings
from medharvest.pages import parse_page
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import Progress

TaughtJudge = Callable[[Page, Sequence[Link], Sequence[LinkExample]], Sequence[JudgedLink]]
# The guesses of the zero-shot judge for the links of a page. For a fair score, its model must not have been trained on
# the page's platform.
ZeroShotGuesses = Callable[[LinksPage], Sequence[Guess]]
LabelCorrections = Mapping[tuple[str, int], bool]  # (page, offset) -> the right label, as the page shows

TAUGHT_JUDGES: Mapping[str, TaughtJudge] = {"paper": judge_nearest, "default": judge_taught}
CORRECTIONS_FILE = Path("quality", "link-labels.json")
_TAUGHT_LINK_HEADER = ("journal", "training set", "issue", "testing set actual", "testing set classified", "accuracy %")
_PLACE_TAGS = 5  # tags around a link that describe its place; outer tags contain the whole page
_SAME_TEMPLATE_SHARE, _CHANGED_TEMPLATE_SHARE = 0.9, 0.5
_NUMBER_IN_NAME = re.compile(r"\d+")
_PLACE_COUNTS_CACHED = 1_024

LabelledPlace = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The number of article links and of other links."""

    article: int = 0
    other: int = 0

    def __str__(self) -> str:
        return f"{self.article + self.other} ({self.article}, {self.other})"

    def __add__(self, more: LinkCounts) -> LinkCounts:
        return LinkCounts(self.article + more.article, self.other + more.other)


@dataclass(frozen=True, slots=True)
class LinkMistake:
    """A link whose judgement differs from its label; `granted` if the page shows that the label is wrong."""

    offset: int
    article: bool
    granted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtIssueRow:
    """One issue judged by the examples of another: `found` counts true articles that were judged as articles.

    `misled` counts links that agree with a label that the page shows to be wrong.
    """

    journal: str
    training: str
    trained: LinkCounts
    issue: str
    actual: LinkCounts
    classified: LinkCounts
    found: int
    mistakes: tuple[LinkMistake, ...]
    misled: int = 0

    @property
    def links(self) -> int:
        """The number of judged links."""
        return self.actual.article + self.actual.other


def score_taught_links(  # noqa: PLR0913  (the parameters of every scorer, and two methods to judge)
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    profile: str = "paper",
    zero_shot: ZeroShotGuesses | None = None,
    labels: Path = CORRECTIONS_FILE,
    folds: str = "",  # noqa: ARG001  (issues are grouped by journal and template in any case)
) -> Result:
    """Learn from the first issue of each template of a journal and judge its other issues.

    Issues with a changed template are shown apart. `zero_shot` is the fallback of the default profile.
    """
    corrections = load_label_corrections(labels)
    chosen = pair_issues(pages)
    judged: dict[str, list[TaughtIssueRow]] = {"same": [], "grown": [], "changed": []}
    for done, (template, taught, page) in enumerate(chosen, 1):
        judge = partial(judge_taught, guesses=zero_shot(page)) if zero_shot else TAUGHT_JUDGES[profile]
        judged[template].append(judge_taught_issue(taught, page, judge=judge, corrections=corrections))
        progress(done, len(chosen))
    same, others = judged["same"], {name: rows for name, rows in judged.items() if rows and name != "same"}
    return Result(
        stage="links",
        data=data,
        digest=digest_pages(pages),
        pages=len(chosen),
        figures=_taught_link_figures(same),
        tables=(
            _taught_link_table("", same),
            *(_taught_link_table(f"{name}: ", rows) for name, rows in others.items()),
        ),
        notes=(*(_template_note(name, rows) for name, rows in others.items()), *_mistake_notes(same)),
    )


def pair_issues(pages: Iterable[LinksPage]) -> list[tuple[str, LinksPage, LinksPage]]:
    """Pair each issue to judge with the issue to learn from; their template is `same`, `grown` or `changed`.

    The first issue of a template is paired with its other issues. The first issue of the journal is paired with the
    first issue of every other template.
    """
    journals: dict[str, list[LinksPage]] = defaultdict(list)
    for page in pages:
        journals[page.layout].append(page)
    groups = [group_by_template(issues) for _, issues in sorted(journals.items())]
    same = [("same", group[0], page) for found in groups for group in found for page in group[1:]]
    others = [(found[0][0], group[0]) for found in groups for group in found[1:]]
    return same + [("changed" if has_changed_template(*pair) else "grown", *pair) for pair in others]


def judge_taught_issue(
    taught: LinksPage, page: LinksPage, *, judge: TaughtJudge, corrections: LabelCorrections
) -> TaughtIssueRow:
    """Learn from one issue, judge another and compare with its labels; links without a label are left out."""
    examples = examples_of_page(taught)
    parsed = _parse_links_page(page)
    said = {judged.link.offset: judged.article for judged in judge(parsed, scan_links(parsed), examples)}
    true = {label.offset: label.article for label in page.truth if label.article is not None}
    verdicts = {offset: said.get(offset, not article) for offset, article in true.items()}
    return TaughtIssueRow(
        journal=page.layout,
        training=taught.id,
        trained=_count_article_links(example.article for example in examples),
        issue=page.id,
        actual=_count_article_links(true.values()),
        classified=_count_article_links(verdicts.values()),
        found=sum(article and verdicts[offset] for offset, article in true.items()),
        mistakes=tuple(
            LinkMistake(offset, verdicts[offset], corrections.get((page.id, offset)) is verdicts[offset])
            for offset, article in sorted(true.items())
            if verdicts[offset] is not article
        ),
        misled=sum(
            verdicts[offset] is article and corrections.get((page.id, offset), article) is not article
            for offset, article in true.items()
        ),
    )


def examples_of_page(page: LinksPage) -> tuple[LinkExample, ...]:
    """The labelled links of a page as examples."""
    parsed = _parse_links_page(page)
    known = {label.offset: label for label in page.truth if label.article is not None}
    places = {link.index: known[link.offset] for link in scan_links(parsed) if link.offset in known}
    return examples_of(
        parsed, {index: (bool(label.article), promised_kind_of(label)) for index, label in places.items()}
    )


def load_label_corrections(file: Path) -> LabelCorrections:
    """Load the labels that the pages show to be wrong: a JSON list of `file`, `offset`, `article` and `reason`.

    Without the file there are none.
    """
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return {(str(row["file"]), int(row["offset"])): bool(row["article"]) for row in rows if row["reason"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        hint = "each entry has file, offset, article and reason"
        raise QualityError(f"labels cannot be read: {file}", stage="links", hint=hint) from error


def _parse_links_page(page: LinksPage) -> Page:
    return parse_page(page.body, url=page.url, charset=page.encoding)


def promised_kind_of(label: LinkLabel) -> Kind | None:
    """The kind of page that a labelled link leads to, if the label tells it."""
    return Kind(label.kind) if label.kind else None


def _count_article_links(articles: Iterable[bool]) -> LinkCounts:
    listed = list(articles)
    return LinkCounts(sum(listed), len(listed) - sum(listed))


def _accuracy_of_rows(rows: Sequence[TaughtIssueRow]) -> float:
    """The share of links whose judgement agrees with the label."""
    return share_of(sum(row.links - len(row.mistakes) for row in rows), sum(row.links for row in rows))


def _checked_accuracy_of_rows(rows: Sequence[TaughtIssueRow]) -> float:
    """The share of links judged right, with corrected labels."""
    right = sum(row.links - row.misled - sum(not mistake.granted for mistake in row.mistakes) for row in rows)
    return share_of(right, sum(row.links for row in rows))


def _rows_by_journal(rows: Iterable[TaughtIssueRow]) -> dict[str, list[TaughtIssueRow]]:
    journals: dict[str, list[TaughtIssueRow]] = defaultdict(list)
    for row in rows:
        journals[row.journal].append(row)
    return journals


def _taught_link_figures(rows: Sequence[TaughtIssueRow]) -> tuple[tuple[str, float], ...]:
    journals = _rows_by_journal(rows).values()
    articles = sum(row.actual.article for row in rows)
    return (
        ("micro", _accuracy_of_rows(rows)),
        ("macro", mean_of([_accuracy_of_rows(journal) for journal in journals])),
        ("recall", share_of(sum(row.found for row in rows), articles)),
        ("micro-checked", _checked_accuracy_of_rows(rows)),
        ("macro-checked", mean_of([_checked_accuracy_of_rows(journal) for journal in journals])),
    )


def _taught_link_table(prefix: str, rows: Sequence[TaughtIssueRow]) -> Table:
    shown = [
        (prefix + row.journal, str(row.trained), row.issue, str(row.actual), str(row.classified), _percent_right([row]))
        for row in rows
    ]
    return Table(_TAUGHT_LINK_HEADER, (*shown, _taught_link_totals(prefix, rows)))


def _taught_link_totals(prefix: str, rows: Sequence[TaughtIssueRow]) -> tuple[str, ...]:
    trained = sum({row.training: row.trained for row in rows}.values(), LinkCounts())
    actual, classified = (sum((getattr(row, name) for row in rows), LinkCounts()) for name in ("actual", "classified"))
    return (f"{prefix}all", str(trained), f"{len(rows)} issues", str(actual), str(classified), _percent_right(rows))


def _percent_right(rows: Sequence[TaughtIssueRow]) -> str:
    return f"{100 * _accuracy_of_rows(rows):.2f}"


def _template_note(template: str, rows: Sequence[TaughtIssueRow]) -> str:
    macro = mean_of([_accuracy_of_rows(journal) for journal in _rows_by_journal(rows).values()])
    micro = _accuracy_of_rows(rows)
    return f"template {template}: {len(rows)} issues, micro {format_share(micro)}, macro {format_share(macro)}"


def _mistake_notes(rows: Sequence[TaughtIssueRow]) -> list[str]:
    return [f"errors in {row.issue}: {', '.join(map(_describe_mistake, row.mistakes))}" for row in rows if row.mistakes]


def _describe_mistake(mistake: LinkMistake) -> str:
    what = "false" if mistake.article else "missed"
    return f"{mistake.offset} {what}" + (" (the label is wrong)" if mistake.granted else "")


def has_same_template(taught: LinksPage, page: LinksPage) -> bool:
    """Whether a page has the template of the taught page.

    At least nine in ten of its labelled links, and half of its article links, must have the same tags and classes
    around them as a labelled link, or an article link, of the taught page.
    """
    return (
        not has_changed_template(taught, page)
        and _share_of_known_places(taught, page, of_articles=False) >= _SAME_TEMPLATE_SHARE
    )


def has_changed_template(taught: LinksPage, page: LinksPage) -> bool:
    """Whether most article links of a page are at places without an article link on the taught page.

    A template that is neither changed nor the same has grown. If a page has no article links, all links are compared.
    """
    return (
        _share_of_known_places(taught, page, of_articles=_has_article_labels(taught) and _has_article_labels(page))
        < _CHANGED_TEMPLATE_SHARE
    )


def group_by_template(pages: Iterable[LinksPage]) -> list[list[LinksPage]]:
    """Group the pages of one journal by template, in the order of their names."""
    groups: list[list[LinksPage]] = []
    for page in sorted(pages, key=lambda page: natural_sort_key(page.id)):
        found = next((group for group in groups if has_same_template(group[0], page)), None)
        if found is None:
            groups.append([page])
        else:
            found.append(page)
    return groups


def natural_sort_key(name: str) -> tuple[tuple[str, int], ...]:
    """A sort key that puts `2.html` before `10.html`."""
    words, numbers = _NUMBER_IN_NAME.split(name), [*map(int, _NUMBER_IN_NAME.findall(name)), 0]
    return tuple(zip(words, numbers, strict=True))


def _share_of_known_places(taught: LinksPage, page: LinksPage, *, of_articles: bool) -> float:
    """The share of the links of a page whose place occurs on the taught page."""
    known, asked = (
        _count_labelled_places(taught, of_articles=of_articles),
        _count_labelled_places(page, of_articles=of_articles),
    )
    return share_of(sum(count for place, count in asked.items() if place in known), sum(asked.values()))


def _has_article_labels(page: LinksPage) -> bool:
    return any(label.article for label in page.truth)


@functools.lru_cache(maxsize=_PLACE_COUNTS_CACHED)
def _count_labelled_places(page: LinksPage, *, of_articles: bool) -> Counter[LabelledPlace]:
    """Count the labelled links of a page by place."""
    parsed = parse_page(page.body, url=page.url, charset=page.encoding)
    links = scan_links(parsed)
    wanted = {label.offset for label in page.truth if label.article or (label.article is False and not of_articles)}
    around = zip(links, find_surroundings(parsed, links), strict=True)
    return Counter(_labelled_place_of(link, where) for link, where in around if link.offset in wanted)


def _labelled_place_of(link: Link, where: Surrounding) -> LabelledPlace:
    own = next((value for name, value in link.attributes if name == "class"), "")
    tags = [(tag.name, tag.classes) for tag in where.path[-_PLACE_TAGS:]]
    return tuple((name, _NUMBER_IN_NAME.sub("0", classes)) for name, classes in [*tags, ("a", own)])

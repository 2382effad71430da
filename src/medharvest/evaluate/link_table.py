"""The paper's table: taught one issue of a journal, which links of its other issues are articles."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from medharvest import demo
from medharvest.errors import QualityError
from medharvest.evaluate import bundled
from medharvest.evaluate.counts import mean_of, share
from medharvest.evaluate.labelled import LinkLabel, LinksPage, digest
from medharvest.evaluate.results import Result, Table, number
from medharvest.evaluate.templates import by_template, changed_template
from medharvest.links.nearest import judge_nearest
from medharvest.links.scan import scan_links
from medharvest.links.taught import Guess, judge_taught
from medharvest.links.teaching import examples_of
from medharvest.pages import parse_page
from medharvest.records import JudgedLink, Kind, Link, LinkExample, Page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled import Progress

TaughtJudge = Callable[[Page, Sequence[Link], Sequence[LinkExample]], Sequence[JudgedLink]]
ZeroShot = Callable[[LinksPage], Sequence[Guess]]
Corrections = Mapping[tuple[str, int], bool]  # by page and offset: what the page itself shows to be true

JUDGES: Mapping[str, TaughtJudge] = {"paper": judge_nearest, "default": judge_taught}
LABELS = Path("quality", "link-labels.json")
_HEADER = ("journal", "training set", "issue", "testing set actual", "testing set classified", "accuracy %")


@dataclass(frozen=True, slots=True)
class Counts:
    """How many links are articles and how many are not."""

    article: int = 0
    other: int = 0

    def __str__(self) -> str:
        return f"{self.article + self.other} ({self.article}, {self.other})"

    def __add__(self, more: Counts) -> Counts:
        return Counts(self.article + more.article, self.other + more.other)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A link judged otherwise than it is labelled; `granted` where the page shows the label to be wrong."""

    offset: int
    article: bool
    granted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One issue, judged by what another taught: `found` counts true articles among those judged so.

    `misled` counts links judged like a label that the page shows to be wrong.
    """

    journal: str
    training: str
    trained: Counts
    issue: str
    actual: Counts
    classified: Counts
    found: int
    mistakes: tuple[Mistake, ...]
    misled: int = 0

    @property
    def links(self) -> int:
        """How many links were judged."""
        return self.actual.article + self.actual.other


def score_table(  # noqa: PLR0913  (what every score takes, and two ways to judge)
    pages: Sequence[LinksPage],
    *,
    data: str,
    progress: Progress,
    profile: str = "paper",
    zero_shot: ZeroShot | None = None,
    labels: Path = LABELS,
    folds: str = "",  # noqa: ARG001  (issues are grouped by journal and template in any case)
) -> Result:
    """Teach the first issue of each template of a journal, judge its other issues; changed templates stand apart.

    `zero_shot` is what the default profile falls back on.
    """
    corrections = load_corrections(labels)
    chosen = pairs(pages)
    judged: dict[str, list[Row]] = {"same": [], "grown": [], "changed": []}
    for done, (template, taught, page) in enumerate(chosen, 1):
        judge = partial(judge_taught, guesses=zero_shot(page)) if zero_shot else JUDGES[profile]
        judged[template].append(judge_issue(taught, page, judge=judge, corrections=corrections))
        progress(done, len(chosen))
    same, others = judged["same"], {name: rows for name, rows in judged.items() if rows and name != "same"}
    return Result(
        stage="links",
        data=data,
        digest=digest(pages),
        pages=len(chosen),
        figures=_figures(same),
        tables=(_table("", same), *(_table(f"{name}: ", rows) for name, rows in others.items())),
        notes=(*(_apart_note(name, rows) for name, rows in others.items()), *_error_notes(same)),
    )


def pairs(pages: Iterable[LinksPage]) -> list[tuple[str, LinksPage, LinksPage]]:
    """The issues to teach and to judge by: `same`, or a template that has `grown` or `changed`.

    Of each template the first issue teaches the others; the first of all teaches the first of each other template.
    """
    journals: dict[str, list[LinksPage]] = defaultdict(list)
    for page in pages:
        journals[page.layout].append(page)
    groups = [by_template(issues) for _, issues in sorted(journals.items())]
    same = [("same", group[0], page) for found in groups for group in found for page in group[1:]]
    others = [(found[0][0], group[0]) for found in groups for group in found[1:]]
    return same + [("changed" if changed_template(*pair) else "grown", *pair) for pair in others]


def judge_issue(taught: LinksPage, page: LinksPage, *, judge: TaughtJudge, corrections: Corrections) -> Row:
    """Teach one issue, judge another, compare with its labels; what people could not tell is left out."""
    examples = taught_examples(taught)
    parsed = _parsed(page)
    said = {judged.link.offset: judged.article for judged in judge(parsed, scan_links(parsed), examples)}
    true = {label.offset: label.article for label in page.truth if label.article is not None}
    verdicts = {offset: said.get(offset, not article) for offset, article in true.items()}
    return Row(
        journal=page.layout,
        training=taught.id,
        trained=_count(example.article for example in examples),
        issue=page.id,
        actual=_count(true.values()),
        classified=_count(verdicts.values()),
        found=sum(article and verdicts[offset] for offset, article in true.items()),
        mistakes=tuple(
            Mistake(offset, verdicts[offset], corrections.get((page.id, offset)) is verdicts[offset])
            for offset, article in sorted(true.items())
            if verdicts[offset] is not article
        ),
        misled=sum(
            verdicts[offset] is article and corrections.get((page.id, offset), article) is not article
            for offset, article in true.items()
        ),
    )


def demo_issues() -> tuple[LinksPage, ...]:
    """The contents pages of the bundled journals; the journal is their layout, as in a corpus."""
    paths = {issue.path for issue in demo.issues()}
    return tuple(replace(page, layout=page.platform) for page in bundled.links_pages() if page.id in paths)


def taught_examples(page: LinksPage) -> tuple[LinkExample, ...]:
    """The examples a labelled page gives."""
    parsed = _parsed(page)
    known = {label.offset: label for label in page.truth if label.article is not None}
    places = {link.index: known[link.offset] for link in scan_links(parsed) if link.offset in known}
    return examples_of(parsed, {index: (bool(label.article), _kind(label)) for index, label in places.items()})


def load_corrections(file: Path) -> Corrections:
    """Labels the pages show to be wrong: a JSON list of `file`, `offset`, `article`, `reason`; no file, no labels."""
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
        return {(str(row["file"]), int(row["offset"])): bool(row["article"]) for row in rows if row["reason"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError) as error:
        hint = "each entry has file, offset, article and reason"
        raise QualityError(f"labels cannot be read: {file}", stage="links", hint=hint) from error


def _parsed(page: LinksPage) -> Page:
    return parse_page(page.body, url=page.url, charset=page.encoding)


def _kind(label: LinkLabel) -> Kind | None:
    return Kind(label.kind) if label.kind else None


def _count(articles: Iterable[bool]) -> Counts:
    listed = list(articles)
    return Counts(sum(listed), len(listed) - sum(listed))


def _accuracy(rows: Sequence[Row]) -> float:
    """The share of links judged as they are labelled."""
    return share(sum(row.links - len(row.mistakes) for row in rows), sum(row.links for row in rows))


def _checked(rows: Sequence[Row]) -> float:
    """The share of links judged right, where labels that are wrong are put right."""
    right = sum(row.links - row.misled - sum(not mistake.granted for mistake in row.mistakes) for row in rows)
    return share(right, sum(row.links for row in rows))


def _by_journal(rows: Iterable[Row]) -> dict[str, list[Row]]:
    journals: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        journals[row.journal].append(row)
    return journals


def _figures(rows: Sequence[Row]) -> tuple[tuple[str, float], ...]:
    journals = _by_journal(rows).values()
    articles = sum(row.actual.article for row in rows)
    return (
        ("micro", _accuracy(rows)),
        ("macro", mean_of([_accuracy(journal) for journal in journals])),
        ("recall", share(sum(row.found for row in rows), articles)),
        ("micro-checked", _checked(rows)),
        ("macro-checked", mean_of([_checked(journal) for journal in journals])),
    )


def _table(prefix: str, rows: Sequence[Row]) -> Table:
    shown = [
        (prefix + row.journal, str(row.trained), row.issue, str(row.actual), str(row.classified), _percent([row]))
        for row in rows
    ]
    return Table(_HEADER, (*shown, _totals(prefix, rows)))


def _totals(prefix: str, rows: Sequence[Row]) -> tuple[str, ...]:
    trained = sum({row.training: row.trained for row in rows}.values(), Counts())
    actual, classified = (sum((getattr(row, name) for row in rows), Counts()) for name in ("actual", "classified"))
    return (f"{prefix}all", str(trained), f"{len(rows)} issues", str(actual), str(classified), _percent(rows))


def _percent(rows: Sequence[Row]) -> str:
    return f"{100 * _accuracy(rows):.2f}"


def _apart_note(template: str, rows: Sequence[Row]) -> str:
    macro = mean_of([_accuracy(journal) for journal in _by_journal(rows).values()])
    return f"template {template}: {len(rows)} issues, micro {number(_accuracy(rows))}, macro {number(macro)}"


def _error_notes(rows: Sequence[Row]) -> list[str]:
    return [f"errors in {row.issue}: {', '.join(map(_shown, row.mistakes))}" for row in rows if row.mistakes]


def _shown(mistake: Mistake) -> str:
    what = "false" if mistake.article else "missed"
    return f"{mistake.offset} {what}" + (" (the label is wrong)" if mistake.granted else "")

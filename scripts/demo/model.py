"""The truth files as the templates see them: journals, issues, articles and the address of every form."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PAGE_FORMS = ("abstract", "fulltext")
FORMS = (*PAGE_FORMS, "pdf", "supplement", "image")


@dataclass(frozen=True, kw_only=True)
class Article:
    """One article: its truth, its place in the issue and where each form is linked."""

    truth: Mapping[str, Any]
    number: int
    paths: Mapping[str, str]

    def __getattr__(self, name: str) -> Any:
        """Let templates read the truth's fields as attributes."""
        try:
            return self.truth[name]
        except KeyError:
            raise AttributeError(name) from None

    def quirk(self, form: str) -> str:
        """The quirk of a form, or nothing."""
        return next((q.partition(":")[0] for q in self.truth["quirks"] if q.partition(":")[2] == form), "")

    @property
    def best_page(self) -> str:
        """The form a title links to, or nothing where only a PDF exists."""
        return next((form for form in PAGE_FORMS if form in self.paths), "")


@dataclass(frozen=True, kw_only=True)
class Issue:
    """One issue: its truth, its address and its articles."""

    truth: Mapping[str, Any]
    path: str
    articles: tuple[Article, ...]

    def __getattr__(self, name: str) -> Any:
        """Let templates read the truth's fields as attributes."""
        try:
            return self.truth[name]
        except KeyError:
            raise AttributeError(name) from None

    @property
    def sections(self) -> list[tuple[str, list[Article]]]:
        """The articles under their headings, in the order of the contents."""
        groups: dict[str, list[Article]] = {}
        for article in self.articles:
            groups.setdefault(article.section, []).append(article)
        return list(groups.items())


def load_issues(folder: Path) -> tuple[Issue, ...]:
    """Read every truth file, in the order of their names."""
    files = sorted(folder.glob("*.json"))
    return tuple(make_issue(json.loads(file.read_text(encoding="utf-8"))) for file in files)


def make_issue(truth: Mapping[str, Any]) -> Issue:
    """Give an issue and its articles their addresses."""
    keys = _keys(truth)
    articles = tuple(
        Article(truth=article, number=number, paths=_paths(truth, key, _forms(article, number)))
        for number, (article, key) in enumerate(zip(truth["articles"], keys, strict=True), 1)
    )
    return Issue(truth=truth, path=_contents_path(truth), articles=articles)


def _contents_path(truth: Mapping[str, Any]) -> str:
    journal, volume, issue = truth["journal"]["id"], truth["volume"], truth["issue"]
    return {
        "table-2001": f"/{journal}/v{volume}n{issue}/index.htm",
        "highwire-2010": f"/{journal}/content/{volume}/{issue}.toc",
        "highwire-2010-b": f"/{journal}/archive/vol{volume}/iss{issue}/",
        "cards-2024": f"/{journal}/issue/{volume}/{issue}",
    }[truth["template"]]


def _keys(truth: Mapping[str, Any]) -> Iterable[str]:
    """What names each article in its addresses."""
    if truth["template"] == "table-2001":
        return [f"a{number:02}" for number in range(1, len(truth["articles"]) + 1)]
    if truth["template"] == "cards-2024":
        return [a["doi"].rpartition(".")[2] for a in truth["articles"]]
    seen: Counter[str] = Counter()
    keys = []
    for article in truth["articles"]:
        page = article["first_page"]
        seen[page] += 1
        # Two short pieces may begin on one page: the second gets a number of its own.
        keys.append(page if seen[page] == 1 else f"{page}.{seen[page]}")
    return keys


def _forms(article: Mapping[str, Any], number: int) -> set[str]:
    """The forms the truth names, the supplement its quirks ask for, and now and then a figure."""
    supplement = any("supplement" in quirk for quirk in article["quirks"])
    # Every third full text of some length shows a figure.
    figure = "fulltext" in article["forms"] and number % 3 == 1 and len(article["body"]) > 1
    return {*article["forms"], *(["supplement"] * supplement), *(["image"] * figure)}


def _paths(truth: Mapping[str, Any], article_key: str, forms: set[str]) -> dict[str, str]:
    journal, volume, issue = truth["journal"]["id"], truth["volume"], truth["issue"]
    old = f"/{journal}/v{volume}n{issue}/{article_key}"
    wire = f"/{journal}/content/{volume}/{issue}/{article_key}"
    archive = f"/{journal}/archive/vol{volume}/iss{issue}"
    card = f"/{journal}/article/{article_key}"
    paths = {
        "table-2001": (f"{old}.htm", f"{old}f.htm", f"{old}.pdf", f"{old}s.csv", f"{old}g1.png"),
        "highwire-2010": (
            f"{wire}.abstract",
            f"{wire}.full",
            f"{wire}.full.pdf",
            f"{wire}/DC1",
            f"{wire}/F1.png",
        ),
        "highwire-2010-b": tuple(
            f"{archive}/{shape.format(article_key)}"
            for shape in ("abs/{}", "full/{}", "reprint/{}.pdf", "data/{}.csv", "figures/{}-1.png")
        ),
        "cards-2024": (card, f"{card}/full", f"{card}/pdf", f"{card}/supplement", f"{card}/figure-1.png"),
    }[truth["template"]]
    return {form: path for form, path in zip(FORMS, paths, strict=True) if form in forms}

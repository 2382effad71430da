"""Generator of article pages with exact truth, on sites that are drawn from a grammar of layouts.

Every page of a site has its style; the truth of a page is what the page prints.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from training import article_words as words
from training.article_clutter import print_clutter
from training.article_people import print_people
from training.article_sources import print_citation, print_doi, print_head, print_history, print_journal
from training.article_styles import PageDraft, Site, draw_site
from training.article_texts import describe_article, print_abstract, print_body, print_keywords, print_references
from training.invented_records import Article, article_from_record

_OTHER_ARTICLES = 8  # articles beside that of the page: for its references, its boxes and the sentences of its body
_KICKER_PLACES = ("above_title", "below_title", "below_people")
# The parts of an article in the order that a site prints them.
_ORDERS: Mapping[str, tuple[str, ...]] = {
    "usual": ("journal", "type", "title", "people", "citation", "history", "doi", "abstract", "keywords", "body"),
    "cited_first": ("journal", "citation", "type", "title", "people", "doi", "history", "abstract", "keywords", "body"),
    "cited_last": ("journal", "title", "people", "abstract", "keywords", "body", "history", "citation", "doi"),
    "doi_first": ("doi", "journal", "citation", "title", "people", "keywords", "abstract", "history", "body"),
    "people_last": ("journal", "title", "citation", "abstract", "keywords", "people", "doi", "history", "body"),
    "title_twice": ("title", "journal", "citation", "type", "title", "people", "abstract", "keywords", "doi", "body"),
}


def invent_article_pages(
    records: Sequence[Mapping[str, Any]], *, sites: int, pages_per_site: int = 2, seed: int
) -> list[ReadPage]:
    """Print records on generated sites; the same arguments give the same pages.

    A record has `title`, `authors` (texts or `given` and `family`), `affiliations`, `links` (for each author the
    numbers of the affiliations), `abstract`, `sections` (label and text), `journal`, `volume`, `issue`, `first_page`,
    `last_page`, `date`, `doi`, `keywords` and `language`; all but the title and the authors may be missing. The truth
    has two fields beyond those that are scored: `people_notes`, the lines about people by kind, and `other_abstracts`.
    """
    draw = random.Random(f"{seed} records")  # noqa: S311  (no secret)
    pages = []
    for number in range(sites):
        site = draw_site(seed, number)
        for place in range(pages_per_site):
            chosen = draw.sample(records, min(len(records), _OTHER_ARTICLES + 1))
            article, *others = map(article_from_record, chosen)
            name = f"{site.name}_{place}"
            chance = random.Random(f"{seed} {name}")  # noqa: S311  (no secret)
            article = article._replace(title=_make_title(site, article, chance))
            pages.append(_print_page(PageDraft(site, article, others, chance), name))
    return pages


def _make_title(site: Site, article: Article, draw: random.Random) -> str:
    """Return the title of an article as a site prints it; one in the site's language is any phrase of that."""
    language = site.style.language
    own = site.style.title_language == "own" and language != "en"
    title = draw.choice(words.OTHER_TEXTS[language]).rstrip(".。") if own else article.title
    return title.upper() if site.style.title_case == "upper" else title


def _title_label(site: Site) -> str:
    return f"{words.TITLE_LABELS.get(site.style.language, 'Title')}: " if site.style.title_label == "run_in" else ""


def _print_page(page: PageDraft, name: str) -> ReadPage:
    site = page.site
    parts, truth = _print_parts(page)
    clutter = print_clutter(page) if site.style.frame == "site" else defaultdict(str)
    parts["people"] += clutter["middle"]
    content = "".join(parts[part] for part in _ORDERS[site.style.order]) + parts["end"]
    body = site.templates["page"].format(
        content=clutter["before"] + content + clutter["after"],
        **{slot: clutter[slot] for slot in ("top", "left", "right", "bottom")},
    )
    direction = ' dir="rtl"' if site.style.language in words.RIGHT_TO_LEFT else ""
    doctype = "<!DOCTYPE html>\n" if site.style.era != "tables" else ""
    text = f'{doctype}<html lang="{site.style.language}"{direction}>{print_head(site, page.article)}{body}</html>'
    return LabelledPage(
        id=name,
        body=text.encode(site.style.encoding, "xmlcharrefreplace"),
        truth=truth,
        url=f"https://{site.host}/article/{name}",
        layout=site.name,
    )


def _print_parts(page: PageDraft) -> tuple[dict[str, str], dict[str, Any]]:
    """The markup of each part of the article, and the truth of the page."""
    site, article, _, draw = page
    people = print_people(site, article, draw)
    abstract = print_abstract(page)
    keywords, terms = print_keywords(page)
    above, below, behind = _print_kicker(site, article, draw)
    sources = {
        "journal": print_journal(site, article),
        "citation": print_citation(site, article),
        "history": print_history(site, article, draw),
        "doi": print_doi(site, article),
    }
    parts = {
        "type": _print_type(site, draw),
        "title": above + site.put("title", escape(_title_label(site) + article.title), "title") + below,
        "people": people.front + behind,
        "abstract": abstract.markup,
        "keywords": keywords,
        "body": print_body(page),
        "end": people.end + _print_own_citation(site, article) + print_references(page),
        **{part: source.markup for part, source in sources.items()},
    }
    truth: dict[str, Any] = {
        "title": article.title,
        "authors": people.authors,
        "affiliations": people.affiliations,
        "abstract": abstract.text or None,
        "keywords": terms,
        "people_notes": people.notes,
        "other_abstracts": [abstract.other_text] if abstract.other_text else [],
    }
    for part, source in sources.items():
        truth |= source.fields if part in _ORDERS[site.style.order] else {}
    return parts, truth


def _print_type(site: Site, draw: random.Random) -> str:
    if site.style.article_type == "none":
        return ""
    text = escape(draw.choice(site.choices("type")))
    return site.put("line", site.put("bold", text) if site.style.article_type == "label" else text, "label")


def _print_kicker(site: Site, article: Article, draw: random.Random) -> tuple[str, str, str]:
    """Print a short line above the title, below it or below the people; empty where the site has none."""
    kind = draw.choice(site.choices("type"))
    day = f"{article.day[0]}" if article.day else ""
    text = draw.choice((draw.choice(words.KICKERS), kind, " — ".join(filter(None, (kind, article.volume, day)))))
    line = site.put("line", escape(text.upper() if site.style.kicker_case == "upper" else text), "label")
    above, below, behind = (line if site.style.kicker == place else "" for place in _KICKER_PLACES)
    return above, below, behind


def _print_own_citation(site: Site, article: Article) -> str:
    """Print how the article is to be cited, if the site does."""
    if site.style.people_again != "cite":
        return ""
    return site.put("line", f"{escape(site.labels['cite'])}: {escape(describe_article(article))}", "citation")

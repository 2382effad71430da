"""Prints where and when a generated article was published: citation line, history, DOI, journal; and head metadata."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

from training import article_words as words
from training.article_names import print_name
from training.article_styles import Site
from training.invented_records import Article, split_sentences


class PrintedSource(NamedTuple):
    """Markup and the fields that it prints."""

    markup: str
    fields: Mapping[str, str]


Tag = tuple[str, str]  # the name and the content of a meta tag
_FIELD_NAMES = ("journal", "volume", "issue", "year", "pages")
_LABELLED_FIELDS = ("volume", "issue", "year", "pages")


def print_citation(site: Site, article: Article) -> PrintedSource:
    """Print the citation line or its table; the form has only values that the article has."""
    style = site.style
    if style.citation == "none":
        return PrintedSource("", {})
    known = _citation_values(site, article)
    if style.citation == "fields":
        shown = [name for name in _LABELLED_FIELDS if known.get(name)]
        rows = "".join(f"<tr><td>{_field_label(site, name)}:</td><td>{escape(known[name])}</td></tr>" for name in shown)
        return PrintedSource(
            f"<table{site.name_attribute('citation')}>{rows}</table>", _true_fields(site, article, shown)
        )
    form = next((form for form in (style.citation_form, *words.FALLBACK_FORMS) if _has_values(form, known)), "")
    line = escape(form.format(**known))
    line += f" {escape(_doi_text(site, article))}" if style.doi == "with_citation" and article.doi else ""
    shown = [name for name in (*_FIELD_NAMES, "month") if f"{{{name}}}" in form]
    fields = dict(_true_fields(site, article, shown))
    if style.doi == "with_citation" and article.doi:
        fields["doi"] = article.doi
    return PrintedSource(
        site.put("line", site.put("bold", line) if style.citation == "bold" else line, "citation"), fields
    )


def _citation_values(site: Site, article: Article) -> dict[str, str]:
    month = _month_name(site, article.day[1]) if article.day else ""
    return {
        **{name: getattr(article, name) for name in ("journal", "volume", "issue")},
        "year": str(article.day[0]) if article.day else "",
        "month": month,
        "pages": _print_pages(site, article),
        **{f"{name}_label": site.labels[name] for name in ("volume", "issue", "pages")},
    }


def _month_name(site: Site, month: int) -> str:
    names = words.MONTHS.get(site.style.language)
    return names[month - 1] if names else f"{month:02}"


def _print_pages(site: Site, article: Article) -> str:
    first, last = article.first_page, article.last_page
    if not first or not last or first == last or site.style.page_range == "first":
        return first
    if site.style.page_range == "short" and len(first) == len(last):
        last = last[next(place for place, pair in enumerate(zip(first, last, strict=True)) if len(set(pair)) > 1) :]
    return f"{first}{'–' if site.style.page_range == 'dash' else '-'}{last}"


def _field_label(site: Site, name: str) -> str:
    return escape(site.labels.get(name, name.title()))


def _has_values(form: str, known: Mapping[str, str]) -> bool:
    return all(known[name] for _, name, _, _ in string.Formatter().parse(form) if name)


def _true_fields(site: Site, article: Article, shown: Iterable[str]) -> Mapping[str, str]:
    """The fields of the truth that stand for printed values."""
    out = {name: getattr(article, name) for name in shown if name in {"journal", "volume", "issue"}}
    if "pages" in shown:
        out["first_page"] = article.first_page
        out |= {} if site.style.page_range == "first" else {"last_page": article.last_page}
    if article.day and "year" in shown:
        months = site.style.language in words.MONTHS and "month" in shown
        out["date"] = f"{article.day[0]}-{article.day[1]:02}" if months else str(article.day[0])
    return out


def print_history(site: Site, article: Article, draw: random.Random) -> PrintedSource:
    """Print when the article was received, accepted and published."""
    style = site.style
    if style.history == "none" or article.day is None:
        return PrintedSource("", {})
    year, month, day = article.day
    earlier = (year - 1, draw.randint(1, 12), draw.randint(1, 28))
    accepted = (year, draw.randint(1, month), draw.randint(1, day))
    days = {"received": earlier, "accepted": accepted, "published": article.day}
    shown = [f"{escape(site.labels[name])}: {_print_day(site, when)}" for name, when in days.items()]
    printed = {
        "line": site.put("line", draw.choice(("; ", " | ", ", ", " / ")).join(shown), "history"),
        "lines": "".join(site.put("line", text, "history") for text in shown),
        "parentheses": site.put("line", f"({'; '.join(shown)})", "history"),
        "table": f"<table><tr>{''.join(f'<td>{text}</td>' for text in shown)}</tr></table>",
    }[style.history]
    return PrintedSource(printed, {"date": f"{year}-{month:02}-{day:02}"})


def _print_day(site: Site, day: tuple[int, int, int]) -> str:
    named = site.style.language in words.MONTHS
    form = site.style.date_form
    if not named and form not in words.DATE_FORMS_IN_NUMBERS:
        form = words.DATE_FORMS_IN_NUMBERS[0]
    month = _month_name(site, day[1])
    return form.format(y=day[0], m=day[1], d=day[2], M=month, A=month[:3])


def print_doi(site: Site, article: Article) -> PrintedSource:
    """Print the DOI on a line of its own."""
    if not article.doi or site.style.doi in {"none", "with_citation"}:
        return PrintedSource("", {})
    text = escape(_doi_text(site, article))
    link = f'<a href="https://doi.org/{escape(article.doi)}">{text}</a>'
    return PrintedSource(site.put("line", link if site.style.doi == "link" else text, "citation"), {"doi": article.doi})


def _doi_text(site: Site, article: Article) -> str:
    return site.style.doi_form.format(article.doi)


def print_journal(site: Site, article: Article) -> PrintedSource:
    """Print the name of the journal at the top: as a running line, in a path of links, as a logo or a header."""
    name, place = escape(article.journal), site.style.journal
    home = escape(site.labels["menu"])
    printed = {
        "running": site.put("line", name, "header"),
        "breadcrumb": site.put("line", f"<a href='/'>{home}</a> &gt; <a href='/j/'>{name}</a> &gt; {home}", "menu"),
        "logo": f'<a href="/"><img src="/i/logo.png" alt="{name}"></a>',
        "header": site.put("box", f"<a href='/'>{name}</a>", "header"),
    }.get(place, "")
    return PrintedSource(printed, {"journal": article.journal} if printed or place == "title" else {})


def print_head(site: Site, article: Article) -> str:
    """Print the head: the title element and the metadata, which may be partial or wrong."""
    by_journal = {
        "title": f"{article.title} | {article.journal}",
        "running": article.title,
        "logo": f"{site.publisher}: {article.title}",
    }
    by_tab = {
        "journal": article.journal,
        "issue": f"{article.journal} {article.volume}: {article.first_page}",
        "site": site.publisher,
    }
    title = escape(by_tab.get(site.style.tab) or by_journal.get(site.style.journal, site.publisher))
    return f'<head><meta charset="{site.style.encoding}"><title>{title}</title>{_print_metadata(site, article)}</head>'


def _print_metadata(site: Site, article: Article) -> str:
    values = _METADATA_CHANGES[site.style.metadata_quality](site, article, _metadata_values(article))
    tags = _METADATA_FORMS.get(site.style.metadata)
    if site.style.metadata == "json":
        return f'<script type="application/ld+json">{json.dumps(_json_metadata(values))}</script>'
    if tags is None:
        return ""
    key = "property" if site.style.metadata == "social" else "name"
    return "".join(f'<meta {key}="{name}" content="{escape(text)}">' for name, text in tags(values) if text)


def _metadata_values(article: Article) -> dict[str, Any]:
    return {
        "title": article.title,
        "authors": [print_name(person, "given_family") for person in article.people],
        "institutions": list(article.places),
        "abstract": article.abstract,
        **{name: getattr(article, name) for name in ("journal", "volume", "issue", "first_page", "last_page", "doi")},
        "date": f"{article.day[0]}/{article.day[1]:02}/{article.day[2]:02}" if article.day else "",
    }


_METADATA_CHANGES: Mapping[str, Callable[[Site, Article, dict[str, Any]], dict[str, Any]]] = {
    "right": lambda _site, _article, values: values,
    "no_people": lambda _site, _article, values: {**values, "authors": [], "institutions": []},
    "no_abstract": lambda _site, _article, values: {**values, "abstract": "", "institutions": []},
    "site_title": lambda site, _article, values: {**values, "title": site.publisher, "abstract": site.publisher},
    "one_tag": lambda _site, _article, values: {
        **values,
        "authors": [", ".join(values["authors"])],
        "institutions": [],
    },
    "first_author": lambda _site, _article, values: {**values, "authors": values["authors"][:1]},
    "but_last": lambda _site, _article, values: {
        **values,
        "authors": values["authors"][:-1],
        "institutions": values["institutions"][:-1],
    },
    "first_sentence": lambda _site, article, values: {
        **values,
        "abstract": (split_sentences(article.abstract) or [""])[0],
    },
}


def _highwire_tags(values: Mapping[str, Any]) -> list[Tag]:
    tags = [("citation_title", values["title"]), ("citation_journal_title", values["journal"])]
    tags += [("citation_author", name) for name in values["authors"]]
    tags += [("citation_author_institution", place) for place in values["institutions"]]
    names = {"volume": "volume", "issue": "issue", "first_page": "firstpage", "last_page": "lastpage", "doi": "doi"}
    tags += [(f"citation_{name}", values[field]) for field, name in names.items()]
    return [*tags, ("citation_publication_date", values["date"]), ("citation_abstract", values["abstract"])]


def _dublin_tags(values: Mapping[str, Any]) -> list[Tag]:
    tags = [("DC.Title", values["title"]), *(("DC.Creator", name) for name in values["authors"])]
    tags += [("DC.Description", values["abstract"]), ("DC.Source", values["journal"])]
    return [*tags, ("DC.Date", values["date"].replace("/", "-")), ("DC.Identifier", values["doi"])]


def _social_tags(values: Mapping[str, Any]) -> list[Tag]:
    return [("og:title", values["title"]), ("og:description", values["abstract"]), ("og:type", "article")]


def _description_tags(values: Mapping[str, Any]) -> list[Tag]:
    return [
        ("description", values["abstract"][:160]),
        ("author", "; ".join(values["authors"])),
        ("keywords", "journal"),
    ]


_METADATA_FORMS: Mapping[str, Callable[[Mapping[str, Any]], list[Tag]]] = {
    "highwire": _highwire_tags,
    "dublin": _dublin_tags,
    "social": _social_tags,
    "description": _description_tags,
}


def _json_metadata(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "headline": values["title"],
        "author": [{"@type": "Person", "name": name} for name in values["authors"]],
        "description": values["abstract"],
        "datePublished": values["date"].replace("/", "-"),
        "isPartOf": {"@type": "Periodical", "name": values["journal"]},
    }

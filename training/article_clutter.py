"""Prints what surrounds a generated article: menus, boxes, lists of other articles, footers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from html import escape

from training import article_words as words
from training.article_labels import LABELS
from training.article_names import print_name
from training.article_styles import PageDraft, Site
from training.article_texts import describe_article, draw_phrases

_OTHER_NAMES = 3  # of a related article
_NO_ACCESS_SHARE = 0.5  # of the pages with a login box that do not say who pays


def print_clutter(page: PageDraft) -> Mapping[str, str]:
    """Print the boxes of a site in the slots of its page; `middle` follows the people."""
    site = page.site
    slots = dict.fromkeys(("top", "left", "right", "before", "middle", "after", "bottom"), "")
    for kind in site.clutter:
        slot = site.slots[kind]
        slots[slot] += _PRINTERS[kind](page)
    slots["bottom"] += _print_footer(site, page.draw)
    return slots


def _boxed(site: Site, label: str, content: str) -> str:
    heading = site.put("subheading", escape(site.labels[label]), "label")
    return site.put("aside", heading + content, "box")


def _print_menu(page: PageDraft) -> str:
    site = page.site
    entries = [f'<a href="/{number}">{escape(text)}</a>' for number, text in enumerate(site.choices("menu"))]
    if site.style.era in {"tables", "static"}:
        return site.put("menu", " | ".join(entries), "menu")
    return site.put("menu", f"<ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul>", "menu")


def _print_breadcrumb(page: PageDraft) -> str:
    site = page.site
    steps = [*site.choices("menu")[:3], page.article.title]
    return site.put("line", " &gt; ".join(escape(step) for step in steps), "menu")


def _print_related(page: PageDraft) -> str:
    site = page.site
    items = []
    for other in page.others[:4]:
        names = ", ".join(print_name(person, site.style.name_form) for person in other.people[:_OTHER_NAMES])
        title = f'<a href="/a/{len(other.title)}">{escape(other.title)}</a>'
        items.append(site.put("item", f"{title}<br>{escape(names)}", "line"))
    return _boxed(site, "related", f"<ul>{''.join(items)}</ul>")


def _print_most_read(page: PageDraft) -> str:
    site = page.site
    items = "".join(f"<li>{escape(describe_article(other))}</li>" for other in page.others[-4:])
    return _boxed(site, "most_read", f"<ol>{items}</ol>")


def _print_metrics(page: PageDraft) -> str:
    site = page.site
    lines = page.draw.sample(words.METRIC_LINES, 3)
    return _boxed(
        site, "metrics", "".join(site.put("line", line.format(page.draw.randint(2, 9000)), "line") for line in lines)
    )


def _print_share(page: PageDraft) -> str:
    site = page.site
    links = (f'<a href="https://{word.split()[0].lower()}.example/s">{word}</a>' for word in words.SOCIAL_WORDS)
    return _boxed(site, "share", site.put("line", " ".join(links), "line"))


def _print_cookies(page: PageDraft) -> str:
    site = page.site
    return site.put("aside", f"{escape(site.labels['cookies'])} <button>OK</button>", "panel")


def _print_comments(page: PageDraft) -> str:
    site = page.site
    names = [f"{page.draw.choice(words.GIVENS)} {page.draw.choice(words.FAMILIES)}" for _ in range(2)]
    lines = (f"{site.put('bold', name)}: Thank you for this article, it was useful." for name in names)
    return _boxed(site, "comments", "".join(site.put("text", line, "line") for line in lines))


def _print_languages(page: PageDraft) -> str:
    site = page.site
    language = page.draw.choice([language for language in words.OTHER_TEXTS if language != site.style.language])
    return _boxed(site, "other", f'<a href="/{language}/">{escape(words.OTHER_TEXTS[language][0])}</a>')


def _print_licence(page: PageDraft) -> str:
    site = page.site
    return site.put("aside", f"© {escape(site.publisher)}. {escape(site.labels['licence'])}", "note")


def _print_login(page: PageDraft) -> str:
    site = page.site
    name, password = site.choices("login")[2:4]
    fields = f"<label>{escape(name)}</label><input><label>{escape(password)}</label><input>"
    form = f"<form>{fields}<button>{escape(site.choices('login')[0])}</button></form>"
    return _boxed(site, "login", form + _print_access(page))


def _print_access(page: PageDraft) -> str:
    """Print through which institution the reader has access, on some pages."""
    places = [place for other in page.others for place in other.places]
    if not places or page.draw.random() < _NO_ACCESS_SHARE:
        return ""
    return page.site.put(
        "line", escape(page.draw.choice(words.ACCESS_LINES).format(page.draw.choice(places))), "access"
    )


def _print_search(page: PageDraft) -> str:
    site = page.site
    return f'<form action="/search"><input name="q"><button>{escape(site.labels["search"])}</button></form>'


def _print_advertisement(page: PageDraft) -> str:
    site = page.site
    return site.put("aside", "<br>".join(page.draw.sample(words.ADVERTISEMENTS, 2)), "box")


def _print_board(page: PageDraft) -> str:
    site = page.site
    people = [
        f"{page.draw.choice(words.GIVENS)} {page.draw.choice(words.FAMILIES)}" for _ in range(page.draw.randint(2, 6))
    ]
    lines = (f"{person}, University Hospital, {page.draw.choice(words.TOWNS)}" for person in people)
    return _boxed(site, "board", "".join(site.put("line", escape(line), "line") for line in lines))


def _print_contents(page: PageDraft) -> str:
    site = page.site
    entries = (*site.choices("abstract")[:1], *site.choices("headings"), site.labels["references"])
    items = "".join(f'<li><a href="#s{number}">{escape(entry)}</a></li>' for number, entry in enumerate(entries))
    return _boxed(site, "contents", f"<ul>{items}</ul>")


def _print_downloads(page: PageDraft) -> str:
    site = page.site
    links = (f'<a href="/d/{number}">{escape(text)}</a>' for number, text in enumerate(site.choices("pdf")))
    return site.put("aside", "<br>".join(links), "box")


def _print_language_list(page: PageDraft) -> str:
    site = page.site
    names = page.draw.sample(tuple(LABELS), 3)
    return site.put("line", " | ".join(f'<a href="/{name}/">{name.upper()}</a>' for name in names), "menu")


def _print_tabs(page: PageDraft) -> str:
    site = page.site
    texts = (site.labels["abstract"], site.choices("pdf")[-1], site.labels["references"], site.labels["metrics"])
    return f"<ul>{''.join(f'<li><a>{escape(text)}</a></li>' for text in texts)}</ul>"


def _print_running_head(page: PageDraft) -> str:
    first = page.article.people[0].family
    return page.site.put("line", escape(f"{first} et al. — {' '.join(page.article.title.split()[:5])}"), "header")


def _print_actions(page: PageDraft) -> str:
    site = page.site
    texts = draw_phrases(page.draw, words.ACTION_VERBS, words.ACTION_NOUNS, page.draw.randint(3, 9))
    links = [f"<a href='/x'>{text}</a>" for text in texts]
    if site.style.era in {"tables", "static"}:
        return site.put("aside", "<br>".join(links), "box")
    return site.put("aside", f"<ul>{''.join(f'<li>{link}</li>' for link in links)}</ul>", "box")


def _print_subjects(page: PageDraft) -> str:
    site = page.site
    names = draw_phrases(page.draw, words.SUBJECT_KINDS, words.SUBJECT_FIELDS, page.draw.randint(1, 4))
    return site.put(
        "box", "".join(site.put("line", f"<a href='/s'>{escape(name)}</a>", "line") for name in names), "box"
    )


def _print_help(page: PageDraft) -> str:
    return page.site.put("aside", page.site.put("text", page.draw.choice(words.HELP_TEXTS), "line"), "panel")


def _print_citation_forms(page: PageDraft) -> str:
    """Print how to cite the article in several styles; each names its people, and some its publisher's town."""
    site, article, draw = page.site, page.article, page.draw
    year, names = article.day[0] if article.day else "", article.people[:4]
    initials, families = ([print_name(one, form) for one in names] for form in ("initials_family", "family_initials"))
    place = f"{article.journal}, vol. {article.volume}, pp. {article.first_page}-{article.last_page}"
    forms = (
        f'[1] {" and ".join(initials)}, "{article.title}", {place}, {year}.',
        f"{', '.join(families)} ({year}). {article.title}. {article.journal}, {article.volume}, {article.first_page}.",
        f"{', '.join(families)}, {year}. {article.title}. {place}. {site.publisher}, {draw.choice(words.TOWNS)}.",
        f'{"; ".join(families)}. "{article.title}." {article.journal} {article.volume} ({year}).',
    )
    lines = draw.sample(forms, draw.randint(2, len(forms)))
    return _boxed(site, "cite", f"<ul>{''.join(site.put('item', escape(line), 'citation') for line in lines)}</ul>")


def _print_reviewers(page: PageDraft) -> str:
    """Print who reviewed the article, with affiliations like those of its authors."""
    site, draw = page.site, page.draw
    places = [place for other in page.others for place in other.places] or [site.publisher]
    names = [f"{draw.choice(words.GIVENS)} {draw.choice(words.FAMILIES)}" for _ in range(draw.randint(1, 3))]
    lines = (site.put("line", escape(f"{name}, {draw.choice(places)}"), "line") for name in names)
    return site.put(
        "aside", site.put("subheading", draw.choice(words.REVIEWER_HEADINGS), "label") + "".join(lines), "box"
    )


_PRINTERS: Mapping[str, Callable[[PageDraft], str]] = {
    "menu": _print_menu,
    "breadcrumb": _print_breadcrumb,
    "related": _print_related,
    "most_read": _print_most_read,
    "metrics": _print_metrics,
    "share": _print_share,
    "cookies": _print_cookies,
    "comments": _print_comments,
    "languages": _print_languages,
    "licence": _print_licence,
    "login": _print_login,
    "search": _print_search,
    "advertisement": _print_advertisement,
    "board": _print_board,
    "contents": _print_contents,
    "downloads": _print_downloads,
    "language_list": _print_language_list,
    "tabs": _print_tabs,
    "actions": _print_actions,
    "subjects": _print_subjects,
    "help": _print_help,
    "running_head": _print_running_head,
    "citation_forms": _print_citation_forms,
    "reviewers": _print_reviewers,
}


def _print_footer(site: Site, draw: random.Random) -> str:
    address = f"{draw.randint(1, 200)} {draw.choice(words.STREETS)}, {draw.choice(words.TOWNS)}"
    lines = (
        f"© {draw.randint(1998, 2026)} {site.publisher}",
        f"{site.publisher}, {address}. {site.labels['email']}: office@{site.host[4:]}",
        f"ISSN {draw.randint(1000, 2999)}-{draw.randint(1000, 9999)}",
    )
    shown = "".join(site.put("line", escape(line), "footer") for line in lines[: draw.randint(1, 3)])
    return site.put("aside", shown, "footer")

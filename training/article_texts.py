"""Prints the texts of a generated article: abstract, keywords, body and references."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from training import article_words as words
from training.article_labels import LABELS
from training.article_names import print_name
from training.article_styles import PageDraft, Site
from training.invented_records import Article, abstract_without_labels, split_sentences
from training.invented_words import TOPIC_WORDS


class PrintedAbstract(NamedTuple):
    """The markup of an abstract, its text, and the text in another language; empty if it prints nothing."""

    markup: str = ""
    text: str = ""
    other_text: str = ""


# The beginnings of English section labels, in the order of the label `sections` of every language.
_SECTION_STARTS = (
    *(("backg", "intro", "context"), ("objec", "aim", "purpo", "goal"), ("meth", "mater", "desig", "patie")),
    *(("result", "findi"), ("concl", "inter", "discu"), ("setti",)),
)
_FIGURE = '<div><img src="/i/f1.jpg" alt="{0}"><p>{0}</p></div>'
_MIN_OTHER_SENTENCES = 3  # of an abstract in another language
_START_PARAGRAPHS, _FULL_PARAGRAPHS = 2, 9


def print_abstract(page: PageDraft) -> PrintedAbstract:
    """Print the abstract with its label, the abstract in another language, and what stands beside them."""
    site, article, _, draw = page
    style = site.style
    if style.abstract == "absent" or not article.abstract:
        return PrintedAbstract()
    parts = _label_sections(site, article)
    other_language = _choose_other_language(site, article, draw)
    language = article.language if other_language == style.language else style.language
    printed = site.put("box", _print_labelled(site, parts, _abstract_label(site, language)), "abstract")
    beside = _BESIDE_ABSTRACT[style.beside_abstract](page)
    other, other_text = _print_other_abstract(site, other_language, draw)
    text = " ".join(f"{label}: {text}" if label else text for label, text in parts)
    if style.other_abstract == "none":
        return PrintedAbstract(printed + beside, text)
    markup = other + printed + beside if style.other_abstract == "before" else printed + beside + other
    return PrintedAbstract(markup, text, other_text)


def _choose_other_language(site: Site, article: Article, draw: random.Random) -> str:
    """The language of the second abstract: that of the site if the article has another, else any."""
    if site.style.language != article.language:
        return site.style.language
    return draw.choice([language for language in words.OTHER_TEXTS if language != article.language])


def _abstract_label(site: Site, language: str) -> str:
    """The label of an abstract; with a second abstract on the page, it is in the language of the text."""
    if site.style.other_abstract == "none" or language == site.style.language or language not in LABELS:
        return site.labels["abstract"]
    return LABELS[language]["abstract"][0]


def _label_sections(site: Site, article: Article) -> list[tuple[str, str]]:
    """The parts of an abstract with their labels as the site prints them."""
    style = site.style
    if not article.sections or style.abstract_sections == "flat":
        return [("", abstract_without_labels(article))]
    labels = [_translate_section(site, label) for label, _ in article.sections]
    shown = [label.upper() if style.section_label == "capitals" else label.capitalize() for label in labels]
    return [(label, text) for label, (_, text) in zip(shown, article.sections, strict=True)]


def _translate_section(site: Site, label: str) -> str:
    """The label of a section in the language of the site, if it is a usual one."""
    names = LABELS[site.style.language]["sections"]
    if site.style.language == "en":
        return label
    return next(
        (name for name, starts in zip(names, _SECTION_STARTS, strict=True) if label.lower().startswith(starts)), label
    )


def _print_labelled(site: Site, parts: Sequence[tuple[str, str]], label: str) -> str:
    """Print an abstract and its label: on a line of its own, or in the line where the text begins."""
    kind = site.style.abstract_label
    run_in = _RUN_IN_LABELS.get(kind, "").format(site.put("bold", escape(label)), escape(label))
    text = _SECTION_PRINTERS[site.style.abstract_sections](site, parts, run_in)
    return _LABEL_PRINTERS.get(kind, _print_no_label)(site, escape(label)) + text


_RUN_IN_LABELS = {"run_in_dash": "{0}— ", "run_in_colon": "{0}: ", "run_in_stop": "{1}. ", "glued": "{0} "}


def _print_no_label(_: Site, _label: str) -> str:
    return ""


_LABEL_PRINTERS: Mapping[str, Callable[[Site, str], str]] = {
    "heading": lambda site, label: site.put("heading", label, "label"),
    "subheading": lambda site, label: site.put("subheading", label, "label"),
    "bold_line": lambda site, label: site.put("line", site.put("bold", label), "label"),
    "line": lambda site, label: site.put("line", label, "label"),
}


def _print_paragraphs(site: Site, parts: Sequence[tuple[str, str]], run_in: str) -> str:
    """Print each part as a paragraph that begins with its label in bold."""
    out = []
    for number, (label, text) in enumerate(parts):
        start = (run_in if number == 0 else "") + (f"{site.put('bold', escape(label))}: " if label else "")
        out.append(site.put("text", start + escape(text), "section"))
    return "".join(out)


def _print_headings(site: Site, parts: Sequence[tuple[str, str]], run_in: str) -> str:
    if len(parts) == 1:
        return _print_paragraphs(site, parts, run_in)
    pairs = (
        site.put("subheading", escape(label), "label") + site.put("text", escape(text), "section")
        for label, text in parts
    )
    return run_in + "".join(pairs)


def _print_definitions(site: Site, parts: Sequence[tuple[str, str]], run_in: str) -> str:
    if len(parts) == 1:
        return _print_paragraphs(site, parts, run_in)
    pairs = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in parts)
    return f"{run_in}<dl{site.name_attribute('section')}>{pairs}</dl>"


def _print_block(site: Site, parts: Sequence[tuple[str, str]], run_in: str) -> str:
    """Print all parts in one paragraph, with line breaks between them."""
    lines = (f"{site.put('bold', escape(label))}: {escape(text)}" if label else escape(text) for label, text in parts)
    return site.put("text", run_in + "<br>".join(lines), "section")


_SECTION_PRINTERS: Mapping[str, Callable[[Site, Sequence[tuple[str, str]], str], str]] = {
    "bold_paragraphs": _print_paragraphs,
    "flat": _print_paragraphs,
    "headings": _print_headings,
    "definitions": _print_definitions,
    "block": _print_block,
}


def _print_other_abstract(site: Site, language: str, draw: random.Random) -> tuple[str, str]:
    """Print the title and the abstract in another language; also return the text."""
    title, *sentences = words.OTHER_TEXTS[language]
    text = " ".join(sentences[: draw.randint(_MIN_OTHER_SENTENCES, len(sentences))])
    heading = site.put("subheading", escape(title), "label") if draw.random() < 0.5 else ""  # noqa: PLR2004  (a coin)
    keywords = f"{LABELS[language]['keywords'][0]}: {', '.join(draw.sample(TOPIC_WORDS, 3))}"
    printed = _print_labelled(site, [("", text)], LABELS[language]["abstract"][0])
    return site.put("box", heading + printed + site.put("line", escape(keywords), "keywords"), "abstract"), text


def _print_highlights(page: PageDraft) -> str:
    site = page.site
    sentences = [
        page.draw.choice(split_sentences(abstract_without_labels(other))) for other in page.others[:3] if other.abstract
    ]
    items = "".join(site.put("item", escape(text), "line") for text in sentences)
    return (
        site.put("heading", page.draw.choice(("Highlights", "Key points", "What this study adds")), "label")
        + f"<ul>{items}</ul>"
    )


def _print_copyright(page: PageDraft) -> str:
    site = page.site
    return site.put(
        "line", f"© {page.draw.randint(1995, 2025)} {escape(site.publisher)}. {escape(site.labels['licence'])}", "note"
    )


def _print_links(page: PageDraft) -> str:
    site = page.site
    links = (f"<a href='/get/{number}'>{escape(text)}</a>" for number, text in enumerate(site.choices("pdf")))
    return site.put("line", " | ".join(links), "box")


def _print_figure(page: PageDraft) -> str:
    return _FIGURE.format(page.draw.choice(words.CAPTIONS))


def _print_plain_summary(page: PageDraft) -> str:
    site = page.site
    heading = site.put(
        "heading", page.draw.choice(("Plain language summary", "Author summary", "Significance")), "label"
    )
    sentences = [
        page.draw.choice(split_sentences(abstract_without_labels(other))) for other in page.others[:4] if other.abstract
    ]
    return heading + site.put("text", escape(" ".join(sentences)), "section")


_BESIDE_ABSTRACT: Mapping[str, Callable[[PageDraft], str]] = {
    "none": lambda _: "",
    "highlights": _print_highlights,
    "copyright": _print_copyright,
    "links": _print_links,
    "figure": _print_figure,
    "plain_summary": _print_plain_summary,
    "disclaimer": lambda page: page.site.put("text", escape(words.DISCLAIMERS[page.site.style.language]), "note"),
}


def print_keywords(page: PageDraft) -> tuple[str, list[str]]:
    """Print the keywords, invented ones if the article has none; also return them."""
    site, article, _, draw = page
    style = site.style
    if style.keywords == "none":
        return "", []
    terms = list(article.keywords) or draw.sample(TOPIC_WORDS, draw.randint(3, 6))
    label, listed = escape(site.labels["keywords"]), escape(draw.choice((", ", "; ", " · ")).join(terms))
    headed = site.put("subheading", label, "label")
    items = f"<ul{site.name_attribute('keywords')}>{''.join(f'<li>{escape(term)}</li>' for term in terms)}</ul>"
    return {
        "run_in": site.put("line", f"{site.put('bold', label)}: {listed}", "keywords"),
        "inside": site.put("text", f"{label}: {listed}", "abstract"),
        "heading": headed + site.put("line", listed, "keywords"),
        "items": headed + items,
    }[style.keywords], terms


def print_body(page: PageDraft) -> str:
    """Print sections of an article, from sentences of other articles."""
    site, _, others, draw = page
    if site.style.body == "none" and site.style.abstract == "shown":
        return ""
    sentences = [sentence for other in others for sentence in split_sentences(abstract_without_labels(other))]
    count = _START_PARAGRAPHS if site.style.body == "start" else _FULL_PARAGRAPHS
    headings = site.choices("headings")
    out = []
    for number in range(count if sentences else 0):
        if number % 2 == 0:
            heading = headings[number // 2 % len(headings)]
            numbered = f"{number // 2 + 1}. {heading}" if site.style.body_numbers == "yes" else heading
            out.append(site.put("heading", escape(numbered), "label"))
        chosen = draw.sample(sentences, min(len(sentences), draw.randint(2, 7)))
        out.append(site.put("text", escape(" ".join(chosen)), "section"))
        out.append(_BODY_EXTRAS[site.style.body_extras](draw, chosen[0]) if number % 3 == 0 else "")
    return site.put("box", "".join(out), "body")


def _print_captioned_figure(draw: random.Random, sentence: str) -> str:
    texts = draw_phrases(draw, words.ACTION_VERBS, words.ACTION_NOUNS, 2)
    tools = "".join(f"<li><a>{text}</a></li>" for text in texts)
    return f"<div><img src='/i/f.jpg'><p>{draw.choice(words.CAPTIONS)}. {escape(sentence)}</p><ul>{tools}</ul></div>"


def _print_table(draw: random.Random, _: str) -> str:
    rows = ("".join(f"<td>{cell}</td>" for cell in draw.sample(words.TABLE_CELLS, 3)) for _row in range(4))
    return f"<table><tr>{'</tr><tr>'.join(rows)}</tr></table>"


def _print_section_links(draw: random.Random, _: str) -> str:
    texts = draw_phrases(draw, words.ACTION_VERBS, words.ACTION_NOUNS, 2)
    return f"<div>{' '.join(f'<a>{text}</a>' for text in texts)}</div>"


_BODY_EXTRAS: Mapping[str, Callable[[random.Random, str], str]] = {
    "none": lambda _draw, _sentence: "",
    "figures": _print_captioned_figure,
    "tables": _print_table,
    "navigation": _print_section_links,
}


def print_references(page: PageDraft) -> str:
    """Print other articles as references."""
    site, others = page.site, page.others
    if site.style.references == "none" or not others:
        return ""
    lines = [escape(describe_article(other)) + _print_reference_links(page) for other in others]
    heading = site.put("heading", escape(site.labels["references"]), "label")
    if site.style.references == "list":
        return heading + f"<ol{site.name_attribute('references')}>{''.join(f'<li>{line}</li>' for line in lines)}</ol>"
    return heading + "".join(site.put("line", f"{n}. {line}", "references") for n, line in enumerate(lines, 1))


def _print_reference_links(page: PageDraft) -> str:
    links = page.draw.sample(words.REFERENCE_LINKS, 2)
    return {
        "none": "",
        "inline": f" {' '.join(links)}",
        "items": f"<ul>{''.join(f'<li><a>{link}</a></li>' for link in links)}</ul>",
    }[page.site.style.reference_links]


def draw_phrases(draw: random.Random, first: Sequence[str], second: Sequence[str], count: int) -> list[str]:
    """Draw phrases of two words."""
    return [f"{draw.choice(first)} {draw.choice(second)}" for _ in range(count)]


def describe_article(article: Article) -> str:
    """The usual reference to an article: people, title, journal, year, volume, pages."""
    people = ", ".join(print_name(person, "family_initials") for person in article.people[:6])
    year = article.day[0] if article.day else ""
    pages = f"{article.first_page}-{article.last_page}"
    return f"{people}. {article.title}. {article.journal}. {year};{article.volume}:{pages}."

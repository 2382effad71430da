"""How a generated site prints its articles: every choice of a style, and the drawing of a site from them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from html import escape
from typing import NamedTuple

from training import article_words as words
from training.article_labels import LABELS
from training.article_markup import ERA_TEMPLATES, HIDDEN_FORMS, UTILITY_CLASSES
from training.invented_records import Article


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteStyle:
    """The choices of a site; `STYLE_OPTIONS` has the values of each."""

    era: str
    class_names: str
    encoding: str
    microdata: str
    language: str
    order: str
    title_case: str
    byline: str
    byline_label: str
    separator: str
    name_form: str
    name_link: str
    honorific: str
    degree: str
    badge: str
    button: str
    card_line: str
    marker_kind: str
    marker_form: str
    marks_of_single_place: str
    places: str
    place_label: str
    place_marker: str
    place_mail: str
    correspondence: str
    people_note: str
    people_again: str
    abstract: str
    abstract_label: str
    abstract_sections: str
    section_label: str
    other_abstract: str
    beside_abstract: str
    keywords: str
    citation: str
    citation_form: str
    page_range: str
    journal: str
    history: str
    date_form: str
    doi: str
    doi_form: str
    body: str
    body_numbers: str
    references: str
    reference_links: str
    body_extras: str
    metadata: str
    metadata_quality: str
    article_type: str
    byline_element: str
    kicker: str
    kicker_case: str
    tab: str
    title_language: str
    place_glue: str
    title_label: str
    frame: str


# An option that is written several times is drawn more often.
STYLE_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "era": ("today", "today", "utility", "divisions", "divisions", "tables", "tables", "static", "plain"),
    "class_names": ("meaningful", "meaningful", "meaningful", "prefixed", "prefixed", "random", "absent"),
    "encoding": (*("utf-8",) * 5, "iso-8859-1", "windows-1252"),
    "microdata": (*("no",) * 6, "yes"),
    "language": (*("en",) * 14, *tuple(LABELS)[1:]),
    "order": (
        *("usual",) * 5,
        *("cited_first", "cited_first", "cited_last", "doi_first", "people_last", "title_twice"),
    ),
    "title_case": (*("as_is",) * 9, "upper"),
    "byline": (
        *("line",) * 7,
        *("items", "items", "lines", "lines", "rows", "cards", "cards", "prose", "with_place", "with_place", "groups"),
    ),
    "byline_label": ("none", "none", "none", "none", "run_in", "heading"),
    "separator": (
        *(
            "comma",
            "comma",
            "comma",
            "comma_and",
            "comma_and",
            "semicolon",
            "and",
            "dot",
            "spaces",
            "slash",
            "ideographic",
        ),
    ),
    "name_form": (
        *("given_family",) * 6,
        *("initials_family", "family_initials", "family_initials", "family_comma_given", "upper_family_given"),
        *("given_upper_family", "upper"),
    ),
    "name_link": ("no", "no", "yes"),
    "honorific": (*("no",) * 12, "yes"),
    "degree": (*("no",) * 7, "comma", "comma", "own_line", "unmarked", "small", "parentheses"),
    "badge": (*("no",) * 5, "orcid_icon", "orcid_text", "mail_icon", "mail_text", "role", "link_text"),
    "button": (*("no",) * 5, "show_all", "show_all_aside", "short_list"),
    "card_line": ("", "", "", *words.CARD_LINES),
    "marker_kind": ("number", "number", "number", "letter", "letter", "symbol", "roman", "none", "none"),
    "marker_form": ("sup", "sup", "sup", "sup_link", "parentheses", "brackets", "glued", "sup_parentheses", "spaced"),
    "marks_of_single_place": ("no", "no", "yes"),
    "places": (
        *("below",) * 5,
        *(
            "list",
            "paragraph",
            "paragraph",
            "table",
            "prose",
            "panel",
            "panel",
            "popup",
            "popup",
            "popup_inside",
            "end",
            "end",
        ),
        *("footnote", "twice", "none"),
    ),
    "place_label": ("none", "none", "run_in", "heading"),
    "place_marker": ("sup", "sup", "plain", "dot", "parentheses", "brackets", "glued", "spaced_sup"),
    "place_mail": (*("no",) * 6, "yes"),
    "correspondence": ("none", "none", "below", "below", "star", "end", "heading"),
    "people_note": (*("none",) * 4, "present_address", "editor", "editor_name", "equal"),
    "people_again": (*("none",) * 4, "about", "cite", "cite"),
    "abstract": (*("shown",) * 12, "absent"),
    "abstract_label": (
        *("heading",) * 4,
        *(
            "subheading",
            "bold_line",
            "bold_line",
            "line",
            "run_in_dash",
            "run_in_colon",
            "run_in_stop",
            "none",
            "glued",
            "none",
            "none",
        ),
    ),
    "abstract_sections": ("bold_paragraphs", "bold_paragraphs", "headings", "headings", "definitions", "block", "flat"),
    "section_label": ("as_is", "capitals", "capitals"),
    "other_abstract": (*("none",) * 6, "before", "after", "after"),
    "beside_abstract": (*("none",) * 5, "highlights", "copyright", "links", "figure", "plain_summary", "disclaimer"),
    "keywords": ("none", "none", "run_in", "run_in", "heading", "items", "inside"),
    "citation": ("line", "line", "line", "bold", "fields", "none"),
    "citation_form": words.CITATION_FORMS,
    "page_range": ("hyphen", "hyphen", "dash", "dash", "short", "first"),
    "journal": ("running", "running", "breadcrumb", "logo", "title", "header", "none"),
    "history": ("none", "none", "line", "line", "lines", "parentheses", "table"),
    "date_form": words.DATE_FORMS,
    "doi": ("none", "line", "line", "link", "with_citation"),
    "doi_form": words.DOI_FORMS,
    "body": ("none", "none", "full", "full", "full", "start"),
    "body_numbers": ("no", "no", "yes"),
    "references": ("none", "list", "list", "paragraphs"),
    "reference_links": ("none", "none", "inline", "items"),
    "body_extras": ("none", "figures", "tables", "navigation"),
    "metadata": ("none", "none", "none", "highwire", "highwire", "dublin", "json", "social", "description"),
    "metadata_quality": (
        *("right", "right", "right", "no_people", "no_abstract", "site_title", "one_tag", "first_author"),
        *("first_sentence", "but_last", "but_last"),
    ),
    "article_type": ("none", "none", "line", "label"),
    "byline_element": (*("line",) * 8, "subheading"),
    "kicker": (*("none",) * 5, "above_title", "below_title", "below_people"),
    "kicker_case": ("as_is", "upper"),
    "tab": (*("usual",) * 8, "journal", "issue", "issue", "site"),  # what the title of the browser tab says
    "title_language": ("as_is", "as_is", "own"),  # that of the site, or of the record
    "title_label": (*("none",) * 15, "run_in"),
    "frame": (*("site",) * 9, "bare"),  # without menus and boxes, as a page inside another page
    "place_glue": ("comma", "comma", "dash", "colon", "elements", "elements", "bold", "break"),
}
# Boxes around the article, and the places of the page where a site may have them; a site has some of the boxes.
CLUTTER_SLOTS: Mapping[str, tuple[str, ...]] = {
    "menu": ("top", "top", "left", "bottom"),
    "breadcrumb": ("top", "before"),
    "related": ("right", "after", "left", "bottom"),
    "most_read": ("right", "left", "after"),
    "metrics": ("right", "before", "middle", "after"),
    "share": ("before", "middle", "after", "right"),
    "cookies": ("top", "bottom"),
    "comments": ("after", "bottom"),
    "languages": ("before", "right", "after"),
    "licence": ("after", "right", "bottom"),
    "login": ("top", "left", "right"),
    "search": ("top", "left", "right"),
    "advertisement": ("top", "right", "before", "after"),
    "board": ("left", "right", "bottom"),
    "contents": ("before", "left", "right"),
    "downloads": ("before", "middle", "right", "after"),
    "language_list": ("top", "before"),
    "tabs": ("before", "middle"),
    "actions": ("before", "middle", "middle", "after", "right"),
    "subjects": ("before", "middle", "after", "right"),
    "help": ("before", "middle", "after", "bottom"),
    "running_head": ("top", "before"),
    "citation_forms": ("after", "bottom", "right"),
    "reviewers": ("before", "middle", "right", "after"),
}
_HANDMADE_ERAS = frozenset({"static", "plain"})
_MICRODATA_ITEMS = {"title": "headline", "author": "author", "place": "affiliation", "abstract": "description"}
_RANDOM_NAME_LETTERS = "abcdefghijkmnpqrstuvwxyz0123456789"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A generated site: its style, and what was drawn from the tables for it."""

    name: str
    host: str
    publisher: str
    style: SiteStyle
    labels: Mapping[str, str]
    templates: Mapping[str, str]
    classes: Mapping[str, str]
    clutter: tuple[str, ...]
    slots: Mapping[str, str]
    hidden: str

    def put(self, kind: str, content: str, role: str = "") -> str:
        """Wrap markup in the site's element of a kind, named for what it holds."""
        return self.templates[kind].format(content, c=self.name_attribute(role))

    def hide(self, content: str) -> str:
        """Wrap markup in an element that is not shown."""
        return self.hidden.format(content, c=self.name_attribute("panel"))

    def name_attribute(self, role: str) -> str:
        """The class or id attribute of an element, with a space before it; empty if the site names none."""
        return self.classes.get(role, "")

    def choices(self, label: str) -> tuple[str, ...]:
        """All alternatives of a label in the language of the site."""
        return LABELS[self.style.language][label]


class PageDraft(NamedTuple):
    """A page to print: its site, its article, other articles for references and boxes, and its source of chance."""

    site: Site
    article: Article
    others: Sequence[Article]
    draw: random.Random


def draw_site(seed: int, number: int) -> Site:
    """Draw a site; the same seed and number always give the same one."""
    draw = random.Random(f"{seed} site {number}")  # noqa: S311  (no secret)
    style = _draw_style(draw)
    word = draw.choice(words.SITE_WORDS)
    return Site(
        name=f"made_{number:04}",
        host=f"www.{word}{draw.choice(words.SITE_KINDS)}.example",
        publisher=f"{word.title()} {draw.choice(words.PUBLISHER_KINDS)}",
        style=style,
        labels={name: draw.choice(texts) for name, texts in LABELS[style.language].items()},
        templates={kind: draw.choice(forms) for kind, forms in ERA_TEMPLATES[style.era].items()},
        classes=_draw_classes(draw, style),
        clutter=tuple(draw.sample(tuple(CLUTTER_SLOTS), draw.randint(1, 14))),
        slots={kind: draw.choice(slots) for kind, slots in CLUTTER_SLOTS.items()},
        hidden=draw.choice(HIDDEN_FORMS),
    )


def _draw_style(draw: random.Random) -> SiteStyle:
    return SiteStyle(**{field.name: draw.choice(STYLE_OPTIONS[field.name]) for field in fields(SiteStyle)})


def _draw_classes(draw: random.Random, style: SiteStyle) -> dict[str, str]:
    """The class or id attribute of each role."""
    if style.class_names == "absent" or style.era in _HANDMADE_ERAS:
        return {}
    prefix = draw.choice(("c-", "x_", "jn", "art-", "pg-", "t3")) if style.class_names == "prefixed" else ""
    attribute = draw.choice(("class", "class", "id")) if style.era == "divisions" else "class"
    named = {}
    for role, names in words.CLASS_WORDS.items():
        name = prefix + draw.choice(names)
        if style.era == "utility":
            name = " ".join(draw.sample(UTILITY_CLASSES, draw.randint(2, 5)))
        elif style.class_names == "random":
            name = draw.choice(("css-", "sc-", "_", "")) + "".join(draw.choices(_RANDOM_NAME_LETTERS, k=6))
        named[role] = f' {attribute}="{escape(name)}"'
    if style.microdata == "yes":
        named |= {role: f'{named[role]} itemprop="{item}"' for role, item in _MICRODATA_ITEMS.items()}
    return named

"""How a generated journal sets its PDFs: every choice of a style, and the drawing of one from them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from training import article_words as words
from training.article_styles import Site, draw_site
from training.pdf_canvas import FONT_FAMILIES


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfStyle:
    """The choices of a journal for its PDFs; `PDF_OPTIONS` has the values of each."""

    family: str
    title_family: str
    page: str
    title_size: str
    title_weight: str
    title_place: str
    people_size: str
    people_weight: str
    place_size: str
    place_slant: str
    text_size: str
    abstract_size: str
    abstract_weight: str
    abstract_place: str
    masthead: str
    masthead_lines: str
    logo: str
    running_head: str
    head_numbers: str
    foot: str
    history_place: str
    citation_place: str
    doi_place: str
    keywords_place: str
    notes_place: str
    kind: str
    second_title: str
    editor: str
    cite_box: str
    information: str
    sheets: str
    cover: str


# An option that is written several times is drawn more often.
PDF_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "family": (FONT_FAMILIES[0], FONT_FAMILIES[0], FONT_FAMILIES[1]),
    "title_family": FONT_FAMILIES,
    "page": (*("two_columns",) * 6, *("one_column",) * 3, "front_in_column", "side_left", "side_left", "side_right"),
    "title_size": ("12.5", "14", "15", "16", "17", "18", "20", "24"),
    "title_weight": ("b", "b", "b", "", "", "i"),
    "title_place": ("left", "left", "centre"),
    "people_size": ("9", "10", "10.5", "11", "12", "13"),
    "people_weight": ("", "", "", "b", "b", "i"),
    "place_size": ("7", "7.5", "8", "8.5", "9", "10"),
    "place_slant": ("", "", "i"),
    "text_size": ("8.5", "9", "9.5", "10", "10.5"),
    "abstract_size": ("same", "same", "smaller", "larger"),
    "abstract_weight": (*("",) * 8, "b", "i"),
    "abstract_place": ("wide", "wide", "wide", "indented", "column"),
    "masthead": (*("line",) * 3, *("stack",) * 3, "ends", "ends", "none"),
    "masthead_lines": ("journal_issue", "journal_issue", "journal_year", "issue_pages", "article_number", "citation"),
    "logo": ("none", "none", "large", "large", "publisher"),
    "running_head": ("none", "people", "journal", "both", "both", "title"),
    "head_numbers": ("head", "foot", "foot", "none"),
    "foot": (*("none",) * 3, "copyright", "copyright", "citation", "issn", "address", "code"),
    "history_place": ("front", "front", "note", "side", "end"),
    "citation_place": ("masthead", "masthead", "foot", "box", "side", "none"),
    "doi_place": ("masthead", "masthead", "foot", "front", "box", "none"),
    "keywords_place": ("below", "below", "below", "above", "side"),
    "notes_place": ("front", "note", "note", "side", "end"),
    "kind": ("none", "line", "line", "upper", "run_in", "running"),
    "second_title": (*("none",) * 7, "other"),
    "editor": (*("none",) * 4, "line", "note"),
    "cite_box": (*("none",) * 4, "front", "note", "end"),
    "information": ("none", "none", "right", "right", "file", "program"),
    "sheets": ("2", "3", "4"),
    "cover": (*("none",) * 14, "cover"),
}
# What only makes sense on a screen is replaced by what is printed; other languages are those that the fonts have.
_PRINTED: Mapping[str, tuple[str, ...]] = {
    "button": ("none",),
    "card_line": ("",),
    "badge": (*("no",) * 6, "mail_text", "orcid_text"),
    "name_link": ("no",),
    "name_form": (
        *("given_family",) * 12,
        "initials_family",
        "initials_family",
        "family_initials",
        "given_upper_family",
        "upper",
    ),
    "title_case": (*("as_is",) * 9, "upper"),
    "title_language": ("as_is",),
    "honorific": (*("no",) * 20, "yes"),
    "byline": (*("line",) * 14, "lines", "prose", "cards", "with_place", "groups"),
    "byline_element": ("line",),
    "byline_label": (*("none",) * 6, "run_in"),
    "separator": (*("comma",) * 4, "comma_and", "comma_and", "comma_and", "semicolon", "dot", "and"),
    "places": (*("below",) * 6, "paragraph", "paragraph", "prose", *("end",) * 2, *("footnote",) * 4),
    "place_label": (*("none",) * 6, "run_in", "heading"),
    "place_marker": (*("sup",) * 5, "plain", "spaced_sup", "parentheses", "glued"),
    "marker_kind": (*("number",) * 4, "letter", "letter", "symbol", "none"),
    "marker_form": (*("sup",) * 6, "parentheses", "spaced", "glued"),
    "beside_abstract": (*("none",) * 6, "highlights", "plain_summary"),
    "keywords": ("none", "run_in", "run_in", "run_in", "heading"),
    "abstract": (*("shown",) * 14, "absent"),
    "abstract_sections": ("bold_paragraphs", "bold_paragraphs", "block", "headings", "flat", "flat"),
    "citation": ("line",),
    "metadata": ("none",),
    "journal": ("running",),
    "doi": ("line",),
    "body": ("full",),
    "body_extras": ("none",),
    "reference_links": ("none",),
    "references": ("list", "paragraphs"),
    "article_type": ("none",),
    "kicker": ("none",),
    "people_again": (*("none",) * 8, "about"),
}
_SCRIPTS_WITHOUT_FONT = frozenset({"zh", "ja", "fa", "ar"})


def draw_journal(seed: int, number: int) -> tuple[Site, PdfStyle]:
    """Draw what a journal prints, and how it sets it; the same seed and number always give the same."""
    draw = random.Random(f"{seed} journal {number}")  # noqa: S311  (no secret)
    style = PdfStyle(**{field.name: draw.choice(PDF_OPTIONS[field.name]) for field in fields(PdfStyle)})
    site = draw_site(seed, _first_printable(seed, number))
    printed = {name: draw.choice(values) for name, values in _PRINTED.items()}
    if site.style.language == "en":
        printed["other_abstract"] = "none"  # it might be in a script without font
    return replace(site, name=f"printed_{number:04}", style=replace(site.style, **printed)), style


def _first_printable(seed: int, number: int) -> int:
    """Return the number of a site whose language the fonts can print, far from those of other journals."""
    first = 1_000_000 + 1_000 * number
    return next(one for one in range(first, first + 1_000) if _is_printable(draw_site(seed, one)))


def _is_printable(site: Site) -> bool:
    return site.style.language not in _SCRIPTS_WITHOUT_FONT


def other_language(site: Site, draw: random.Random) -> str:
    """Draw a language that the fonts can print, other than that of the journal."""
    others = set(words.OTHER_TEXTS) - _SCRIPTS_WITHOUT_FONT - {site.style.language}
    return draw.choice(sorted(others))

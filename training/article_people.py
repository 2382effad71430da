"""Prints the people of a generated article: byline, affiliations, correspondence and notes, with their truth."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from training import article_words as words
from training.article_names import initials_of, print_name, true_name
from training.article_styles import Site
from training.invented_records import Article, Person


class PrintedPeople(NamedTuple):
    """The markup of the people in the front matter and at the end of a page, and the printed names and places."""

    front: str
    end: str
    authors: list[str]
    affiliations: list[str]
    notes: dict[str, str]


class _Note(NamedTuple):
    """A line about people that is neither name nor affiliation: its kind, its text and where it stands."""

    kind: str
    text: str
    markup: str
    at_end: bool


class _Byline(NamedTuple):
    """What the parts of a byline are printed from: names are markup without marks, marks are markup too."""

    site: Site
    article: Article
    names: list[str]
    marks: list[str]
    degrees: list[str]
    mails: list[str]

    @property
    def marked(self) -> list[str]:
        """The names with their degrees and marks."""
        return [name + mark for name, mark in zip(self.names, self.marks, strict=True)]


_BYLINES_WITH_PLACES = frozenset({"cards", "with_place", "groups", "rows"})
_BYLINES_IN_ONE_LINE = frozenset({"line", "prose", "groups", "with_place"})
_POPUPS = frozenset({"popup", "popup_inside"})
_PLACES_AT_END = frozenset({"end", "footnote"})
_SHORT_LIST_NAMES = 3
_ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split()


def print_people(site: Site, article: Article, draw: random.Random) -> PrintedPeople:
    """Print the people of an article in the style of a site."""
    byline = _draw_byline(site, article, draw)
    places, printed = _print_places(byline)
    notes = [note for note in (_print_correspondence(byline, draw), _print_people_note(site, draw)) if note.text]
    at_end = site.style.places in _PLACES_AT_END
    front = (
        _print_names(byline) + ("" if at_end else places) + "".join(note.markup for note in notes if not note.at_end)
    )
    end = (places if at_end or site.style.places == "twice" else "") + "".join(
        note.markup for note in notes if note.at_end
    )
    return PrintedPeople(
        front=front,
        end=end + _print_people_again(byline, draw),
        authors=[true_name(person, site.style.name_form) for person in article.people],
        affiliations=printed,
        notes={note.kind: note.text for note in notes},
    )


def _draw_byline(site: Site, article: Article, draw: random.Random) -> _Byline:
    mails = [f"{_slug(person.family)}{draw.randint(1, 99)}@{site.host[4:]}" for person in article.people]
    degrees = [_draw_degree(draw) for _ in article.people]
    names = [_decorate_name(site, person, degree, draw) for person, degree in zip(article.people, degrees, strict=True)]
    marks = [_mark_author(site, article, number) for number in range(len(article.people))]
    badges = [_print_badge(site, number, mail, draw) for number, mail in enumerate(mails)]
    marked = [mark + badge for mark, badge in zip(marks, badges, strict=True)]
    return _Byline(site, article, names, marked, degrees, mails)


def _draw_degree(draw: random.Random) -> str:
    """Draw a common degree, one that no list knows, or one of each."""
    common, rare = draw.choice(words.DEGREES), "M" + "".join(draw.choices(words.DEGREE_LETTERS, k=draw.randint(2, 4)))
    return draw.choice((common, common, common, rare, f"{common}, {rare}"))


def _slug(text: str) -> str:
    return re.sub(r"[^a-z]", "", text.lower())[:8] or "mail"


def _decorate_name(site: Site, person: Person, degree: str, draw: random.Random) -> str:
    style = site.style
    name = escape(print_name(person, style.name_form))
    if style.honorific == "yes":
        name = f"{escape(draw.choice(site.choices('doctor')))} {name}"
    if style.name_link == "yes":
        name = f'<a href="/search?author={_slug(person.family)}"{site.name_attribute("author")}>{name}</a>'
    own_line = style.degree == "own_line" and style.byline == "cards"
    bare = own_line or style.name_form == "family_initials"  # a degree would be longer than the name
    return name if bare else name + _DEGREE_FORMS[style.degree].format(degree)


_DEGREE_FORMS = {
    "no": "",
    "comma": ", {0}",
    "own_line": ", {0}",
    "unmarked": " {0}",
    "small": " <small>{0}</small>",
    "parentheses": " ({0})",
}


def _mark_author(site: Site, article: Article, number: int) -> str:
    """The marks after a name: those of its places, and a star for the corresponding author."""
    style = site.style
    single = len(article.places) < 2 and style.marks_of_single_place == "no"  # noqa: PLR2004  (one place)
    unmarked = single or style.marker_kind == "none" or style.places == "none" or style.byline in _BYLINES_WITH_PLACES
    signs = [] if unmarked else [_sign(style.marker_kind, place) for place in article.people[number].places]
    star = "*" if style.correspondence == "star" and number == 0 else ""
    text = ",".join(filter(None, (*signs, star)))
    return _MARKER_FORMS[style.marker_form].format(text) if text else ""


def _sign(kind: str, place: int) -> str:
    """The sign that stands for a place: number, letter, symbol or Roman numeral."""
    tables: Mapping[str, Sequence[str]] = {
        "letter": "abcdefghijklmnopqrstuvwxyz",
        "symbol": words.SYMBOLS[1:],
        "roman": _ROMAN,
    }
    signs = tables.get(kind, ())
    return signs[place] if place < len(signs) else str(place + 1)


_MARKER_FORMS = {
    "sup": "<sup>{0}</sup>",
    "sup_link": '<sup><a href="#aff">{0}</a></sup>',
    "parentheses": "({0})",
    "brackets": "[{0}]",
    "glued": "{0}",
    "sup_parentheses": "<sup>({0})</sup>",
    "spaced": " <sup>{0}</sup>",
}


def _print_badge(site: Site, number: int, mail: str, draw: random.Random) -> str:
    """Print what a site adds to a name: icons in the line; longer texts below it, or only for the first author."""
    orcid = f"https://orcid.org/0000-0000-{draw.randint(1000, 9999)}-{draw.randint(1000, 9999)}"
    icon = {
        "orcid_icon": f' <a href="{orcid}"><img src="/i/id.png" alt="ORCID"></a>',
        "mail_icon": f' <a href="mailto:{mail}"><img src="/i/mail.gif" alt=""></a>',
    }.get(site.style.badge, "")
    text = {
        "orcid_text": f'<a href="{orcid}">{orcid}</a>',
        "mail_text": f'<a href="mailto:{mail}">{mail}</a>',
        "link_text": f"<a href='/a'>{draw.choice(words.NAME_LINKS)}</a>",
        "role": f"<em>{escape(draw.choice(site.choices('roles')))}</em>",
    }.get(site.style.badge, "")
    if site.style.byline not in _BYLINES_IN_ONE_LINE:
        return f"<br>{text}" if text else icon
    alone = number == 0 and site.style.degree == "no" and "initials" not in site.style.name_form
    return f" ({text})" if text and alone else icon


def _print_names(byline: _Byline) -> str:
    site = byline.site
    printed = _BYLINES[site.style.byline](byline)
    if site.style.button == "short_list" and len(byline.names) > _SHORT_LIST_NAMES:
        short = ", ".join((byline.names[0], byline.names[1], "…", byline.names[-1]))
        button = f" <button>{escape(site.labels['all'])}</button>"
        printed = site.put("line", short + button, "byline") + site.hide(printed)
    if site.style.byline_label == "heading":
        printed = site.put("subheading", escape(site.labels["authors"]), "label") + printed
    return site.put("box", printed, "byline")


def _print_line(byline: _Byline) -> str:
    site = byline.site
    label = f"{site.put('bold', escape(site.labels['authors']))}: " if site.style.byline_label == "run_in" else ""
    link = f"<a href='#all'>{escape(site.labels['all'])}</a>"
    button = {"show_all": f" {link}", "show_all_aside": f" ({link})"}.get(site.style.button, "")
    return site.put(site.style.byline_element, label + _join_names(byline, byline.marked) + button, "byline")


def _join_names(byline: _Byline, names: Sequence[str]) -> str:
    """Join names; commas inside names or degrees ask for semicolons."""
    style = byline.site.style
    separator = style.separator
    if style.name_form == "family_comma_given" or (
        style.degree in {"comma", "own_line"} and separator in {"comma", "ideographic"}
    ):
        separator = "semicolon"
    if separator == "spaces" and style.name_link == "no":
        separator = "comma"
    last = f" {escape(byline.site.labels['and'])} "
    if separator == "and":
        return last.join(names)
    glue = _SEPARATORS[separator]
    return last.join(filter(None, (glue.join(names[:-1]), names[-1]))) if separator == "comma_and" else glue.join(names)


_SEPARATORS = {
    "comma": ", ",
    "comma_and": ", ",
    "semicolon": "; ",
    "dot": " · ",
    "spaces": "\n&nbsp; ",
    "slash": " / ",
    "ideographic": "、",
}


def _print_items(byline: _Byline) -> str:
    site = byline.site
    return site.put("list", "".join(site.put("item", name, "author") for name in _names_with_popups(byline)), "byline")


def _print_lines(byline: _Byline) -> str:
    return "".join(byline.site.put("line", name, "author") for name in _names_with_popups(byline))


def _names_with_popups(byline: _Byline) -> list[str]:
    if not _has_popups_inside(byline):
        return byline.marked
    return [name + popup for name, popup in zip(byline.marked, _print_popups(byline), strict=True)]


def _print_rows(byline: _Byline) -> str:
    rows = (
        f"<tr><td>{name}</td><td>{'<br>'.join(_places_of(byline, number))}</td></tr>"
        for number, name in enumerate(byline.marked)
    )
    return f"<table{byline.site.name_attribute('byline')}>{''.join(rows)}</table>"


def _print_cards(byline: _Byline) -> str:
    site = byline.site
    cards = []
    for number, name in enumerate(byline.marked):
        lines = [site.put("line", name, "author")]
        lines += [site.put("line", byline.degrees[number], "line")] if site.style.degree == "own_line" else []
        lines += [site.put("line", place, "place") for place in _places_of(byline, number)]
        mail = byline.mails[number]
        lines += [site.put("line", site.style.card_line, "line")] if site.style.card_line else []
        lines += [site.put("line", f'<a href="mailto:{mail}">{mail}</a>', "note")] if number == 0 else []
        cards.append(site.put("box", "".join(lines), "panel"))
    return "".join(cards)


def _print_prose(byline: _Byline) -> str:
    site = byline.site
    names, last = byline.marked[:-1], byline.marked[-1]
    listed = f"{', '.join(names)} {escape(site.labels['and'])} {last}" if names else last
    return site.put(site.style.byline_element, f"{escape(site.labels['by'])} {listed}", "byline")


def _print_with_place(byline: _Byline) -> str:
    places = ("; ".join(_places_of(byline, number)) for number in range(len(byline.names)))
    form = _PLACE_GLUES[byline.site.style.place_glue]
    lines = (form.format(name, place) if place else name for name, place in zip(byline.marked, places, strict=True))
    return "".join(byline.site.put("line", line, "author") for line in lines)


_PLACE_GLUES = {
    "comma": "{0}, {1}",
    "dash": "{0} – {1}",
    "colon": "{0}: {1}",
    "elements": "<span>{0}</span> <span>{1}</span>",
    "bold": "<b>{0}</b> {1}",
    "break": "{0}<br>{1}",
}


def _print_groups(byline: _Byline) -> str:
    """Print the names of each institution together, above it."""
    site, people = byline.site, byline.article.people
    parts = []
    for places, group in itertools.groupby(range(len(people)), key=lambda number: people[number].places):
        parts.append(site.put("line", _join_names(byline, [byline.marked[number] for number in group]), "author"))
        parts += [site.put("line", escape(byline.article.places[place]), "place") for place in places]
    return "".join(parts)


_BYLINES: Mapping[str, Callable[[_Byline], str]] = {
    "line": _print_line,
    "items": _print_items,
    "lines": _print_lines,
    "rows": _print_rows,
    "cards": _print_cards,
    "prose": _print_prose,
    "with_place": _print_with_place,
    "groups": _print_groups,
}


def _places_of(byline: _Byline, number: int) -> list[str]:
    return [escape(byline.article.places[place]) for place in byline.article.people[number].places]


def _print_places(byline: _Byline) -> tuple[str, list[str]]:
    """Print the affiliations outside the byline; also return the texts that the page prints anywhere."""
    site, article = byline.site, byline.article
    linked = [article.places[place] for person in article.people for place in person.places]
    if site.style.byline in _BYLINES_WITH_PLACES:
        return "", list(dict.fromkeys(linked))
    if site.style.places == "none" or not article.places:
        return "", []
    if site.style.places in _POPUPS:
        popups = "" if _has_popups_inside(byline) else "".join(_print_popups(byline))
        return popups, list(dict.fromkeys(linked))
    printed = _PLACES[site.style.places](byline, _mark_places(byline))
    return _label_places(site, printed), list(article.places)


def _mark_places(byline: _Byline) -> list[str]:
    style = byline.site.style
    marked = style.marker_kind != "none" and (len(byline.article.places) > 1 or style.marks_of_single_place == "yes")
    form = _PLACE_MARKER_FORMS[style.place_marker] if marked else "{1}"
    return [
        form.format(_sign(style.marker_kind, number), escape(place) + _mail_of_place(byline, number))
        for number, place in enumerate(byline.article.places)
    ]


_PLACE_MARKER_FORMS = {
    "sup": "<sup>{0}</sup>{1}",
    "spaced_sup": "<sup>{0}</sup> {1}",
    "plain": "{0} {1}",
    "dot": "{0}. {1}",
    "parentheses": "({0}) {1}",
    "brackets": "[{0}] {1}",
    "glued": "{0}{1}",
}


def _mail_of_place(byline: _Byline, number: int) -> str:
    if byline.site.style.place_mail == "no" or number >= len(byline.mails):
        return ""
    return f". {escape(byline.site.labels['email'])}: {byline.mails[number]}"


def _label_places(site: Site, printed: str) -> str:
    label = escape(site.labels["affiliations"])
    if site.style.place_label == "heading" or site.style.places == "panel":
        printed = site.put("subheading", label, "label") + printed
    return site.hide(printed) if site.style.places == "panel" else site.put("box", printed, "places")


def _print_place_lines(byline: _Byline, places: Sequence[str]) -> str:
    return "".join(byline.site.put("line", place, "place") for place in places)


def _print_place_list(byline: _Byline, places: Sequence[str]) -> str:
    return f"<ol>{''.join(byline.site.put('item', place, 'place') for place in places)}</ol>"


def _print_place_paragraph(byline: _Byline, places: Sequence[str]) -> str:
    site = byline.site
    label = f"{site.put('bold', escape(site.labels['affiliations']))}: " if site.style.place_label == "run_in" else ""
    return site.put("line", label + "; ".join(places), "places")


def _print_place_table(byline: _Byline, places: Sequence[str]) -> str:
    rows = "".join(f"<tr><td>{place}</td></tr>" for place in places)
    return f"<table{byline.site.name_attribute('places')}>{rows}</table>"


def _print_place_prose(byline: _Byline, places: Sequence[str]) -> str:
    """Print the places as one sentence, each followed by the initials of its people."""
    article = byline.article
    parts = []
    for number, place in enumerate(article.places):
        people = (person for person in article.people if number in person.places)
        signs = ", ".join(
            initials_of(f"{person.given} {person.family}", dots=True).replace(" ", "") for person in people
        )
        parts.append(f"{'From ' if number == 0 else ''}the {escape(place)}{f' ({signs})' if signs else ''}")
    return byline.site.put("line", "; and ".join(parts) + ".", "places") if places else ""


_PLACES: Mapping[str, Callable[[_Byline, Sequence[str]], str]] = {
    "below": _print_place_lines,
    "twice": _print_place_lines,
    "end": _print_place_lines,
    "panel": _print_place_lines,
    "footnote": _print_place_paragraph,
    "list": _print_place_list,
    "paragraph": _print_place_paragraph,
    "table": _print_place_table,
    "prose": _print_place_prose,
}


def _has_popups_inside(byline: _Byline) -> bool:
    """Whether the pop-up of an author stands within the element of the name."""
    return byline.site.style.places == "popup_inside" and byline.site.style.byline in {"items", "lines"}


def _print_popups(byline: _Byline) -> list[str]:
    """Print the hidden card of each author."""
    site = byline.site
    cards = (
        site.put("line", byline.names[number], "author")
        + "".join(site.put("line", place, "place") for place in _places_of(byline, number))
        for number in range(len(byline.names))
    )
    return [site.hide(card) for card in cards]


def _print_correspondence(byline: _Byline, draw: random.Random) -> _Note:
    """Print whom to write to: below the byline or at the end, with or without the address."""
    site, mail = byline.site, byline.mails[0]
    kind = site.style.correspondence
    printed_places = byline.article.places if site.style.places != "none" else ()
    address = printed_places[0] if printed_places else f"{draw.choice(words.STREETS)}, {draw.choice(words.TOWNS)}"
    name = print_name(byline.article.people[0], site.style.name_form)
    reach = mail if kind == "star" else f"{name}, {address}. {site.labels['email']}: {mail}"
    text = f"{'*' if kind == 'star' else ''}{site.labels['corresponding']}: {reach}"
    heading = site.put("subheading", escape(site.labels["corresponding"]), "label") if kind == "heading" else ""
    linked = escape(text).replace(mail, f'<a href="mailto:{mail}">{mail}</a>')
    markup = heading + site.put("line", linked, "note")
    return _Note("correspondence", "" if kind == "none" else text, markup, kind == "end")


def _print_people_note(site: Site, draw: random.Random) -> _Note:
    stranger = f"{draw.choice(words.GIVENS)} {draw.choice(words.FAMILIES)}"
    kind = site.style.people_note
    text = {
        "none": "",
        "present_address": f"{site.labels['present']}: {draw.choice(words.STREETS)} Clinic, {draw.choice(words.TOWNS)}",
        "editor": f"{site.labels['editor']}: {stranger}, {draw.choice(words.TOWNS)} University",
        "editor_name": stranger,
        "equal": f"{site.labels['equal']}.",
    }[kind]
    heading = site.put("subheading", escape(site.labels["editor"]), "label") if kind == "editor_name" else ""
    kind = "editor" if kind == "editor_name" else kind
    return _Note(kind, text, heading + site.put("line", escape(text), "note"), at_end=False)


def _print_people_again(byline: _Byline, draw: random.Random) -> str:
    """Print the section at the end that introduces the authors once more."""
    site = byline.site
    if site.style.people_again != "about":
        return ""
    heading = site.put("heading", escape(site.labels["about"]), "label")
    names: Iterable[str] = (print_name(person, site.style.name_form) for person in byline.article.people)
    lives = (f"{site.put('bold', escape(name))} {draw.choice(words.BIOGRAPHIES)}." for name in names)
    return heading + "".join(site.put("text", life, "section") for life in lives)

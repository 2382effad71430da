"""Generator of article PDFs with exact truth: the texts of generated sites, set as journals print them.

Heads, feet, footnotes and side columns hold what a site has in boxes; the truth of a PDF is what it prints.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from medharvest.pages import parse_page
from medharvest.records import Zone
from medharvest.zones.segmentation import segment
from training import article_words as words
from training.article_people import PrintedPeople, print_people
from training.article_sources import PrintedSource, print_citation, print_doi, print_history
from training.article_styles import PageDraft, Site
from training.article_texts import describe_article, print_abstract, print_body, print_keywords, print_references
from training.invented_records import Article, article_from_record
from training.pdf_canvas import PAGE_HEIGHT, PAGE_WIDTH, Box, Paragraph, PdfCanvas, Run
from training.pdf_styles import PdfStyle, draw_journal, other_language

_OTHER_ARTICLES = 14  # for sentences of the body and for references
_MARGIN, _GUTTER, _SIDE = 48.0, 16.0, 118.0  # points; the width of a side column
_HEAD_Y, _TEXT_TOP, _TEXT_BOTTOM, _FOOT_Y = 800.0, 780.0, 62.0, 44.0
_SMALL = 7.5


class _Journal(NamedTuple):
    """What all parts of a PDF are printed from."""

    site: Site
    style: PdfStyle
    article: Article
    page: PageDraft
    draw: random.Random


class _Parts(NamedTuple):
    """The paragraphs of the first page by place, those behind the text, and the truth."""

    places: Mapping[str, list[Paragraph]]
    truth: dict[str, Any]


def invent_pdfs(
    records: Sequence[Mapping[str, Any]], *, journals: int, pdfs_per_journal: int = 1, seed: int
) -> list[ReadPage]:
    """Print records as PDFs of generated journals; the same arguments give the same PDFs.

    The records and the truth have the fields that those of `invent_article_pages` have.
    """
    draw = random.Random(f"{seed} pdf records")  # noqa: S311  (no secret)
    out = []
    for number in range(journals):
        site, style = draw_journal(seed, number)
        for place in range(pdfs_per_journal):
            chosen = draw.sample(records, min(len(records), _OTHER_ARTICLES + 1))
            article, *others = map(article_from_record, chosen)
            chance = random.Random(f"{seed} {site.name} {place}")  # noqa: S311  (no secret)
            article = _with_pages(article._replace(title=_case_title(site, article)), chance)
            page = PageDraft(site, article, others, chance)
            out.append(_print_pdf(_Journal(site, style, article, page, chance), f"{site.name}_{place}"))
    return out


def _case_title(site: Site, article: Article) -> str:
    return article.title.upper() if site.style.title_case == "upper" else article.title


def _with_pages(article: Article, draw: random.Random) -> Article:
    """Return an article with volume, issue, pages and date: a record that lacks them gets invented ones."""
    first = draw.randint(2, 1400)
    return article._replace(
        journal=article.journal or f"{draw.choice(words.SITE_WORDS).title()} Journal of Medicine",
        volume=article.volume or str(draw.randint(1, 140)),
        issue=article.issue or str(draw.randint(1, 12)),
        first_page=article.first_page or str(first),
        last_page=article.last_page if article.first_page else str(first + draw.randint(2, 12)),
        day=article.day or (draw.randint(1996, 2024), draw.randint(1, 12), draw.randint(1, 28)),
        doi=article.doi or f"10.5555/{draw.choice(words.SITE_WORDS)}.{draw.randint(100, 99999)}",
    )


def _print_pdf(journal: _Journal, name: str) -> ReadPage:
    parts = _print_parts(journal)
    canvas = PdfCanvas(**_describe_file(journal))
    if journal.style.cover == "cover":
        _print_cover(canvas, journal)
    _print_sheets(canvas, journal, parts)
    return LabelledPage(id=name, body=canvas.finish(), truth=parts.truth, layout=journal.site.name)


def _describe_file(journal: _Journal) -> dict[str, str]:
    """Return the title and the author in the file's own information, which may be right, empty or useless."""
    return {
        "none": {},
        "right": {"title": journal.article.title, "author": journal.article.people[0].family},
        "file": {"title": f"{journal.draw.choice(words.SITE_WORDS)}-{journal.draw.randint(10, 999)}.indd"},
        "program": {"title": "untitled", "author": "Print office"},
    }[journal.style.information]


def _print_parts(journal: _Journal) -> _Parts:
    site, style, article, page, draw = journal
    people = print_people(site, article, draw)
    abstract, (keywords, terms) = print_abstract(page), print_keywords(page)
    sources = {
        "citation": print_citation(site, article),
        "doi": print_doi(site, article),
        "history": print_history(site, article, draw),
    }
    places: dict[str, list[Paragraph]] = {name: [] for name in ("head", "front", "side", "note", "foot", "end", "body")}
    truth = _print_masthead(journal, sources, places)
    places["front"] += _print_title(journal)
    _place_people(journal, people, places)
    for name, source in sources.items():
        where = getattr(style, f"{name}_place")
        if where != "masthead":
            _place(places, where, _set_markup(journal, source.markup, "small"))
    below = [_set_markup(journal, abstract.markup, "abstract"), _set_markup(journal, keywords, "small")]
    if style.keywords_place == "side" and "side" in style.page:
        _place(places, "side", below.pop())
    places["front" if style.abstract_place != "column" else "body"] += chain(
        *(reversed(below) if style.keywords_place == "above" else below)
    )
    _print_boxes(journal, places)
    places["body"] += _set_markup(journal, print_body(page), "text")
    places["end"] += _set_markup(journal, print_references(page), "small")
    return _Parts(
        places,
        {
            "title": article.title,
            "authors": people.authors,
            "affiliations": people.affiliations,
            "abstract": abstract.text or None,
            "keywords": terms,
            "people_notes": people.notes,
            **truth,
        },
    )


def _place(places: Mapping[str, list[Paragraph]], where: str, paragraphs: Sequence[Paragraph]) -> None:
    """Add paragraphs to a place; a box is one in front of the abstract."""
    if where in {"front", "box"}:
        places["front"] += paragraphs
    elif where in places:
        places[where] += paragraphs


def _print_title(journal: _Journal) -> list[Paragraph]:
    site, style, article, _, draw = journal
    kind = draw.choice(site.choices("type"))
    out = [] if style.kind in {"none", "run_in"} else [_line(journal, kind.upper() if style.kind == "upper" else kind)]
    text = f"{kind}: {article.title}" if style.kind == "run_in" else article.title
    size = float(style.title_size)
    out.append(
        Paragraph(
            (Run(text, style.title_weight),), size, style.title_family, style.title_place, before=10, leading=1.15
        )
    )
    if style.second_title == "other":
        other = words.OTHER_TEXTS[other_language(site, draw)][0].rstrip(".")
        out.append(Paragraph((Run(other, "i"),), size * 0.8, style.title_family, style.title_place, before=6))
    return out


def _place_people(journal: _Journal, people: PrintedPeople, places: Mapping[str, list[Paragraph]]) -> None:
    """Set byline, affiliations and notes: notes and affiliations may stand at the foot, at the side or at the end."""
    site, style, *_ = journal
    notes = frozenset(people.notes.values())
    for paragraph in _set_markup(journal, people.front, "people"):
        text = "".join(run.text for run in paragraph.runs)
        note = text in notes or any(text.startswith(one[:30]) for one in notes)
        _place(places, style.notes_place if note else "front", [paragraph])
    where = "note" if site.style.places == "footnote" else "end"
    places[where] += _set_markup(journal, people.end, "small")


def _print_masthead(
    journal: _Journal, sources: Mapping[str, PrintedSource], places: Mapping[str, list[Paragraph]]
) -> dict[str, Any]:
    """Set what the first page prints above the title; return the true fields of all sources that are printed."""
    site, style, article, _, draw = journal
    truth: dict[str, Any] = {}
    lines = _masthead_lines(journal) if style.masthead != "none" else []
    for name, source in sources.items():
        where = getattr(style, f"{name}_place")
        if where == "masthead" and style.masthead != "none":
            lines += [zone.text for zone in _zones_of(source.markup)]
        shown = where != "none" and (where != "masthead" or style.masthead != "none")
        truth |= source.fields if shown and not (where == "side" and "side" not in style.page) else {}
    shown = " ".join(lines)
    for field in ("journal", "volume", "issue", "first_page"):
        if style.masthead != "none" and getattr(article, field) in [*shown.split(" "), article.journal]:
            truth.setdefault(field, getattr(article, field))
    year = str(article.day[0]) if article.day else ""
    if year and year in shown:
        truth.setdefault("date", year)
    if style.logo == "large":
        places["head"].append(
            Paragraph((Run(article.journal, "b"),), draw.choice((14.0, 18.0, 22.0)), style.title_family, leading=1.1)
        )
        truth["journal"] = article.journal
    elif style.logo == "publisher":
        places["head"].append(Paragraph((Run(site.publisher, "i"),), 11.0, style.title_family))
    places["head"] += [Paragraph((Run(line),), _SMALL, style.family) for line in lines]
    if "date" in truth:
        truth["year"] = truth["date"][:4]
    return truth


def _masthead_lines(journal: _Journal) -> list[str]:
    site, style, article, _, draw = journal
    year = str(article.day[0]) if article.day else ""
    month = words.MONTHS.get(site.style.language, words.MONTHS["en"])[article.day[1] - 1] if article.day else ""
    volume, issue = site.labels["volume"], site.labels["issue"]
    pages = f"{article.first_page}-{article.last_page}" if article.last_page else article.first_page
    return {
        "journal_issue": [article.journal, f"{volume} {article.volume}, {issue} {article.issue}, {month} {year}"],
        "journal_year": [f"{article.journal} {year}", f"{volume} {article.volume}: {pages}"],
        "issue_pages": [f"{article.journal} {article.volume}({article.issue}) {pages}", f"© {year} {site.publisher}"],
        "article_number": [
            site.publisher,
            article.journal,
            f"{volume} {article.volume}, Article ID {article.first_page}, {draw.randint(4, 15)} pages",
        ],
        "citation": [zone.text for zone in _zones_of(print_citation(site, article).markup)],
    }[style.masthead_lines]


def _print_boxes(journal: _Journal, places: Mapping[str, list[Paragraph]]) -> None:
    """Set how to cite the article, its editor, and the foot of the first page."""
    site, style, article, _, draw = journal
    cited = f"{site.labels['cite']}: {describe_article(article)}"
    if style.cite_box != "none":
        _place(places, style.cite_box, [_line(journal, cited)])
    name = f"{draw.choice(words.GIVENS)} {draw.choice(words.FAMILIES)}, {draw.choice(words.TOWNS)} University"
    if style.editor != "none":
        _place(
            places, "front" if style.editor == "line" else "note", [_line(journal, f"{site.labels['editor']}: {name}")]
        )
    year = article.day[0] if article.day else ""
    places["foot"] += [
        _line(journal, text)
        for text in {
            "none": (),
            "copyright": (f"© {year} {site.publisher}. {site.labels['licence']}",),
            "citation": (cited,),
            "issn": (f"ISSN {draw.randint(1000, 2999)}-{draw.randint(1000, 9999)} © {year} {site.publisher}",),
            "address": (f"{site.host} {draw.randint(1, 9)}", f"{article.journal} {year}"),
            "code": (f"{draw.randint(1000, 2999)}-{draw.randint(1000, 9999)}/{year}/{draw.randint(10, 99)} $5.00",),
        }[style.foot]
    ]


def _line(journal: _Journal, text: str) -> Paragraph:
    return Paragraph((Run(text),), _SMALL, journal.style.family, before=3)


def _set_markup(journal: _Journal, markup: str, role: str) -> list[Paragraph]:
    """Set the zones of markup as paragraphs; people are in the size of names or of places."""
    return [_set_zone(journal, zone, role, number) for number, zone in enumerate(_zones_of(markup))]


def _zones_of(markup: str) -> list[Zone]:
    page = parse_page(f"<html><body>{markup}</body></html>".encode(), url="", name="part", charset="utf-8")
    return [zone for zone in segment(page) if zone.text]


def _set_zone(journal: _Journal, zone: Zone, role: str, number: int) -> Paragraph:
    style = journal.style
    text = float(style.text_size)
    heading = (zone.tag[:1] == "h" and zone.tag[1:].isdigit()) or _is_bold(zone)
    if role == "people" and number:
        return Paragraph(
            _runs_of(zone, style.place_slant), float(style.place_size), style.family, style.title_place, before=2
        )
    size, weight, before = {
        "people": (float(style.people_size), style.people_weight, 8),
        "small": (_SMALL, "", 2),
        "abstract": (text + {"same": 0, "smaller": -0.8, "larger": 0.8}[style.abstract_size], style.abstract_weight, 3),
        "text": (text, "", 0),
    }[role]
    align = style.title_place if role == "people" else "left"
    indent = 24.0 if role == "abstract" and style.abstract_place == "indented" else 0.0
    if heading and role != "people":
        return Paragraph(_runs_of(zone, "b"), size + 1, style.family, align, indent, before=8)
    return Paragraph(_runs_of(zone, weight), size, style.family, align, indent, before)


def _is_bold(zone: Zone) -> bool:
    return any(mark.tag == "b" and mark.end - mark.start == len(zone.text) for mark in zone.marks)


def _runs_of(zone: Zone, weight: str) -> tuple[Run, ...]:
    """Return a zone as runs: its bold, italic and raised parts on top of the paragraph's own weight."""
    marks = [mark for mark in zone.marks if mark.tag in {"b", "i", "sup"}]
    cuts = sorted({0, len(zone.text), *(mark.start for mark in marks), *(mark.end for mark in marks)})
    return tuple(
        Run(
            zone.text[start:end],
            " ".join([weight, *(mark.tag for mark in marks if mark.start <= start and end <= mark.end)]).strip(),
        )
        for start, end in pairwise(cuts)
    )


def _print_cover(canvas: PdfCanvas, journal: _Journal) -> None:
    """Print a sheet of a repository that names the article."""
    site, _, article, *_ = journal
    names = ", ".join(f"{person.given} {person.family}" for person in article.people)
    texts = (
        site.publisher,
        article.title,
        names,
        f"{site.labels['cite']}: {describe_article(article)}",
        site.labels["licence"],
    )
    canvas.set_paragraphs(
        [Paragraph((Run(text),), 11.0, before=14) for text in texts], Box(_MARGIN, 100, PAGE_WIDTH - _MARGIN, 760)
    )
    canvas.turn_page()


def _print_sheets(canvas: PdfCanvas, journal: _Journal, parts: _Parts) -> None:
    """Print the first sheet with its head, notes and foot, and the others in columns."""
    style, places = journal.style, parts.places
    wide = Box(_MARGIN, _TEXT_BOTTOM, PAGE_WIDTH - _MARGIN, _TEXT_TOP)
    top = _print_head(canvas, journal, places["head"], wide)
    main = wide._replace(top=top)
    if "side" in style.page and places["side"]:
        side, main = _split_side(main, right=style.page == "side_right")
        canvas.set_paragraphs(places["side"], side._replace(top=side.top - journal.draw.randint(20, 160)))
    canvas.set_paragraphs(places["foot"], wide._replace(top=_FOOT_Y + 12))
    rest: list[Paragraph] = []
    if style.page == "front_in_column":
        rest = list(canvas.fill([*places["front"], *places["body"]], [*_columns(main, 2)]))
    else:
        end = canvas.set_paragraphs(places["front"], main)
        notes = _height_of_notes(places["note"])
        columns = _columns(
            main._replace(top=end - 10, bottom=main.bottom + notes), 1 if style.page == "one_column" else 2
        )
        if places["note"]:
            canvas.set_paragraphs(places["note"], columns[0]._replace(top=main.bottom + notes - 4))
        if columns[0].top - columns[0].bottom > 60:  # noqa: PLR2004  (some lines)
            rest = list(canvas.fill(places["body"], columns))
        else:
            rest = list(places["body"])
    rest += places["end"]
    _print_later_sheets(canvas, journal, rest)


def _split_side(box: Box, *, right: bool) -> tuple[Box, Box]:
    if right:
        return box._replace(left=box.right - _SIDE), box._replace(right=box.right - _SIDE - _GUTTER)
    return box._replace(right=box.left + _SIDE), box._replace(left=box.left + _SIDE + _GUTTER)


def _columns(box: Box, count: int) -> list[Box]:
    width = (box.right - box.left - _GUTTER * (count - 1)) / count
    lefts = [box.left + number * (width + _GUTTER) for number in range(count)]
    return [box._replace(left=left, right=left + width) for left in lefts]


def _height_of_notes(notes: Sequence[Paragraph]) -> float:
    """Return the height of notes, roughly: a column of small print has some 60 letters in a line."""
    lines = sum(1 + sum(len(run.text) for run in note.runs) // 52 for note in notes)
    return lines * _SMALL * 1.3 + 4 * len(notes)


def _print_head(canvas: PdfCanvas, journal: _Journal, head: list[Paragraph], box: Box) -> float:
    """Print the head of the first sheet; return where the title may begin."""
    style = journal.style.masthead
    if style in {"line", "ends"} and len(head) > 1:
        half = (box.right + box.left) / 2
        ends = [
            canvas.set_paragraphs(
                [head[0]], box._replace(top=_HEAD_Y + 10, right=half if style == "ends" else box.right)
            )
        ]
        if style == "ends":
            right = [one._replace(align="right") for one in head[1:]]
            ends.append(canvas.set_paragraphs(right, box._replace(left=half, top=_HEAD_Y + 10)))
        else:
            text = journal.draw.choice((" ", " · ", " | ", ", ")).join(one.runs[0].text for one in head[1:])
            ends.append(canvas.set_paragraphs([head[1]._replace(runs=(Run(text),))], box._replace(top=ends[0] - 2)))
        return min(ends) - 14
    return canvas.set_paragraphs(head, box._replace(top=_HEAD_Y + 10)) - 14 if head else box.top


def _print_later_sheets(canvas: PdfCanvas, journal: _Journal, rest: list[Paragraph]) -> None:
    style, article = journal.style, journal.article
    first = int(article.first_page) if article.first_page.isdecimal() else 1
    for sheet in range(1, int(style.sheets) + 1):
        _print_number(canvas, journal, first + sheet - 1, sheet)
        canvas.turn_page()
        if sheet == int(style.sheets) or not rest:
            break
        _print_running_head(canvas, journal, first + sheet, sheet)
        box = Box(_MARGIN, _TEXT_BOTTOM, PAGE_WIDTH - _MARGIN, _TEXT_TOP)
        rest = list(canvas.fill(rest, _columns(box, 1 if style.page == "one_column" else 2)))


def _print_number(canvas: PdfCanvas, journal: _Journal, number: int, sheet: int) -> None:
    if journal.style.head_numbers == "foot" or (journal.style.head_numbers == "head" and sheet == 1):
        box = Box(_MARGIN, 10, PAGE_WIDTH - _MARGIN, 34)
        canvas.set_paragraphs([Paragraph((Run(str(number)),), 8, journal.style.family, "centre")], box)


def _print_running_head(canvas: PdfCanvas, journal: _Journal, number: int, sheet: int) -> None:
    """Print the names, the journal or the title above a later sheet, with the page number at its outer end."""
    style, article = journal.style, journal.article
    family = article.people[0].family
    names = f"{family} et al." if len(article.people) > 2 else family  # noqa: PLR2004  (two are both named)
    cited = f"{article.journal} {article.day[0] if article.day else ''};{article.volume}:{article.first_page}"
    texts: Iterator[str] | tuple[str, ...] = {
        "none": (),
        "people": (names,),
        "journal": (cited,),
        "title": (article.title[:60],),
        "both": (names, cited) if sheet % 2 else (cited, names),
    }[style.running_head]
    shown = [*texts, *([str(number)] if style.head_numbers == "head" else [])]
    for text, align in zip(shown, ("left", "right", "centre"), strict=False):
        canvas.set_paragraphs(
            [Paragraph((Run(text),), 8, style.family, align)], Box(_MARGIN, 780, PAGE_WIDTH - _MARGIN, PAGE_HEIGHT - 26)
        )

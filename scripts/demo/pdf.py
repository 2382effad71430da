"""The printed form of an article: one column of front matter, two columns of text, embedded fonts."""

from __future__ import annotations

import functools
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import font_source_sans_pro  # type: ignore[import-untyped]
import font_source_serif_pro  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, Frame, NextPageTemplate, PageTemplate, Paragraph
from scripts.demo import words
from scripts.demo.pages import corresponding, sign, signs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripts.demo.model import Article, Issue

FAMILIES = {
    "northmoor": ("SourceSerifPro", Path(font_source_serif_pro.__file__).parent / "files"),
    "estuary": ("SourceSansPro", Path(font_source_sans_pro.__file__).parent / "files"),
}
# A reader's own font: a Chinese one to embed would outweigh the whole site.
CHINESE = "STSong-Light"
_CHINESE_RUN = re.compile(r"[\u2236\u3000-\u9fff\uff00-\uffef]+")
# The trimmed size of many a journal.
WIDTH, HEIGHT = 178 * mm, 254 * mm
MARGIN, GAP, FOOT, HEAD = 16 * mm, 6 * mm, 18 * mm, 22 * mm
INNER = WIDTH - 2 * MARGIN
COLUMN = (INNER - GAP) / 2


def make_pdf(issue: Issue, article: Article) -> bytes:
    """Set an article; the same truth gives the same bytes."""
    family = _register(issue.journal["id"])
    front = list(_front(article, _styles(family)))
    document = _Document(io.BytesIO(), issue, article, family)
    document.addPageTemplates([_first_page(_height(front), document.decorate), _later_page(document.decorate)])
    body = list(_body(article, _styles(family)))
    document.build([NextPageTemplate("later"), *front, *body])
    return document.bytes


class _Document(BaseDocTemplate):  # type: ignore[misc]  # the library is untyped
    """A document with the journal's running heads."""

    def __init__(self, target: io.BytesIO, issue: Issue, article: Article, family: str) -> None:
        super().__init__(
            target,
            pagesize=(WIDTH, HEIGHT),
            invariant=1,
            pageCompression=1,
            title=article.title,
            author=_who(article),
        )
        self._target, self._issue, self._article, self._family = target, issue, article, family

    @property
    def bytes(self) -> bytes:
        return self._target.getvalue()

    def decorate(self, canvas: Any, _: Any) -> None:
        """Print the citation line above and the page number below."""
        page = canvas.getPageNumber()
        canvas.setFont(self._family, 8)
        canvas.drawString(MARGIN, HEIGHT - 14 * mm, words.citation_line(self._issue, self._article))
        if self._article.doi:
            canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 14 * mm, f"doi: {self._article.doi}")
        canvas.line(MARGIN, HEIGHT - 16 * mm, WIDTH - MARGIN, HEIGHT - 16 * mm)
        first = self._article.first_page
        canvas.drawCentredString(WIDTH / 2, 11 * mm, str(int(first) + page - 1) if first.isdigit() else str(page))
        if page == 1:
            canvas.setFont(self._family, 7)
            canvas.drawString(MARGIN, 7 * mm, _imprint(self._issue, self._article))


def _imprint(issue: Issue, article: Article) -> str:
    pii = f"PII {article.pii}" if article.pii else ""
    parts = (
        f"© {issue.date[:4]} {issue.journal['publisher']}",
        f"ISSN {issue.journal['issn'][0]}",
        pii,
        article.licence,
    )
    return " · ".join(filter(None, parts))


def _who(article: Article) -> str:
    return "; ".join(words.full_name(author) for author in article.authors)


@functools.cache
def _register(journal: str) -> str:
    family, folder = FAMILIES[journal]
    for weight in ("Regular", "Bold", "It", "BoldIt"):
        name = family if weight == "Regular" else f"{family}-{weight}"
        pdfmetrics.registerFont(TTFont(name, folder / f"{family}-{weight}.ttf"))
    pdfmetrics.registerFontFamily(
        family, normal=family, bold=f"{family}-Bold", italic=f"{family}-It", boldItalic=f"{family}-BoldIt"
    )
    pdfmetrics.registerFont(UnicodeCIDFont(CHINESE))
    return family


@functools.cache
def _styles(family: str) -> dict[str, ParagraphStyle]:
    def style(size: float, **more: Any) -> ParagraphStyle:
        return ParagraphStyle("style", **{"fontName": family, "fontSize": size, "leading": size * 1.28, **more})

    return {
        "kicker": style(8.5, textColor="#666666", spaceAfter=4),
        "title": style(17, fontName=f"{family}-Bold", spaceAfter=6),
        "vernacular": style(11.5, fontName=f"{family}-It", spaceAfter=6),
        "authors": style(10.5, spaceAfter=5),
        "small": style(8, spaceAfter=2),
        "label": style(10, fontName=f"{family}-Bold", spaceBefore=7, spaceAfter=2),
        "abstract": style(9, leftIndent=10, rightIndent=10, spaceAfter=3),
        "heading": style(10.5, fontName=f"{family}-Bold", spaceBefore=8, spaceAfter=3, keepWithNext=1),
        "text": style(9.2, firstLineIndent=9, spaceAfter=2, alignment=4),
        "reference": style(7.6, leftIndent=12, firstLineIndent=-12, spaceAfter=1.5),
    }


def _front(article: Article, styles: dict[str, ParagraphStyle]) -> Iterator[Paragraph]:
    yield Paragraph(_set(article.section.upper()), styles["kicker"])
    yield Paragraph(_markup(article.title_html) or _set(article.title), styles["title"])
    # A Chinese title stays out: in an italic style the reader's own font would not match.
    if article.vernacular_title and article.language != "zh":
        yield Paragraph(_set(article.vernacular_title), styles["vernacular"])
    if article.authors:
        yield Paragraph(", ".join(_author(article, author) for author in article.authors), styles["authors"])
    for index, place in enumerate(article.affiliations):
        yield Paragraph(_raised(sign(article, index)) + _set(place), styles["small"])
    writer = corresponding(article)
    if writer:
        address = f" ({writer['email']})" if writer["email"] else ""
        yield Paragraph(_set(f"Correspondence: {words.full_name(writer)}{address}"), styles["small"])
    if any(author["equal"] for author in article.authors):
        equal = " and ".join(words.full_name(author) for author in article.authors if author["equal"])
        yield Paragraph(_set(f"{equal} contributed equally."), styles["small"])
    orcids = [f"{words.full_name(author)} {author['orcid']}" for author in article.authors if author["orcid"]]
    if orcids:
        yield Paragraph(_set(f"ORCID: {'; '.join(orcids)}"), styles["small"])
    dates = [f"{words.HISTORY[name]} {words.british(date)}" for name, date in article.dates.items() if date]
    yield Paragraph("; ".join([*dates, f"Published {words.british(article.date)}"]), styles["small"])
    yield from _abstract(article, styles)


def _abstract(article: Article, styles: dict[str, ParagraphStyle]) -> Iterator[Paragraph]:
    if not article.abstract:
        return
    yield Paragraph("Abstract", styles["label"])
    for section in article.sections:
        yield Paragraph(f"<b>{_set(section['label'])}:</b> {_set(section['text'])}", styles["abstract"])
    if not article.sections:
        yield Paragraph(_set(article.abstract), styles["abstract"])
    if article.keywords:
        yield Paragraph(f"<b>Keywords:</b> {_set('; '.join(article.keywords))}", styles["abstract"])


def _author(article: Article, author: Any) -> str:
    return _set(words.full_name(author)) + _raised(signs(article, author)) + _raised("*" * author["corresponding"])


def _raised(text: str) -> str:
    return f"<super>{text}</super>" if text else ""


def _body(article: Article, styles: dict[str, ParagraphStyle]) -> Iterator[Paragraph]:
    text = styles["text"]
    if article.language == "zh":
        text = ParagraphStyle("chinese", parent=text, wordWrap="CJK", alignment=0)
    for part in article.body:
        yield Paragraph(_set(part["heading"]), styles["heading"])
        for paragraph in part["paragraphs"]:
            yield Paragraph(_set(paragraph), text)
    for heading, lines in (("Funding", article.funding), ("Competing interests", [article.conflict])):
        if any(lines):
            yield Paragraph(heading, styles["heading"])
            yield Paragraph(_set("; ".join(lines)), styles["text"])
    if article.references:
        yield Paragraph("References", styles["heading"])
    for number, reference in enumerate(article.references, 1):
        yield Paragraph(_set(f"{number}. {reference}"), styles["reference"])


def _set(text: str) -> str:
    """Text as the paragraph markup wants it, Chinese in a font that has it."""
    return _CHINESE_RUN.sub(lambda run: f'<font name="{CHINESE}">{run[0]}</font>', escape(text))


def _markup(html: str) -> str:
    return html.replace("<sup>", "<super>").replace("</sup>", "</super>")


def _height(flowables: list[Paragraph]) -> float:
    total = sum(flowable.wrap(INNER, HEIGHT)[1] for flowable in flowables)
    spaces = sum(flowable.getSpaceBefore() + flowable.getSpaceAfter() for flowable in flowables)
    # A little air above the columns.
    return float(total + spaces + 5 * mm)


def _first_page(height: float, decorate: Any) -> PageTemplate:
    top = HEIGHT - HEAD
    height = min(height, top - FOOT)
    frames = [_frame(MARGIN, top - height, INNER, height)]
    rest = top - height - FOOT
    # A strip of a few lines under a long abstract stays empty.
    if rest > 25 * mm:
        frames += [_frame(x, FOOT, COLUMN, rest) for x in (MARGIN, MARGIN + COLUMN + GAP)]
    return PageTemplate("first", frames, onPage=decorate)


def _later_page(decorate: Any) -> PageTemplate:
    height = HEIGHT - HEAD - FOOT
    frames = [_frame(x, FOOT, COLUMN, height) for x in (MARGIN, MARGIN + COLUMN + GAP)]
    return PageTemplate("later", frames, onPage=decorate)


def _frame(x: float, y: float, width: float, height: float) -> Frame:
    return Frame(x, y, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)

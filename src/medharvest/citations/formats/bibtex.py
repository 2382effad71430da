"""BibTeX: one `@article` a record, in UTF-8, with what LaTeX reads as commands escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from medharvest.citations.formats import dates
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.keys import citation_key
from medharvest.citations.formats.markup import marked
from medharvest.records import Author, Citation

COMMANDS = {
    "i": "\\emph",
    "b": "\\textbf",
    "u": "\\underline",
    "sup": "\\textsuperscript",
    "sub": "\\textsubscript",
}
SPECIAL = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    "#": "\\#",
    "$": "\\$",
    "%": "\\%",
    "&": "\\&",
    "_": "\\_",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
}
_SPECIAL = re.compile(r"[\\{}#$%&_~^<>]")
_TAG = re.compile(r"<(/?)(i|b|u|sup|sub)>")
_AND = re.compile(r"(?i)\band\b")


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write entries one by one, an empty line between them."""
    for citation in citations:
        fields = "".join(
            f",\n  {name} = {value}" for name, value in _fields(citation) if value not in {"", "{}", "{{}}"}
        )
        yield f"@article{{{citation_key(citation)}{fields}\n}}\n\n"


def _fields(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "author", _braced(" and ".join(name for author in citation.authors if (name := _name(author))))
    yield "title", f"{{{_braced(_tagged(citation.title, citation.title_html))}}}"  # twice: its capitals stay
    yield "origtitle", _value(citation.vernacular_title)
    yield "journal", _value(citation.journal)
    yield "shortjournal", _value(citation.abbreviation)
    yield "publisher", _value(citation.publisher)
    yield "volume", _value(citation.volume)
    yield "number", _value(citation.issue)
    yield "pages", _value(f"{citation.first_page}--{citation.last_page}" if citation.last_page else citation.first_page)
    yield "eid", _value(citation.article_number)
    yield from _date(citation.date)
    yield "issn", _value(", ".join(filter(None, citation.issn)))
    yield from (("doi", _bare(citation.doi)), ("pmid", _value(citation.pmid)), ("pii", _value(citation.pii)))
    yield "language", _value(citation.language)
    yield "keywords", _value(_keywords(citation))
    yield "abstract", _braced(_tagged(citation.abstract, citation.abstract_html))
    yield "url", _bare(citation.url)


def _date(iso: str) -> Iterator[tuple[str, str]]:
    """Year, month by its macro, and day; a season or a span stands where the month would."""
    known = dates.parts(iso)
    season = dates.season(iso)
    yield "year", _value(known[0] if known else "")
    yield "month", _value(season) if season else dates.MONTHS[int(known[1]) - 1].lower() if known[1:] else ""
    yield "day", _value("".join(known[2:]) if not season else "")


def _keywords(citation: Citation) -> str:
    """Semicolons between keywords; one that has a comma gets its own, or a reader would cut it."""
    words = [word for text in citation.keywords if (word := plain(text).replace(";", ","))]
    return "; ".join(words) + (";" if len(words) == 1 and "," in words[0] else "")


def _name(author: Author) -> str:
    """`von Last, Jr, First`; braces keep a group in one piece, two of them one of a single word."""
    if author.collective:
        group = _escaped(author.collective)
        return f"{{{group}}}" if " " in group else f"{{{{{group}}}}}" if group else ""
    family, given, suffix = (_whole(_escaped(part)) for part in (author.family, author.given, author.suffix))
    if suffix:
        return f"{family}, {suffix}, {given}"
    if given and family:
        return f"{family}, {given}"
    single = family or given
    return f"{{{single}}}" if " " in single and not single.startswith("{") else single


def _whole(text: str) -> str:
    """A part of a name; one with a comma or "and" in it is kept in braces."""
    return f"{{{text}}}" if "," in text or _AND.search(text) else text


def _value(text: str) -> str:
    return _braced(_escaped(text))


def _bare(text: str) -> str:
    """An identifier or address, which readers take as it is, but for what would end the value."""
    return _braced(re.sub(r"[{}\\]", lambda found: f"%{ord(found[0]):02X}", plain(text)))


def _braced(text: str) -> str:
    return f"{{{text}}}"


def _escaped(text: str) -> str:
    return _quoted(plain(text))


def _quoted(text: str) -> str:
    return _SPECIAL.sub(lambda sign: SPECIAL[sign[0]], text)


def _tagged(text: str, tagged: str) -> str:
    """Text with commands for its inline tags."""
    written = marked(text, tagged, quote=_quoted)
    return _TAG.sub(lambda tag: "}" if tag[1] else f"{COMMANDS[tag[2]]}{{", written)

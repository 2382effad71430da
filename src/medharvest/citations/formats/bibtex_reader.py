"""BibTeX to citations: a small reader of entries, strings, braces and the commands that titles and names hold."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from medharvest.citations.formats import dates, persons
from medharvest.citations.formats.bibtex import COMMANDS
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.markup import escape, from_marked
from medharvest.citations.formats.pubmed_reader import pages
from medharvest.citations.identifiers import find_doi, written_issns
from medharvest.errors import InputError
from medharvest.records import Author, Citation

_LONGEST = 4_000_000  # characters of one entry
_DEEPEST = 50  # braces in braces
_ENTRY = re.compile(r"@\s*(\w+)\s*[{(]")
_FIELD = re.compile(r"\s*,?\s*([A-Za-z][\w:.+/-]*)\s*=\s*")
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
}  # fmt: skip
_LETTERS = {
    "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ss": "ß",
    "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "textless": "<", "textgreater": ">", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
    "textendash": "–", "textemdash": "—", "ldots": "…", "textdegree": "°", "textmu": "µ",
}  # fmt: skip
_TAGS = {command.lstrip("\\"): tag for tag, command in COMMANDS.items()} | {"textit": "i", "bf": "b", "it": "i"}
_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z]+)[ ]*(?:\{\})?|\\(?P<sign>.)|(?P<open>\{)|(?P<close>\})|"
    r"\$(?P<math>[^$]{0,200})\$|(?P<text>[^\\{}$]+|.)",
    re.DOTALL,
)
_MATH = re.compile(r"([_^])(?:\{([^{}]*)\}|(.))")


def read(file: BinaryIO) -> Iterator[Citation]:
    """Read entries one by one; comments and preambles are passed over, strings are kept."""
    strings: dict[str, str] = {}
    for kind, body in _entries(file):
        if kind == "string":
            strings |= _fields(body, strings)
        elif kind not in {"comment", "preamble"}:
            yield _citation(_fields(body.partition(",")[2], strings))


def _entries(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """Kind and body of each entry; a line that opens the next one ends an entry that nothing closed."""
    buffer: list[str] = []
    size = depth = 0
    for raw in codecs.iterdecode(file, "utf-8-sig", "replace"):
        if depth <= 0 and not raw.lstrip().startswith("@") and not buffer:
            continue
        buffer.append(raw)
        size += len(raw)
        depth += _opened(raw)
        if size > _LONGEST:
            raise InputError("an entry without end", name="bibtex", hint="look for a brace that is not closed")
        if depth <= 0:
            yield from _cut("".join(buffer))
            buffer, size, depth = [], 0, 0
    yield from _cut("".join(buffer))


def _opened(line: str) -> int:
    bare = re.sub(r"\\.", "", line)
    return bare.count("{") - bare.count("}")


def _cut(text: str) -> Iterator[tuple[str, str]]:
    found = _ENTRY.search(text)
    if found:
        yield found[1].lower(), text[found.end() :].rstrip().removesuffix("}").removesuffix(")")


def _fields(body: str, strings: Mapping[str, str]) -> dict[str, str]:
    out: dict[str, str] = {}
    at = 0
    while found := _FIELD.match(body, at):
        value, at = _value(body, found.end(), strings)
        out.setdefault(found[1].lower(), value)
    return out


def _value(body: str, at: int, strings: Mapping[str, str]) -> tuple[str, int]:
    """The value that begins at a place, pieces joined by `#`, and where it ends."""
    pieces = []
    while True:
        end = _piece_end(body, at)
        pieces.append(_piece(body[at:end].strip(), strings))
        joined = re.compile(r"\s*#\s*").match(body, end)
        if not joined:
            return "".join(pieces), end
        at = joined.end()


def _piece(text: str, strings: Mapping[str, str]) -> str:
    if text[:1] in {"{", '"'}:
        return text[1:].removesuffix("}" if text[0] == "{" else '"')
    return strings.get(text.lower(), text)


def _piece_end(body: str, at: int) -> int:
    """Where a piece ends: at its closing brace or quote, else before the next comma."""
    if body[at : at + 1] not in {"{", '"'}:
        found = re.compile(r"[^,#\s}]*").match(body, at)
        return found.end() if found else at
    quote, depth = body[at] == '"', 0
    for token in re.compile(r'\\.|[{}"]', re.DOTALL).finditer(body, at + quote):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if (token[0] == '"' and quote and depth == 0) or (not quote and depth == 0 and token[0] == "}"):
            return token.end()
    return len(body)


def _citation(fields: Mapping[str, str]) -> Citation:
    def text(name: str) -> str:
        return from_marked(detex(fields.get(name, "")))[0]

    title, title_html = from_marked(detex(fields.get("title", "")))
    abstract, abstract_html = from_marked(detex(fields.get("abstract", "")))
    start, _, last = (part.strip(" -–") for part in text("pages").replace("–", "-").partition("-"))
    first, number = pages(start, last)
    return Citation(
        url=fields.get("url", "").strip(),
        title=title,
        title_html=title_html,
        vernacular_title=text("origtitle"),
        authors=tuple(_author(name) for name in _names(fields.get("author", "")) if name.strip()),
        abstract=abstract,
        abstract_html=abstract_html,
        journal=text("journal") or text("journaltitle"),
        abbreviation=text("shortjournal"),
        publisher=text("publisher"),
        issn=written_issns(text("issn")),
        volume=text("volume"),
        issue=text("number") or text("issue"),
        first_page=first,
        last_page=last,
        article_number=text("eid") or number,
        date=_date(text("year"), text("month"), text("day")) or dates.from_parts(*text("date").split("-")[:3]),
        doi=find_doi(fields.get("doi", "")),
        pmid=text("pmid"),
        pii=text("pii"),
        language=two_letters(text("language") or text("langid")),
        keywords=_keywords(text("keywords")),
    )


def _keywords(text: str) -> tuple[str, ...]:
    """The words between semicolons, or between commas where there is no semicolon."""
    return tuple(word.strip() for word in text.split(";" if ";" in text else ",") if word.strip())


def _date(year: str, month: str, day: str) -> str:
    if "-" in month:
        return dates.from_printed(f"{year} {month}")
    return dates.from_parts(year, month, day)


def _names(text: str) -> Iterator[str]:
    """The names between `and`, which counts outside braces only."""
    start = depth = 0
    for token in re.finditer(r"\\.|[{}]|\s+and\s+", text):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0].strip() == "and":
            yield text[start : token.start()]
            start = token.end()
    yield text[start:]


def _author(text: str) -> Author:
    bare = text.strip()
    parts = [from_marked(detex(part))[0] for part in _commas(bare)]
    if len(parts) == 1:
        whole = bare.startswith("{") and _piece_end(bare, 0) == len(bare)
        if whole and " " not in parts[0] and not bare.startswith("{{"):
            return Author(family=parts[0])  # one name in braces is a person's; ours doubles them for a group
        return Author(collective=parts[0]) if whole else _natural(parts[0])
    family, *rest = parts
    if len(rest) > 1:
        return Author(family=family, given=rest[1], suffix=persons.from_counted(rest[0]))
    return Author(family=family, given=rest[0])


def _commas(text: str) -> Iterator[str]:
    start = depth = 0
    for token in re.finditer(r"\\.|[{},]", text):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0] == ",":
            yield text[start : token.start()]
            start = token.end()
    yield text[start:]


def _natural(name: str) -> Author:
    """`First von Last`: the family name begins at its first small word, else at the last one."""
    words = name.split()
    cut = next((i for i, word in enumerate(words[:-1]) if word[:1].islower()), max(len(words) - 1, 0))
    return Author(family=" ".join(words[cut:]), given=" ".join(words[:cut]))


def detex(text: str) -> str:
    """The text of a value as HTML with the five inline tags: commands, accents and simple formulas read."""
    out: list[str] = []
    closing: list[str] = []
    tag = accent = ""
    for token in _TOKEN.finditer(text):
        if token["open"] and len(closing) < _DEEPEST:
            out.append(f"<{tag}>" if tag else "")
            closing.append(f"</{tag}>" if tag else "")
            tag = ""
        elif token["close"]:
            out.append(closing.pop() if closing else "")
        elif token["word"] in _TAGS:
            tag = _TAGS[token["word"]]
        elif mark := _ACCENTS.get(token["sign"] or token["word"] or ""):
            accent = mark
        else:
            out.append(_read(token, accent))
            accent = ""
    return plain("".join([*out, *reversed(closing)]))


def _read(token: re.Match[str], accent: str) -> str:
    """The HTML of a token; an accent before it stands on its first letter."""
    if token["math"] is not None:
        return _MATH.sub(_scripted, escape(token["math"]))
    if token["word"]:
        piece = _LETTERS.get(token["word"], "")
    else:
        piece = token["sign"] or (token["text"] or "").replace("~", " ").replace("---", "—").replace("--", "–")
    return escape(unicodedata.normalize("NFC", piece[:1] + accent + piece[1:]) if accent else piece)


def _scripted(found: re.Match[str]) -> str:
    """A raised or lowered part of a formula, `_2` or `^{13}`, as a tag."""
    name = "sub" if found[1] == "_" else "sup"
    return f"<{name}>{found[2] or found[3]}</{name}>"

"""BibTeX, written and read: one `@article` per record, in UTF-8.

LaTeX commands are escaped on the way out and decoded on the way in. The citation key is also the id in CSL-JSON.
"""

from __future__ import annotations

import functools
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import BinaryIO

from medharvest.citations.identifiers import find_doi, find_unchecked_issns
from medharvest.errors import InputError
from medharvest.fields import spoken_name
from medharvest.formats import medline_values, nlm_indexing, text_forms
from medharvest.formats.medline_values import (
    item_form_of,
    item_type_from,
    item_word,
    page_or_article_number,
    to_two_letter_code,
)
from medharvest.formats.record_files import ReadingNotes, read_text_lines
from medharvest.formats.text_forms import escape_latex, latex_to_html, split_markup, to_latex_markup, to_plain_line
from medharvest.records import Author, Citation, Contributor, Identifier

_AND_WORD = re.compile(r"(?i)\band\b")
_MAX_ENTRY_CHARACTERS = 4_000_000  # of one entry; a larger one is a damaged file
_MAX_STRING_CHARACTERS = 1_000  # of one macro; it is a journal or a month
_ENTRY_START = re.compile(r"@\s*(\w+)\s*[{(]")
# Signs are found together with escapes, which are skipped.
_ANY_ESCAPE = re.compile(r"\\.")
_PIECE_SIGN = re.compile(r'\\.|[{}"]', re.DOTALL)
_NAME_SIGN = re.compile(r"\\.|[{}]|(?:(?<!\s)|(?<=\\\s))\s++(?i:and)\s+")
_COMMA_SIGN = re.compile(r"\\.|[{},]")
_BARE_PIECE = re.compile(r"[^,#\s}]*")
_JOINING_SIGN = re.compile(r"\s*#\s*")
_ENTRY_LINE = re.compile(r"@\w{1,40}\s{0,8}[{(]\s{0,8}[^\s,{}()=]{1,200}\s{0,8},")
_READ_FIELDS = frozenset(
    """author title origtitle journal journaltitle shortjournal booktitle series publisher organization school
    institution address location edition volume number issue pages eid year month day date issn isbn doi pmid pmcid pii
    language langid keywords abstract url editor translator type entrysubtype eprint note""".split()
)
_FIELD_START = re.compile(r"\s*+,?\s*+([A-Za-z][\w:.+/-]*+)\s*+=\s*+")
_ESCAPED_SIGN = re.compile(r"\\([_%&#$~^{}])")
_NAME_WITH_KEYS = re.compile(r"(?i)(?:family|given|prefix|suffix|useprefix|[a-z]{1,20}template|id|xdata)(?:-i)?\s*+=")
_MAX_NAME_CHARACTERS = 1000  # of a word of a name; a longer one is no name
_NOTE_SEPARATOR = " | "
_ROLE_FIELDS = ("editor", "translator")
_KINDS_WITHOUT_RECORD = frozenset({"comment", "preamble", "xdata", "set"})
_CONTAINER_FIELDS = {
    **dict.fromkeys(("chapter", "conference paper", "encyclopedia entry", "dictionary entry"), "booktitle"),
    **dict.fromkeys(("book", "proceedings", "report", "thesis", "master's thesis"), "series"),
}
_PUBLISHER_FIELDS = {"thesis": "school", "master's thesis": "school", "report": "institution"}
_KEY_WORD = re.compile(r"[a-z0-9]+")
_KEY_STOP_WORDS = frozenset("a an and as at by for from in into of on the to with".split())


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write entries one by one, with an empty line after each."""
    for citation in citations:
        fields = "".join(
            f",\n  {name} = {value}" for name, value in _list_bibtex_fields(citation) if value not in {"", "{}", "{{}}"}
        )
        yield f"@{item_form_of(citation.item_type).bibtex[0]}{{{citation_key(citation)}{fields}\n}}\n\n"


def citation_key(citation: Citation) -> str:
    """Return a key such as `vandekamp2025effect-1f0c`: first author, year, a word of the title, a checksum."""
    first = citation.authors[0] if citation.authors else None
    name = _to_ascii_key(first.family or first.collective)[:24] if first else ""
    word = next((w for w in _split_ascii_words(citation.title) if w not in _KEY_STOP_WORDS), "")[:16]
    identity = f"{citation.doi}|{citation.pmid}|{citation.title}|{citation.volume}|{citation.first_page}|{citation.url}"
    check = zlib.crc32(identity.encode("utf-8", "replace")) & 0xFFFF
    return f"{name or 'anonymous'}{_to_ascii_key(citation.date[:4])}{word}-{check:04x}"


@functools.lru_cache(maxsize=4096)
def _to_ascii_key(text: str) -> str:
    return "".join(_split_ascii_words(text))


def _split_ascii_words(text: str) -> list[str]:
    bare = text if text.isascii() else unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return _KEY_WORD.findall(bare.lower())


def _list_bibtex_fields(citation: Citation) -> Iterator[tuple[str, str]]:
    others = " and others" if citation.more_authors and citation.authors else ""
    yield "author", _put_in_braces(_join_bibtex_names(citation.authors) + others)
    for role in _ROLE_FIELDS:
        yield role, _put_in_braces(_join_bibtex_names(text_forms.list_people(citation, role)))
    yield "type", _to_bibtex_value(item_word("bibtex", citation.item_type))
    title = to_latex_markup(citation.title, citation.title_html)
    yield "title", _put_in_braces(_put_in_braces(title))  # double braces keep the capitals
    yield "origtitle", _to_bibtex_value(citation.vernacular_title)
    yield _CONTAINER_FIELDS.get(citation.item_type, "journal"), _to_bibtex_value(citation.journal)
    yield "shortjournal", _to_bibtex_value(citation.abbreviation)
    yield _PUBLISHER_FIELDS.get(citation.item_type, "publisher"), _to_bibtex_value(citation.publisher)
    yield "address", _to_bibtex_value(citation.publisher_place)
    yield "edition", _to_bibtex_value(citation.edition)
    yield "volume", _to_bibtex_value(citation.volume)
    yield "number", _to_bibtex_value(citation.issue)
    yield (
        "pages",
        _to_bibtex_value(f"{citation.first_page}--{citation.last_page}" if citation.last_page else citation.first_page),
    )
    yield "eid", _to_bibtex_value(citation.article_number)
    yield from _list_bibtex_date_fields(citation.date)
    yield "issn", _to_bibtex_value(", ".join(filter(None, citation.issn)))
    isbns = (one.value for one in citation.identifiers if one.scheme == "isbn")
    yield "isbn", _to_bibtex_value(", ".join(filter(None, isbns)))
    yield "pmcid", _to_bibtex_value(nlm_indexing.identifier_value(citation, "pmcid"))
    yield from (
        ("doi", _to_bare_bibtex_value(citation.doi)),
        ("pmid", _to_bibtex_value(citation.pmid)),
        ("pii", _to_bibtex_value(citation.pii)),
    )
    yield "language", _to_bibtex_value(citation.language)
    yield "note", _to_bibtex_value(_NOTE_SEPARATOR.join(medline_values.list_note_lines(citation, ("isbn", "pmcid"))))
    yield "keywords", _to_bibtex_value(_join_bibtex_keywords(citation))
    yield "abstract", _put_in_braces(to_latex_markup(citation.abstract, citation.abstract_html))
    yield "url", _to_bare_bibtex_value(citation.url)


def _list_bibtex_date_fields(iso: str) -> Iterator[tuple[str, str]]:
    """Yield year, month by its macro, and day; a season or a span takes the place of the month."""
    known = medline_values.split_iso_date(iso)
    season = medline_values.season_or_span(iso)
    yield "year", _to_bibtex_value(known[0] if known else "")
    yield (
        "month",
        _to_bibtex_value(season)
        if season
        else medline_values.MONTH_ABBREVIATIONS[int(known[1]) - 1].lower()
        if known[1:]
        else "",
    )
    yield "day", _to_bibtex_value("".join(known[2:]) if not season else "")


def _join_bibtex_keywords(citation: Citation) -> str:
    """Join keywords by semicolons; a single keyword with a comma gets one too, so that no reader splits it."""
    words = [
        word for text in medline_values.list_subject_words(citation) if (word := to_plain_line(text).replace(";", ","))
    ]
    return "; ".join(words) + (";" if len(words) == 1 and "," in words[0] else "")


def _join_bibtex_names(authors: Iterable[Author]) -> str:
    return " and ".join(name for author in authors if (name := _format_bibtex_name(author)))


def _format_bibtex_name(author: Author) -> str:
    """Write `von Last, Jr, First`; braces keep a group together, double ones mark a group of a single word."""
    if author.collective:
        group = _escape_latex_line(author.collective)
        return f"{{{group}}}" if " " in group else f"{{{{{group}}}}}" if group else ""
    family, given, suffix = (
        _brace_name_part(_escape_latex_line(part)) for part in (author.family, author.given, author.suffix)
    )
    if suffix:
        return f"{family}, {suffix}, {given}"
    if given and family:
        return f"{family}, {given}"
    single = family or given
    return f"{{{single}}}" if " " in single and not single.startswith("{") else single


def _brace_name_part(text: str) -> str:
    """Put a part of a name in braces if it contains a comma or "and"."""
    return f"{{{text}}}" if "," in text or _AND_WORD.search(text) else text


def _to_bibtex_value(text: str) -> str:
    return _put_in_braces(_escape_latex_line(text))


def _to_bare_bibtex_value(text: str) -> str:
    """Write an identifier or address without escapes; only braces and backslashes are percent-encoded."""
    return _put_in_braces(re.sub(r"[{}\\]", lambda found: f"%{ord(found[0]):02X}", to_plain_line(text)))


def _put_in_braces(text: str) -> str:
    return f"{{{text}}}"


def _escape_latex_line(text: str) -> str:
    return escape_latex(to_plain_line(text))


def read(file: BinaryIO, notes: ReadingNotes | None = None) -> Iterator[Citation]:
    """Read entries one by one; comments and preambles are skipped, `@string` macros are applied."""
    strings: dict[str, str] = {}
    for kind, body, line in _split_bibtex_entries(file, notes):
        if kind == "string":
            strings |= _check_string_lengths(_parse_bibtex_fields(body, strings))
        elif kind not in _KINDS_WITHOUT_RECORD:
            fields = _parse_bibtex_fields(body.partition(",")[2], strings)
            if notes is not None:
                notes.begin_record(line)
                notes.drop_unread(fields.items(), _READ_FIELDS)
            yield _read_bibtex_entry(kind, fields)


def _check_string_lengths(strings: dict[str, str]) -> dict[str, str]:
    """Return macros; a few that each repeat another twice would otherwise fill the memory."""
    if any(len(value) > _MAX_STRING_CHARACTERS for value in strings.values()):
        hint = f"at most {_MAX_STRING_CHARACTERS:,} characters; write the value into the entries"
        raise InputError(f"@string is too long: {', '.join(strings)[:100]}", name="bibtex", hint=hint)
    return strings


def _split_bibtex_entries(file: BinaryIO, notes: ReadingNotes | None) -> Iterator[tuple[str, str, int]]:
    """Yield kind, body and line of each entry; one that is not closed ends before the next."""
    buffer: list[str] = []
    size = depth = start = 0
    for number, line in enumerate(read_text_lines(file), 1):
        if buffer and notes is not None and _begins_other_entry(buffer[0], line):
            notes.begin_record(start)
            notes.refuse("the entry is not closed", line=start, hint="look for an unclosed brace")
            buffer, size, depth = [], 0, 0
        if not buffer and not line.lstrip().startswith("@"):
            continue
        start = start if buffer else number
        buffer.append(line)
        size += len(line) + 1
        depth += _count_open_braces(line)
        if size > _MAX_ENTRY_CHARACTERS:
            raise InputError(f"line {start}: an entry has no end", name="bibtex", hint="look for an unclosed brace")
        if depth <= 0:
            yield from _cut_entry_body("\n".join(buffer), start)
            buffer, size, depth = [], 0, 0
    yield from _cut_entry_body("\n".join(buffer), start)


def _begins_other_entry(first: str, line: str) -> bool:
    """Whether a line inside an entry begins another one; a comment may contain entries."""
    return (
        line.startswith("@") and bool(_ENTRY_LINE.match(line)) and not first.lstrip(" @").lower().startswith("comment")
    )


def _count_open_braces(line: str) -> int:
    bare = _ANY_ESCAPE.sub("", line) if "\\" in line else line
    return bare.count("{") - bare.count("}")


def _cut_entry_body(text: str, line: int) -> Iterator[tuple[str, str, int]]:
    found = _ENTRY_START.search(text)
    if found:
        body = text[found.end() :].rstrip().removesuffix("}").removesuffix(")")
        yield found[1].lower(), body, line


def _parse_bibtex_fields(body: str, strings: Mapping[str, str]) -> dict[str, str]:
    out: dict[str, str] = {}
    at = 0
    while found := _FIELD_START.match(body, at):
        value, at = _parse_bibtex_value(body, found.end(), strings)
        out.setdefault(found[1].lower(), value)
    return out


def _parse_bibtex_value(body: str, at: int, strings: Mapping[str, str]) -> tuple[str, int]:
    """Return the value at a position, with pieces joined by `#`, and where it ends."""
    pieces, size = [], 0
    while True:
        end = _find_piece_end(body, at)
        pieces.append(_resolve_value_piece(body[at:end].strip(), strings))
        size += len(pieces[-1])
        if size > _MAX_ENTRY_CHARACTERS:
            raise InputError("a value is too long", name="bibtex", hint="look for a repeated @string name")
        joined = _JOINING_SIGN.match(body, end)
        if not joined:
            return "".join(pieces), end
        at = joined.end()


def _resolve_value_piece(text: str, strings: Mapping[str, str]) -> str:
    if text[:1] in {"{", '"'}:
        return text[1:].removesuffix("}" if text[0] == "{" else '"')
    return strings.get(text.lower(), text)


def _find_piece_end(body: str, at: int) -> int:
    """Find where a piece ends: at its closing brace or quote, else before the next comma."""
    if body[at : at + 1] not in {"{", '"'}:
        found = _BARE_PIECE.match(body, at)
        return found.end() if found else at
    quote, depth = body[at] == '"', 0
    for token in _PIECE_SIGN.finditer(body, at + quote):
        sign = token[0]
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        if depth == 0 and sign == ('"' if quote else "}"):
            return token.end()
    return len(body)


def _read_bibtex_entry(kind: str, fields: Mapping[str, str]) -> Citation:
    def text(name: str) -> str:
        value = fields.get(name)
        return split_markup(latex_to_html(value))[0] if value else ""

    title, title_html = split_markup(latex_to_html(fields.get("title", "")))
    abstract, abstract_html = split_markup(latex_to_html(fields.get("abstract", "")))
    start, last = medline_values.split_pages(text("pages"))
    first, number = page_or_article_number(start, last)
    names = [name for name in _split_bibtex_names(fields.get("author", "")) if name.strip()]
    more = bool(names) and names[-1].strip().lower() == "others"
    stated = medline_values.split_note_lines(
        line for part in text("note").split(_NOTE_SEPARATOR) if (line := part.strip())
    )
    stated["identifiers"] += _read_bibtex_identifiers(text)
    return Citation(
        item_type=_read_bibtex_type(kind, text("type") or text("entrysubtype"), is_eprint=bool(text("eprint"))),
        more_authors=more,
        contributors=tuple(_read_bibtex_contributors(fields)),
        publisher_place=text("address") or text("location"),
        edition=text("edition"),
        **stated,
        url=_unescape_address(fields.get("url", "")),
        title=title,
        title_html=title_html,
        vernacular_title=text("origtitle"),
        authors=tuple(one for one in map(_read_bibtex_author, names[:-1] if more else names) if spoken_name(one)),
        abstract=abstract,
        abstract_html=abstract_html,
        journal=next(filter(None, map(text, ("journal", "journaltitle", "booktitle", "series"))), ""),
        abbreviation=text("shortjournal"),
        publisher=next(filter(None, map(text, ("publisher", "school", "institution", "organization"))), ""),
        issn=find_unchecked_issns(text("issn")),
        volume=text("volume"),
        issue=text("number") or text("issue"),
        first_page=first,
        last_page=last,
        article_number=text("eid") or number,
        date=_read_bibtex_date(text("year"), text("month"), text("day"))
        or _read_edtf_date(text("date") or text("year")),
        doi=find_doi(_unescape_address(fields.get("doi", ""))),
        pmid=text("pmid"),
        pii=text("pii"),
        language=to_two_letter_code(text("language") or text("langid")),
        keywords=_split_bibtex_keywords(text("keywords")),
    )


def _read_bibtex_type(kind: str, said: str, *, is_eprint: bool) -> str:
    """Return the item type of an entry; what BibTeX calls misc is a preprint if it has a number in an archive."""
    if said.lower() in {"mathesis", "phdthesis"}:
        kind, said = {"mathesis": "mastersthesis"}.get(said.lower(), said.lower()), ""
    found = item_type_from("bibtex", kind, said)
    return "preprint" if is_eprint and found == "other" else found


def _read_bibtex_contributors(fields: Mapping[str, str]) -> Iterator[Contributor]:
    for role in _ROLE_FIELDS:
        names = (name for name in _split_bibtex_names(fields.get(role, "")) if name.strip())
        people = (_read_bibtex_author(name) for name in names if name.strip().lower() != "others")
        yield from text_forms.make_contributors(role, people)


def _read_bibtex_identifiers(text: Callable[[str], str]) -> tuple[Identifier, ...]:
    books = (isbn.strip() for isbn in text("isbn").replace(";", ",").split(","))
    found = [("isbn", isbn) for isbn in books] + [("pmcid", text("pmcid"))]
    return tuple(Identifier(scheme, value) for scheme, value in found if value)


def _unescape_address(text: str) -> str:
    """Return a DOI or address as it is: some programs escape it as if it were text."""
    return _ESCAPED_SIGN.sub(r"\1", text).replace("{", "").replace("}", "").strip()


def _read_edtf_date(text: str) -> str:
    """Read the date of biblatex: one of ISO 8601-2 or a span of two; an open end is left out."""
    ends = [iso for part in text.split("/")[:2] if (iso := medline_values.iso_from_edtf(part))]
    return "/".join(dict.fromkeys(ends)) or medline_values.iso_from_text(text)


def _split_bibtex_keywords(text: str) -> tuple[str, ...]:
    """Split at semicolons, or at commas if there is no semicolon."""
    return tuple(word.strip() for word in text.split(";" if ";" in text else ",") if word.strip())


def _read_bibtex_date(year: str, month: str, day: str) -> str:
    if "-" in month or " " in month:
        return medline_values.iso_from_medline(f"{year} {month}")
    return medline_values.iso_from_parts(year, month, day)


def _split_bibtex_names(text: str) -> Iterator[str]:
    """Yield the names between `and`, which counts only outside braces."""
    start = depth = 0
    for token in _NAME_SIGN.finditer(text):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0].strip().lower() == "and":
            yield text[start : token.start()]
            start = token.end()
    yield text[start:]


def _read_bibtex_author(text: str) -> Author:
    bare = text.strip()
    if _NAME_WITH_KEYS.match(bare):
        return _read_keyed_name(bare)
    parts = [split_markup(latex_to_html(part))[0] for part in _split_at_commas(bare)]
    if len(parts) == 1:
        whole = bare.startswith("{") and _find_piece_end(bare, 0) == len(bare)
        if whole and " " not in parts[0] and not bare.startswith("{{"):
            return Author(family=parts[0])  # we write a group of one word in double braces
        return Author(collective=parts[0]) if whole else _read_natural_name(bare)
    family, *rest = parts
    if len(rest) > 1:
        return Author(family=family, given=rest[1], suffix=text_forms.suffix_from_medline(rest[0]))
    return Author(family=family, given=rest[0])


def _read_keyed_name(text: str) -> Author:
    """Read biblatex's `family=Kamp, given=Anna, prefix=van de, suffix=Jr`; empty for options of the list alone."""
    pairs = (part.partition("=") for part in _split_at_commas(text))
    values = {key.strip().lower(): split_markup(latex_to_html(value.strip().strip('"')))[0] for key, _, value in pairs}
    family = " ".join(part for part in (values.get("prefix", ""), values.get("family", "")) if part)
    return Author(family=family, given=values.get("given", ""), suffix=values.get("suffix", ""))


def _split_at_commas(text: str) -> Iterator[str]:
    start = depth = 0
    for token in _COMMA_SIGN.finditer(text):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0] == ",":
            yield text[start : token.start()]
            start = token.end()
    yield text[start:]


def _read_natural_name(name: str) -> Author:
    """Read `First von Last`: the family name begins at the first lower-case word, else at the last word."""
    words = list(_split_bibtex_words(name))
    cut = next((i for i, word in enumerate(words[:-1]) if _is_lower_case_word(word)), max(len(words) - 1, 0))
    plain = [split_markup(latex_to_html(word))[0] for word in words]
    return Author(family=" ".join(plain[cut:]), given=" ".join(plain[:cut]))


def _split_bibtex_words(name: str) -> Iterator[str]:
    """Yield the words of a name; blanks in braces separate none."""
    start = depth = 0
    for token in re.finditer(r"\\\S|[{}]|\s+", name):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth <= 0 and token[0].isspace():
            if name[start : token.start()]:
                yield name[start : token.start()]
            start = token.end()
    if name[start:]:
        yield name[start:]


def _is_lower_case_word(word: str) -> bool:
    """Whether the first letter outside braces is a small one; a letter with an accent, in braces, counts too.

    Of a word that is in braces as a whole, its first letter counts.
    """
    accents = re.sub(r"\{\\(?:[^\W\d_]++\s*+|[^\w\s])\{?([^\W\d_]?)[^{}]*+\}?\}", r"\1", word[:_MAX_NAME_CHARACTERS])
    outside = re.sub(r"\{[^{}]*\}", "", accents)
    first = re.search(r"[^\W\d_]", outside) or re.search(r"[^\W\d_]", accents)
    return first is not None and first[0].islower()

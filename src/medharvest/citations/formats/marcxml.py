"""MARCXML: a collection of MARC 21 records, each a component part of its journal (field 773)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from medharvest.citations.formats import dates
from medharvest.citations.formats.characters import plain
from medharvest.citations.formats.languages import three_letters
from medharvest.citations.formats.xml import text_for_xml, wrap
from medharvest.records import Author, Citation

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">\n'
_LEADER = "<leader>00000nab a2200000 a 4500</leader>\n"  # a language text, component part of a serial
_SINGLE, _FAMILY, _GROUP = "0", "1", "2"
Subfields = Iterable[tuple[str, str]]


def write(citations: Iterable[Citation]) -> Iterator[str]:
    """Write the collection record by record."""
    yield HEADER
    for citation in citations:
        yield wrap("record", _LEADER + _control(citation) + "".join(_fields(citation)))
    yield "</collection>\n"


def _control(citation: Citation) -> str:
    """Field 008 with date and language in their places; what is not known is a bar or blank."""
    year = dates.parts(citation.date)[0] if dates.parts(citation.date) else "    "
    language = three_letters(citation.language) or "und"
    kind = "s" if year.strip() else "n"
    return f'<controlfield tag="008">      {kind}{year}    xx |||||||||||||||||{language}||</controlfield>\n'


def _fields(citation: Citation) -> Iterator[str]:
    yield _field("024", "7", " ", [("a", citation.doi), ("2", "doi" if plain(citation.doi) else "")])
    yield _field("024", "7", " ", [("a", citation.pmid), ("2", "pmid" if plain(citation.pmid) else "")])
    yield _field("041", "0", " ", [("a", three_letters(citation.language))])
    people = [author for author in citation.authors if author.collective or author.family or author.given]
    if people:
        yield _author("1", people[0], citation)
    yield _title(citation, has_author=bool(people))
    yield _field("246", "3", "1", [("a", citation.vernacular_title)])
    yield _field("520", "3", " ", [("a", citation.abstract)])
    yield from (_field("536", " ", " ", [("a", text)]) for text in citation.funding)
    yield _field("540", " ", " ", [("a", citation.licence)])
    yield from (_field("653", " ", " ", [("a", word)]) for word in citation.keywords)
    yield from (_field("655", " ", "4", [("a", kind)]) for kind in citation.publication_types)
    yield from (_author("7", author, citation) for author in people[1:])
    yield _field("773", "0", " ", _host(citation))
    yield _field("856", "4", "0", [("u", citation.url)])


def _author(place: str, author: Author, citation: Citation) -> str:
    known = [citation.affiliations[i] for i in author.affiliations if 0 <= i < len(citation.affiliations)]
    orcid = f"https://orcid.org/{plain(author.orcid)}" if plain(author.orcid) else ""
    if plain(author.collective):
        return _field(f"{place}10", _GROUP, " ", [("a", author.collective)])
    name = ", ".join(part for part in (plain(author.family), plain(author.given)) if part)
    inner = [("a", name), ("c", author.suffix), ("e", "author"), *(("u", text) for text in known), ("1", orcid)]
    return _field(f"{place}00", _FAMILY if plain(author.given) else _SINGLE, " ", inner)


def _title(citation: Citation, *, has_author: bool) -> str:
    title, colon, rest = plain(citation.title).partition(": ")
    whole = [("a", f"{title} :" if colon else title), ("b", rest)]
    return _field("245", "1" if has_author else "0", "0", whole)


def _host(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "t", citation.journal
    yield "p", citation.abbreviation
    yield "d", citation.publisher
    yield "g", _where(citation)
    yield from (("x", issn) for issn in citation.issn)


def _where(citation: Citation) -> str:
    """`Vol. 12, no. 3 (2025 Mar), p. 123-128`."""
    numbers = [f"{word} {text}" for word, text in (("Vol.", citation.volume), ("no.", citation.issue)) if plain(text)]
    when = dates.printed(citation.date)
    first, last = citation.first_page or citation.article_number, citation.last_page
    place = f"p. {first}-{last}" if last else f"p. {first}" if plain(first) else ""
    head = " ".join(part for part in (", ".join(numbers), f"({when})" if when else "") if part)
    return ", ".join(part for part in (head, place) if part)


def _field(number: str, one: str, two: str, subfields: Subfields) -> str:
    """A data field, or nothing where no subfield has text."""
    texts = ((code, text_for_xml(text)) for code, text in subfields if text)
    inner = "".join([f'<subfield code="{code}">{text}</subfield>\n' for code, text in texts if text])
    return wrap(f'datafield tag="{number}" ind1="{one}" ind2="{two}"', inner) if inner else ""

"""A record as OAI-PMH hands it out: Dublin Core for everyone, PubMed's publisher XML and JATS for who wants it all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from medharvest.citations import find_format
from medharvest.citations.formats.languages import two_letters
from medharvest.citations.formats.persons import inverted
from medharvest.citations.formats.xml import tag
from medharvest.records import Citation

_DC = (
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">\n'
)
_PUBMED = "https://dtd.nlm.nih.gov/ncbi/pubmed/in/PubMed.dtd"
_JATS = "https://jats.nlm.nih.gov/ns/archiving/1.3/"


@dataclass(frozen=True, slots=True)
class Form:
    """A format of metadata; what `write` gives is empty where a record lacks what the format demands."""

    prefix: str
    schema: str
    namespace: str
    write: Callable[[Citation], str]


def dublin_core(citation: Citation) -> str:
    """A record in simple Dublin Core."""
    return _DC + "".join(tag(f"dc:{name}", text) for name, text in _elements(citation)) + "</oai_dc:dc>\n"


def _elements(citation: Citation) -> Iterator[tuple[str, str]]:
    yield "title", citation.title
    yield "title", citation.vernacular_title
    yield from (("creator", inverted(author).rstrip(",")) for author in citation.authors)
    yield from (("subject", word) for word in citation.keywords)
    yield "description", citation.abstract
    yield "publisher", citation.publisher
    yield "date", citation.date.partition("/")[0]
    yield from (("type", kind) for kind in citation.publication_types or ("Journal Article",))
    yield "identifier", f"https://doi.org/{citation.doi}" if citation.doi else ""
    yield "identifier", f"pmid:{citation.pmid}" if citation.pmid else ""
    yield "identifier", citation.url
    yield "source", _source(citation)
    yield from (("source", f"ISSN {issn}") for issn in citation.issn)
    yield "language", two_letters(citation.language)
    yield "rights", citation.licence


def _source(citation: Citation) -> str:
    """`Journal of Tides 12(3): 45-50 (2024)`."""
    number = f"({citation.issue})" if citation.issue else ""
    pages = "-".join(filter(None, (citation.first_page or citation.article_number, citation.last_page)))
    place = f"{citation.volume}{number}" + (f": {pages}" if pages else "")
    year = f"({citation.date[:4]})" if citation.date else ""
    return " ".join(part for part in (citation.journal, place, year) if part)


def publisher_xml(citation: Citation) -> str:
    """One `Article` of PubMed's publisher XML, in a namespace, for OAI-PMH demands one; the DTD knows none."""
    form = find_format("pubmed")
    if form.lacks(citation):
        return ""
    whole = "".join(form.write([citation]))
    article = whole.partition("<ArticleSet>\n")[2].removesuffix("</ArticleSet>\n")
    return article.replace("<Article>", f'<Article xmlns="{_PUBMED}">', 1)


def front_matter(citation: Citation) -> str:
    """The front matter as JATS, in the namespace of its schema."""
    whole = "".join(find_format("jats").write([citation]))
    return whole[whole.index("<article ") :].replace("<article ", f'<article xmlns="{_JATS}" ', 1)


FORMS: Mapping[str, Form] = MappingProxyType(
    {
        form.prefix: form
        for form in (
            Form(
                "oai_dc",
                "http://www.openarchives.org/OAI/2.0/oai_dc.xsd",
                "http://www.openarchives.org/OAI/2.0/oai_dc/",
                dublin_core,
            ),
            Form("pubmed", _PUBMED, _PUBMED, publisher_xml),
            Form(
                "jats",
                "https://jats.nlm.nih.gov/archiving/1.3/xsd/JATS-archivearticle1-3-mathml3.xsd",
                _JATS,
                front_matter,
            ),
        )
    }
)

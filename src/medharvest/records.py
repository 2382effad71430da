"""The frozen data types that all packages exchange: pages, links, zones, citations, wishes and events.

`medharvest.codec` turns each of them into JSON and back.
"""

from __future__ import annotations

import functools
import html
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from msgspec import Struct

_OTHER_SIGNS = re.compile(r"\W+")
_ENDLESS_REFERENCE = re.compile(r"&#\d{4000,}+;?")
MAX_REMEMBERED_TEXT = 200  # characters; longer texts are hardly ever folded again
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())  # in UTF-8 no part of another sign


class Kind(StrEnum):
    """What a page is, or what a link leads to."""

    ABSTRACT = "abstract"
    FULLTEXT = "fulltext"
    PDF = "pdf"
    IMAGE = "image"
    SUPPLEMENT = "supplement"
    ISSUE = "issue"
    LOGIN = "login"
    BLOCKED = "blocked"
    MISSING = "missing"
    OTHER = "other"


ARTICLE_KINDS = frozenset({Kind.ABSTRACT, Kind.FULLTEXT, Kind.PDF})


class Reason(StrEnum):
    """Why a page did not arrive: a closed list."""

    MALFORMED_URL = "malformed_url"
    NO_PROTOCOL = "no_protocol"
    NO_ROUTE = "no_route"
    NOT_FOUND = "not_found"
    UNKNOWN_HOST = "unknown_host"
    REFUSED = "refused"
    FORBIDDEN = "forbidden"
    RATE_LIMITED = "rate_limited"
    CLIENT_ERROR = "client_error"
    SERVER_ERROR = "server_error"
    TIMEOUT = "timeout"
    BROKEN_TRANSFER = "broken_transfer"
    TOO_LARGE = "too_large"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    PRIVATE_ADDRESS = "private_address"
    ROBOTS = "robots"
    BUDGET = "budget"
    TRAP = "trap"
    LOGIN_WALL = "login_wall"
    BLOCKED = "blocked"
    SOFT_404 = "soft_404"
    UNREADABLE = "unreadable"


# Reasons of our own for not fetching a page: trying again would change nothing.
REFUSALS = frozenset({Reason.ROBOTS, Reason.BUDGET, Reason.TRAP, Reason.PRIVATE_ADDRESS})


@dataclass(frozen=True, slots=True)
class Verdict:
    """A classifier's answer: the label, how probable it is, and how it was found."""

    label: str
    score: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What a server sent for one request, after redirects."""

    url: str
    final_url: str
    status: int
    media_type: str
    charset: str
    body: bytes
    redirects: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    asked_at: str = ""
    arrived_at: str = ""


@dataclass(frozen=True, slots=True)
class Validators:
    """The ETag and date of a page's last answer; sent back, they let the server answer 304 if nothing changed."""

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Miss:
    """A page that did not arrive: the reason, and a detail for people."""

    url: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A decoded page: the HTML as it arrived, or the HTML made from a PDF."""

    url: str
    text: str
    digest: str
    encoding: str
    media_type: str = "text/html"


@dataclass(frozen=True, slots=True)
class MetaItem:
    """One value of a page's embedded metadata; the name of a JSON-LD value is its path, such as `author.0.name`."""

    source: str
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One `<a href>` of a page, as the raw scan found it; offsets count code points."""

    index: int
    offset: int
    end: int
    href: str
    url: str
    text: str
    attributes: tuple[tuple[str, str], ...] = ()
    content_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedLink:
    """A link with its verdict: an article link or not, the kind of page it leads to, and the key of its article.

    `follows` says whether a crawl may follow it: it is visible, on the same server, and no constraint set excludes it.
    """

    link: Link
    article: bool
    kind: Kind | None
    verdict: Verdict
    article_key: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkBlock:
    """Links that are close together: from the first `<a` to the end of the last `</a>`, in code points."""

    start: int
    end: int
    first: int  # index of its first link
    links: int  # how many links it has


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkExample:
    """A link that a person judged: its nine components as lists of items, and further traits by name."""

    page: str
    index: int
    article: bool
    kind: Kind | None = None
    vector: tuple[tuple[str, ...], ...] = ()
    traits: tuple[tuple[str, str], ...] = ()


class Mark(Struct, frozen=True, gc=False):
    """A range of a zone's text that is inside an inline tag such as `sup` or `i`."""

    start: int
    end: int
    tag: str


class Zone(Struct, frozen=True, kw_only=True, gc=False):
    """A piece of visible text with its place in the tree; `level` is its depth, HTML being 1.

    `size` is the font size that the page states, in its own unit; 0 if it states none. `words` are the lower-case
    words of class, id, itemprop and role of its block and of the two blocks around it; `signature` is the path of these
    blocks as the page writes them, `section#abs/div.para wide/p`. A `hidden` zone is shown on demand only. `links` are
    the addresses of its links that may hold a DOI.
    """

    level: int
    tag: str
    path: str
    text: str
    marks: tuple[Mark, ...] = ()
    size: float = 0.0
    language: str = ""
    words: tuple[str, ...] = ()
    signature: str = ""
    hidden: bool = False
    links: tuple[str, ...] = ()


class LabelledZone(Struct, frozen=True, gc=False):
    """A zone and the label of its content.

    `chances` are a second labeller's probabilities that it holds authors, affiliations or both; empty if it was not
    asked.
    """

    zone: Zone
    verdict: Verdict
    chances: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where a field's value was found: a character range of a zone, or of an embedded value, of one page.

    `accepted` says that values read in this way are right so often that no one needs to check it.
    """

    field: str
    page: str
    source: str
    path: str
    start: int
    end: int
    text: str
    method: str
    score: float
    accepted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another reading of a field, with a lower score than the one in the citation."""

    field: str
    value: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """A person, or a group, which has only `collective`; people with a single name have only `family`."""

    family: str = ""
    given: str = ""
    suffix: str = ""
    collective: str = ""
    orcid: str = ""
    email: str = ""
    corresponding: bool = False
    equal: bool = False
    affiliations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AffiliationParts:
    """What an affiliation names, as printed; `country_code` has the two letters of ISO 3166, also of a known state."""

    institution: str = ""
    city: str = ""
    country: str = ""
    country_code: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A labelled part of a structured abstract."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class OtherAbstract:
    """An abstract beside the main one: a translation, a lay summary, highlights."""

    type: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A date of the article's history, such as received, accepted or epublish."""

    name: str
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributor:
    """A person or group beside the authors; `role` is editor, translator, investigator or subject."""

    role: str
    family: str = ""
    given: str = ""
    suffix: str = ""
    collective: str = ""
    orcid: str = ""
    affiliations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier beside DOI, PMID and PII: pmcid, isbn, nlm (the journal's NlmUniqueID), a trial registry's name.

    A scheme such as `issn-electronic` says which of the ISSNs is meant.
    """

    scheme: str
    value: str


@dataclass(frozen=True, slots=True)
class MeshQualifier:
    """A subheading of a MeSH heading; `ui` is its identifier in MeSH."""

    name: str
    ui: str = ""
    major: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MeshHeading:
    """A MeSH heading that an indexer gave; `type` is Geographic, or Disease and so on for a supplementary one."""

    name: str
    ui: str = ""
    major: bool = False
    qualifiers: tuple[MeshQualifier, ...] = ()
    type: str = ""


@dataclass(frozen=True, slots=True)
class Chemical:
    """A substance that an indexer gave, with its identifier in MeSH and its registry number."""

    name: str
    ui: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant that paid for the work: who gave it, and its number; either may be unknown."""

    funder: str = ""
    number: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceDoi:
    """The DOI of one of the references; `number` is its place in their list, counted from 1."""

    number: int
    doi: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A link to a retraction, erratum, comment or other version; `kind` is NLM's name, such as RetractionIn."""

    kind: str
    source: str = ""
    pmid: str = ""
    doi: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A citation; every field may have evidence. Missing text is `""`, a missing list is `()`.

    `item_type` is empty for an article in a journal, else book, chapter, thesis and so on; `journal` is the title of
    what contains the item. `more_authors` says that the list of authors is cut off.
    """

    url: str = ""
    kind: Kind = Kind.OTHER
    title: str = ""
    title_html: str = ""
    vernacular_title: str = ""
    authors: tuple[Author, ...] = ()
    affiliations: tuple[str, ...] = ()
    abstract: str = ""
    abstract_html: str = ""
    sections: tuple[Section, ...] = ()
    other_abstracts: tuple[OtherAbstract, ...] = ()
    journal: str = ""
    abbreviation: str = ""
    publisher: str = ""
    issn: tuple[str, ...] = ()
    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""
    article_number: str = ""
    date: str = ""
    dates: tuple[NamedDate, ...] = ()
    doi: str = ""
    pmid: str = ""
    pii: str = ""
    language: str = ""
    keywords: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    reference_dois: tuple[ReferenceDoi, ...] = ()
    funding: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    licence: str = ""
    publication_types: tuple[str, ...] = ()
    conflict: str = ""
    data_availability: str = ""
    item_type: str = ""
    more_authors: bool = False
    contributors: tuple[Contributor, ...] = ()
    publisher_place: str = ""
    edition: str = ""
    other_languages: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    mesh: tuple[MeshHeading, ...] = ()
    chemicals: tuple[Chemical, ...] = ()
    corrections: tuple[Correction, ...] = ()
    copyright: str = ""
    notes: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalTitle:
    """A journal in a library catalogue: title, NLM and ISO abbreviations, ISSNs, NLM identifier, publisher."""

    title: str = ""
    abbreviation: str = ""
    iso: str = ""
    issn: tuple[str, ...] = ()
    nlm_id: str = ""
    publisher: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The policy of a journal: who permits its use, and what may leave this machine.

    `embargo` is the day until which nothing is delivered, or a time after publication such as `12 months`; `robots` and
    `terms` are notes on what the site says. `reminded` says that the user was told that a permission is missing.
    """

    permission: str = ""
    abstracts: bool = True
    embargo: str = ""
    download: bool = True
    robots: str = ""
    terms: str = ""
    reminded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A page that a plan wants fetched."""

    url: str
    kind: Kind
    parent: str = ""
    depth: int = 0
    article_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a wish: the kind of the page and its links, or the reason why it did not arrive.

    `canonical` is the other address that the page gives for itself. `further` are pages that it makes worth a request
    beside those of its links.
    """

    wish: Wish
    final_url: str = ""
    canonical: str = ""
    kind: Kind = Kind.OTHER
    links: tuple[JudgedLink, ...] = ()
    next_pages: tuple[str, ...] = ()
    further: tuple[Wish, ...] = ()
    digest: str = ""
    size: int = 0
    status: int = 0
    asked_at: str = ""
    arrived_at: str = ""
    validators: Validators = Validators()
    reason: Reason | None = None
    detail: str = ""


class Place(StrEnum):
    """The list of a plan that a page is on; a page in flight still counts as on Open."""

    OPEN = "open"
    FLIGHT = "flight"
    CLOSED = "closed"
    REVISITED = "revisited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A page of a plan with its place; all nodes together restore the plan.

    `n` numbers the pages in the order they were found; `position` orders the pages of one place, smallest first;
    flag 1 on Revisited means that one more try is due. `tries` counts how often the page was requested. The address
    after redirects, the digest and the size are those of the page that arrived.
    """

    n: int
    wish: Wish
    place: Place
    position: int
    flag: int = 1
    reason: Reason | None = None
    detail: str = ""
    tries: int = 0
    final_url: str = ""
    digest: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True)
class Asked:
    """Event: a page is being fetched."""

    wish: Wish


@dataclass(frozen=True, slots=True)
class Arrived:
    """Event: a page arrived and its links were given to the plan; `waiting` pages are still open."""

    outcome: Outcome
    waiting: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Event: a page did not arrive, for one of the closed reasons."""

    outcome: Outcome
    waiting: int


@dataclass(frozen=True, slots=True)
class Cited:
    """Event: an article's pages were read into a citation."""

    citation: Citation


@dataclass(frozen=True, slots=True)
class ArchiveCut:
    """Event: the archive of a resumed run was shorter than recorded, or damaged; the `lost` pages are fetched again."""

    run: int
    lost: int
    path: str
    damaged: bool = False  # records were damaged, but none is missing at the end


Event = Asked | Arrived | Failed | Cited | ArchiveCut


def title_key(text: str) -> str:
    """Return the letters and digits alone, without accents and case: `Ménière's disease` is `menieresdisease`."""
    if text.isascii():  # most titles; the faster path gives the same key
        return fold_ascii(text) if len(text) <= MAX_REMEMBERED_TEXT else keep_alphanumerics(text.lower())
    # A mark that is left by its letter must go before the case is folded: some become letters of their own then.
    return keep_alphanumerics(keep_alphanumerics(unicodedata.normalize("NFKD", text)).casefold())


@functools.lru_cache(maxsize=4096)
def fold_ascii(text: str) -> str:
    """Return the letters and digits of a text in ASCII, in lower case; cached, because each field asks again."""
    return keep_alphanumerics(text.lower())


def keep_alphanumerics(text: str) -> str:
    """Return the letters and digits of a text; signs of ASCII are dropped from its bytes, which is fastest."""
    letters = text.encode("utf-8", "surrogatepass").translate(None, _ASCII_SIGNS).decode("utf-8", "surrogatepass")
    return letters if letters.isalnum() else _OTHER_SIGNS.sub("", letters)


def unescape_html(text: str) -> str:
    """Replace the character references of HTML, as `html.unescape` does, also those with far too many digits."""
    try:
        return html.unescape(text)
    except ValueError:  # Python converts no number of more than 4,300 digits
        return html.unescape(_ENDLESS_REFERENCE.sub("\ufffd", text))

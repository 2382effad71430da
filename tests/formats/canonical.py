"""Records in the form that every format can give back, and what a format keeps of one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from medharvest.fields import TEXT_FIELDS
from medharvest.formats.medline_values import HISTORY_DATE_NAMES, join_labelled_sections, list_subject_words
from medharvest.formats.registry import Format
from medharvest.formats.text_forms import escape_xml
from medharvest.records import (
    Author,
    Chemical,
    Citation,
    Contributor,
    Correction,
    Grant,
    Identifier,
    Kind,
    MeshHeading,
    MeshQualifier,
    NamedDate,
    OtherAbstract,
    ReferenceDoi,
    Section,
)

WORDS = (
    "sleep tide naïve β-blocker H2O 5% <10 >3 R&D CO2 “quoted” {brace} back\\slash under_score hash# a|b $5 ~so ^up "
    "Ångström 睡眠 x=y 50–60 don't (see) [1] \\emph &amp; &lt; <b e.g. -1 +2 @home 'quote' \"double\""
).split()
TIDY = "sleep tide quay marsh pilot shore north ebb".split()


def text(words: tuple[str, ...] | list[str] = WORDS, most: int = 6) -> st.SearchStrategy[str]:
    """A text of words, with a letter at both ends so that no stop and no bracket is taken for a format's own."""
    inner = st.lists(st.sampled_from(words), max_size=most)
    return inner.map(lambda found: " ".join(["Tide", *found, "quay"]))


dates = st.sampled_from(["2010", "2010-09", "2010-09-15", "2024-12/2025-01", "2025-03/2025-04", "2025-24"])
full_dates = st.sampled_from(["2009-05-01", "2010-01-31", "2011-12-09"])
people = st.builds(
    Author,
    family=st.sampled_from(["Berg", "van den Broek", "O'Hara", "Lopez Moreno", "Nguyễn", "de la Cruz"]),
    given=st.sampled_from(["Anna", "Pieter J", "Jean-Louis", "J R R", "Thanh Hà"]),
    suffix=st.sampled_from(["", "Jr", "III"]),
    orcid=st.sampled_from(["", "0000-0002-1825-0097"]),
    email=st.sampled_from(["", "anna@example.org"]),
    corresponding=st.booleans(),
    equal=st.booleans(),
)
single = st.just(Author(family="Suharti"))
groups = st.sampled_from(["Tide Study Group", "Nordic and Baltic Consortium"]).map(lambda name: Author(collective=name))
sections = st.lists(
    st.builds(Section, st.sampled_from(["AIM", "PATIENTS AND METHODS", "RESULTS"]), text().map(lambda t: f"{t}.")),
    max_size=3,
    unique_by=lambda section: section.label,
).map(tuple)
others = st.builds(
    Contributor,
    role=st.sampled_from(["editor", "investigator"]),
    family=st.sampled_from(["Berg", "van den Broek"]),
    given=st.sampled_from(["Anna", "Pieter J"]),
    suffix=st.sampled_from(["", "Jr"]),
    orcid=st.sampled_from(["", "0000-0002-1825-0097"]),
    affiliations=st.sampled_from([(), ("Quay Hospital, Tide",)]),
)
identifiers = st.sampled_from(
    [
        Identifier("pmcid", "PMC1234567"),
        Identifier("isbn", "9780306406157"),
        Identifier("ClinicalTrials.gov", "NCT00000001"),
    ]
)
headings = st.sampled_from(
    [
        MeshHeading(name="Sleep", ui="D012890", qualifiers=(MeshQualifier("drug effects", "Q000187", major=True),)),
        MeshHeading(name="Humans", ui="D006801"),
        MeshHeading(name="Norway", ui="D009664", major=True, type="Geographic"),
    ]
)
substances = st.sampled_from(
    [Chemical("Melatonin", "D008550", "JL5DK93RCL"), Chemical("Tide Factor (2)", "C000001", "0")]
)
corrections = st.sampled_from(
    [
        Correction(kind="RetractionIn", source="J Tides. 2014;3(1):9", pmid="123"),
        Correction(
            kind="ErratumIn", source="J Tides. 2013 Feb;2(2):8", pmid="", doi="10.5555/e1", note="corrected table"
        ),
    ]
)
TITLES = {
    "Growth of E. coli in CO2": "Growth of <i>E. coli</i> in CO<sub>2</sub>",
    "x < y & z2": "x &lt; y &amp; <b>z<sup>2</sup></b>",
}


@st.composite
def canonical(draw: st.DrawFn) -> Citation:
    """A record whose every value is in the form the formats share: see the notes on each in the docs."""
    title = draw(text() | st.sampled_from(sorted(TITLES)))
    parts = draw(sections)
    authors = tuple(draw(st.lists(people | single | groups, max_size=3)))
    places = draw(st.lists(text(TIDY), min_size=len(authors), max_size=len(authors), unique=True))
    linked = tuple(replace(author, affiliations=(i,)) for i, author in enumerate(authors))
    number = draw(st.booleans())
    abstract = join_labelled_sections(parts) if parts else draw(st.just("") | text())
    tagged = draw(st.booleans())
    abstract_html = escape_xml(abstract).replace("Tide", "<i>Tide</i>") if tagged and "Tide" in abstract else ""
    references = draw(_some(text(TIDY)))
    named: dict[str, Any] = {
        "url": draw(st.sampled_from(["", "https://journal.example.org/a?b=1&c=2"])),
        "title": title,
        "title_html": TITLES.get(title, ""),
        "vernacular_title": draw(st.sampled_from(["", "Le sommeil à la mer"])),
        "authors": linked,
        "affiliations": tuple(places),
        "abstract": abstract,
        "abstract_html": abstract_html,
        "sections": parts,
        "other_abstracts": draw(
            _some(st.builds(OtherAbstract, st.just("plain-language-summary"), st.just("fr"), text()))
        ),
        "journal": "Journal of Tides",
        "abbreviation": "J Tides",
        "publisher": "Quay Press",
        "issn": ("2049-3630",),
        "volume": draw(st.sampled_from(["", "12", "A7"])),
        "issue": draw(st.sampled_from(["", "3", "5-6", "Suppl 1"])),
        "first_page": "" if number else "201",
        "last_page": "" if number else "208",
        "article_number": "e240011" if number else "",
        "date": draw(dates),
        "dates": draw(_history()),
        "doi": draw(st.sampled_from(["", "10.5555/a(1)_b<2>"])).partition("<")[0],
        "pmid": draw(st.sampled_from(["", "12345678"])),
        "pii": draw(st.sampled_from(["", "S0140-1(05)"])),
        "language": draw(st.sampled_from(["en", "fr", "zh", "ta"])),
        "keywords": draw(_some(st.sampled_from(["sleep, deep", "tide", "β2"]))),
        "references": references,
        "reference_dois": tuple(
            ReferenceDoi(number, f"10.5555/r{number}(a)")
            for number in range(1, len(references) + 1)
            if draw(st.booleans())
        ),
        "grants": draw(_some(st.sampled_from([Grant("Tide Trust", "TT-7"), Grant("Moor Fund", "R01 AB1234")]))),
        "funding": draw(_some(st.sampled_from(["Quay Fund, grant 98/14", "Tide Trust, grant TT-7"]))),
        "licence": draw(st.sampled_from(["", "CC BY 4.0"])),
        "publication_types": draw(st.sampled_from([("Journal Article",), ("Editorial", "Letter")])),
        "conflict": draw(st.just("") | text()),
        "item_type": draw(st.sampled_from(["", "book", "chapter", "thesis"])),
        "more_authors": draw(st.booleans()) if authors else False,
        "contributors": draw(_some(others)),
        "other_languages": draw(_some(st.sampled_from(["es", "pt"]))),
        "identifiers": draw(_some(identifiers)),
        "mesh": draw(_some(headings)),
        "chemicals": draw(_some(substances)),
        "corrections": draw(_some(corrections)),
        "notes": draw(_some(text(TIDY))),
    }
    # A field that nobody thought of here: a format carries it, or says that it loses it.
    rest: dict[str, Any] = {name: draw(st.sampled_from(["", "Tide 7"])) for name in TEXT_FIELDS if name not in named}
    return Citation(**named, **rest)


def _some(items: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(items, max_size=2, unique=True).map(tuple)


@st.composite
def _history(draw: st.DrawFn) -> tuple[NamedDate, ...]:
    names = draw(st.lists(st.sampled_from(HISTORY_DATE_NAMES), max_size=3, unique=True))
    return tuple(NamedDate(name, draw(full_dates)) for name in HISTORY_DATE_NAMES if name in names)


def carried(form: Format, citation: Citation) -> Citation:
    """What comes back of a record: all but the fields that the format loses, and what it cannot say of the others."""
    whole = {name: _empty(name) for name in form.loses if "." not in name}
    inner = {name.partition(".")[2] for name in form.loses if "." in name}
    authors = tuple(replace(one, **{name: _empty_of(name) for name in inner}) for one in citation.authors)
    kept = _PARTS_KEPT.get(form.name, _keep_all)(citation)
    return sorted_identifiers(replace(kept, **{"authors": authors, **whole}))


def sorted_identifiers(citation: Citation) -> Citation:
    """The record with its identifiers in one order, because each format has its own."""
    return replace(citation, identifiers=tuple(sorted(citation.identifiers, key=lambda one: one.scheme)))


def writable(form: Format, citation: Citation) -> Citation:
    """The record as the format is meant for it: PubMed's own formats and MARC have another form for books."""
    return replace(citation, item_type="") if form.name in {"pubmedset", "nbib", "marcxml"} else citation


def _keep_all(citation: Citation) -> Citation:
    return citation


def _keep_in_publisher_xml(citation: Citation) -> Citation:
    """Publishers state what an article corrects, and its trials."""
    trials = tuple(one for one in citation.identifiers if one.scheme == "ClinicalTrials.gov")
    return replace(_keep_in_grant_list(citation), identifiers=trials, corrections=())


def _keep_in_grant_list(citation: Citation) -> Citation:
    """MEDLINE has one list of grants: each is a line of funding, and has its number as well."""
    lines = dict.fromkeys([*citation.funding, *(f"{one.funder}, grant {one.number}" for one in citation.grants)])
    parts = (line.split(", grant ") for line in lines)
    return replace(citation, funding=tuple(lines), grants=tuple(Grant(*part) for part in parts))


def _keep_in_pubmed_set(citation: Citation) -> Citation:
    people = tuple(one for one in citation.contributors if one.role == "investigator")
    numbers = tuple(one for one in citation.identifiers if one.scheme != "isbn")
    return replace(_keep_in_grant_list(citation), contributors=people, identifiers=numbers)


def _keep_in_nbib(citation: Citation) -> Citation:
    """Tagged lines have names without identifiers."""
    return replace(
        _keep_in_grant_list(citation),
        contributors=tuple(
            replace(one, orcid="", affiliations=one.affiliations if one.role == "investigator" else ())
            for one in citation.contributors
        ),
        mesh=tuple(
            replace(one, ui="", type="", qualifiers=tuple(replace(part, ui="") for part in one.qualifiers))
            for one in citation.mesh
        ),
        chemicals=tuple(replace(one, ui="") for one in citation.chemicals),
        corrections=tuple(replace(one, note="") for one in citation.corrections),
        other_abstracts=tuple(replace(one, type="") for one in citation.other_abstracts),
    )


def _keep_in_marc(citation: Citation) -> Citation:
    """Catalogues have headings and names without identifiers, and the ISSNs of a journal without their kinds."""
    return replace(
        citation,
        contributors=tuple(replace(one, orcid="", affiliations=()) for one in citation.contributors),
        identifiers=tuple(one for one in citation.identifiers if one.scheme not in _JOURNAL_SCHEMES),
        mesh=tuple(
            replace(one, ui="", type="", qualifiers=tuple(MeshQualifier(part.name) for part in one.qualifiers))
            for one in citation.mesh
        ),
        chemicals=tuple(Chemical(one.name) for one in citation.chemicals),
    )


def _keep_in_reference_manager(citation: Citation) -> Citation:
    """Reference managers know editors by name, and one list of subjects."""
    editors = tuple(one for one in citation.contributors if one.role == "editor")
    return replace(
        citation,
        contributors=tuple(replace(one, orcid="", affiliations=()) for one in editors),
        keywords=list_subject_words(citation),
    )


_JOURNAL_SCHEMES = {"nlm", "issn-print", "issn-electronic", "issn-linking"}
_PARTS_KEPT = {
    "marcxml": _keep_in_marc,
    "pubmed": _keep_in_publisher_xml,
    "pubmedset": _keep_in_pubmed_set,
    "nbib": _keep_in_nbib,
    **dict.fromkeys(("ris", "bibtex", "csl"), _keep_in_reference_manager),
}


def _empty(name: str) -> Any:
    return getattr(Citation(), name) if name != "kind" else Kind.OTHER


def _empty_of(name: str) -> Any:
    return getattr(Author(), name)

from typing import NamedTuple

import pytest
from hypothesis import given
from tests.citations.strategies import SOURCES, items, meta_items

from medharvest.citations import metadata_fields
from medharvest.citations.metadata_fields import METADATA_RULES, METADATA_TRUST, own_article_items
from medharvest.records import MetaItem

LONG = "We measured sleep in forty people over three weeks and found that it grew longer by the sea. " * 2
JOURNAL = ("isPartOf.@type", "Periodical")


class Example(NamedTuple):
    """What a page says, and what the rule reads there."""

    name: str
    value: str
    expected: str
    also: tuple[tuple[str, str], ...] = ()


# One example a rule; a rule without one fails, and so does an example without a rule.
EXAMPLES = {
    ("title", "citation", "citation_title"): Example("citation_title", "Sleep by the <i>sea</i>", "Sleep by the sea"),
    ("title", "jsonld", "headline"): Example("headline", "Sleep by the sea", "Sleep by the sea"),
    ("title", "dc", r"dc\.title"): Example("dc.title", "Sleep  by the sea", "Sleep by the sea"),
    ("title", "prism", r"prism\.title"): Example("prism.title", "Sleep", "Sleep"),
    ("title", "jsonld", "name"): Example("name", "Sleep", "Sleep"),
    ("title", "opengraph", "og:title"): Example("og:title", "Sleep", "Sleep"),
    ("journal", "citation", "citation_journal_title"): Example("citation_journal_title", "Tide", "Tide"),
    ("journal", "prism", r"prism\.publicationname"): Example("prism.publicationname", "Tide", "Tide"),
    ("journal", "jsonld", "<Periodical>name"): Example("isPartOf.name", "Tide", "Tide", (JOURNAL,)),
    ("journal", "citation", "citation_conference_title"): Example("citation_conference_title", "Tides", "Tides"),
    ("abbreviation", "citation", "citation_journal_abbrev"): Example("citation_journal_abbrev", "Td", "Td"),
    ("abbreviation", "jsonld", "<Periodical>alternateName"): Example(
        "isPartOf.isPartOf.alternateName", "Td", "Td", (("isPartOf.isPartOf.@type.0", "Periodical"),)
    ),
    ("publisher", "citation", "citation_publisher"): Example("citation_publisher", "Quay Press", "Quay Press"),
    ("publisher", "jsonld", r"publisher\.name"): Example("publisher.name", "Quay Press", "Quay Press"),
    ("publisher", "jsonld", r"<Periodical>publisher\.name"): Example(
        "isPartOf.publisher.name", "Quay Press", "Quay Press", (JOURNAL,)
    ),
    ("publisher", "dc", r"dc\.publisher"): Example("dc.publisher", "Quay Press", "Quay Press"),
    ("volume", "citation", "citation_volume"): Example("citation_volume", " 7 ", "7"),
    ("volume", "prism", r"prism\.volume"): Example("prism.volume", "7", "7"),
    ("volume", "jsonld", r"(?:.*\.)?volumeNumber"): Example("isPartOf.isPartOf.volumeNumber", "7", "7"),
    ("issue", "citation", "citation_issue"): Example("citation_issue", "2", "2"),
    ("issue", "prism", r"prism\.number"): Example("prism.number", "2", "2"),
    ("issue", "jsonld", r"(?:.*\.)?issueNumber"): Example("isPartOf.issueNumber", "2", "2"),
    ("first_page", "citation", "citation_firstpage"): Example("citation_firstpage", "S12", "S12"),
    ("first_page", "prism", r"prism\.startingpage"): Example("prism.startingpage", "12", "12"),
    ("first_page", "jsonld", "pageStart"): Example("pageStart", "12", "12"),
    ("last_page", "citation", "citation_lastpage"): Example("citation_lastpage", "19", "19"),
    ("last_page", "prism", r"prism\.endingpage"): Example("prism.endingpage", "19", "19"),
    ("last_page", "jsonld", "pageEnd"): Example("pageEnd", "19", "19"),
    ("doi", "citation", "citation_doi"): Example("citation_doi", "doi:10.1000/a1", "10.1000/a1"),
    ("doi", "prism", r"prism\.doi"): Example("prism.doi", "10.1000/a1", "10.1000/a1"),
    ("doi", "dc", r"dc\.identifier(?:\.doi)?"): Example("dc.identifier", "doi:10.1000/a1", "10.1000/a1"),
    ("doi", "jsonld", r"(?:identifier|sameAs)(?:\.\d+)?(?:\.value)?"): Example(
        "identifier.0.value", "10.1000/a1", "10.1000/a1"
    ),
    ("doi", "jsonld", "@id|url"): Example("@id", "https://doi.org/10.1000/a1", "10.1000/a1"),
    ("pmid", "citation", "citation_pmid"): Example("citation_pmid", "123", "123"),
    ("date", "citation", "citation_publication_date"): Example("citation_publication_date", "2010/9/15", "2010-09-15"),
    ("date", "citation", "citation_date"): Example("citation_date", "15 Sep 2010", "2010-09-15"),
    ("date", "citation", "citation_cover_date"): Example("citation_cover_date", "2010/9/15", "2010-09-15"),
    ("date", "citation", "citation_online_date"): Example("citation_online_date", "2010/9", "2010-09"),
    ("date", "prism", r"prism\.publicationdate"): Example("prism.publicationdate", "2010-09", "2010-09"),
    ("date", "jsonld", "datePublished"): Example("datePublished", "2010-09-15T00:00", "2010-09-15"),
    ("date", "dc", r"dc\.date(?:\.issued)?"): Example("dc.date.issued", "2010", "2010"),
    ("date", "citation", "citation_year"): Example("citation_year", "2010", "2010"),
    ("language", "citation", "citation_language"): Example("citation_language", "en-GB", "en"),
    ("language", "jsonld", "inLanguage"): Example("inLanguage", "French", "fr"),
    ("language", "dc", r"dc\.language"): Example("dc.language", "ZHO", "zh"),
    ("licence", "jsonld", "license"): Example("license", "https://licence.example/4", "https://licence.example/4"),
    ("licence", "dc", r"dc\.rights\.license"): Example("dc.rights.license", "CC BY", "CC BY"),
    ("article_number", "citation", "citation_article_number"): Example("citation_article_number", "e12", "e12"),
    ("article_number", "citation", "citation_elocation_id"): Example("citation_elocation_id", "e12", "e12"),
    ("issn", "citation", r"citation_.*issn.*"): Example("citation_eissn", "2049-3630", "2049-3630"),
    ("issn", "prism", r"prism\..*issn.*"): Example("prism.eissn", "20493630", "2049-3630"),
    ("issn", "jsonld", r"(?:.*\.)?issn(?:\.\d+)?"): Example("isPartOf.issn.1", "2049-3630", "2049-3630"),
    ("issn", "dc", r"dc\..*issn.*"): Example("dc.source.issn", "2049-3630", "2049-3630"),
    ("issn", "meta", r".*issn.*"): Example("journal_issn", "2049-3630", "2049-3630"),
    ("keywords", "citation", "citation_keywords"): Example("citation_keywords", "sleep; ; sea;", "sleep|sea"),
    ("keywords", "jsonld", r"keywords(?:\.\d+)?"): Example("keywords", "sleep, sea, sleep", "sleep|sea"),
    ("keywords", "dc", r"dc\.subject"): Example("dc.subject", "sleep", "sleep"),
    ("abstract", "citation", "citation_abstract"): Example("citation_abstract", f"<p>{LONG}</p>", LONG.strip()),
    ("abstract", "jsonld", "abstract"): Example("abstract", LONG, LONG.strip()),
    ("abstract", "jsonld", "description"): Example("description", LONG, LONG.strip()),
    ("abstract", "dc", r"dc\.description(?:\.abstract)?"): Example("dc.description", LONG, LONG.strip()),
    ("abstract", "opengraph", "og:description"): Example("og:description", LONG, LONG.strip()),
    ("abstract", "meta", "description"): Example("description", LONG, LONG.strip()),
}
ROWS = [(field, source, name) for field, rules in METADATA_RULES.items() for source, name in rules]


def read(found: tuple[MetaItem, ...], field: str) -> str:
    if field == "issn":
        return "|".join(metadata_fields.read_metadata_issns(found).texts)
    if field == "keywords":
        return "|".join(metadata_fields.read_metadata_keywords(found).texts)
    return next((value.text for value in metadata_fields.metadata_values(found, field)), "")


@pytest.mark.parametrize(
    ("name", "value", "date"),
    [
        ("citation_date", "11/01/2013", "2013-11-01"),
        ("citation_date", "12/01/2015 00:00:00", "2015-12-01"),
        ("citation_date", "15/09/2010", "2010-09-15"),
        ("citation_date", "99/99/2010", "2010"),
        ("dc.date", "11/01/2013", "2013"),
    ],
)
def test_citation_tags_have_the_month_first(name: str, value: str, date: str) -> None:
    assert read(items((name, value)), "date") == date


@pytest.mark.parametrize("rule", ROWS, ids=lambda rule: f"{rule[0]}-{rule[2]}")
def test_every_rule_reads_its_example(rule: tuple[str, str, str]) -> None:
    example = EXAMPLES[rule]
    found = (*items(*example.also), MetaItem(rule[1], example.name, example.value))
    assert read(found, rule[0]) == example.expected


def test_every_example_belongs_to_a_rule_and_no_rule_stands_twice() -> None:
    assert set(EXAMPLES) == set(ROWS)
    assert len(set(ROWS)) == len(ROWS)


@pytest.mark.parametrize("field", METADATA_RULES)
def test_the_rules_of_a_field_are_asked_in_order(field: str) -> None:
    if field in {"issn", "keywords"}:
        return
    rules = [EXAMPLES[(field, source, name)] for source, name in METADATA_RULES[field]]
    found = [
        MetaItem(source, example.name, example.value)
        for (source, _), example in zip(METADATA_RULES[field], rules, strict=True)
    ]
    also = items(*(row for example in rules for row in example.also))
    read_items = [value.item for value in metadata_fields.metadata_values((*also, *reversed(found)), field)]
    assert read_items[0] == found[0]
    assert set(read_items) <= set(found)


def test_every_source_has_its_trust() -> None:
    own = set(METADATA_TRUST) - {"state", "microdata"}  # scripts name people only, microdata go by the rules of JSON-LD
    assert own == set(SOURCES) == {source for _, source, _ in ROWS}


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("citation_date", "soon", "date"),
        ("citation_doi", "none", "doi"),
        ("citation_language", "Klingon", "language"),
        ("citation_abstract", "Too short to be one.", "abstract"),
        ("citation_abstract", LONG + "...", "abstract"),
        ("citation_abstract", LONG + "…", "abstract"),
        ("citation_issn", "1234-5678", "issn"),
        ("citation_keywords", " ; , ", "keywords"),
        ("isPartOf.name", "Tide", "journal"),
        ("citation_titles", "Sleep", "title"),
    ],
)
def test_what_is_no_value_is_not_taken(name: str, value: str, field: str) -> None:
    assert read(items((name, value)), field) == ""


def test_the_whole_block_may_be_the_journal() -> None:
    assert read(items(("@type", "Periodical"), ("name", "Tide")), "journal") == "Tide"


def test_issns_of_all_sources_are_joined_with_the_items_that_name_them() -> None:
    found = items(("citation_issn", "2434-561X"), ("citation_issn", "bad"), ("prism.eissn", "2049-3630"))
    assert metadata_fields.read_metadata_issns(found) == (("2434-561X", "2049-3630"), (found[0], found[2]))


def test_keywords_are_taken_from_one_source_with_all_its_items() -> None:
    found = items(("dc.subject", "tide"), ("keywords.0", "sea"), ("keywords.1", "sleep"))
    assert metadata_fields.read_metadata_keywords(found) == (("sea", "sleep"), found[1:])


def test_what_is_said_of_other_works_is_left_out() -> None:
    own, cited, part = items(("name", "Own"), ("citation.0.name", "Cited"), ("isPartOf.hasPart.3.volumeNumber", "9"))
    written = items(("citation_title", "Own"))
    assert metadata_fields.own_article_items((own, cited, part, *written)) == (own, *written)


@given(meta_items)
def test_no_metadata_raises(found: list[MetaItem]) -> None:
    for field in METADATA_RULES:
        assert all(value.text and value.item in found for value in metadata_fields.metadata_values(found, field))
    assert all(metadata_fields.read_metadata_issns(found).texts)
    assert all(metadata_fields.read_metadata_keywords(found).texts)


def test_microdata_go_by_the_rules_of_jsonld_and_come_last() -> None:
    items = [
        MetaItem("microdata", "headline", "Sleep and snow"),
        MetaItem("microdata", "isPartOf.@type", "Periodical"),
        MetaItem("microdata", "isPartOf.name", "Tide"),
        MetaItem("dc", "dc.title", "Sleep"),
    ]
    assert [value.text for value in metadata_fields.metadata_values(items, "title")] == ["Sleep", "Sleep and snow"]
    assert [value.text for value in metadata_fields.metadata_values(items, "journal")] == ["Tide"]


@pytest.mark.parametrize(("value", "kept"), [("undefined", False), ("null", False), ("Undefined borders", True)])
def test_what_programs_print_for_a_missing_value_is_none(value, kept) -> None:
    item = MetaItem("citation", "citation_journal_title", value)
    assert own_article_items([item]) == ((item,) if kept else ())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("citation", "citation_article_type", "Study protocol")], ("Clinical Trial Protocol",)),
        ([("dc", "dc.type", "Text"), ("prism", "prism.section", "Review")], ("Review",)),
        ([("jsonld", "articleSection.0", "Case Report")], ("Case Reports",)),
        ([("opengraph", "og:type", "article"), ("jsonld", "@type", "Article")], ()),
    ],
)
def test_metadata_states_the_kind_of_article(given, expected):
    assert metadata_fields.read_metadata_type([MetaItem(*one) for one in given]).texts == expected

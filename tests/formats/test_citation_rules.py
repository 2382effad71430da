from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.citations.strategies import any_of

from medharvest.errors import FormatError
from medharvest.formats import FORMATS, check_file
from medharvest.formats.citation_rules import CITATION_RULES, Level, check_citation, check_demands, check_set
from medharvest.records import Author, Citation, Correction, NamedDate

RIGHT = Citation(
    title="Sleep by the sea in older adults",
    authors=(Author(family="Berg", given="Anna", orcid="0000-0002-1825-0097", affiliations=(0,)),),
    affiliations=("Quay Hospital",),
    abstract="We looked at sleep.",
    journal="Journal of Tides",
    abbreviation="J Tides",
    publisher="Quay Press",
    issn=("2049-3630",),
    first_page="201",
    last_page="208",
    date="2010-09-15",
    dates=(NamedDate("received", "2010-01"), NamedDate("accepted", "2010-01-20"), NamedDate("epublish", "2010-08")),
    doi="10.5555/a1",
    pmid="12345678",
    language="en",
    publication_types=("Journal Article",),
)
GERMAN = (
    "Wir haben bei den Patienten, die nicht durch das Licht geweckt wurden, den Schlaf mit der Uhr und auf der Station "
    "bei Nacht von der Pflege erfasst; für die Angaben ist eine Liste zu führen."
)
# Rule, what is changed, and the repair proposed: a row for every rule, and both sides of those that could go too far.
BROKEN: list[tuple[str, str, dict[str, Any], str]] = [
    ("check digit", "error", {"issn": ("2049-3631",)}, "check the journal's imprint"),
    ("check digit", "error", {"issn": ("20493630",)}, "2049-3630"),
    ("bare DOI", "error", {"doi": "https://doi.org/10.5555/a1"}, "10.5555/a1"),
    ("bare DOI", "error", {"doi": "a1"}, "a DOI begins with 10. and has a slash"),
    ("number", "error", {"pmid": "PMID 123"}, "123"),
    ("number", "error", {"pmid": "x"}, "remove it"),
    ("check digit", "error", {"authors": (Author(family="Berg", orcid="0000-0002-1825-0098"),)}, "ask the author"),
    (
        "check digit",
        "error",
        {"authors": (Author(family="Berg", orcid="https://orcid.org/0000-0002-1825-0097"),)},
        "0000-0002-1825-0097",
    ),
    ("a place", "error", {"first_page": "", "doi": ""}, "add one of them"),
    ("page order", "error", {"last_page": "8"}, "208"),
    ("page order", "error", {"first_page": "e12", "last_page": "e11"}, "check the article"),
    ("ISO date", "error", {"date": "2010-13"}, "2010"),
    ("ISO date", "error", {"date": "Spring"}, "write YYYY, YYYY-MM or YYYY-MM-DD"),
    ("ISO date", "error", {"dates": (NamedDate("received", "1.5.2010"),)}, "write YYYY, YYYY-MM or YYYY-MM-DD"),
    ("no degrees", "error", {"authors": (Author(family="Berg", given="Anna", suffix="PhD"),)}, "remove PhD"),
    ("no degrees", "error", {"authors": (Author(family="Berg M.D.", given="Anna"),)}, "remove M.D."),
    ("a name", "error", {"authors": (Author(email="a@example.org"),)}, "name the author, or remove the entry"),
    (
        "not retracted",
        "warning",
        {"corrections": (Correction(kind="ErratumIn"), Correction(kind="RetractionIn", source="J Tides. 2014;3:9"))},
        "cite the retraction, or leave the record out",
    ),
    (
        "order of dates",
        "warning",
        {"dates": (NamedDate("received", "2010-05"), NamedDate("accepted", "2009-12-01"))},
        "check the article's history",
    ),
    ("bare group name", "warning", {"authors": (Author(collective="on behalf of the Tide Group"),)}, "Tide Group"),
    ("no capitals", "warning", {"title": "SLEEP BY THE SEA IN OLDER ADULTS"}, "Sleep by the sea in older adults"),
    ("no capitals", "warning", {"authors": (Author(family="BERGMANN", given="Anna"),)}, "Bergmann"),
    ("nothing but the abstract", "warning", {"abstract": "Abstract: We looked at sleep."}, "We looked at sleep."),
    (
        "nothing but the abstract",
        "warning",
        {"abstract": "We looked at sleep. © 2010 Quay Press. All rights reserved."},
        "remove it from the abstract",
    ),
    ("escaped once", "warning", {"title": "Sleep &amp; sea"}, "&"),
    ("no tags", "warning", {"title": "Sleep <i>by</i> the sea"}, "remove it, or keep it in title_html"),
    (
        "English title",
        "warning",
        {"language": "fr"},
        "put the English title in title, the original in vernacular_title",
    ),
    ("known language", "warning", {"language": "qq"}, "write a two-letter code such as en"),
    (
        "known language",
        "warning",
        {"abstract": GERMAN},
        "de",
    ),
    (
        "Latin letters",
        "warning",
        {"vernacular_title": "海辺の眠り"},
        "transliterate it, or it is left out",
    ),
    ("affiliation of an author", "warning", {"affiliations": ("Quay", "Tide Clinic")}, "link it to its author"),
    ("NLM's list", "warning", {"publication_types": ("journal article",)}, "Journal Article"),
    ("NLM's list", "warning", {"publication_types": ("Essay",)}, "Journal Article"),
]
FINE: list[dict[str, Any]] = [
    {"authors": (Author(family="Do", given="MD"),)},  # initials, and a family name
    {"authors": (Author(family="Smith", given="Anna MA"),)},
    {"authors": (Author(family="NG", given="Wei"),)},
    {"title": "DNA"},
    {"date": "2025-24"},
    {"date": "2025-03/2025-04"},
    {"first_page": "S12", "last_page": "S19"},
    {"first_page": "201", "last_page": ""},
    {"language": "fr", "vernacular_title": "Le sommeil à la mer"},
    {"abstract": "Abstraction is not at issue."},
    {"title": "Sleep when x < 5 & y > 3"},
    {"authors": (Author(family="Berg"),), "affiliations": ("Quay",)},  # no author is linked to any
]


def test_a_right_record_breaks_no_rule() -> None:
    assert check_citation(RIGHT) == ()
    assert check_demands(RIGHT) == ()


@pytest.mark.parametrize(("rule", "level", "values", "repair"), BROKEN)
def test_a_broken_rule_is_told_with_its_field_and_repair(
    rule: str, level: str, values: dict[str, Any], repair: str
) -> None:
    found = check_citation(replace(RIGHT, **values), record=3)
    assert [(one.rule, one.level, one.repair) for one in found] == [(rule, level, repair)]
    assert found[0].message
    assert found[0].record == 3
    assert found[0].field in Citation.__dataclass_fields__


def test_every_rule_is_broken_by_an_example() -> None:
    assert {rule.name for rule in CITATION_RULES} == {rule for rule, *_ in BROKEN}


@pytest.mark.parametrize("values", FINE)
def test_what_only_looks_wrong_is_left_alone(values: dict[str, Any]) -> None:
    assert check_citation(replace(RIGHT, **values)) == ()


def test_errors_come_first() -> None:
    both = replace(RIGHT, title="SLEEP BY THE SEA IN OLDER ADULTS", doi="a1")
    assert [one.level for one in check_citation(both)] == [Level.ERROR, Level.WARNING]


def test_a_doi_stands_once_in_a_set_whatever_its_case() -> None:
    found = list(check_set([RIGHT, replace(RIGHT, doi="10.5555/A1"), replace(RIGHT, doi=""), replace(RIGHT, doi="")]))
    assert [(one.record, one.rule) for one in found] == [(2, "doi once")]
    assert "record 1" in found[0].message


def test_what_pubmed_demands_is_an_error_with_the_place_to_write_it() -> None:
    found = check_demands(replace(RIGHT, issn=(), abbreviation="", title=""))
    assert [(one.field, one.level) for one in found] == [
        ("title", "error"),
        ("abbreviation", "error"),
        ("issn", "error"),
    ]
    assert "JournalTitle" in found[1].repair


@settings(max_examples=50, suppress_health_check=list(HealthCheck))
@given(any_of(Citation))
def test_no_record_makes_a_rule_raise(citation: Citation) -> None:
    check_citation(citation)


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["&amp" * 200_000, "<i " * 200_000, "© " * 200_000, "a " * 300_000, "MD " * 100_000])
def test_a_long_text_is_checked_in_bounded_time(text: str) -> None:
    check_citation(replace(RIGHT, title=text, abstract=text, authors=(Author(family=text, collective=text),)))


def pubmed(**values: Any) -> str:
    return "".join(FORMATS["pubmed"].write([replace(RIGHT, **values)]))


@pytest.mark.parametrize(
    ("before", "after", "rule", "repair"),
    [
        ("<Month>09</Month>", "<Month>Sept</Month>", "months", "Sep"),
        (
            "<Month>09</Month>",
            "<Month>13</Month>",
            "months",
            "1 to 12, or Jan to Dec; a span such as Mar-Apr is a Season",
        ),
        ("<Day>15</Day>", "<Day>15</Day><Season>Fall</Season>", "months", "remove Season"),
        ("<Year>2010</Year>", "<Year>10</Year>", "years", "write four digits"),
        ('PubStatus="received"', 'PubStatus="pubmed"', "status", "remove the date"),
        (">0000-0002-1825-0097<", ">0000-0002-1825-0098<", "check digit", "ask the author"),
        (">0000-0002-1825-0097<", ">https://orcid.org/0000-0002-1825-0097<", "check digit", "0000-0002-1825-0097"),
        ("Sleep by", "Sleep&#xD; by", "line ends", "write plain line breaks"),
    ],
)
def test_what_a_reader_would_mend_is_told_with_its_line(before: str, after: str, rule: str, repair: str) -> None:
    text = pubmed()
    assert before in text
    changed = text.replace(before, after, 1)
    found = [one for one in check_file(changed.encode(), FORMATS["pubmed"]) if one.rule == rule]
    assert [one.repair for one in found] == [repair]
    assert after.splitlines()[0][:8] in changed.splitlines()[found[0].line - 1]


def test_a_record_of_publisher_xml_is_told_with_the_line_it_begins_on() -> None:
    text = pubmed().replace("<Issn>2049-3630</Issn>", "<Issn>2049-3631</Issn>")
    found = check_file(text.encode(), FORMATS["pubmed"])
    assert [(one.field, one.record, one.line) for one in found] == [("issn", 1, 4)]


def test_files_of_every_format_are_checked_by_the_same_rules() -> None:
    wrong = replace(RIGHT, doi="", pmid="x1", pii="S1", first_page="", last_page="")
    for form in FORMATS.values():
        if form.read and "pmid" not in form.loses:
            found = check_file("".join(form.write([wrong])).encode(), form)
            assert ("pmid" in {one.field for one in found}) or form.name == "ris"  # RIS has no field for a PMID alone


def test_a_file_without_records_or_beyond_reading_is_an_error() -> None:
    assert [one.message for one in check_file(b"", FORMATS["ris"])] == ["no record in the file"]
    broken = check_file(b"[1]", FORMATS["csl"])
    assert [(one.rule, bool(one.repair)) for one in broken] == [("readable", True)]
    cut = check_file(b"<ArticleSet><Article>", FORMATS["pubmed"])
    assert {one.rule for one in cut} == {"schema", "readable"}


def test_a_format_that_is_only_written_cannot_be_checked() -> None:
    with pytest.raises(FormatError, match="cannot be read: jsonld"):
        check_file(b"", FORMATS["jsonld"])

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from tests.citations.strategies import items, labelled_zones, marked_zone, meta_items, page, zone

from medharvest import demo
from medharvest.citations import build_citation, read_issue_fields
from medharvest.pages import embedded, parse_page
from medharvest.records import Author, Citation, Evidence, Kind, LabelledZone, MetaItem, NamedDate, Section
from medharvest.zones import label_zones

LONG = "We measured sleep in forty people over three weeks and found that it grew longer by the sea. " * 3
BERG = Author(family="Berg", given="Anna")
# What is derived from another field carries that field's evidence, not its own.
DERIVED = {"title_html": "title", "sections": "abstract"}
OWN = {"url", "kind", "evidence", "alternatives"}


def build(rows: Sequence[tuple[str, str]] = (), zones: Sequence[LabelledZone] = ()) -> Citation:
    return build_citation(page(), kind=Kind.ABSTRACT, items=items(*rows), zones=zones)


def proofs(citation: Citation, field: str) -> list[Evidence]:
    return [proof for proof in citation.evidence if proof.field == field]


def points_at_its_text(proof: Evidence, found: Sequence[MetaItem], zones: Sequence[LabelledZone]) -> bool:
    if proof.source == "zone":
        texts = [item.zone.text for item in zones if item.zone.path == proof.path]
    else:
        texts = [item.value for item in found if (item.source, item.name) == (proof.source, proof.path)]
    return any(text[proof.start : proof.end] == proof.text for text in texts) and proof.end > proof.start


def known_fields(citation: Citation) -> set[str]:
    names = {field.name for field in fields(citation)} - OWN
    return {DERIVED.get(name, name) for name in names if getattr(citation, name)}


def test_what_is_embedded_wins_and_other_values_are_alternatives() -> None:
    citation = build([("citation_title", "Sleep"), ("headline", "Sleep well"), ("dc.title", "Sleep")])
    assert citation.title == "Sleep"
    assert [(other.field, other.value) for other in citation.alternatives] == [("title", "Sleep well")]
    assert (citation.url, citation.kind) == (page().url, Kind.ABSTRACT)


def test_what_is_said_of_a_cited_work_is_not_taken_for_the_article() -> None:
    citation = build([("citation.0.isPartOf.volumeNumber", "9"), ("citation.0.isPartOf.issn", "2049-3630")])
    assert (citation.volume, citation.issn) == ("", ())


def test_the_evidence_of_an_embedded_value_is_the_whole_item() -> None:
    (proof,) = build([("citation_date", "on 15 Sep 2010")]).evidence
    assert (proof.field, proof.source, proof.path) == ("date", "citation", "citation_date")
    assert (proof.start, proof.end, proof.text) == (0, 14, "on 15 Sep 2010")
    assert (proof.page, proof.method, proof.score) == ("d1", "rule", 0.9)


def test_a_printed_title_stands_in_for_a_missing_one_with_its_markup() -> None:
    citation = build(zones=[marked_zone("title", "Sleep and {i:Vibrio}", method="first-h1", score=0.7)])
    assert (citation.title, citation.title_html) == ("Sleep and Vibrio", "Sleep and <i>Vibrio</i>")
    (proof,) = citation.evidence
    assert (proof.source, proof.method, proof.score, proof.text) == ("zone", "first-h1", 0.7, "Sleep and Vibrio")


def test_the_name_of_the_site_is_taken_off_a_title_and_stays_an_alternative() -> None:
    citation = build([("og:title", "Sleep well | Tide")], [zone("title", "Sleep well")])
    assert citation.title == "Sleep well"
    assert [proof.source for proof in proofs(citation, "title")] == ["zone"]
    assert [other.value for other in citation.alternatives] == ["Sleep well | Tide"]


def test_markup_is_taken_from_a_printed_title_that_differs_in_case_and_signs_only() -> None:
    printed = marked_zone("title", "SLEEP, AND {i:VIBRIO}")
    citation = build([("citation_title", "Sleep and Vibrio")], [printed])
    assert citation.title == "Sleep and Vibrio"
    assert citation.title_html == "SLEEP, AND <i>VIBRIO</i>"
    assert build([("citation_title", "Other words")], [printed]).title_html == ""


def test_printed_places_complete_embedded_authors_of_the_same_number() -> None:
    zones = [marked_zone("author", "A. Berg{sup:1}"), marked_zone("affiliation", "{sup:1}Quay Hospital")]
    citation = build([("citation_author", "Berg, Anna")], zones)
    assert citation.authors == (Author(family="Berg", given="Anna", affiliations=(0,)),)
    assert citation.affiliations == ("Quay Hospital",)
    assert [proof.source for proof in proofs(citation, "authors")] == ["zone", "citation"]
    assert [proof.source for proof in proofs(citation, "affiliations")] == ["zone"]


def test_a_printed_list_that_goes_on_wins_over_the_embedded_beginning() -> None:
    zones = [marked_zone("author", "A. Berg{sup:1}, R. Cole{sup:1}"), marked_zone("affiliation", "{sup:1}Quay")]
    citation = build([("citation_author", "Berg, Anna")], zones)
    assert citation.authors == (replace(BERG, affiliations=(0,)), Author(family="Cole", given="R.", affiliations=(0,)))
    assert citation.affiliations == ("Quay",)


def test_printed_authors_keep_the_division_of_their_names_in_the_metadata() -> None:
    citation = build([("citation_author", "Reis Quintal, Ana")], [zone("author", "Ana Reis Quintal")])
    assert citation.authors == (Author(family="Reis Quintal", given="Ana"),)


def test_printed_places_win_unless_the_metadata_has_many_more() -> None:
    rows = [("citation_author", "Berg, Anna"), ("citation_author_institution", "Quay Hospital")]
    citation = build(rows, [zone("author", "Anna Berg"), zone("affiliation", "Printed")])
    assert citation.affiliations == ("Printed",)
    both = [("citation_author", "Cole, Rita"), ("citation_author_institution", "Moor Hospital")]
    citation = build([*rows, *both], [zone("author", "Anna Berg, Rita Cole"), zone("affiliation", "Printed")])
    assert citation.affiliations == ("Quay Hospital", "Moor Hospital")
    assert {proof.path for proof in proofs(citation, "affiliations")} == {"citation_author_institution"}


def test_a_printed_abstract_wins_unless_it_is_much_shorter() -> None:
    rows = [("citation_abstract", LONG)]
    whole = [marked_zone("abstract", "{b:Aim:} " + LONG, path="p[1]"), marked_zone("abstract", "Well.", path="p[2]")]
    citation = build(rows, whole)
    assert citation.sections == (Section("Aim", f"{LONG} Well."),)
    assert [proof.path for proof in proofs(citation, "abstract")] == ["p[1]", "p[2]", "citation_abstract"]
    short = build(rows, [zone("abstract", "We slept.")])
    assert (short.abstract, short.sections) == (LONG.strip(), ())
    assert build(zones=[zone("abstract", "We slept.")]).abstract == "We slept."


def test_printed_lines_fill_what_is_not_embedded() -> None:
    zones = [zone("unidentified", "Tide 2010 Sep 15;23(3):201–8. doi:10.1000/a1 ISSN 2049-3630")]
    citation = build([("citation_volume", "24")], zones)
    found = (citation.journal, citation.date, citation.volume, citation.issue, citation.first_page, citation.last_page)
    assert found == ("Tide", "2010-09-15", "24", "3", "201", "208")
    assert (citation.doi, citation.issn) == ("10.1000/a1", ("2049-3630",))
    assert {proof.field: proof.text for proof in citation.evidence if proof.source == "zone"} == {
        "journal": "Tide",
        "date": "2010 Sep 15",
        "issue": "3",
        "first_page": "201",
        "last_page": "8",
        "doi": "10.1000/a1",
        "issn": zones[0].zone.text,
    }


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("201", "8", ("201", "208", "")),
        ("1199", "205", ("1199", "1205", "")),
        ("201", "208", ("201", "208", "")),
        ("S1", "8", ("S1", "8", "")),
        ("e240011", "", ("e240011", "", "e240011")),
        ("107-118", "", ("107", "118", "")),
        ("107–118", "118", ("107", "118", "")),
        ("107-118", "119", ("107-118", "119", "")),
        ("e240011", "e240019", ("e240011", "e240019", "")),
        ("e1", "", ("e1", "", "")),
        ("12", "", ("12", "", "")),
    ],
)
def test_last_pages_are_written_in_full_and_article_numbers_known(
    first: str, last: str, expected: tuple[str, str, str]
) -> None:
    citation = build([("citation_firstpage", first), ("citation_lastpage", last)])
    assert (citation.first_page, citation.last_page, citation.article_number) == expected
    assert {proof.field for proof in citation.evidence} == known_fields(citation)


def test_keywords_references_and_statements_are_read_zone_by_zone() -> None:
    zones = [
        zone("keywords", "sleep; sea, tide."),
        zone("reference", "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"),
        zone("reference", "1. Berg A. Sleep."),
        zone("reference", "2. Cole R. Sea."),
        zone("funding", "Quay Fund 7"),
        zone("conflict", "None."),
        zone("conflict", "Really."),
    ]
    citation = build(zones=zones)
    assert citation.keywords == ("sleep", "sea, tide")
    assert citation.references == ("1. Berg A. Sleep.", "2. Cole R. Sea.")
    assert (citation.funding, citation.conflict) == (("Quay Fund 7",), "None. Really.")
    assert [proof.text for proof in proofs(citation, "references")] == list(citation.references)
    subjects = build([("citation_keywords", "a;b")], zones)
    assert subjects.keywords == ("sleep", "sea, tide")
    assert [(other.field, other.value) for other in subjects.alternatives] == [("keywords", "a; b")]
    assert build([("citation_keywords", "a;b")], [zone("keywords", "sleep")]).keywords == ("a", "b")


@pytest.mark.parametrize(
    ("label", "text", "field", "value"),
    [
        ("keywords", "Key words: Altitude; sleep.", "keywords", ("Altitude", "sleep")),
        ("keywords", "Keywords — Altitude", "keywords", ("Altitude",)),
        ("funding", "Funding. Quay Fund: 7", "funding", ("Quay Fund: 7",)),
        ("conflict", "Conflict of interest: None: really.", "conflict", "None: really."),
        ("abstract", "Summary: We slept.", "abstract", "We slept."),
    ],
)
def test_the_words_that_announce_a_line_belong_neither_to_the_value_nor_to_its_evidence(
    label: str, text: str, field: str, value: Any
) -> None:
    citation = build(zones=[zone(label, text, method="run-in")])
    assert getattr(citation, field) == value
    (proof,) = proofs(citation, field)
    assert proof.text == text[proof.start : proof.end] == text[text.index(proof.text) :]
    assert proof.text.startswith(value if isinstance(value, str) else value[0])
    under_heading = build(zones=[zone(label, text, method="under-heading")])
    assert proofs(under_heading, field)[0].start == 0


HISTORY = "Received 1 May 2009. Published online 7 July 2009"


@pytest.mark.parametrize(
    ("rows", "text", "date"),
    [
        ([], HISTORY, "2009-07-07"),
        ([("citation_date", "2009")], HISTORY, "2009-07-07"),
        ([("citation_date", "2009"), ("citation_firstpage", "12")], HISTORY, "2009"),
        ([("citation_date", "2010")], HISTORY, "2010"),
        ([("citation_date", "2009")], "Published 7 July 2009", "2009-07-07"),
        ([("citation_date", "2009"), ("citation_firstpage", "12")], "Published 7 July 2009", "2009-07-07"),
        ([("citation_date", "2009-07-08")], "Published 7 July 2009", "2009-07-08"),
        ([("citation_date", "2009-07")], "Published 2009", "2009-07"),
    ],
)
def test_a_printed_date_of_publication_makes_the_date_precise(
    rows: list[tuple[str, str]], text: str, date: str
) -> None:
    citation = build(rows, [zone("unidentified", text)])
    assert citation.date == date
    assert any(date[:4] in proof.text for proof in proofs(citation, "date"))


def test_the_history_has_its_dates_and_evidence() -> None:
    citation = build(zones=[zone("unidentified", HISTORY)])
    assert citation.dates == (NamedDate("received", "2009-05-01"), NamedDate("epublish", "2009-07-07"))
    assert [proof.text.strip() for proof in proofs(citation, "dates")] == ["1 May 2009.", "7 July 2009"]


def test_a_page_that_says_nothing_gives_an_empty_citation() -> None:
    assert build() == Citation(url=page().url, kind=Kind.ABSTRACT)


def test_a_contents_page_gives_what_its_articles_share_and_is_trusted_less() -> None:
    zones = [zone("title", "Contents"), zone("unidentified", "Vol 7, No 2, May 2010"), zone("other", "ISSN 2049-3630")]
    issue = read_issue_fields(page(), items=items(("citation_journal_title", "Tide")), zones=zones)
    assert (issue.journal, issue.volume, issue.issue, issue.date) == ("Tide", "7", "2", "2010-05")
    assert (issue.issn, issue.title, issue.kind) == (("2049-3630",), "", Kind.ISSUE)
    assert {proof.field for proof in issue.evidence} == {"journal", "volume", "issue", "date", "issn"}
    assert {proof.method for proof in issue.evidence} == {"contents-page"}
    assert [proof.score for proof in issue.evidence if proof.field == "journal"] == [pytest.approx(0.9 * 0.7)]
    assert max(proof.score for proof in issue.evidence) <= 0.7


@given(meta_items, labelled_zones())
def test_every_field_has_evidence_and_all_evidence_points_at_its_text(
    found: list[MetaItem], zones: list[LabelledZone]
) -> None:
    citation = build_citation(page(), kind=Kind.OTHER, items=found, zones=zones)
    assert {proof.field for proof in citation.evidence} >= known_fields(citation)
    assert all(points_at_its_text(proof, found, zones) for proof in citation.evidence if proof.text)


@pytest.mark.no_cover
def test_the_evidence_of_the_bundled_pages_points_at_its_text() -> None:
    for demo_page in [p for p in demo.list_demo_pages() if p.file and p.article and p.media_type == "text/html"]:
        parsed = parse_page(demo.read_demo_file(demo_page.file), url=demo_page.path, charset=demo_page.encoding)
        found, zones = embedded(parsed), label_zones(parsed)
        citation = build_citation(parsed, kind=demo_page.kind, items=found, zones=zones)
        assert {proof.field for proof in citation.evidence} == known_fields(citation)
        assert {proof.page for proof in citation.evidence} <= {parsed.digest}
        assert all(points_at_its_text(proof, found, zones) for proof in citation.evidence)


@pytest.mark.no_cover
@pytest.mark.parametrize("value", ["<a " * 300_000, '"' * 10**6, "e" + "1" * 10**6, "a;" * 500_000, ")" * 10**6])
def test_a_megabyte_in_every_place_is_read_in_bounded_time(value: str) -> None:
    names = (
        "citation_title citation_author citation_date citation_doi citation_firstpage citation_abstract issn".split()
    )
    zones = [zone(label, value) for label in ("title", "author", "affiliation", "abstract", "keywords", "reference")]
    build([(name, value) for name in names], zones)


def test_what_scripts_carry_is_the_last_resort_for_title_and_abstract():
    text = "We asked people in the valley how they slept when the snow came early to it. " * 3
    items = (MetaItem("state", "headline", "Sleep and snow"), MetaItem("state", "abstract", f"<p>{text}</p>"))
    read = build_citation(page(), kind=Kind.ABSTRACT, items=items, zones=())
    assert (read.title, read.abstract) == ("Sleep and snow", text.strip())
    printed = build_citation(page(), kind=Kind.ABSTRACT, items=items, zones=[zone("title", "Sleep, and snow")])
    assert printed.title == "Sleep, and snow"
    short = build_citation(page(), kind=Kind.ABSTRACT, items=(MetaItem("state", "abstract", "We …"),), zones=())
    assert short.abstract == ""

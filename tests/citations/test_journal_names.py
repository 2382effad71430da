"""Where the journal's name may stand beside the citation line, and what speaks for it."""

from __future__ import annotations

import pytest
from tests.citations.strategies import zone

from medharvest.citations import journal_names, masthead
from medharvest.citations.journal_lists import find_title_of_issn, is_built_in_key
from medharvest.citations.journal_names import JournalClues, find_journal_clues, list_journal_candidates
from medharvest.pages import parse_page
from medharvest.records import LabelledZone, Page
from medharvest.zones import label_zones

NO_ISSNS: masthead.PrintedIssns = ((), ())


def signs_of(name: str, *zones: LabelledZone, clues: JournalClues | None = None) -> tuple[str, ...]:
    """The signs of a name among the candidates; empty if it is none."""
    found = list_journal_candidates(zones, None, {}, clues or JournalClues())
    return next((one.signs for one in found if one.value.text == name), ())


def make_page(body: str) -> Page:
    return parse_page(f"<html><head><title></title></head><body>{body}</body></html>".encode(), name="a.html")


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [
        ("Copyright 2015 by Northmoor Quarterly", "copyright", "end"),
        ("Home > Journals > Northmoor Quarterly > Volume 3, Issue 2", "sign", "volume"),
        ("www.quay.example Northmoor Quarterly 2018; Vol. 39 (2)", "doi", "year"),
        ("Northmoor Quarterly, ISSN 2049-3630", "start", "issn"),
        ("Northmoor Quarterly DOI 10.1000/a1", "start", "doi"),
        ("Published in: Northmoor Quarterly, Issue 3", "appears", "volume"),
        ("Berg et al. Northmoor Quarterly 2010;2:1-9", "author", "year"),
        ("© 2015 Northmoor Quarterly • Tide Press", "copyright", "sign"),
    ],
)
def test_a_part_of_a_running_line_may_be_the_name(line: str, before: str, after: str) -> None:
    signs = signs_of("Northmoor Quarterly", zone("title", "Sleep by the sea"), zone("unidentified", line))
    assert {"from=part", f"before={before}", f"after={after}"} <= set(signs)


@pytest.mark.parametrize("text", ["Table of contents", "ORIGINAL RESEARCH", "Índice", "Case report"])
def test_a_heading_of_contents_or_a_kind_of_article_is_no_name(text: str) -> None:
    lines = (zone("unidentified", text), zone("title", "Sleep by the sea"), zone("unidentified", "Northmoor Quarterly"))
    assert signs_of(text, *lines) == ()
    assert signs_of("Northmoor Quarterly", *lines)


def test_a_line_of_references_or_authors_has_no_parts() -> None:
    line = "© 2015 Northmoor Quarterly, all rights reserved"
    for label in ("reference", "abstract", "author", "title"):
        assert signs_of("Northmoor Quarterly", zone(label, line)) == ()


def test_a_name_with_numbers_behind_it_is_counted() -> None:
    heads = [zone("unidentified", f"{n} Northmoor Quarterly 2018; Vol. 39 (2)") for n in "ab"]
    assert "numbered=0" in signs_of("Northmoor Quarterly", zone("unidentified", "© Northmoor Quarterly, Oslo"))
    lines = [zone("unidentified", f"Northmoor Quarterly 2018; {n}") for n in (39, 40)]
    assert "numbered=2" in signs_of("Northmoor Quarterly", *heads, *lines)


@pytest.mark.parametrize(
    ("doi", "name", "sign"),
    [
        ("10.1000/tide.2015.04", "Tide", "code=same"),
        ("10.1000/nmq.2015.04", "Northmoor Medical Quarterly", "code=initials"),
        ("10.1000/asl.2015.04", "Annals of Sleep and Light", "code=initials"),
        ("10.1000/journal.northq.0015", "Northmoor Quarterly", "code=prefixes"),
        ("10.1000/nort.15", "Northmoor", "code=prefixes"),
        ("10.1000/no.15", "Northmoor", "code=none"),
        ("10.1000/15", "Northmoor", "code=none"),
    ],
)
def test_the_doi_abbreviates_the_name(doi: str, name: str, sign: str) -> None:
    shown = zone("unidentified", name)
    clues = find_journal_clues(make_page("<p>a</p>"), [shown], doi, NO_ISSNS)
    assert sign in signs_of(name, shown, clues=clues)


def test_a_code_that_fits_one_name_speaks_against_the_others() -> None:
    zones = [zone("unidentified", "Tide"), zone("unidentified", "Login")]
    assert "code=other" in signs_of("Login", *zones, clues=JournalClues(codes=("tide",)))
    assert "code=none" in signs_of("Login", *zones, clues=JournalClues(codes=("quay",)))


def test_addresses_of_the_page_and_its_links_are_codes() -> None:
    page = make_page('<a href="https://press.example/journals/tide/1">Next</a><p>see www.nmq.example</p>')
    codes = find_journal_clues(page, [zone("unidentified", "see www.nmq.example")], "", NO_ISSNS).codes
    assert {"tide", "nmq"} <= set(codes)
    assert not {"www", "https", "journals"} & set(codes)


def test_the_description_of_a_picture_may_be_the_name() -> None:
    page = make_page('<img src="a.png" alt="Northmoor Quarterly journal logo"><img alt="x"><img src="b.png">')
    clues = find_journal_clues(page, [], "", NO_ISSNS)
    assert [one.zone.text for one in clues.pictures] == ["Northmoor Quarterly"]
    assert "from=picture" in signs_of("Northmoor Quarterly", clues=clues)


@pytest.mark.parametrize(
    ("doi", "issns"),
    [
        ("10.1000/S0140-6736(17)32844-1", ("0140-6736",)),
        ("10.1000/0140-6736-16-2", ("0140-6736",)),
        ("10.1000/S0140-6737(17)32844-1", ()),  # the check digit is wrong
        ("10.1000/2049-3630-16-2", ()),  # no journal of the table has it
        ("", ()),
    ],
)
def test_an_issn_in_the_doi_counts_if_a_built_in_journal_has_it(doi: str, issns: tuple[str, ...]) -> None:
    clues = find_journal_clues(make_page("<p>a</p>"), [zone("unidentified", f"doi:{doi}")], doi, NO_ISSNS)
    assert clues.issns == issns
    assert [one.text for one in clues.titles] == [find_title_of_issn(issn) for issn in issns]


def test_the_issn_tells_the_journal_of_a_page_that_does_not_name_it() -> None:
    page = make_page("<h1>Sleep by the sea and the tide</h1><p>ISSN 0140-6736</p>")
    zones = label_zones(page)
    clues = find_journal_clues(page, zones, "", masthead.find_printed_issns(zones))
    found = masthead.read_masthead_lines(zones, {"title": "Sleep by the sea and the tide"}, clues=clues)
    assert found["journal"].text == find_title_of_issn("0140-6736")


def test_a_name_below_its_label_is_marked() -> None:
    zones = [zone("unidentified", "Journal Name:"), zone("unidentified", "Northmoor Quarterly")]
    assert "labelled" in signs_of("Northmoor Quarterly", *zones)
    assert "labelled" not in signs_of("Northmoor Quarterly", zones[1])


def test_a_built_in_name_at_the_end_of_a_line_is_a_candidate() -> None:
    line = zone("unidentified", "Study of sleep. The Lancet 2010;23:1-9")
    value = (
        masthead.list_line_readings([line])[0].values["journal"]._replace(text="Study of sleep. The Lancet", start=0)
    )
    found = {one.value.text: one for one in list_journal_candidates([line], value, {})}
    assert "from=line-end" in found["The Lancet"].signs
    assert "line=end" in found["The Lancet"].signs
    assert line.zone.text[found["The Lancet"].value.start : found["The Lancet"].value.end] == "The Lancet"


def test_an_acronym_in_the_line_speaks_for_the_name_it_stands_for() -> None:
    line = masthead.list_line_readings([zone("unidentified", "NMQ 2010;23:1-9")])[0].values["journal"]
    names = list_journal_candidates([zone("unidentified", "Northmoor Medical Quarterly")], line, {})
    assert any("line=initials" in one.signs for one in names)


def test_a_name_that_no_other_comes_near_is_taken_though_it_is_not_sure() -> None:
    zones = [zone("unidentified", "Northmoor Quarterly"), zone("unidentified", "Log in")]
    weights = masthead.MastheadWeights({}, {"any": -1.5, "capitals=False": -3.0})
    assert masthead.read_masthead_lines(zones, {}, weights=weights)["journal"].text == "Northmoor Quarterly"
    level = masthead.MastheadWeights({}, {"any": -1.5})
    assert "journal" not in masthead.read_masthead_lines(zones, {}, weights=level)


def test_keys_and_issns_of_the_table_are_found() -> None:
    assert is_built_in_key("lancet")
    assert not is_built_in_key("northmoorquarterly")
    assert find_title_of_issn("2049-3630") == ""


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["© 2015 " * 57, "a. " * 130, "Vol 1 " * 66, ", A" * 130, " | A" * 100, "A" * 400])
def test_many_running_lines_are_cut_in_bounded_time(text: str) -> None:
    zones = [zone("unidentified", text)] * 2_500
    page = make_page('<img alt="' * 20_000 + "https://a.b" * 20_000)
    list_journal_candidates(
        zones, None, {}, journal_names.find_journal_clues(page, zones, "10.1000/" + "ab" * 99, NO_ISSNS)
    )


def test_a_line_that_cites_the_article_has_the_name_behind_the_title() -> None:
    text = "Berg, A. (2015). Sleep by the Sea. Annals of Snow: Winter and Wind, 14(2), 201-208."
    cited = zone("unidentified", text, (text.index("Annals"), text.index(", 14"), "i"))
    found = list_journal_candidates([zone("title", "Sleep by the sea"), cited], None, {"title": "Sleep by the sea"})
    signs = {one.value.text: one.signs for one in found}
    assert "from=cited" in signs["Annals of Snow"]
    assert "Berg" not in [text for text, own in signs.items() if "from=cited" in own]
    assert "mark=i" in signs["Annals of Snow: Winter and Wind"]  # although a colon divides it


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("reference", "Berg A. Sleep by the sea. Annals of Snow, 14(2), 201-208"),
        ("unidentified", "Berg A. Snow by the sea. Annals of Snow, 14(2), 201-208"),
        ("unidentified", f"Sleep by the sea. Annals of Snow, 14. {'And so on. ' * 100}"),
    ],
)
def test_other_lines_do_not_cite_the_article(label: str, text: str) -> None:
    lines = [zone("title", "Sleep by the sea"), zone(label, text)]
    found = list_journal_candidates(lines, None, {"title": "Sleep by the sea"})
    assert not any("from=cited" in one.signs for one in found)


def test_a_part_that_a_tag_sets_off_shows_it() -> None:
    line = zone("unidentified", "Home > Annals of Snow > Vol. 14", (7, 21, "a"))
    found = list_journal_candidates([zone("title", "Sleep by the sea"), line], None, {})
    signs = {one.value.text: one.signs for one in found}
    assert "mark=a" in signs["Annals of Snow"]
    assert not any(sign.startswith("mark=") for sign in signs["Home"])

"""References as whole texts with their DOIs."""

from __future__ import annotations

from medharvest.citations.references import list_statement_zones, read_references
from medharvest.records import LabelledZone, MetaItem, ReferenceDoi, Verdict, Zone

LIST = "html[1]/body[1]/ol[1]"
ONE = "Berg A, Cole R. Sleep on the quay and in the marsh. J Tides. 2001;3:1-9."
TWO = "Dale D. Rest and tide: a study of forty people at sea. J Quays. 2010;7:3."
THREE = "Elm E. Night at the harbour, and what to make of it. Marsh Press; 1999."


def zone(path: str, text: str, *links: str, label: str = "reference") -> LabelledZone:
    return LabelledZone(Zone(level=4, tag="p", path=path, text=text, links=links), Verdict(label, 0.9, "rule"))


def texts(*zones: LabelledZone) -> tuple[str, ...]:
    return read_references(zones, (), "").texts


def test_the_pieces_of_a_list_entry_are_one_reference_without_its_links() -> None:
    found = read_references(
        [
            zone(f"{LIST}/li[1]/p[1]", "Berg A, Cole R. Sleep on the quay and in the marsh."),
            zone(f"{LIST}/li[1]/p[2]", "J Tides. 2001;3:1-9. PubMed Abstract | Full Text"),
            zone(f"{LIST}/li[1]/p[3]", "View Article", "https://doi.org/10.5555/t1"),
            zone(f"{LIST}/li[2]/p[1]", f"{TWO}Google Scholar", "/lookup?access_num=10.5555%2Ft2&link_type=DOI"),
            zone(f"{LIST}/li[3]", f"{THREE} doi: 10.5555/t3."),
        ],
        (),
        "",
    )
    assert found.texts == (ONE, TWO, f"{THREE} doi: 10.5555/t3.")
    assert found.dois == tuple(ReferenceDoi(number, f"10.5555/t{number}") for number in (1, 2, 3))
    assert [line.text[:4] for line in found.doi_lines] == ["Berg"]


def test_what_stands_beside_the_list_is_no_reference() -> None:
    entries = [zone(f"{LIST}/li[{n}]", text) for n, text in enumerate((ONE, TWO, THREE, ONE), 1)]
    assert texts(zone("html[1]/body[1]/p[1]", "Previous"), *entries, zone("html[1]/body[1]/p[2]", "Top")) == (
        *(ONE, TWO, THREE, ONE),
    )


def test_lines_in_one_block_are_references_each() -> None:
    assert texts(*(zone("html[1]/body[1]/p[1]", text) for text in (ONE, TWO))) == (ONE, TWO)


def test_a_pmid_that_touches_the_doi_is_no_part_of_it() -> None:
    zones = [zone(f"{LIST}/li[1]", f"{ONE} doi:10.5555/t1pmid:18065616"), zone(f"{LIST}/li[2]", TWO)]
    assert read_references(zones, (), "").dois == (ReferenceDoi(1, "10.5555/t1"),)


def test_a_link_to_the_article_itself_is_not_the_doi_of_a_reference() -> None:
    zones = [zone(f"{LIST}/li[1]", ONE, "/doi/10.5555/OWN#ref1"), zone(f"{LIST}/li[2]", TWO, "/doi/10.5555/t2")]
    assert read_references(zones, (), "10.5555/own").dois == (ReferenceDoi(2, "10.5555/t2"),)


def test_an_entry_of_a_menu_announces_no_other_entry() -> None:
    menu = [
        zone("html[1]/ul[1]/li[1]", "References", label="heading"),
        zone("html[1]/ul[1]/li[2]", "About us"),
        zone("html[1]/ul[1]/li[2]/ul[1]/li[1]", "Jobs"),
    ]
    assert list_statement_zones(menu)["reference"] == []
    inside = [menu[0], zone("html[1]/ul[1]/li[1]/ol[1]/li[1]", ONE)]
    assert list_statement_zones(inside)["reference"] == inside[1:]


def stated(*values: str) -> list[MetaItem]:
    return [MetaItem("citation", "citation_reference", value) for value in values]


def test_metadata_gives_the_doi_of_the_reference_with_its_title() -> None:
    given = stated("citation_title=Rest and tide: a study of forty people at sea; citation_doi=10.5555/t2")
    zones = [zone(f"{LIST}/li[1]", ONE), zone(f"{LIST}/li[2]", TWO)]
    assert read_references(zones, given, "").dois == (ReferenceDoi(2, "10.5555/t2"),)


def test_references_that_only_metadata_states_are_written_out() -> None:
    found = read_references(
        [],
        stated(
            "citation_title=Sleep; citation_author=A Berg; citation_author=R Cole; citation_journal_title=J Tides; "
            "citation_year=2001; citation_volume=3; citation_issue=2; citation_pages=1-9; citation_doi=10.5555/t1",
            "Dale D. Rest. 2010.",
        ),
        "",
    )
    assert found.texts == ("A Berg, R Cole. Sleep. J Tides. 2001;3(2):1-9.", "Dale D. Rest. 2010.")
    assert found.dois == (ReferenceDoi(1, "10.5555/t1"),)

"""Lines that print the issue and the article: journal, date, volume, pages, DOI, ISSN, history."""

import pytest
from tests.citations.strategies import zone

from medharvest.citations import masthead, zone_fields
from medharvest.records import LabelledZone, Verdict, Zone

NORTHMOOR = {"journal": "Northmoor Med Q", "volume": "23", "issue": "3", "first_page": "201"}
NORTHMOOR_PAGES = {"date": "2010", "volume": "23", "first_page": "201", "last_page": "208"}
LINES: dict[str, dict[str, str]] = {
    "Northmoor Med Q 2010;23(3):201–208": NORTHMOOR | {"date": "2010", "last_page": "208"},
    "Northmoor Med Q. 2010 Sep 15; 23 (3): 201-8.": NORTHMOOR | {"date": "2010-09-15", "last_page": "8"},
    "Tide (2010), vol. 23, pp. S20-S28": {
        "journal": "Tide",
        "date": "2010",
        "volume": "23",
        "first_page": "S20",
        "last_page": "S28",
    },
    "2010;23:e20": {"date": "2010", "volume": "23", "first_page": "e20"},
    "Volume 14, Number 2, March 2001": {"volume": "14", "issue": "2", "date": "2001-03"},
    "Volume 14, Number 2, Winter 2001": {"volume": "14", "issue": "2", "date": "2001-24"},
    "Vol. 14 | March 2001": {"volume": "14", "date": "2001-03"},
    "Vol 14 No. 1/2": {"volume": "14", "issue": "1/2"},
    "Tide, Volume 14, Number 1, March 2001, pages 1-8": {
        "journal": "Tide",
        "volume": "14",
        "issue": "1",
        "date": "2001-03",
        "first_page": "1",
        "last_page": "8",
    },
    "Volume 102, Issues 1–3, July 2008, Pages 150–162": {
        "volume": "102",
        "issue": "1–3",
        "date": "2008-07",
        "first_page": "150",
        "last_page": "162",
    },
    "Tide (2010) 23:201-208": NORTHMOOR_PAGES | {"journal": "Tide"},
    "Tide, 23, 201–208, 2010": NORTHMOOR_PAGES | {"journal": "Tide"},
    "Tide 23 (2010) 201–208": NORTHMOOR_PAGES | {"journal": "Tide"},
    "Cite this as: Tide 2010;23:201-208": NORTHMOOR_PAGES | {"journal": "Tide"},
    "Berg et al. Tide 2010;23:201-208": NORTHMOOR_PAGES | {"journal": "Tide"},
    "Berg A. Sleep by the sea. Tide Med 2010;23:201-208": NORTHMOOR_PAGES | {"journal": "Tide Med"},
    "Arch. Tide Med. 2010;23:201-208": NORTHMOOR_PAGES | {"journal": "Arch. Tide Med"},
    "In 7 ways 2010;23:201-208": NORTHMOOR_PAGES | {"journal": "In 7 ways"},
    "%% 2010;23:201-208": NORTHMOOR_PAGES,
    "We slept well": {},
    "Tide, Norrholm, 33:e200057, 2010": {
        "journal": "Tide, Norrholm",
        "volume": "33",
        "first_page": "e200057",
        "date": "2010",
    },
    "Berg A. Sleep by the sea. Tide, v. 33, e200057, 2010.": {
        "journal": "Tide",
        "volume": "33",
        "first_page": "e200057",
        "date": "2010",
    },
    "VOL. 53(4) 2010: 271 - 280": {
        "volume": "53",
        "issue": "4",
        "date": "2010",
        "first_page": "271",
        "last_page": "280",
    },
    "Volume 2010, Article ID 157939, 6 pages": {"volume": "2010", "first_page": "157939"},
    "March 2010 | Volume 8 | Article 125": {"date": "2010-03", "volume": "8", "first_page": "125"},
    "Berg A (2010) Sleep by the sea. Front. Tide. 8:125. doi: 10.1000/a": {
        "journal": "Front. Tide",
        "volume": "8",
        "first_page": "125",
    },
    "Tide Med, September 2010, 11(3): 201–208": NORTHMOOR_PAGES | {"journal": "Tide Med", "volume": "11", "issue": "3"},
}


@pytest.mark.parametrize(("text", "found"), LINES.items())
def test_a_printed_line_tells_journal_date_volume_issue_and_pages(text: str, found: dict[str, str]) -> None:
    assert read_line(text) == found


def tab_zone(text: str) -> LabelledZone:
    """The zone of TITLE."""
    zone = Zone(level=3, tag="title", path="html[1]/head[1]/title[1]", text=text)
    return LabelledZone(zone, Verdict("unidentified", 0.5, "none"))


def read_line(*texts: str, label: str = "unidentified") -> dict[str, str]:
    """What the last of some zones says."""
    readings = masthead.list_line_readings([zone(label, text) for text in texts])
    return {name: value.text for name, value in readings[-1].values.items()} if readings else {}


def test_references_abstracts_and_long_texts_tell_nothing_of_the_article() -> None:
    line = "Tide 2010;23(3):201. Received 1 May 2009. ISSN 2049-3630"
    zones = [zone("reference", line), zone("abstract", line), zone("unidentified", line + " x" * 300)]
    assert masthead.read_masthead_lines(zones) == masthead.read_printed_history(zones) == {}
    assert masthead.find_printed_issns(zones) == ((), ())
    assert masthead.find_printed_doi([zone("reference", "10.1000/a1"), zone("abstract", "10.1000/a2")]) is None


def test_the_line_of_the_article_is_told_from_those_of_other_articles() -> None:
    own = "Northmoor Medical Quarterly 2010;23(3):201-208"
    others = [zone("unidentified", f"Berg A. Quay {n}. Other J 200{n};{n}:{n}1-{n}9") for n in range(1, 9)]
    tab = tab_zone("Sleep by the sea | Northmoor Medical Quarterly")
    zones = [tab, zone("unidentified", own), zone("title", "Sleep by the sea"), *others]
    found = masthead.read_masthead_lines(zones, {"title": "Sleep by the sea"})
    assert (found["volume"].text, found["first_page"].text) == ("23", "201")
    assert found["journal"].text == "Northmoor Medical Quarterly"


def test_what_the_metadata_say_decides_between_lines() -> None:
    zones = [zone("unidentified", "Tide 2010;23:201-208"), zone("unidentified", "Quay 2005;8:1481-1489")]
    assert masthead.read_masthead_lines(zones, {"volume": "8", "date": "2005"})["first_page"].text == "1481"
    assert masthead.read_masthead_lines(zones, {"volume": "23", "date": "2010"})["first_page"].text == "201"


def test_a_line_that_is_probably_about_another_article_is_not_used() -> None:
    weights = masthead.MastheadWeights({"any": -5.0}, {"any": -5.0})
    assert masthead.read_masthead_lines([zone("unidentified", "Tide 2010;23:201-208")], {}, weights=weights) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    {
        ". 2020 Jul-Sep;27(3):242-247.": {"date": "2020-07", "volume": "27", "issue": "3", "first_page": "242"},
        "Tide 470: 1-16 (12 Jan 2015)": {"date": "2015-01-12", "volume": "470", "first_page": "1", "last_page": "16"},
        "Tide 93, 075101 (2016)": {"date": "2016", "volume": "93", "first_page": "075101"},
        "Proc Tide B 2010 277 1309-1314": {"date": "2010", "volume": "277", "first_page": "1309"},
        "Tide, 01 Mar 2020, 27(2)": {"date": "2020-03-01", "volume": "27", "issue": "2"},
        "Berg A (2014) Sleep by the sea. Tide 9(10): e111303": {"volume": "9", "issue": "10", "first_page": "e111303"},
        "Volumen 8: n.o 1, enero de 2011": {"date": "2011-01", "volume": "8", "issue": "1"},
        "Jahrgang 12, Heft 3": {"volume": "12", "issue": "3"},
        "Weekly / September 15, 2010 / 23(3);201–208": {"date": "2010-09-15", "volume": "23", "issue": "3"},
        "Tide X 12, 041027 – Published 9 December, 2022": {
            "date": "2022-12-09",
            "volume": "12",
            "first_page": "041027",
        },
        "Berg A. 2019 Sleep by the sea. Tide 374: 20180319": {"volume": "374", "first_page": "20180319"},
        "Berg A. 2012. Sleep by the sea. Tide 15:107-118": {"volume": "15", "first_page": "107", "last_page": "118"},
        "Tide May 2013 vol. 63 no. 5 4141-4148": {
            "volume": "63",
            "issue": "5",
            "first_page": "4141",
            "last_page": "4148",
        },
        "Volume: 277 Issue: 1686": {"volume": "277", "issue": "1686", "date": None},
        "Tide Vol.9. No.3. pp: 177-186, Summer 2011": {"volume": "9", "issue": "3", "first_page": "177"},
        "Volume 65, Part 2 (April 2009)": {"volume": "65", "issue": "2", "date": "2009-04"},
        "Pages: 201-208": {"first_page": "201", "last_page": "208"},
        "Year: 1972": {"date": "1972"},
        "Published in Tide (Vol. 1, Issue 2)": {"journal": "Tide", "volume": "1", "issue": "2"},
        "Berg and Cole., Tide Med., (2017) 14 (1): 131-137": {"journal": "Tide Med", "volume": "14"},
        "© 2015 Quay Press": {"date": "2015"},
        "© 1995-2020 Quay Press": {"date": None},
        "[Submitted on 12 Jun 2017 (v1)]": {"date": "2017-06-12"},
        "Том 5, № 2": {"volume": "5", "issue": "2"},
        "第18卷第3期": {"volume": "18", "issue": "3"},
    }.items(),
)
def test_lines_of_many_forms_and_languages_are_read(text: str, found: dict[str, str]) -> None:
    read = read_line(text)
    assert {name: read.get(name) for name in found} == found


@pytest.mark.parametrize(
    ("label", "value", "found"),
    [
        ("Pages", "201–208", {"first_page": "201", "last_page": "208"}),
        ("Volume:", "19", {"volume": "19"}),
        ("Issue", "4/5", {"issue": "4/5"}),
        ("Publication Date", "2018-04-01", {"date": "2018-04-01"}),
        ("Pages", "We slept well", {}),
        ("Share", "201–208", {}),
    ],
)
def test_a_value_below_its_label_is_read(label: str, value: str, found: dict[str, str]) -> None:
    assert read_line(label, value) == found


def test_the_date_of_a_citation_line_wins_over_that_of_the_copyright() -> None:
    zones = [zone("unidentified", "© 2014 Quay Press"), zone("unidentified", "Tide 2015;8:1-9")]
    weights = masthead.MastheadWeights({"any": 1.0, "copyright=True": 2.0}, {})
    assert masthead.read_masthead_lines(zones, {}, weights=weights)["date"].text == "2015"
    assert masthead.read_masthead_lines(zones[:1], {}, weights=weights)["date"].text == "2014"


def test_a_name_that_the_page_repeats_or_the_tables_know_is_the_journal() -> None:
    zones = [
        tab_zone("Sleep by the sea - The Lancet"),
        zone("unidentified", "Login"),
        zone("unidentified", "The Lancet"),
        zone("title", "Sleep by the sea"),
        zone("unidentified", "Share"),
    ]
    assert masthead.read_masthead_lines(zones, {"title": "Sleep by the sea"})["journal"].text == "The Lancet"


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Received 1 May 2009, accepted 3 June 2009", {"received": "2009-05-01", "accepted": "2009-06-03"}),
        ("Received: 2009-05-01; Revised: 2009-05-20", {"received": "2009-05-01", "revised": "2009-05-20"}),
        ("Received in revised form on 28 September 2010", {"revised": "2010-09-28"}),
        ("First published 7 July 2009", {"epublish": "2009-07-07"}),
        ("Published online 7 July 2009", {"epublish": "2009-07-07"}),
        ("Available online 7 July 2009", {"epublish": "2009-07-07"}),
        ("Posted July 7, 2009", {"epublish": "2009-07-07"}),
        ("PUBLISHED: July 2009", {"published": "2009-07"}),
        ("Received with thanks", {}),
        ("Accepted by everyone who has ever been at the quay in 2009", {}),
    ],
)
def test_the_history_of_an_article_is_read_date_by_date(text: str, dates: dict[str, str]) -> None:
    assert {
        name: line.text for name, line in masthead.read_printed_history([zone("unidentified", text)]).items()
    } == dates


def test_a_printed_doi_and_issn_are_found_with_their_places() -> None:
    zones = [zone("unidentified", "See https://doi.org/10.1000/a1."), zone("unidentified", "ISSN 2049-3630")]
    doi = masthead.find_printed_doi(zones)
    assert doi is not None
    assert doi.zone.zone.text[doi.start : doi.end] == doi.text == "10.1000/a1"
    assert masthead.find_printed_issns(zones) == (("2049-3630",), (zone_fields.whole_zone(zones[1]),))
    assert masthead.find_printed_issns([zone("unidentified", "See 2049-3630 there")]) == ((), ())


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "text", ["a a. " * 80, "2010;1" * 60, "vol " * 100, "received " * 40, "2010" + " " * 390, "A" * 400]
)
def test_a_megabyte_of_short_zones_is_read_in_bounded_time(text: str) -> None:
    zones = [zone("unidentified", text)] * 2_500
    masthead.read_masthead_lines(zones)
    masthead.read_printed_history(zones)
    masthead.find_printed_issns(zones)
    masthead.find_printed_doi(zones)


def test_lines_of_other_issues_tell_nothing_of_this_article() -> None:
    current = zone("unidentified", "View Current Issue (Volume 29 Issue 1 January 2013)")
    own = zone("unidentified", "Volume 28 Issue 22")
    cited = zone("unidentified", "Berg A. Tides. Quay J 2005;8:1481-9")
    full = zone("unidentified", "Tide (2012) 28 (22): 2891-2897")
    read = masthead.list_line_readings([current, own, cited, full])
    assert [reading.values["volume"].text for reading in read] == ["28", "8", "28"]
    assert masthead.read_masthead_lines([current, own, cited, full], {"volume": "28"})["first_page"].text == "2891"


def test_issns_of_several_zones_are_put_together_unless_there_are_many() -> None:
    texts = ["Online ISSN 2049-3630", "Print ISSN 0317-8471", "ISSN 1050-124X", "ISSN 0028-0836"]
    zones = [zone("unidentified", text) for text in texts]
    assert masthead.find_printed_issns(zones[:2])[0] == ("2049-3630", "0317-8471")
    assert masthead.find_printed_issns(zones)[0] == ("2049-3630",)


def test_the_journal_may_stand_on_the_line_above_its_volume() -> None:
    volume = zone("unidentified", "Volume 43, Issue 6, 2005, Pages 847–859")
    assert masthead.list_line_readings([zone("unidentified", "Tide"), volume])[0].values["journal"].text == "Tide"
    assert "journal" not in masthead.list_line_readings([zone("author", "Anna Berg"), volume])[0].values
    assert "journal" not in read_line("Home", "Volume 43")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Quay Press, 2049-3630/2000/04/369/9 $5.00", ("2049-3630",)),
        ("2049-3630/© 2017 Quay Press", ("2049-3630",)),
        ("2049-3630", ("2049-3630",)),
        ("2049-3630/$ - see front matter", ("2049-3630",)),
        ("E-mail address: a@quay.example 2049-3630", ("2049-3630",)),
        ("2049-3631", ()),
        ("Quay, Oslo 2049-3630, Norway", ()),
        ("In the years 1990-2004", ()),
        ("10.1000/2049-3630.12", ()),
    ],
)
def test_an_issn_may_stand_in_a_code_or_alone(text: str, found: tuple[str, ...]) -> None:
    assert masthead.find_printed_issns([zone("unidentified", text)])[0] == found
    assert masthead.find_printed_issns([zone("reference", text)])[0] == ()
    named = [zone("unidentified", text), zone("unidentified", "ISSN 0317-8471")]
    assert masthead.find_printed_issns(named)[0] == ("0317-8471",)


def test_a_title_that_cites_another_article_tells_nothing_of_this_one() -> None:
    assert masthead.read_masthead_lines([zone("title", "Erratum: Sleep (Tide 2000;13:211-8)")]) == {}


def test_a_doi_ends_where_its_link_does() -> None:
    text = "https://doi.org/10.1000/a1Get rights"
    touching = zone("unidentified", text, (0, 26, "a"), (26, 36, "a"))
    found = masthead.find_printed_doi([touching])
    assert found is not None
    assert found.text == "10.1000/a1"


def test_of_a_figures_doi_the_articles_part_is_taken() -> None:
    texts = ("doi:10.1000/tide.7/fig-1", "doi:10.1000/tide.7")
    found = masthead.find_printed_doi([zone("unidentified", text) for text in texts])
    assert found is not None
    assert found.text == "10.1000/tide.7"


def test_a_line_above_that_is_itself_a_line_without_a_journal_is_no_trap() -> None:
    zones = [zone("unidentified", "Vol 12"), zone("unidentified", "Volume 43, Issue 6, 2005, Pages 847-859")]
    weights = masthead.MastheadWeights({"has-first_page=True": 5.0}, {"any": -5.0})
    found = masthead.read_masthead_lines(zones, {}, weights=weights)
    assert (found["volume"].text, found["first_page"].text) == ("43", "847")


def test_a_volume_that_is_a_year_is_also_the_date() -> None:
    found = masthead.read_masthead_lines(
        [zone("title", "Sleep"), zone("unidentified", "Volume 2010, Article ID 157939")]
    )
    assert {name: value.text for name, value in found.items()} == {
        "volume": "2010",
        "first_page": "157939",
        "date": "2010",
    }


def test_a_doi_that_a_line_end_cut_is_taken_from_where_it_is_whole() -> None:
    lines = ["doi:10.1000/tide.sea. 0115", "DOI:10.1000/tide.sea.0115", "10.1000/tide.sea.0115.g001"]
    found = masthead.find_printed_doi([zone("unidentified", line) for line in lines])
    assert found is not None
    assert found.text == "10.1000/tide.sea.0115"

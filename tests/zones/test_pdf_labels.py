"""Labels of articles that tests print as PDF, each in a layout of its own."""

import pytest
from tests.pages.pdfs import Draw, pdf, write, write_marked

from medharvest import demo
from medharvest.citations import build_citation
from medharvest.citations.masthead import list_line_readings
from medharvest.evaluate.field_scores import SCORED_CORE_FIELDS, score_prediction
from medharvest.formats import report
from medharvest.pages import parse_page
from medharvest.records import Citation, Kind, Mark, Page, Zone
from medharvest.zones import label_zones
from medharvest.zones.pdf_labels import label_pdf
from medharvest.zones.pdf_zones import count_pdf_names, find_place_method, is_article_kind, is_title_like, split_places

PROSE = ("People who live at the coast sleep less in winter than in summer, and we asked why.", "Most had no answer.")
BODY = [f"The text of the article goes on and on in line {number} of many lines." for number in range(30)]


def _zone(text: str, *raised: tuple[int, int]) -> Zone:
    return Zone(level=3, tag="p", path="p[1]", text=text, marks=tuple(Mark(*span, "sup") for span in raised))


def _labels(draw: Draw) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for labelled in label_pdf(parse_page(pdf(draw))):
        out.setdefault(labelled.verdict.label, []).append(labelled.zone.text)
    return out


def _article(canvas, *, abstract=True) -> None:
    write(canvas, ["Quarterly of Winter Sleep 14 (2001) 3-9"], y=810, size=7)
    write(canvas, ["Quarterly of Winter Sleep"], y=780, size=20)
    write(canvas, ["ORIGINAL ARTICLE"], y=760, size=19)
    write(canvas, ["Sleep at the coast in winter"], y=730, size=16, font="Times-Bold")
    write_marked(canvas, ["Ann Bee", "1", ", Cy van Dee", "2"], y=700, size=11)
    write_marked(canvas, ["", "1", "Clinic for Sleep, Town, Country"], y=680, size=8)
    write_marked(canvas, ["", "2", "Harbour House, City, Country"], y=670, size=8)
    write(canvas, ["Received 1 May 2001"], y=655, size=8)
    if abstract:
        write(canvas, ["A B S T R A C T"], y=630, size=9)
        write(canvas, PROSE, y=615, size=9)
        write(canvas, ["Key words: sleep; coast"], y=580, size=9)
    write(canvas, ["Introduction"], y=560, size=12, font="Times-Bold")
    write(canvas, BODY, y=540)
    write(canvas, ["References"], y=150, size=12, font="Times-Bold")
    write(canvas, ["1. Bee A. Sleep and the sea. 1999.", "2. Dee C. The sea and sleep. 2000."], y=130, size=8)


def test_title_authors_affiliations_abstract_and_references_of_an_article():
    labels = _labels(_article)
    assert labels["title"] == ["Sleep at the coast in winter"]
    assert labels["author"] == ["Ann Bee1, Cy van Dee2"]
    assert labels["affiliation"] == ["1Clinic for Sleep, Town, Country", "2Harbour House, City, Country"]
    assert labels["abstract"] == [" ".join(PROSE)]
    assert labels["keywords"] == ["Key words: sleep; coast"]
    assert labels["reference"] == ["1. Bee A. Sleep and the sea. 1999.", "2. Dee C. The sea and sleep. 2000."]


def test_the_trees_of_pdfs_find_the_title_and_people_and_say_where_the_rules_agree():
    zones = label_zones(parse_page(pdf(_article)))
    by_text = {zone.zone.text: zone for zone in zones}
    title = by_text["Sleep at the coast in winter"]
    assert (title.verdict.label, title.verdict.method) == ("title", "title-agreed")
    author, affiliation, _ = by_text["Ann Bee1, Cy van Dee2"].chances
    assert author > 0.5 > affiliation
    assert by_text["1Clinic for Sleep, Town, Country"].chances[1] > 0.5
    assert by_text[" ".join(PROSE)].verdict.label == "abstract"
    assert not any(by_text[line].chances for line in ("Introduction", "References"))


def test_a_line_with_the_word_journal_is_not_the_title():
    def draw(canvas):
        write(canvas, ["The Winter Journal of Sleep"], y=780, size=20)
        write(canvas, ["Sleep at the coast in winter"], y=730, size=16)

    assert _labels(draw)["title"] == ["Sleep at the coast in winter"]


def test_an_article_without_abstract_has_none():
    assert "abstract" not in _labels(lambda canvas: _article(canvas, abstract=False))


def test_a_cover_that_names_the_article_is_skipped():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in winter"], y=600, size=24)
        write(canvas, ["Author(s): Ann Bee and Cy van Dee"], y=500, size=12)
        canvas.showPage()
        _article(canvas)

    found = label_pdf(parse_page(pdf(draw)))
    title = next(labelled.zone for labelled in found if labelled.verdict.label == "title")
    assert title.size == 16


def test_large_print_on_a_later_sheet_is_not_the_title():
    def draw(canvas):
        _article(canvas)
        canvas.showPage()
        write(canvas, ["Sleep at the coast in winter"], y=600, size=24)
        write(canvas, ["Other Folk, Some Body"], y=500, size=12)

    found = label_pdf(parse_page(pdf(draw)))
    assert next(labelled.zone.size for labelled in found if labelled.verdict.label == "title") == 16


def test_names_above_the_title_are_the_byline_if_none_are_below():
    def draw(canvas):
        write(canvas, ["Ann Bee, Cy Dee"], y=740)
        write(canvas, ["Sleep at the coast in winter"], y=700, size=16)
        write(canvas, BODY, y=540)

    assert _labels(draw)["author"] == ["Ann Bee, Cy Dee"]


def test_the_translated_title_is_not_a_name_and_the_byline_below_it_is_found():
    def draw(canvas):
        write(canvas, ["Schlaf an der Küste"], y=740, size=16)
        write(canvas, ["Coastal Sleep"], y=710, size=12)
        write_marked(canvas, ["Ann Bee", "1", ", Cy Dee", "1"], y=690)
        write(canvas, BODY, y=540)

    assert _labels(draw)["author"] == ["Ann Bee1, Cy Dee1"]


def test_an_abstract_continues_in_the_next_column():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in the long winter of the north"], y=740, size=20)
        write(canvas, ["Ann Bee, Cy Dee"], y=710, size=12)
        write(canvas, ["Abstract"], y=680, font="Times-Bold")
        write(
            canvas,
            ["People at the coast sleep less in", "the winter than in summer, and we", "asked why they all do"],
            y=660,
        )
        write(canvas, ["Clinic, Town. Tel: 1"], y=500, size=8)
        write(canvas, ["so, but most of those who were", "asked had no answer at all."], x=320, y=680)
        write(canvas, ["Keywords: sleep"], x=320, y=640)
        write(canvas, ["Introduction"], x=320, y=610, font="Times-Bold")
        write(canvas, ["The text of the article goes on"] * 20, x=320, y=590)

    assert " ".join(_labels(draw)["abstract"]).endswith(
        "asked why they all do so, but most of those who were asked had no answer at all."
    )


@pytest.mark.parametrize("beside", [[], ["Keywords: sleep and all the other words that stand here"]])
def test_a_broken_sentence_with_nothing_at_its_right_ends_there(beside):
    def draw(canvas):
        write(canvas, ["Sleep at the coast in the long winter of the north"], y=740, size=20)
        write(canvas, ["Abstract", "Not an abstract, but a menu"], y=700, size=7)
        write(canvas, ["Ann Bee, Cy Dee"], y=680, size=12)
        write(canvas, ["Abstract"], y=660, font="Times-Bold")
        write(
            canvas,
            ["People at the coast sleep less in", "the winter than in summer, and we", "asked why they all do"],
            y=640,
        )
        write(canvas, beside, x=320, y=640)

    assert _labels(draw)["abstract"][-1].endswith("asked why they all do")


def test_keywords_that_stand_between_the_heading_and_the_abstract_are_not_taken_for_it():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in the long winter of the north"], y=740, size=20)
        write(canvas, ["abstract"], x=320, y=690, size=9)
        write(canvas, ["Keywords:"], y=670, size=6)
        write(canvas, ["the sleep of people at the coast and in all of the other parts of the land"], y=660, size=6)
        write(canvas, PROSE[:1], x=320, y=670, size=7)

    assert _labels(draw)["abstract"] == [PROSE[0]]


def test_the_heading_of_an_abstract_with_nothing_below_it_is_only_a_heading():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in the long winter of the north"], y=740, size=20)
        write(canvas, ["Abstract"], y=700)

    assert "abstract" not in _labels(draw)


@pytest.mark.parametrize(
    ("heading", "lines"),
    [
        ([], ["Abstract. " + PROSE[0], PROSE[1]]),
        ([], ["Background: " + PROSE[0], PROSE[1]]),
        ([], [PROSE[0], PROSE[0], PROSE[1]]),
        (["Summary"], ["Methods"]),
    ],
    ids=["run-in", "sections", "place", "section-headings"],
)
def test_an_abstract_is_known_by_its_word_its_sections_or_its_place(heading, lines):
    def draw(canvas):
        write(canvas, ["Sleep at the coast in winter"], y=740, size=16)
        write(canvas, ["Ann Bee, Cy Dee"], y=710, size=12)
        write(canvas, heading, y=690, font="Times-Bold")
        write(canvas, lines, y=670, size=8)
        write(canvas, PROSE, y=630, size=8)
        write(canvas, ["Introduction"], y=560, font="Times-Bold")
        write(canvas, BODY, y=540)

    abstract = " ".join(_labels(draw)["abstract"])
    assert abstract.endswith(PROSE[1])
    assert not abstract.endswith("lines.")


def test_a_section_heading_over_text_of_another_size_ends_the_abstract():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in winter"], y=740, size=16)
        write(canvas, ["Ann Bee, Cy Dee"], y=710, size=12)
        write(canvas, ["Abstract"], y=690, font="Times-Bold")
        write(canvas, PROSE, y=670, size=8)
        write(canvas, ["Background"], y=620, font="Times-Bold")
        write(canvas, BODY, y=600)

    assert _labels(draw)["abstract"] == [" ".join(PROSE)]


def test_affiliations_under_a_heading_of_their_own_are_taken_from_there():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in winter"], y=740, size=16)
        write_marked(canvas, ["Ann Bee", "1", ", Cy Dee", "2"], y=700, size=11)
        write(canvas, BODY, y=660)
        canvas.showPage()
        write(canvas, ["Author details"], y=700, font="Times-Bold")
        write_marked(canvas, ["", "1", "Clinic for Sleep, Town, Country"], y=680)
        write_marked(canvas, ["", "2", "Unit of Dreams, City, Country"], y=660)
        write(canvas, ["Received 1 May 2001"], y=640)

    assert _labels(draw)["affiliation"] == ["1Clinic for Sleep, Town, Country", "2Unit of Dreams, City, Country"]


def test_a_place_without_institution_just_below_the_names_is_an_affiliation():
    def draw(canvas):
        write(canvas, ["Sleep at the coast in winter"], y=740, size=16)
        write(canvas, ["Ann Bee, Cy Dee"], y=710, size=12)
        write(canvas, ["Harbour Doctors, Port Anna, Country"], y=690, size=8)
        write(canvas, BODY, y=640)

    assert _labels(draw)["affiliation"] == ["Harbour Doctors, Port Anna, Country"]


def test_statements_under_headings_end_with_their_number_of_zones_or_the_next_heading():
    def draw(canvas):
        _article(canvas)
        canvas.showPage()
        write(canvas, ["Funding"], y=700, font="Times-Bold")
        write(canvas, ["A grant of the Fund."], y=680)
        write(canvas, ["Thanks"], y=660, font="Times-Bold")
        write(canvas, ["To all."], y=640)
        write(canvas, ["Conflict of interest: none declared."], y=600)

    labels = _labels(draw)
    assert labels["funding"] == ["A grant of the Fund."]
    assert labels["conflict"] == ["Conflict of interest: none declared."]


def test_a_pdf_without_anything_like_a_title_has_no_labels():
    assert set(_labels(lambda canvas: write(canvas, ["12", "13"]))) == {"unidentified"}


def test_html_without_places_is_read_all_the_same():
    page = Page(url="", text="<p>Sleep at the coast</p><p>Ann Bee, Cy Dee</p>", digest="", encoding="utf-8")
    assert [labelled.verdict.label for labelled in label_pdf(page)] == ["title", "author"]


@pytest.mark.parametrize(
    ("text", "raised", "places"),
    [
        ("From the Clinic of Sleep, Town", (), ["Clinic of Sleep, Town"]),
        ("A. Bee (&) · C. Dee Clinic of Sleep, Town e-mail: a@b.example", (), ["Clinic of Sleep, Town"]),
        ("* Ann Bee, a@b.example | 1Clinic of Sleep, Town", ((25, 26),), ["1Clinic of Sleep, Town"]),
        (
            "Clinic of Sleep, Town (A B Bee MD, Prof C Dee PhD); Unit of Dreams, City (E Eff MD)",
            (),
            ["Clinic of Sleep, Town", "Unit of Dreams, City"],
        ),
        ("1Clinic (CSL), Town. Full list of author information below", ((0, 1),), ["1Clinic (CSL), Town"]),
    ],
)
def test_affiliations_are_cut_out_of_their_lines(text, raised, places):
    zone = _zone(text, *raised)
    assert find_place_method(zone, between=False)
    assert [place.text for place in split_places(zone)] == places


@pytest.mark.parametrize(
    "zone",
    [
        _zone("1These authors contributed equally to the Clinic.", (0, 1)),
        _zone("Corresponding author: Ann Bee, Clinic, Town"),
        _zone("Research Article"),
        _zone("Clinic " * 1000),
        _zone("1 Bee, Dee", (0, 1)),
        _zone("The sea and the unit of sleep, Bee and Dee wrote, go well together in the long nights of winter"),
        _zone("Bee A. The sleep unit. Sleep 2008;12:45"),
    ],
    ids=lambda zone: zone.text[:20],
)
def test_other_lines_hold_no_affiliation(zone):
    assert not find_place_method(zone, between=zone.text[0] != "1")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ann Bee, MD, PhD, Cy Dee, MSc", 2),
        ("Ann Bee · Cy Dee • Eva Eff", 3),
        ("ANN BEE and CY DEE", 2),
        ("Ann Bee, Cy Dee, for the Sleep Study Group", 2),
        ("A.Bee, C.Dee", 2),
        ("Samir al-Bee, Cy Dee", 2),
        ("By: Ann Bee", 1),
        ("Sleep at the coast", 0),
        ("Clinic of Sleep, Town", 0),
        ("Case Report", 0),
        ("Methods", 0),
        ("Introduction", 0),
        ("x" * 7000, 0),
    ],
)
def test_names_are_counted(text, names):
    assert count_pdf_names(_zone(text)) == names


@pytest.mark.parametrize(
    "title",
    [
        "Manual Therapy",
        "Effects of phone counselling on funding",
        "Addressing sleep",
        "Open access to care",
        "Original sins",
    ],
)
def test_words_of_front_matter_may_stand_in_a_title(title):
    assert is_title_like(title)


@pytest.mark.parametrize(
    "text",
    [
        "Case Report",
        "R E S EAR CH A R TIC L E",
        "Abstract",
        "Sleep",
        "Downloaded from the library of sleep",
        "Quarterly of Sleep 2001;4:7",
        "We sleep. They wake all night. And so on.",
        f"{PROSE[0][:-1]} and then we asked again and again.",
        "word " * 120,
    ],
)
def test_these_are_no_titles(text):
    assert not is_title_like(text)


def test_a_kind_of_article_is_known_in_any_spacing():
    assert is_article_kind("Original Research Article")
    assert is_article_kind("REV IEW ART ICLE")
    assert not is_article_kind("Research on sleep")


def test_a_hostile_zone_takes_little_time():
    for text in (", ." * 2000, "(A B" * 1500, "A. b" * 1500, "research " * 600 + "!", "@" * 6000, "(A B" + "x" * 5900):
        zone = _zone(text, *((n, n + 1) for n in range(0, 3000, 2)))
        assert find_place_method(zone, between=True) in {"", "raised-marker", "named", "bracketed", "institution-word"}
        assert count_pdf_names(zone) >= 0
        list(split_places(zone))


def _sheets(*numbers: int, title: int = 0, line: str = "") -> Draw:
    """Sheets with numbers at their feet, one of them with a title and a line of the journal."""

    def draw(canvas):
        for sheet, number in enumerate(numbers):
            if sheet == title:
                write(canvas, [line], y=810, size=7)
                write(canvas, ["Sleep at the coast in winter"], y=730, size=16, font="Times-Bold")
                write(canvas, ["Ann Bee, Cy van Dee"], y=700, size=11)
            write(canvas, BODY[sheet * 5 : sheet * 5 + 5], y=500)
            write(canvas, [str(number)], y=30, size=8)
            canvas.showPage()

    return draw


@pytest.mark.parametrize(
    ("numbers", "title", "first", "last"),
    [
        ((207, 208, 209), 0, ["207"], ["209"]),
        ((207, 208, 209), 1, ["208"], ["209"]),  # the sheet before it is a cover
        ((1, 2, 3), 0, [], []),  # these count the sheets of the file
        ((7, 30, 80), 0, [], []),
    ],
)
def test_printed_page_numbers_are_those_of_the_article(numbers, title, first, last):
    labels = _labels(_sheets(*numbers, title=title))
    assert labels["title"] == ["Sleep at the coast in winter"]
    assert labels.get("first_page", []) == first
    assert labels.get("last_page", []) == last


def test_page_numbers_are_no_zones_of_their_own():
    zones = label_pdf(parse_page(pdf(_sheets(1, 2, 3))))
    assert all(zone.zone.tag != "footer" for zone in zones)


@pytest.mark.parametrize(
    ("line", "pages"),
    [
        ("", ("207", "209")),
        ("Tide 8 (2017) 263e265", ("263", "265")),
        ("8 (2017) 263e265", ("263", "265")),
        ("Pages 108-111", ("108", "111")),
        ("Tide 2018; Vol. 39 (2): 124-130", ("124", "130")),
    ],
)
def test_a_printed_line_goes_before_the_page_numbers_at_the_feet(line, pages):
    page = parse_page(pdf(_sheets(207, 208, 209, line=line)))
    read = build_citation(page, kind=Kind.PDF, items=(), zones=label_pdf(page))
    assert (read.first_page, read.last_page) == pages


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("Tide 8 (2017) 263e265", {"journal": "Tide", "volume": "8", "date": "2017"}),
        ("Tide 2018; Vol. 39 (2): 124-130", {"journal": "Tide", "volume": "39", "issue": "2", "date": "2018"}),
        ("Tide, 23(3), 201-208, October 12, 2010", {"journal": "Tide", "volume": "23", "date": "2010-10-12"}),
        ("Tide | October-December 2018 | Vol 39 | Issue 2", {"journal": "Tide", "volume": "39", "issue": "2"}),
    ],
)
def test_the_line_above_the_title_tells_the_journal_and_the_issue(line, read):
    found = list_line_readings(label_pdf(parse_page(pdf(_sheets(207, 208, 209, line=line)))))
    assert {field: found[0].values[field].text for field in read} == read


def _twins() -> list[tuple[str, Citation]]:
    citations = {article.id: article.citation for issue in demo.list_demo_issues() for article in issue.articles}
    return [
        (page.file, citations[page.article]) for page in demo.list_demo_pages() if page.kind is Kind.PDF and page.file
    ]


def test_the_bundled_pdfs_give_what_their_articles_print():
    for file, truth in _twins():
        page = parse_page(demo.read_demo_file(file))
        read = build_citation(page, kind=Kind.PDF, items=(), zones=label_pdf(page))
        score = score_prediction(report(truth), report(read))
        assert score.right([field for field in SCORED_CORE_FIELDS if field != "authors"]) is not False
        assert [_printed(author) for author in read.authors][:1] == [_printed(author) for author in truth.authors][:1]


def _printed(author) -> str:
    return " ".join(filter(None, (author.given, author.family, author.collective)))

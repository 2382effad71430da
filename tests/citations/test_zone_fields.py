import pytest
from hypothesis import given
from lxml import etree
from tests.citations.strategies import labelled_zones, marked_zone, zone

from medharvest.citations import zone_fields
from medharvest.records import LabelledZone, Section


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("Sleep and {i:Vibrio}", "Sleep and <i>Vibrio</i>"),
        ("CO{sub:2} & Ca{sup:2+} < 3", "CO<sub>2</sub> &amp; Ca<sup>2+</sup> &lt; 3"),
        ("{i:Vibrio}", "<i>Vibrio</i>"),
        ("{b:All of it}", ""),
        ("{b:Part} of it", "<b>Part</b> of it"),
        ("Nothing <b>marked</b>", ""),
    ],
)
def test_inline_markup_of_a_title_is_kept(source: str, html: str) -> None:
    assert zone_fields.zone_inline_html(marked_zone("title", source).zone) == html


@pytest.mark.parametrize(
    ("marks", "html"),
    [
        ([(0, 4, "i"), (1, 2, "sup")], "<i>a<sup>b</sup>cd</i>"),
        ([(0, 2, "i"), (2, 4, "i")], "<i>ab</i><i>cd</i>"),
        ([(0, 3, "i"), (2, 4, "b")], "<i>abc</i>d"),
        ([(0, 2, "i"), (0, 2, "sub")], "<i><sub>ab</sub></i>cd"),
        ([(0, 2, "script")], ""),
        ([(2, 2, "i"), (3, 99, "i")], ""),
    ],
)
def test_marks_that_cross_or_lead_outside_are_left_out(marks: list[tuple[int, int, str]], html: str) -> None:
    assert zone_fields.zone_inline_html(zone("title", "abcd", *marks).zone) == html


@given(labelled_zones())
def test_inline_markup_is_well_formed_and_says_the_same_text(zones: list[LabelledZone]) -> None:
    for item in zones:
        html = zone_fields.zone_inline_html(item.zone)
        if html and item.zone.text.isprintable():
            assert "".join(etree.fromstring(f"<t>{html}</t>").itertext()) == item.zone.text


def abstract(*zones: LabelledZone) -> tuple[str, tuple[Section, ...]]:
    text, sections, _ = zone_fields.read_printed_abstract(zones)
    return text, sections


def test_a_plain_abstract_is_its_paragraphs_without_the_announcing_word() -> None:
    found = abstract(zone("abstract", "Abstract: We slept."), zone("abstract", "It was good."))
    assert found == ("We slept. It was good.", ())


@pytest.mark.parametrize(
    ("source", "label", "text"),
    [
        ("{b:Background:} We slept.", "Background", "We slept."),
        ("{b:Background}: We slept.", "Background", "We slept."),
        ("{i:Methods and setting.} Forty slept.", "Methods and setting", "Forty slept."),
        ("{b:Results —} 40 slept.", "Results", "40 slept."),
        ("{b:Summary:} We slept.", "", "We slept."),
        ("{b:Abstract} We slept.", "", "We slept."),
        ("{i:Vibrio} is small.", "", "Vibrio is small."),
        ("{b:We slept all day and all night long} Then we woke.", "", None),
        ("{b:All bold}", "", "All bold"),
        ("{b:7} People slept.", "", "7 People slept."),
        ("Abstract", "", "Abstract"),
        ("Abstraction is hard.", "", "Abstraction is hard."),
    ],
)
def test_a_marked_beginning_is_a_section_label(source: str, label: str, text: str | None) -> None:
    only = marked_zone("abstract", source)
    found = abstract(only)
    wanted = only.zone.text if text is None else text
    assert found == ((f"{label}: {wanted}", (Section(label, wanted),)) if label else (wanted, ()))


def test_headings_inside_the_abstract_label_what_follows_them() -> None:
    zones = (
        zone("heading", "Abstract", method="announced"),
        zone("heading", "Aim:", method="section"),
        zone("abstract", "To sleep."),
        zone("heading", "Results", method="section"),
        zone("abstract", "We did."),
        zone("abstract", "All of us."),
        zone("heading", "Introduction", method="announced"),
        zone("abstract", "Of another article."),
    )
    sections = (Section("Aim", "To sleep."), Section("Results", "We did. All of us."))
    text, found, used = zone_fields.read_printed_abstract(zones)
    assert (text, found) == ("Aim: To sleep. Results: We did. All of us.", sections)
    assert used == (zones[2], zones[4], zones[5])


def test_a_section_heading_of_something_else_labels_no_abstract() -> None:
    zones = (
        zone("heading", "Methods", method="section"),
        zone("heading", "Abstract", method="announced"),
        zone("abstract", "We slept."),
    )
    assert abstract(*zones) == ("We slept.", ())


def test_a_page_without_abstract_has_none() -> None:
    assert zone_fields.read_printed_abstract([zone("title", "Sleep")]) == ("", (), ())


@pytest.mark.no_cover
@pytest.mark.parametrize("tag", ["i", "sup"])
def test_a_megabyte_of_marks_is_read_in_bounded_time(tag: str) -> None:
    text = "ab" * 100_000
    item = zone("abstract", text, *((i, i + 1, tag) for i in range(0, 200_000, 2)))
    assert zone_fields.zone_inline_html(item.zone).count(f"<{tag}>") == 100_000
    zone_fields.read_printed_abstract([item] * 3)


@pytest.mark.parametrize(
    ("tab", "printed", "title"),
    [
        ("Tides", "Title: Snow and sleep in the valley", "Snow and sleep in the valley"),
        ("Tides", "Título: Nieve y sueño", "Nieve y sueño"),
        ("Tides", "Titles of snow and sleep", "Titles of snow and sleep"),
        (
            "Snow and sleep in the valley",
            "Revised Snow and sleep in the valley [v2; 3 reviews]",
            "Snow and sleep in the valley",
        ),
        (
            "Snow and sleep in the valley | Tides",
            "Case report: Snow and sleep in the valley",
            "Snow and sleep in the valley",
        ),
        ("Snow and sleep in the valley", "Deep Snow and sleep in the valley", "Deep Snow and sleep in the valley"),
        (
            "SNOW-1 - snow and sleep in the valley",
            "SNOW-1 - snow and sleep in the valley",
            "SNOW-1 - snow and sleep in the valley",
        ),
        ("Tides", "Snow and sleep{sup:1}", "Snow and sleep"),
        ("Tides", "Snow and sleep {sup:*}", "Snow and sleep"),
        ("Tides", "Snow of 3 km{sup:2}", "Snow of 3 km2"),
        ("Tides", "Snow{sup:old}", "Snowold"),
    ],
)
def test_the_title_is_printed_without_label_note_and_sign(tab: str, printed: str, title: str):
    zones = (zone("unidentified", tab, tag="title"), marked_zone("title", printed))
    found = zone_fields.find_printed_title(zones)
    assert found is not None
    assert found.text == title
    assert found.zone.zone.text[found.start : found.end] == title


@pytest.mark.parametrize(
    ("printed", "title"),
    [
        ("Original article: SLEEP BY THE SEA", "SLEEP BY THE SEA"),
        ("Short Communication Sleep by the sea", "Sleep by the sea"),
        ("Review article", "Review article"),
        ("Research paper and its uses", "Research paper and its uses"),
    ],
)
def test_the_kind_of_an_article_is_no_part_of_its_title(printed: str, title: str):
    found = zone_fields.find_printed_title([zone("title", printed)])
    assert found is not None
    assert found.text == title


def test_a_zone_of_lines_is_followed_by_its_lines():
    text = "Annals of Snow Volume 14"
    lines = zone("unidentified", text, (0, 14, "span"), (15, 24, "span"))
    part = zone("unidentified", "By Ann Bee", (3, 10, "span"))
    shown = [one.zone.text for one in zone_fields.with_single_lines([lines, part])]
    assert shown == [text, "Annals of Snow", "Volume 14", "By Ann Bee"]


def test_the_inline_tags_of_a_part_are_those_inside_it():
    whole = marked_zone("title", "Title: {i:Snow} and sleep{sup:1}").zone
    assert zone_fields.zone_inline_html(whole, 7, 21) == "<i>Snow</i> and sleep"

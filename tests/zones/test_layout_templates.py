"""Layout templates learnt from known values, and the labels they give to further pages."""

import pytest
from tests.zones import journal

from medharvest.codec import from_json, to_json
from medharvest.records import Author, Citation, LabelledZone, Mark, Verdict, Zone
from medharvest.zones.known_values import find_known_zones, known_values_from_row, known_values_of, lead_before_values
from medharvest.zones.layout_templates import (
    PlaceVerdict,
    TaughtLayout,
    apply_layout_template,
    fits_layout_template,
    label_by_layout,
    learn_layout,
    make_layout_template,
)
from medharvest.zones.segmentation import segment_with_hidden


def _taught(*numbers: int) -> list[TaughtLayout]:
    return [learn_layout(f"d{n}", segment_with_hidden(journal.page(n)), journal.known(n)) for n in numbers]


def _texts(labelled, label):
    return [item.zone.text for item in labelled if item.verdict.label == label]


def _untaught(zones):
    return [LabelledZone(zone, Verdict("unidentified", 0.5, "none")) for zone in zones]


def test_one_taught_page_labels_the_next():
    zones = segment_with_hidden(journal.page(7))
    labelled = apply_layout_template(zones, _untaught(zones), make_layout_template(_taught(1)))
    assert _texts(labelled, "title") == [journal.title(7)]
    assert _texts(labelled, "author") == list(journal.PEOPLE)
    assert _texts(labelled, "affiliation") == ["0", journal.PLACES[0], "1", journal.PLACES[1]]
    assert _texts(labelled, "abstract") == [journal.abstract(7)]  # without the words printed before each


def test_a_page_of_another_layout_keeps_its_labels():
    zones = segment_with_hidden(journal.page(7, box="other"))
    labelled = [LabelledZone(zones[0], Verdict("title", 0.7, "rule"))]
    template = make_layout_template(_taught(1))
    assert not fits_layout_template([PlaceVerdict("unidentified", 0.0, frozenset())], template)
    bare = [Zone(level=3, tag="p", path="html[1]/body[1]/p[1]", text="Nothing alike")]
    assert apply_layout_template(bare, labelled, template) == tuple(labelled)


def test_what_the_template_does_not_find_keeps_its_label_and_what_it_finds_elsewhere_loses_it():
    zones = segment_with_hidden(journal.page(7))
    old = [
        LabelledZone(zone, Verdict(label, 0.6, "rule"))
        for zone in zones
        if (label := {"Home": "keywords", "Help": "title"}.get(zone.text))
    ]
    verdicts = {
        item.zone.text: item.verdict for item in apply_layout_template(zones, old, make_layout_template(_taught(1)))
    }
    assert verdicts["Home"] == Verdict("keywords", 0.6, "rule")
    assert verdicts["Help"] == Verdict("unidentified", 0.5, "template")


def test_pages_outvote_one_that_was_taught_wrongly():
    wrong = learn_layout("w", segment_with_hidden(journal.page(3)), {"title": ("Home",)})
    zones = segment_with_hidden(journal.page(7))
    verdicts = label_by_layout(zones, make_layout_template([wrong, *_taught(1, 2)]))
    assert [zone.text for zone, one in zip(zones, verdicts, strict=True) if one.label == "title"] == [journal.title(7)]


def test_headings_inside_an_abstract_are_sections():
    html = "<h1>A title of words</h1><h2>Abstract</h2><h3>Aim</h3><p>{}</p><h3>End</h3><p>{}</p><h2>Body</h2><p>x y z"
    one, two = "The aim was to count the tides of a year", "Tides were counted and came to many hundreds"
    page = journal.page(1)
    zones = segment_with_hidden(type(page)(url="", text=html.format(one, two), digest="d", encoding=""))
    known = {"title": ("A title of words",), "abstract": (f"{one} {two}",)}
    labelled = apply_layout_template(zones, _untaught(zones), make_layout_template([learn_layout("d", zones, known)]))
    assert [(item.verdict.label, item.verdict.method) for item in labelled if item.zone.tag == "h3"] == [
        ("heading", "section"),
        ("heading", "section"),
    ]
    assert _texts(labelled, "abstract") == [one, two]


def test_a_template_of_nothing_knows_nothing():
    zones = segment_with_hidden(journal.page(1))
    assert {verdict.label for verdict in label_by_layout(zones, make_layout_template([]))} == {"unidentified"}


def test_a_layout_is_json():
    [layout] = _taught(1)
    assert from_json(TaughtLayout, to_json(layout)) == layout
    assert layout.labels == ("title", "author", "affiliation", "abstract")
    assert ("abstract", "Read now: ") in layout.leads


def test_the_marks_of_a_zone_move_with_its_text():
    zones = [
        Zone(level=1, tag="p", path="p[1]", text="By Ada Lowtide1", marks=(Mark(14, 15, "sup"), Mark(0, 2, "b"))),
        Zone(level=1, tag="p", path="p[2]", text="By "),
    ]
    layout = learn_layout("d", zones[:1], {"author": ("Ada Lowtide",)})
    labelled = apply_layout_template(zones, _untaught(zones), make_layout_template([layout]))
    assert (labelled[0].zone.text, labelled[0].zone.marks) == ("Ada Lowtide1", (Mark(11, 12, "sup"),))
    assert labelled[1].zone.text == "By "


@pytest.mark.parametrize(
    ("texts", "groups", "known", "found"),
    [
        (
            ["Ada Lowtide, Carl Spring", "Cite Ada Lowtide 2001"],
            "ab",
            {"author": ("Carl Spring", "Ada Lowtide")},
            {0: "author"},
        ),
        (["Lowtide A", "Port"], "ab", {"author": ("Ada Lowtide",)}, {}),
        (["A rise of tides", "A rise of tides"], ["p", "x/h1"], {"title": ("A rise of tides",)}, {1: "title"}),
        (["Zooniverse", "Zoo"], "aa", {"affiliation": ("Zooniverse",)}, {0: "affiliation"}),
        (["", "12"], "ab", {"author": ("Ada Lowtide",), "title": ()}, {}),
    ],
)
def test_known_values_are_found_on_their_page(texts, groups, known, found):
    assert find_known_zones(texts, list(groups), known) == found


def test_the_values_of_a_citation_and_of_a_line_of_truth():
    citation = Citation(
        title="T",
        authors=(Author(given="Ada", family="Lowtide"), Author(collective="Tide Group"), Author()),
        affiliations=("Port Ebb",),
        abstract="A.",
    )
    assert known_values_of(citation) == {
        "title": ("T",),
        "author": ("Ada Lowtide", "Tide Group"),
        "affiliation": ("Port Ebb",),
        "abstract": ("A.",),
    }
    row = {
        "title": "T",
        "authors": ["Ada Lowtide", {"collective": "Tide Group"}, None],
        "affiliations": ["Port Ebb", None],
    }
    assert known_values_from_row(row) == {**known_values_of(citation), "abstract": ()}
    assert known_values_of(Citation())["title"] == known_values_of(Citation())["abstract"] == ()


@pytest.mark.parametrize(
    ("text", "lead"),
    [("By Ada", "By "), ("1 Ada", ""), ("Carl", ""), (f"{'x' * 70} Ada", "")],
)
def test_words_before_a_value(text, lead):
    assert lead_before_values(text, ["Ada"]) == lead

"""Layout templates learnt from known values, and the labels they give to further pages."""

import functools
from dataclasses import replace

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
    keep_untaught_labels,
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


CARDS = "<h1>{title}</h1><ul><li class=who>{name}</li></ul>{lines}<h2>Abstract</h2><p class=t>{abstract}</p>{more}"
PLACE, OTHER_PLACE = "Institute of Tides, Port Ebb", "Clinic for Night Workers, Saltmere"
CARD_VALUES = {
    "title": ("Tides at night",),
    "author": ("Ada Lowtide",),
    "affiliation": (PLACE,),
    "abstract": ("Few slept that month",),
}


def _card_zones(*lines, more="", title="Tides at night", abstract="Few slept that month"):
    written = "".join(f"<p class=card>{line}</p>" for line in lines)
    text = CARDS.format(title=title, name="Ada Lowtide", lines=written, abstract=abstract, more=more)
    return segment_with_hidden(replace(journal.page(1), text=text))


def _relabelled(taught, zones, **untaught):
    """The texts by label of a page whose labels without a template are given."""
    old = {text: label for label, texts in untaught.items() for text in texts}
    before = [LabelledZone(zone, Verdict(old.get(zone.text, "unidentified"), 0.6, "people")) for zone in zones]
    template = make_layout_template([learn_layout("d", taught, CARD_VALUES)])
    return functools.partial(_texts, apply_layout_template(zones, before, template))


def test_where_several_labels_were_taught_the_text_decides():
    taught = _card_zones(PLACE, "Contributed equally")
    texts = _relabelled(taught, _card_zones(PLACE, OTHER_PLACE, "On leave"), affiliation=[PLACE, OTHER_PLACE])
    assert texts("affiliation") == [PLACE, OTHER_PLACE]
    abstract = ["Nights were long", "Few slept that month"]
    assert _relabelled(taught, _card_zones(abstract[0], "On leave"), abstract=abstract)("abstract") == abstract


def test_where_one_zone_was_taught_others_that_are_known_not_to_be_alike_have_no_label():
    texts = _relabelled(_card_zones(PLACE), _card_zones(OTHER_PLACE, "Write to Ada"), affiliation=[OTHER_PLACE])
    assert texts("affiliation") == [OTHER_PLACE]
    assert _relabelled(_card_zones(PLACE), _card_zones(OTHER_PLACE))("affiliation") == [OTHER_PLACE]


def test_a_section_that_differs_by_its_heading_alone_is_not_the_abstract():
    body = "<h2>Methods</h2><p class=t>Beds were counted</p>"
    texts = _relabelled(_card_zones(PLACE), _card_zones(PLACE, more=body))
    assert texts("abstract") == ["Few slept that month"]


def test_a_place_that_is_only_similar_adds_nothing_to_a_label_that_was_found():
    taught = _card_zones(PLACE, more="<h2>Methods</h2>")
    note = "<h2>Methods</h2><h2>Abstract</h2><p class=note>Wenige schliefen</p>"
    texts = _relabelled(taught, _card_zones(PLACE, more=note), abstract=["Few slept that month"])
    assert texts("abstract") == ["Few slept that month"]


def test_a_label_that_would_spread_over_a_page_is_not_given():
    taught = _card_zones(PLACE)
    body = "".join(f"<h2>Part {n * 'x'}</h2><p class=t>Beds of ward {n}</p>" for n in range(1, 5))
    spread = [zone for zone in _card_zones(PLACE, more=body) if zone.text not in {"Abstract", "Few slept that month"}]
    assert _relabelled(taught, spread)("abstract") == []
    few = [zone for zone in spread if zone.text in {"Tides at night", "Ada Lowtide", PLACE, "Part x", "Beds of ward 1"}]
    assert _relabelled(taught, few)("abstract") == ["Beds of ward 1"]


def test_a_list_longer_than_the_taught_one_stays_whole():
    more = f"<p class=aside>{OTHER_PLACE}</p>"
    zones = _card_zones(PLACE, more=more)
    assert _relabelled(_card_zones(PLACE), zones, affiliation=[PLACE, OTHER_PLACE])("affiliation") == [
        PLACE,
        OTHER_PLACE,
    ]
    assert _relabelled(_card_zones(PLACE), zones, affiliation=[OTHER_PLACE])("affiliation") == [PLACE]


def test_the_title_is_the_same_heading_on_every_page():
    zones = _card_zones(OTHER_PLACE, title="Ebb")
    verdicts = label_by_layout(zones, make_layout_template([learn_layout("d", _card_zones(PLACE), CARD_VALUES)]))
    by_text = {zone.text: verdict for zone, verdict in zip(zones, verdicts, strict=True)}
    assert (by_text[OTHER_PLACE].label, by_text[OTHER_PLACE].exact) == ("affiliation", True)


@pytest.mark.parametrize(
    ("old", "new", "kept", "label"),
    [
        ("affiliation", "unidentified", {"affiliation"}, "affiliation"),
        ("affiliation", "author", {"affiliation"}, "both"),
        ("title", "author", {"title"}, "author"),
        ("unidentified", "affiliation", {"affiliation"}, "unidentified"),
        ("title", "affiliation", {"affiliation"}, "unidentified"),
        ("keywords", "affiliation", {"affiliation"}, "keywords"),
        ("keywords", "keywords", {"affiliation"}, "keywords"),
        ("affiliation", "author", set(), "author"),
    ],
)
def test_labels_of_fields_that_are_read_untaught_stay_where_they_were(old, new, kept, label):
    zone = Zone(level=1, tag="p", path="p[1]", text="Ada Lowtide, Port Ebb")
    before, after = ([LabelledZone(zone, Verdict(one, 0.6, "people"))] for one in (old, new))
    [found] = keep_untaught_labels([zone], before, after, kept)
    assert found.verdict.label == label


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

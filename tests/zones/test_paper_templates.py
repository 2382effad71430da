"""The paper's labeller: taught sequences followed by level-patterns and by tag-patterns."""

from dataclasses import replace

import pytest

from medharvest.codec import from_json, to_json
from medharvest.records import Page
from medharvest.zones.paper import (
    UNIDENTIFIED,
    PaperTemplate,
    TextZone,
    follow_track,
    label_by_paper_templates,
    label_page_by_paper,
    lay_track,
    learn_paper_template,
    make_paper_template,
)
from medharvest.zones.segmentation import segment_with_hidden

NO = UNIDENTIFIED
HTML = "<body><div><h1>Tides</h1><span><p>{}</p></span></div><h4>Home</h4></body>"
LABELS = [NO, NO, "title", "author", "affiliation", "affiliation", NO, "abstract", NO, NO]
LEVELS = ["3", "3.4", "3.5", "4", "5", "5", "3.4", "6", "3", "3"]
TAGS = ["NAV", "P", "H1", "B", "I", "I", "P", "Q", "P", "P"]


def _zones(levels=LEVELS, tags=TAGS):
    return [TextZone(level, tag, "", "x") for level, tag in zip(levels, tags, strict=True)]


def _labels(verdicts):
    return [verdict.label for verdict in verdicts]


def test_a_page_made_alike_gets_the_taught_labels_with_both_patterns():
    verdicts = label_by_paper_templates(_zones(), [make_paper_template("d", _zones(), LABELS)])
    assert _labels(verdicts) == LABELS
    assert {(one.score, one.method) for one in verdicts} == {(1.0, "levels-and-tags"), (0.0, "none")}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda items: [*items[:5], items[4], items[4], *items[5:]], [*LABELS[:5], *["affiliation"] * 2, *LABELS[5:]]),
        (lambda items: [*items[:4], *items[6:]], [*LABELS[:4], *LABELS[6:]]),
        (lambda items: ["9", *items], [NO, *LABELS]),
        (lambda items: items[1:], LABELS[1:]),
    ],
    ids=["a longer list", "no such list", "a zone more", "a zone less"],
)
def test_lists_may_be_longer_and_parts_may_be_lacking(change, expected):
    zones = _zones(change(LEVELS), change(TAGS))
    assert _labels(label_by_paper_templates(zones, [make_paper_template("d", _zones(), LABELS)])) == expected


def test_one_kind_of_pattern_alone_gives_low_confidence():
    taught = [make_paper_template("d", _zones(), LABELS)]
    by_levels = label_by_paper_templates(_zones(tags=["?"] * 10), taught)
    assert (by_levels[2].label, by_levels[2].score, by_levels[2].method) == ("title", 0.5, "levels")
    by_tags = label_by_paper_templates(_zones(levels=["?"] * 10), taught)
    assert (by_tags[2].label, by_tags[2].score, by_tags[2].method) == ("title", 0.5, "tags")


def test_nothing_taught_leaves_every_zone_unidentified():
    assert {verdict.label for verdict in label_by_paper_templates(_zones(), [])} == {NO}


def test_the_best_fitting_page_is_followed():
    other = make_paper_template("o", [TextZone("9", "Z", "", "")] * 3, ["title"] * 3)
    assert (
        _labels(label_by_paper_templates(_zones(), [other, *[other] * 2, make_paper_template("d", _zones(), LABELS)]))
        == LABELS
    )


def test_a_template_is_json():
    taught = make_paper_template("d", _zones(), LABELS)
    assert from_json(PaperTemplate, to_json(taught)) == taught


def test_a_track_of_a_page_without_labels_gives_none():
    assert follow_track(lay_track([(["a", "b"], [NO, NO])]), ["a", "b"]) == ([NO, NO], 0.0)


def test_no_zones_have_no_labels():
    assert follow_track(lay_track([(["a"], ["title"])]), []) == ([], 0.0)


def test_a_zone_more_than_was_taught_costs_more_than_a_longer_list():
    track = lay_track([(["a", "b", "c"], [NO, "title", NO])])
    assert follow_track(track, ["a", "a", "b", "c"])[1] > follow_track(track, ["a", "b", "b", "c"])[1] > 0


def test_a_page_teaches_the_patterns_of_its_labelled_zones():
    page = Page(url="", text=HTML.format("<b>Ada</b>Lowtide"), digest="d", encoding="")
    zones = segment_with_hidden(page)
    taught = learn_paper_template(page, [(zones[0], "title"), (zones[1], "author")])
    assert [zone.label for zone in taught.zones] == ["title", "author", NO]
    other = replace(page, text=HTML.format("Carl Spring"))
    labelled = label_page_by_paper(other, [taught])
    assert [(item.zone.text, item.verdict.label) for item in labelled] == [
        ("Tides", "title"),
        ("Carl Spring", "author"),
        ("Home", NO),
    ]
    own = [(item.zone.level, item.zone.tag, item.zone.path) for item in labelled]
    assert own == [(zone.level, zone.tag, zone.path) for zone in segment_with_hidden(other)]

"""Zones are compared by the text a label covers; only the four labels count."""

import pytest

from medharvest.evaluate.labelled_pages import LabelledPage, ZoneLabel, ZonesPage
from medharvest.evaluate.zone_scores import ZoneTally, score_zones, tally_zones
from medharvest.records import LabelledZone, Verdict, Zone


def labelled(text: str, label: str) -> LabelledZone:
    return LabelledZone(Zone(level=3, tag="p", path="/p", text=text), Verdict(label, 1.0, "test"))


TITLE = ZoneLabel("Iron uptake", "title")


@pytest.mark.parametrize(
    ("truth", "said", "expected"),
    [
        (TITLE, ("Iron  uptake ", "title"), ZoneTally(zones=1, right=1, said=1, said_right=1)),
        (TITLE, ("Iron uptake", "author"), ZoneTally(zones=1, said=1)),
        (TITLE, ("Iron", "title"), ZoneTally(zones=1, said=1, said_right=1)),
        (TITLE, ("Iron uptake | Home", "title"), ZoneTally(zones=1, right=1, said=1)),
        (TITLE, ("Iron uptake", "unidentified"), ZoneTally(zones=1)),
        (ZoneLabel("Contact us", "other"), ("Contact us", "other"), ZoneTally()),
        (ZoneLabel("Contact us", "other"), ("Contact us", "title"), ZoneTally(said=1)),
    ],
)
def test_a_zone_is_right_where_its_text_has_the_true_label(
    truth: ZoneLabel, said: tuple[str, str], expected: ZoneTally
) -> None:
    tallies = tally_zones([truth], [labelled(*said)]).values()
    assert sum(tally.zones for tally in tallies) == expected.zones
    assert sum(tally.right for tally in tallies) == expected.right
    assert sum(tally.said for tally in tallies) == expected.said
    assert sum(tally.said_right for tally in tallies) == expected.said_right


def test_authors_may_stand_in_one_zone_or_in_many() -> None:
    many, one = [ZoneLabel("Ann Ash", "author"), ZoneLabel("Bob Beech", "author")], "Ann Ash, Bob Beech"
    tally = tally_zones(many, [labelled(one, "author")])["author"]
    assert (tally.right, tally.said_right) == (2, 1)
    tally = tally_zones([ZoneLabel(one, "author")], [labelled(zone.text, "author") for zone in many])["author"]
    assert (tally.right, tally.said_right) == (1, 2)


def page(name: str, *truth: ZoneLabel) -> ZonesPage:
    return LabelledPage(id=name, body=name.encode(), truth=truth, layout=name, platform="p")


def test_accuracy_counts_true_zones_and_precision_counts_given_labels() -> None:
    pages = [page("a", TITLE, ZoneLabel("Ann Ash", "author")), page("b", TITLE)]
    result = score_zones(
        pages,
        data="t",
        folds="layout",
        progress=lambda _done, _total: None,
        label=lambda page: [labelled("Iron uptake", "title"), labelled(f"Nothing {page.id}", "abstract")],
    )
    assert dict(result.figures) == {"accuracy": pytest.approx(2 / 3), "precision": 0.5}
    assert result.tables[1].rows == (("a", "0.500"), ("b", "1.000"), ("mean of 2", "0.750"))

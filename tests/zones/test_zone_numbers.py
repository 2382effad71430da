"""Zones in numbers."""

from __future__ import annotations

from typing import Any

import pytest

from medharvest.pages import parse_page
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.zone_features import MetadataKeys
from medharvest.zones.zone_numbers import ZONE_NUMBERS, kind_of_heading, number_zones

PAGE = """<title>Sleep and snow in winter | Snow</title><nav><p>Home</p></nav><h1>Sleep and snow in winter</h1>
    <p class=a1>Anna Berg<sup>1</sup>, Carl Dahl<sup>2</sup></p><p class=b>1 Sleep Clinic, General Hospital, Norway</p>
    <h2>Abstract</h2><p>We slept with the snow. It fell again.</p><h3>Affiliations</h3><h2>Introduction</h2>"""


def numbered(
    html: str = PAGE, known: MetadataKeys | None = None, rules: dict[int, str] | None = None
) -> list[dict[str, Any]]:
    zones = segment_with_hidden(parse_page(html.encode(), name="page"))
    named = [(rules or {}).get(i, "none") for i in range(len(zones))]
    vectors = number_zones(zones, named, known or MetadataKeys())
    assert all(len(vector) == len(ZONE_NUMBERS) for vector in vectors)
    return [
        {"text": zone.text, **dict(zip(ZONE_NUMBERS, vector, strict=True))}
        for zone, vector in zip(zones, vectors, strict=True)
    ]


def one(text: str, **given) -> dict[str, Any]:
    return next(zone for zone in numbered(**given) if zone["text"].startswith(text))


def test_a_byline_shows_its_names_and_marks() -> None:
    byline = one("Anna")
    assert (byline["names-count"], byline["raised"], byline["institution"]) == (2, 2, False)
    assert byline["+1 institution"]
    assert byline["-1 rank"] == 1
    assert byline["tag p"]


def test_what_stands_above_is_counted_in_zones() -> None:
    place, prose = one("1 Sleep"), one("We slept")
    assert place["names distance"] == 1
    assert place["marker"]
    assert (prose["heading above"], prose["heading distance"]) == (1, 1)
    assert prose["institution distance"] == 2
    assert one("Home")["in nav"]


def test_zones_written_alike_are_a_group() -> None:
    html = "<p class=x1>Anna Berg, Carl Dahl</p><p class=x2>Eva Falk, Ole Gran</p><p>other words here</p>"
    first, second, other = numbered(html)
    assert (first["group size"], first["group names"], first["like below"]) == (2, 1.0, True)
    assert (second["like above"], second["group place"]) == (True, 0.5)
    assert (other["group size"], other["group names"]) == (1, 0.0)


def test_agreement_with_the_metadata_is_a_number_and_its_absence_another() -> None:
    known = MetadataKeys(frozenset({"sleepandsnowinwinter"}), ("berg", "dahl"), (), ())
    assert one("Anna", known=known)["held-count"] == 2
    assert one("Anna")["held-count"] == -1
    titles = [zone["known-title"] for zone in numbered(known=known) if zone["text"] == "Sleep and snow in winter"]
    assert titles == [True]
    assert one("Anna", known=known)["known-place"] == -1


def test_the_rules_verdict_is_a_number_like_any_other() -> None:
    assert one("Anna", rules={3: "author"})["rule author"]
    assert not one("Anna")["rule author"]


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<h2>Abstract</h2>", 1),
        ("<p>Resumen</p>", 1),
        ("<h2>References</h2>", 4),
        ("<h3>Author affiliations</h3>", 7),
        ("<p>Methods</p>", 8),
        ("<h2>Introduction</h2>", 8),
        ("<h2>Discussion and outlook</h2>", 10),
        ("<p>Snow fell in the valley.</p>", 0),
    ],
)
def test_headings_are_known_by_what_they_announce(html: str, kind: int) -> None:
    assert kind_of_heading(segment_with_hidden(parse_page(html.encode(), name="page"))[0]) == kind

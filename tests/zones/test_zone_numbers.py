"""Zones in numbers."""

from __future__ import annotations

from typing import Any

import pytest

from medharvest.pages import parse_page
from medharvest.zones.known_values import MetadataKeys
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.zone_numbers import ZONE_NUMBERS, ZoneNumbers, kind_of_heading

PAGE = """<title>Sleep and snow in winter | Snow</title><nav><p>Home</p></nav><h1>Sleep and snow in winter</h1>
    <p class=a1>Anna Berg<sup>1</sup>, Carl Dahl<sup>2</sup></p><p class=b>1 Sleep Clinic, General Hospital, Norway</p>
    <h2>Abstract</h2><p>We slept with the snow. It fell again.</p><h3>Affiliations</h3><h2>Introduction</h2>"""


def made(html: str = PAGE, known: MetadataKeys | None = None, rules: dict[int, str] | None = None) -> ZoneNumbers:
    zones = segment_with_hidden(parse_page(html.encode(), name="page"))
    named = [(rules or {}).get(i, "none") for i in range(len(zones))]
    return ZoneNumbers(zones, named, known or MetadataKeys())


def numbered(
    html: str = PAGE, known: MetadataKeys | None = None, rules: dict[int, str] | None = None
) -> list[dict[str, Any]]:
    numbers = made(html, known, rules)
    return [
        {"text": zone.text, **dict(zip(ZONE_NUMBERS, numbers.vector(i), strict=True))}
        for i, zone in enumerate(numbers.zones)
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


def test_every_number_has_a_name_of_its_own() -> None:
    assert len(set(ZONE_NUMBERS)) == len(ZONE_NUMBERS) == len(made().vector(0))


def test_only_the_zones_that_matter_are_looked_at() -> None:
    numbers = made("".join(f"<p class={letter}>Snow {letter}" for letter in "abcdefghijklmnopqrst"))
    numbers.vector(15)
    looked = [i for i, shown in enumerate(numbers._shown) if shown]
    assert looked == list(range(15 - 8, 15 + 3 + 1))
    assert numbers.vector(15) is numbers.vector(15)


def test_a_zone_shows_its_neighbours_the_first_of_its_numbers() -> None:
    numbers = made()
    length = len(numbers.show(0))
    assert numbers.vector(3)[:length] == list(numbers.show(3))
    assert numbers.vector(3)[-6 * length :] == [number for i in (0, 1, 2, 4, 5, 6) for number in numbers.show(i)]
    assert numbers.vector(0)[-6 * length :][: 3 * length] == [-1.0] * 3 * length


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("Anna Berg, Carl Dahl", True),
        ("Sleep Clinic, General Hospital", True),
        ("Klinik für Schlaf, Universitätsspital", True),
        ("Bergen, Norway", True),
        ("how they slept", False),
        ("It snowed in Norway. Roads were shut. People slept. They woke.", False),
        ("The hospital was shut. It snowed. People slept. They woke.", True),
    ],
)
def test_zones_that_list_people_are_told_by_names_institutions_and_countries(text: str, *, lists: bool) -> None:
    assert made(f"<p>{text}").lists_people(0) is lists


@pytest.mark.parametrize(
    ("html", "name"),
    [
        ("<p>Afiliación: Clínica", "affiliation-lead"),
        ("<p>Autores: Anna Berg", "author-lead"),
        ("<p>Korrespondenz: Anna Berg", "contact-lead"),
        ("<p>Resumo: dormimos", "abstract-word"),
        ("<p>Wyniki", "section"),
        ("<p>Bibliografía", "article-heading"),
        ("<p>berg@snow.example", "at-sign"),
        ("<p>N-5000 Bergen", "postcode"),
        ("<p>雪谷睡眠", "ideographs"),
        ("<p>Åsa Öberg", "other-script"),
        ("<address>Bergen", "tag address"),
        ("<dl><dd>Bergen", "in list"),
        ("<p class=affiliation>Bergen", "named affiliation"),
        ("<p>Click to download", "sign site"),
    ],
)
def test_what_a_zone_is_made_of_is_a_number(html: str, name: str) -> None:
    assert numbered(html)[0][name] > 0
    assert not numbered("<p>Snow")[0][name]


def test_a_word_that_the_page_also_writes_small_is_plain() -> None:
    first, second, _ = numbered("<p>Related Content<p>Anna Berg<p>see related content here")
    assert (first["plain"], second["plain"]) == (1, 0)


def test_copies_of_a_zone_are_counted() -> None:
    assert [zone["copies"] for zone in numbered("<p>Anna Berg<p>Carl Dahl<p>Anna Berg")] == [2, 1, 2]


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<h2>Abstract</h2>", 1),
        ("<p>Resumen</p>", 1),
        ("<p>Streszczenie</p>", 1),
        ("<p>Abstract (short)</p>", 1),
        ("<p>Schlüsselwörter</p>", 3),
        ("<h2>References</h2>", 4),
        ("<h3>Author affiliations</h3>", 7),
        ("<p>Methods</p>", 8),
        ("<p>Gereç ve Yöntem</p>", 8),
        ("<p>Case report</p>", 9),
        ("<h2>Introduction</h2>", 8),
        ("<h2>Discussion and outlook</h2>", 10),
        ("<p>Snow fell in the valley.</p>", 0),
    ],
)
def test_headings_are_known_by_what_they_announce(html: str, kind: int) -> None:
    assert kind_of_heading(segment_with_hidden(parse_page(html.encode(), name="page"))[0]) == kind

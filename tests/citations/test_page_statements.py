"""What a page states beside the core fields: other abstracts, numbers of trials, kind of article, notices."""

from __future__ import annotations

import pytest

from medharvest.citations.zone_fields import (
    find_article_types,
    find_notices,
    find_trial_numbers,
    parse_article_type,
    read_other_abstracts,
)
from medharvest.journals.article_reader import read_bytes
from medharvest.records import Identifier, LabelledZone, Verdict, Zone

ENGLISH = (
    "The snow was deep and the people of the valley were asked how they slept in the winter, and which of them "
    "were awake at night."
)
SPANISH = (
    "La nieve era profunda y se preguntó a los habitantes del valle cómo dormían en el invierno, y quiénes de ellos "
    "estaban despiertos por la noche con los animales."
)


def _zones(*parts: tuple[str, str]) -> tuple[LabelledZone, ...]:
    return tuple(
        LabelledZone(Zone(level=3, tag="p", path=f"/html[1]/p[{i}]", text=text), Verdict(label, 0.9, "t"))
        for i, (text, label) in enumerate(parts)
    )


def test_an_abstract_in_another_language_is_kept_with_its_language() -> None:
    zones = _zones(("Resumen", "heading"), (SPANISH, "other_abstract"), ("Sleep", "unidentified"))
    others, places = read_other_abstracts(zones, ENGLISH)
    assert [(one.type, one.language, one.text) for one in others] == [("translation", "es", SPANISH)]
    assert [line.zone.zone.text for line in places] == [SPANISH]


def test_a_second_text_in_the_language_of_the_abstract_is_no_translation() -> None:
    assert (
        read_other_abstracts(_zones(("Summary", "heading"), (ENGLISH, "other_abstract")), ENGLISH + " More.")[0] == ()
    )


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Plain language summary", "plain-language-summary"),
        ("Highlights", "highlights"),
        ("Lay abstract", "plain-language-summary"),
    ],
)
def test_other_kinds_of_abstracts_are_told_by_their_heading(heading: str, kind: str) -> None:
    others, _ = read_other_abstracts(_zones((heading, "heading"), (ENGLISH, "other_abstract")), "Snow.")
    assert [one.type for one in others] == [kind]


@pytest.mark.parametrize(
    ("text", "name", "number"),
    [
        ("ClinicalTrials.gov number, NCT01234567.", "ClinicalTrials.gov", "NCT01234567"),
        ("Trial registration ISRCTN12345678", "ISRCTN", "ISRCTN12345678"),
        ("EudraCT number 2010-123456-12", "EudraCT", "2010-123456-12"),
        ("ANZCTR: ACTRN12612345678901", "ANZCTR", "ACTRN12612345678901"),
        ("registered as CTRI/2010/091/000123", "CTRI", "CTRI/2010/091/000123"),
        ("(UMIN000012345)", "JPRN", "UMIN000012345"),
        ("German register DRKS00001234", "DRKS", "DRKS00001234"),
    ],
)
def test_numbers_of_trials_are_found_with_their_registry(text: str, name: str, number: str) -> None:
    found, places = find_trial_numbers(_zones((text, "abstract")))
    assert found == (Identifier(name, number),)
    assert places[0].zone.zone.text[places[0].start : places[0].end] == number


def test_trials_of_references_and_long_lists_of_trials_are_not_those_of_the_article() -> None:
    assert find_trial_numbers(_zones(("NCT01234567", "reference"))) == ((), [])
    assert find_trial_numbers(_zones((" ".join(f"NCT0123456{n}" for n in range(6)), "unidentified"))) == ((), [])
    assert find_trial_numbers(_zones(("XNCT01234567 NCT012345678", "unidentified"))) == ((), [])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Case Report", "Case Reports"),
        ("ORIGINAL ARTICLE", "Journal Article"),
        ("Artigo de revisão", "Review"),
        ("[Letter to the Editor]", "Letter"),
        ("Sleep in the snow", ""),
        ("Review" * 20, ""),
    ],
)
def test_kinds_of_articles_are_named_as_medline_does(text: str, name: str) -> None:
    assert parse_article_type(text) == name


def test_the_kind_of_article_stands_beside_the_title() -> None:
    zones = _zones(("Editorial", "unidentified"), ("Case Report", "unidentified"), ("Retracted: Sleep", "title"))
    assert find_article_types(zones)[0] == ("Retracted Publication", "Case Reports")
    assert find_article_types(zones[:2]) == ((), [])


def test_notices_of_retraction_and_correction_are_links() -> None:
    zones = _zones(
        ("This article has been retracted, see https://doi.org/10.1000/snow.1", "unidentified"),
        ("A correction to this article was published later", "unidentified"),
        ("This article has been retracted", "reference"),
        ("We corrected the sleep of the people", "unidentified"),
    )
    found, _ = find_notices(zones)
    assert [(one.kind, one.doi) for one in found] == [("RetractionIn", "10.1000/snow.1"), ("ErratumIn", "")]


def test_a_page_gives_these_fields_with_their_evidence() -> None:
    body = f"""<title>Sleep and snow in the winter of the north</title><p>Case Report</p>
        <h1>Sleep and snow in the winter of the north</h1><p>Anna Berg, Carl Dahl</p>
        <h2>Abstract</h2><p>{ENGLISH} Registered as NCT01234567.</p><h2>Resumen</h2><p>{SPANISH}</p>
        <h2>Introduction</h2><p>{ENGLISH}</p>
        <h2>Data availability</h2><p>The data are in the archive of the valley.</p>"""
    citation = read_bytes(body.encode(), name="page")
    assert citation.data_availability == "The data are in the archive of the valley."
    assert citation.publication_types == ("Case Reports",)
    assert [one.language for one in citation.other_abstracts] == ["es"]
    assert citation.identifiers == (Identifier("ClinicalTrials.gov", "NCT01234567"),)
    fields = {proof.field for proof in citation.evidence}
    assert fields >= {"data_availability", "publication_types", "other_abstracts", "identifiers"}

import json
import sys
from importlib import resources

import pytest

from medharvest.boosted_trees import digest_of_data
from medharvest.pages import parse_page
from medharvest.records import Page
from medharvest.zones import chain_model, label_zones
from medharvest.zones.chain_model import (
    shipped_zone_card,
    shipped_zone_models,
    zone_models_from_data,
)
from medharvest.zones.labeller import label_by_models, observe_page

TITLE = "Sleep and snow in the winter of the north: a cohort study"
PROSE = "We asked two hundred people in the valley how they slept when the snow came early, and how they woke. " * 3
CLINIC, SCHOOL = "Sleep Clinic, General Hospital, Oslo, Norway", "School of Snow, University of Bergen, Bergen, Norway"
MENU = "<nav><ul>" + "".join(f"<li><a href=x>{word}</a></li>" for word in ("Home", "Issues", "About")) + "</ul></nav>"
CARDS = f"""<title>{TITLE} | Snow</title>{MENU}<main><h1>{TITLE}</h1><ul class="author-list">
    <li class="author">Anna Berg
    <div class="author-card" style="display:none"><p>Anna Berg</p><p>{CLINIC}</p></div></li>
    <li class="author">Carl Dahl
    <div class="author-card" style="display:none"><p>Carl Dahl</p><p>{SCHOOL}</p></div></li>
    <li class="author">Eva Falk<div class="author-card" style="display:none"><p>Eva Falk</p><p>{CLINIC}</p></div></li>
    </ul><section class="abstract"><h2>Abstract</h2><p>{PROSE}</p></section>
    <h2>Introduction</h2><p>{PROSE}</p></main>"""
MARKED = f"""<title>Snow | {TITLE}</title>{MENU}<h1 class=title>{TITLE}</h1>
    <p class=authors>Anna Berg<sup>1</sup>, Carl Dahl<sup>2</sup> and Eva Falk<sup>1</sup></p>
    <p class=aff><sup>1</sup>{CLINIC}</p><p class=aff><sup>2</sup>{SCHOOL}</p>
    <h2>Abstract</h2><p>{PROSE}</p><h2>References</h2><ol><li>Dahl C. Snow. Snow J 2001;1:1-9.</ol>"""


def _texts(html: str, label: str) -> list[str]:
    zones = label_zones(parse_page(html.encode(), name="page"))
    return [zone.zone.text for zone in zones if zone.verdict.label == label]


@pytest.mark.parametrize("html", [CARDS, MARKED], ids=["cards", "marked"])
def test_title_and_abstract_of_a_layout_never_seen_are_found(html):
    assert _texts(html, "title") == [TITLE]
    assert _texts(html, "abstract") == [PROSE.strip()]


def test_zones_without_people_after_an_announced_abstract_get_no_label():
    others = "".join(f"<p>{text}</p>" for text in ("Contact us", "Eva Falk", "how we slept then", "see a hospital"))
    html = MARKED.replace("<h2>References", f"<h2>Introduction</h2>{others}<h2>References")
    seen = observe_page(parse_page(html.encode(), name="page"))
    fitting = {zone.text: labels for zone, labels in zip(seen.zones, seen.fitting, strict=True)}
    assert fitting["Contact us"] == fitting["how we slept then"] == ()
    assert "author" in fitting["Eva Falk"]
    assert "affiliation" in fitting["see a hospital"]
    assert fitting["Home"] == ("author",)  # above it everything counts


def test_authors_and_affiliations_are_found_between_title_and_abstract():
    assert _texts(MARKED, "author") == ["Anna Berg1, Carl Dahl2 and Eva Falk1"]
    assert _texts(MARKED, "affiliation") == [f"1{CLINIC}", f"2{SCHOOL}"]
    assert _texts(MARKED, "reference") == ["Dahl C. Snow. Snow J 2001;1:1-9."]


def test_hidden_cards_give_the_affiliations_of_their_authors():
    assert set(_texts(CARDS, "affiliation")) == {CLINIC, SCHOOL}
    assert set(_texts(CARDS, "author")) == {"Anna Berg", "Carl Dahl", "Eva Falk"}


def test_hidden_zones_without_a_core_field_are_left_out():
    html = MARKED + "<div hidden><p>Sign in to go on</p></div>"
    assert all("Sign in" not in zone.zone.text for zone in label_zones(parse_page(html.encode(), name="page")))


def test_a_page_that_hides_all_of_itself_is_read_as_if_it_did_not():
    zones, *_ = observe_page(parse_page(f"<div style='display:none'>{'<p>snow fell' * 30}</div>".encode(), name="page"))
    assert not any(zone.hidden for zone in zones)


def test_an_abstract_without_a_heading_is_found_by_its_position_and_words():
    html = MARKED.replace("<h2>Abstract</h2><p>", '<p class="abstract">')
    body = "Snow falls in the north every year. It keeps people awake, as letters and diaries of travellers tell (1). "
    sections = f"<h2>Introduction</h2><p>{body * 6}</p><p>{body * 3}</p><h2>Methods</h2><p>{body * 4}</p>"
    html = html.replace("<h2>References", f"{sections}<h2>References")
    assert _texts(html, "abstract") == [PROSE.strip()]


def test_a_page_with_nothing_to_find_gets_no_label():
    assert _texts("<p>12</p>", "title") == []
    assert _texts("<p>x</p>", "abstract") == []


def test_names_below_a_title_are_authors_where_the_model_is_in_doubt():
    html = f"<title>{TITLE}</title><h2>{TITLE}</h2><p>Anna Berg, Carl Dahl</p><h5>Correct</h5><p>{PROSE}</p>"
    assert _texts(html, "author") == ["Anna Berg, Carl Dahl"]


def test_a_converted_pdf_is_labelled_by_its_sheets():
    html = f"<html><body><p style='font-size:20px'>{TITLE}</p><p style='font-size:9px'>Anna Berg</p></body></html>"
    page = Page(url="", text=html, digest="", encoding="utf-8", media_type="application/pdf")
    assert all(zone.verdict.method != "title-model" for zone in label_zones(page))


@pytest.mark.no_cover
def test_a_megabyte_of_paragraphs_is_labelled_in_bounded_time():
    page = parse_page(b"<p>x" * 250_000, name="page")
    label_zones(page)


def test_other_models_may_be_given():
    models = zone_models_from_data(chain_model._read_zone_models_file()["models"])
    page = parse_page(MARKED.encode(), name="page")
    assert label_by_models(page, models) == label_zones(page)


def test_the_models_are_what_their_digest_says(monkeypatch):
    text = resources.files("medharvest.zones").joinpath("data").joinpath("models.json").read_text("utf-8")
    content = json.loads(text)
    assert content["digest"] == digest_of_data(content["models"])
    monkeypatch.setattr(chain_model, "_read_zone_models_file", lambda: {**content, "digest": "other"})
    with pytest.raises(ValueError, match="damaged"):
        chain_model.shipped_zone_models.__wrapped__()


def test_class_words_in_the_models_are_shared_by_five_layouts_or_more():
    card, models = shipped_zone_card(), shipped_zone_models()
    used = {
        feature.removeprefix("w=")
        for part in (models.title, models.people)
        for feature in part.weights
        if feature.startswith("w=")
    }
    sys.stdout.write(f"vocabulary: {' '.join(sorted(card.vocabulary))}\n")
    assert used <= card.vocabulary.keys()
    assert min(card.vocabulary.values()) >= 5
    assert card.layouts >= 30
    assert all(len(digest) == 64 for digest in card.pages)

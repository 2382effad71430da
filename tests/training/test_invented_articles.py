"""Invented article pages: people, places and texts of the records are invented too."""

import html
import re
from collections import Counter
from typing import Any

import pytest

from medharvest.evaluate.field_scores import score_prediction
from medharvest.evaluate.labelled_pages import ReadPage
from medharvest.pages import parse_page
from medharvest.zones.segmentation import segment_with_hidden
from training.article_labels import LABELS
from training.article_names import print_name, true_name
from training.article_styles import CLUTTER_SLOTS, STYLE_OPTIONS, draw_site
from training.article_words import OTHER_TEXTS
from training.invented_articles import invent_article_pages
from training.invented_records import Person, article_from_record
from training.zone_models import align_true_labels

TOPICS = ("sleep", "snow", "bread", "rivers", "bees", "copper", "tides", "ferns", "gait", "zinc", "maps", "wool")
PEOPLE = (
    *(("Annalena", "Bergstroem"), ("Carl Otto", "Dahlquist"), ("Eliane", "Fontanelle"), ("Goran", "Hribarski")),
    *(("Ilse", "Jungblut"), ("Kenzo", "Lorimura"), ("Mira", "Nakovska"), ("Olu", "Peterside")),
)
PLACES = (
    "Sleep Clinic, General Hospital, Norrholm, Nordland",
    "School of Snow, University of Bergdal, Bergdal, Nordland",
    "Department of Bread and Water, Institute of Food, Saint-Aubry, Estuaria",
    "Centre for River Health, Port Ansel, Estuaria",
)


def _record(number: int) -> dict[str, Any]:
    topic = TOPICS[number]
    parts = [
        ("Background", f"Little is known about {topic} in the towns of the north, where winters are long and dark."),
        ("Methods", f"We asked {number + 40} people in two towns about {topic} and measured it every week for a year."),
        ("Results", f"The people who cared for {topic} were well in spring; {number + 9} of them were well in autumn."),
        ("Conclusions", f"Care for {topic} helps, and it costs so little that every town of the region can have it."),
    ]
    count = 2 + number % 4
    return {
        "title": f"Care for {topic} in the towns of the north: a study of one year",
        "authors": [{"given": given, "family": family} for given, family in (PEOPLE * 2)[number % 8 :][:count]],
        "affiliations": list(PLACES[: 1 + number % 4]),
        "abstract": " ".join(text for _, text in parts),
        "sections": parts if number % 2 else [],
        "journal": f"Northern Annals of {topic.title()}",
        "volume": str(number + 3),
        "issue": "" if number == 5 else str(number % 4 + 1),
        "first_page": str(number * 30 + 101),
        "last_page": str(number * 30 + 109),
        "date": ("2014-05-06", "2015-11", "2016")[number % 3],
        "doi": f"10.5555/north.{number}",
        "keywords": ["winter", "towns", topic] if number % 3 else [],
        "language": "en",
    }


RECORDS = [_record(number) for number in range(len(TOPICS))]
PAGES = invent_article_pages(RECORDS, sites=120, seed=7)
LABELS_OF_FIELDS = {
    "authors": {"author", "both"},
    "affiliations": {"affiliation", "both"},
    "abstract": {"abstract"},
}


def _true_labels(page: ReadPage) -> list[str] | None:
    zones = segment_with_hidden(parse_page(page.body, url=page.url, name=page.id))
    return align_true_labels(zones, page.truth)


def test_the_same_seed_gives_the_same_pages_and_another_seed_others():
    assert invent_article_pages(RECORDS, sites=4, seed=7) == PAGES[:8]
    assert invent_article_pages(RECORDS, sites=4, seed=8) != PAGES[:8]
    assert len({page.body for page in PAGES}) == len(PAGES)


def test_a_layout_is_a_site_and_has_as_many_pages_as_asked():
    assert set(Counter(page.layout for page in PAGES).values()) == {2}
    assert PAGES[-1].layout == "made_0119"
    one = invent_article_pages(RECORDS, sites=3, pages_per_site=1, seed=1)
    assert [page.id for page in one] == ["made_0000_0", "made_0001_0", "made_0002_0"]


def test_the_truth_of_nearly_every_page_can_be_aligned_to_zones():
    labels = [_true_labels(page) for page in PAGES]
    assert sum(found is not None for found in labels) >= 0.97 * len(PAGES)
    for field, names in LABELS_OF_FIELDS.items():
        with_field = [found for page, found in zip(PAGES, labels, strict=True) if page.truth[field]]
        assert sum(bool(found and names & set(found)) for found in with_field) >= 0.9 * len(with_field), field


def test_the_truth_is_what_the_page_prints():
    for page in PAGES:
        text = "".join(
            filter(str.isalnum, html.unescape(parse_page(page.body, url=page.url, name=page.id).text))
        ).casefold()
        printed = [page.truth["title"], page.truth.get("doi", ""), page.truth.get("journal", "")]
        for value in (*printed, *page.truth["authors"], *page.truth["affiliations"], *page.truth["keywords"]):
            assert "".join(filter(str.isalnum, value)).casefold() in text


def test_the_truth_has_the_shape_that_the_scorer_compares():
    for page in PAGES:
        score = score_prediction(page.truth, page.truth)
        assert all(tally.exact == tally.pages for tally in score.fields.values())


def test_every_option_of_every_style_is_drawn():
    sites = [draw_site(3, number) for number in range(200)]
    for name, options in STYLE_OPTIONS.items():
        assert {getattr(site.style, name) for site in sites} == set(options), name
    assert {kind for site in sites for kind in site.clutter} == set(CLUTTER_SLOTS)


def test_some_pages_lack_affiliations_or_an_abstract():
    assert any(not page.truth["affiliations"] for page in PAGES)
    assert any(page.truth["abstract"] is None for page in PAGES)
    assert any(page.truth["other_abstracts"] for page in PAGES)
    assert {kind for page in PAGES for kind in page.truth["people_notes"]} == {
        *("correspondence", "present_address", "editor", "equal")
    }


def test_no_invented_page_leads_to_a_real_publisher():
    allowed = {"doi.org", "orcid.org", "schema.org"}
    for page in PAGES:
        hosts = {re.split(r"[^\w.-]", part)[0] for part in page.body.decode("latin-1").split("//")[1:]}
        assert all(host.endswith(".example") or host in allowed for host in hosts)


def test_every_language_has_every_label_and_a_text():
    assert set(OTHER_TEXTS) == set(LABELS)
    assert len(LABELS) >= 12
    for labels in LABELS.values():
        assert set(labels) == set(LABELS["en"])
        assert all(text for texts in labels.values() for text in texts)
        assert len(labels["sections"]) == 6


@pytest.mark.parametrize(
    ("form", "printed", "truth"),
    [
        ("given_family", "Carl-Otto Dahl", "Carl-Otto Dahl"),
        ("initials_family", "C. O. Dahl", "C. O. Dahl"),
        ("family_initials", "Dahl CO", "Dahl, CO"),
        ("family_comma_given", "Dahl, Carl-Otto", "Dahl, Carl-Otto"),
        ("upper_family_given", "DAHL Carl-Otto", "DAHL, Carl-Otto"),
        ("given_upper_family", "Carl-Otto DAHL", "Carl-Otto DAHL"),
        ("upper", "CARL-OTTO DAHL", "CARL-OTTO DAHL"),
    ],
)
def test_names_have_many_forms(form: str, printed: str, truth: str):
    person = Person("Carl-Otto", "Dahl", ())
    assert print_name(person, form) == printed
    assert true_name(person, form) == truth
    assert print_name(Person("", "Dahl", ()), form) == true_name(Person("", "Dahl", ()), form) == "Dahl"


def test_a_record_may_have_names_as_text_and_no_links():
    record = {"title": "Snow.", "authors": ["Anna Berg", "Carl Dahl"], "affiliations": ["A", "B", "C"]}
    article = article_from_record(record)
    assert article.title == "Snow"
    assert article.people == (Person("Anna", "Berg", (0, 1)), Person("Carl", "Dahl", (1, 2)))
    assert article_from_record({"title": "Snow", "authors": ["Berg"]}).people == (Person("", "Berg", ()),)


def test_records_with_little_in_them_can_be_printed():
    bare = [{"title": f"Snow in the town of number {number}", "authors": ["Anna Berg"]} for number in range(3)]
    for page in invent_article_pages(bare, sites=60, seed=2):
        assert page.truth["affiliations"] == []
        assert page.truth["abstract"] is None

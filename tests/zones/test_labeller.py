"""Pages are labelled: title, abstract, then people by two labellers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from medharvest.boosted_trees import BoostedTrees, trees_from_data
from medharvest.pages import parse_page
from medharvest.records import Page, Verdict
from medharvest.zones import label_zones
from medharvest.zones.abstract_runs import RUN_NUMBERS
from medharvest.zones.labeller import (
    PARAGRAPH_NUMBERS,
    PERSON_NUMBERS,
    PERSON_STATES,
    ObservedPage,
    PeopleChances,
    ZoneModels,
    _label_other_abstracts,
    find_people_chances,
    find_title_zone,
    label_by_models,
    label_observed,
    label_people,
    list_paragraph_zones,
    list_person_zones,
    list_title_zones,
    observe_page,
    person_vector,
)
from medharvest.zones.zone_numbers import ZONE_NUMBERS

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


def yes_if(numbers: Sequence[str], name: str, limit: float = 0.5, *, score: float = 4.0) -> BoostedTrees:
    """Trees that say yes if a number exceeds a limit."""
    tree = [[numbers.index(name), limit, 1, 2], [-score], [score]]
    return trees_from_data({"features": list(numbers), "rounds": [[tree]]})


def people_if(**number_of: str) -> BoostedTrees:
    """Trees that say a label if a number exceeds 0.5; of several, the last."""
    trees: list[Any] = [[[0.0]]]
    for state, score in zip(PERSON_STATES[1:], (5.0, 10.0, 15.0), strict=True):
        name = number_of.get(state)
        trees.append([[PERSON_NUMBERS.index(name), 0.5, 1, 2], [-6.0], [score]] if name else [[-6.0]])
    return trees_from_data({"features": list(PERSON_NUMBERS), "rounds": [trees]})


MODELS = ZoneModels(
    titles=yes_if(ZONE_NUMBERS, "tag h1"),
    people=people_if(author="names-share", affiliation="institution"),
    other_people=people_if(author="names-share", affiliation="marker"),
    paragraphs=yes_if(PARAGRAPH_NUMBERS, "prose"),
    runs=yes_if(RUN_NUMBERS, "paragraphs", -1.0),
)


def seen(html: str) -> ObservedPage:
    return observe_page(parse_page(html.encode(), name="page"))


def texts_at(page: ObservedPage, places: Sequence[int]) -> list[str]:
    return [page.zones[i].text for i in places]


def test_other_models_may_be_given() -> None:
    zones = label_by_models(parse_page(MARKED.encode(), name="page"), MODELS)
    found = [(zone.verdict.label, zone.zone.text) for zone in zones]
    assert [text for label, text in found if label == "title"] == [TITLE]
    assert [text for label, text in found if label == "abstract"] == [PROSE.strip()]
    assert [text for label, text in found if label == "author"] == ["Anna Berg1, Carl Dahl2 and Eva Falk1"]
    assert [text for label, text in found if label == "affiliation"] == [f"1{CLINIC}", f"2{SCHOOL}"]


@pytest.mark.parametrize(
    ("html", "titles"),
    [
        (f"<title>{TITLE} | Snow</title><p>{TITLE}<h2>Other stories of snow<h3>Small heading here", 2),
        (
            "<title>Snow</title><h3>Small heading here<p>Four words of snow<p><b>Snow by night</b><p>Three short words",
            3,
        ),
        (f"<meta name=citation_title content='{TITLE}'><p>{TITLE}<h3>Small heading here", 1),
        ("<p style='font-size:20px'>Snow by night<p style='font-size:10px'>Snow by day", 1),
        ("<h1>Methods<p>12", 0),
    ],
    ids=["tab", "first lines and bold", "metadata", "large", "none"],
)
def test_a_title_is_a_known_line_or_a_large_one_and_else_a_first_line(html: str, titles: int) -> None:
    page = seen(html)
    assert len(list_title_zones(page)) == titles


def test_only_first_lines_may_be_titles_by_their_words() -> None:
    page = seen("<p>Four words of snow" * 70)
    assert list_title_zones(page) == list(range(60))


def test_no_more_titles_are_judged_than_a_page_has_time_for() -> None:
    assert len(list_title_zones(seen("<h2>Stories of snow" * 300))) == 100


def test_the_rules_name_the_title_if_the_trees_find_none() -> None:
    never = replace(MODELS, titles=yes_if(ZONE_NUMBERS, "tag h1", 9.0, score=9.0))
    page = seen(MARKED)
    by_trees, by_rules = find_title_zone(page, MODELS), find_title_zone(page, never)
    assert by_trees is not None
    assert by_rules is not None
    assert by_trees[1].method == "title-agreed"
    assert by_rules[1].method not in {"title-agreed", "title-model"}
    assert by_trees[0] == by_rules[0]
    assert find_title_zone(seen("<p>12"), MODELS) is None


@pytest.mark.parametrize(
    ("sizes", "odds", "title"),
    [((20, 18), 1.0, 0), ((18, 20), 1.0, 1), ((20, 20), 1.0, 1), ((20, 18), 2.0, 1)],
    ids=["larger above", "larger below", "alike", "clear"],
)
def test_of_a_title_and_its_translation_the_larger_one_above_is_chosen_unless_the_other_is_far_likelier(
    sizes: tuple[int, int], odds: float, title: int
) -> None:
    words = ("Snow by night in the valley", "Nieve de noche en el valle")
    lines = "".join(f"<p style='font-size:{size}px'>{text}" for size, text in zip(sizes, words, strict=True))
    found = find_title_zone(seen(lines), replace(MODELS, titles=yes_if(ZONE_NUMBERS, "place", 0.2, score=odds)))
    assert found is not None
    assert found[0] == title


def test_paragraphs_are_long_and_near_the_title_or_named_by_the_rules() -> None:
    prose = PROSE.strip()
    page = seen(f"<p>{prose}</p><h1>{TITLE}</h1><p>Snow.</p><p>{prose}</p>")
    assert list_paragraph_zones(page, 1) == [3]
    far = seen(f"<h1>{TITLE}</h1>{'<p>Snow.</p>' * 250}<p>{prose}</p>")
    assert list_paragraph_zones(far, 0) == []
    assert list_paragraph_zones(far, 1) == [251]
    announced = seen(f"<h1>{TITLE}</h1>{'<p>Snow.</p>' * 300}<h2>Abstract</h2><p>{prose}</p>")
    assert list_paragraph_zones(announced, 0) == [302]


def test_no_more_paragraphs_are_judged_than_a_page_has_time_for() -> None:
    page = seen(f"<h1>{TITLE}</h1>" + f"<p>{PROSE}</p>" * 100)
    assert list_paragraph_zones(page, 0) == list(range(1, 21))


def test_people_stand_near_the_title_or_are_told_by_their_form() -> None:
    far = ("Contact us", "Eva Falk, Ole Gran", "how we slept then", CLINIC, PROSE.strip())
    html = f"<h1>{TITLE}</h1><p>who slept when</p>{'<p>12</p>' * 50}" + "".join(f"<p>{text}</p>" for text in far)
    page = seen(html)
    assert texts_at(page, list_person_zones(page, 0, [])) == ["who slept when", "Eva Falk, Ole Gran", CLINIC]


def test_all_zones_above_the_abstract_may_hold_people_but_not_the_abstract() -> None:
    page = seen(f"<h1>{TITLE}</h1>{'<p>who slept when</p>' * 80}<p>{PROSE}</p><p>who slept when</p>")
    assert list_person_zones(page, 0, [81]) == list(range(1, 81))
    assert list_person_zones(page, 0, []) == list(range(1, 41))


def test_references_hold_no_people() -> None:
    page = seen(MARKED)
    assert "Dahl C. Snow. Snow J 2001;1:1-9." not in texts_at(page, list_person_zones(page, 0, []))


def test_a_zone_with_people_knows_its_distance_from_title_and_abstract() -> None:
    page = seen(MARKED)
    names = ("below title", "from abstract", "behind abstract", "has abstract")
    with_abstract = dict(zip(PERSON_NUMBERS, person_vector(page, 5, 3, [8, 9]), strict=True))
    without = dict(zip(PERSON_NUMBERS, person_vector(page, 5, 3, []), strict=True))
    assert [with_abstract[name] for name in names] == [2, -3, -4, 1]
    assert [without[name] for name in names] == [2, 999, 999, 0]


def test_each_labeller_gives_its_own_probabilities() -> None:
    page = seen(f"<h1>{TITLE}</h1><p>Anna Berg, Carl Dahl</p><p>{CLINIC}</p><p>who slept when</p>")
    first, second = find_people_chances(page, MODELS, 0, [])
    assert first.keys() == second.keys() == {1, 2}  # the third holds nobody
    assert first[1][0] > 0.9 < second[1][0]
    assert first[2][1] > 0.9 < second[2][0]


def test_a_label_that_a_zone_cannot_have_is_impossible() -> None:
    page = seen(f"<h1>{TITLE}</h1><p>Anna Berg, Carl Dahl</p><p>Case Report, MD</p>")
    assert "author" not in page.fitting[2]
    every = people_if(author="tag p")
    assert find_people_chances(page, replace(MODELS, people=every, other_people=every), 0, [])[0].keys() == {1}


def test_items_of_a_list_are_judged_as_a_list() -> None:
    items = "".join(f"<li class=who>{text}</li>" for text in ("Anna Berg", "Carl Dahl", "Eva Falk", "berg of snow"))
    page = seen(f"<h1>{TITLE}</h1><ul>{items}</ul>")
    first, second = find_people_chances(page, MODELS, 0, [])
    assert first[4][0] > 0.3 < second[4][0]
    assert first[1][0] < 0.95


def test_probable_zones_are_people_and_those_behind_the_abstract_are_told_apart() -> None:
    page = seen(f"<h1>{TITLE}</h1><p>Anna Berg</p><p>Carl Dahl</p><p>{PROSE}</p><p>{CLINIC}</p>")
    chances: PeopleChances = {1: (0.8, 0.1, 0.0), 2: (0.4, 0.0, 0.3), 4: (0.0, 0.1, 0.6)}
    assert label_people(page, chances, 0, [3]) == {
        1: Verdict("author", 0.8, "people"),
        4: Verdict("both", 0.6, "people-back"),
    }


def test_names_and_numbered_lines_complete_the_lists() -> None:
    items = "<ul><li>Anna Berg<sup>1</sup></li><li>Carl Dahl<sup>2</sup></li></ul>"
    page = seen(f"<h1>{TITLE}</h1>{items}<p>1 Quay House</p><p>2 Snow House</p>")
    chances: PeopleChances = {1: (0.9, 0.0, 0.0), 2: (0.2, 0.0, 0.0), 3: (0.0, 0.3, 0.0), 4: (0.0, 0.3, 0.0)}
    found = label_people(page, chances, 0, [])
    assert {i: verdict.label for i, verdict in found.items()} == {
        1: "author",
        2: "author",
        3: "affiliation",
        4: "affiliation",
    }


def test_an_announced_abstract_beside_the_chosen_one_is_in_another_language() -> None:
    spanish = "Preguntamos a doscientas personas del valle cómo dormían cuando la nieve llegó pronto. " * 2
    both = f"<h2>Abstract</h2><p>{PROSE}</p><h2>Resumen</h2><p>{spanish}</p>"
    assert [seen(f"<h1>{TITLE}</h1>{both}").rules[i].label for i in (2, 4)] == ["abstract", "other_abstract"]
    page = seen(f"<h1>Snow Valley</h1>{both}")  # a title whose language is not clear
    assert [page.rules[i].label for i in (2, 4)] == ["abstract", "abstract"]
    chosen = {2: Verdict("abstract", 0.9, "abstract-run")}
    assert {i: one.label for i, one in _label_other_abstracts(page, chosen).items()} == {4: "other_abstract"}
    assert _label_other_abstracts(page, {}) == {}
    assert _label_other_abstracts(page, {1: Verdict("heading", 0.9, "section")}) == {}


def test_a_line_that_holds_all_of_the_tab_may_be_the_title():
    tab = "Sleep and snow in the northern valleys"
    html = f"<title>{tab} | Tides</title><h1>Tides of the north</h1><div>Revised {tab} [v2]</div><p>{tab} is long.</p>"
    page = seen(html + "<h2>A heading that is as long as a title of an article</h2>" + f"<p>{tab[:34]}</p>")
    texts = [page.zones[i].text for i in list_title_zones(page)]
    assert f"Revised {tab} [v2]" in texts


def test_an_abstract_is_found_above_a_line_that_is_hardly_the_title():
    html = f"<h2>Abstract</h2><p>{PROSE}</p><h1>Sleep and snow in the winter</h1><p>Snow fell.</p>"
    page = seen(html)
    number = ZONE_NUMBERS.index("tag h1")
    found, missed = (
        [
            zone.zone.text
            for zone in label_observed(page, replace(MODELS, titles=titles))
            if zone.verdict.label == "abstract"
        ]
        for score in (-3.5, 3.5)
        for titles in [
            trees_from_data({"features": list(ZONE_NUMBERS), "rounds": [[[[number, 0.5, 1, 2], [-9.0], [score]]]]})
        ]
    )
    assert PROSE.strip() in found
    assert PROSE.strip() not in missed

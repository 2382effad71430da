"""The adaptive estimator: each sign that speaks for a link, and what it learns on the way."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from tests.topics.sets import concept_set, topic_page

from medharvest.topics.adaptive_estimator import (
    LINK_WEIGHTS,
    Adaptive,
    PlaceStatistics,
    WordProfile,
    is_foreign_text,
    is_guide_link,
    places_of_url,
    prose_share,
)
from medharvest.topics.estimates import PageOrigin, TopicLink, TopicPage

CONCEPTS = concept_set(synonym="lumen rash", partial="rash", context="hives")
SEED = PageOrigin(math.inf, 0, seed=True)
WORDS = "the skin of the patient is red and it was seen that the light of the sun is bad for it " * 5


def url(name: str) -> str:
    return f"https://a.example/x/{name}"


def ranked(estimator: Adaptive, *links: tuple[str, str], text: str = "") -> list[str]:
    values = estimator.judge(topic_page(url("seed"), text, *((url(to), name) for to, name in links)), SEED).links
    return [to.rpartition("/")[2] for to in sorted(values, key=lambda to: -values[to])]


def test_a_link_that_names_the_topic_comes_before_its_kin_and_these_before_others() -> None:
    links = (("a", "boats"), ("b", "hives"), ("c", "rash"), ("d", "glowfever"), ("lumen-rash", "here"))
    assert ranked(Adaptive(CONCEPTS), *links)[:2] == ["d", "c"]
    assert ranked(Adaptive(CONCEPTS), *links)[-1] == "a"


def test_the_text_around_a_link_counts() -> None:
    page = TopicPage(
        url=url("s"),
        text="glowfever",
        links=(TopicLink(url("a"), "1", "1 of boats"), TopicLink(url("b"), "2", "glowfever 2")),
    )
    values = Adaptive(CONCEPTS).judge(page, SEED).links
    assert values[url("b")] > values[url("a")]


def test_an_index_by_letters_is_entered_at_a_letter_of_the_topic_and_lists_before_other_pages() -> None:
    links = (("a", "A-Z: B"), ("g", "A-Z: G"), ("l", "Topics: L"), ("boats", "boats"), ("all", "All topics"))
    assert set(ranked(Adaptive(CONCEPTS), *links)[:2]) == {"g", "l"}
    assert ranked(Adaptive(CONCEPTS), *links)[2] == "all"


def test_words_of_relevant_pages_lead_to_pages_that_never_name_the_topic() -> None:
    estimator = Adaptive(CONCEPTS)
    for name, text in (("1", "glowfever comes with photophobia"), ("2", "boats"), ("3", "boats"), ("4", "ships")):
        estimator.judge(topic_page(url(name), text), SEED)
    values = estimator.judge(topic_page(url("s"), "", (url("a"), "photophobia"), (url("b"), "harbours")), SEED).links
    assert values[url("a")] > values[url("b")] + 0.1


def test_a_folder_that_turned_out_well_is_preferred_and_so_are_the_siblings_of_good_links() -> None:
    estimator = Adaptive(CONCEPTS)
    good, bad = "https://a.example/good/", "https://a.example/bad/"
    start = topic_page(url("s"), "", *((f"{base}{n}", "go") for base in (good, bad) for n in range(4)))
    before = estimator.judge(start, SEED).links
    assert before[f"{good}3"] == before[f"{bad}3"]
    for n in range(3):
        estimator.judge(topic_page(f"{good}{n}", "glowfever"), PageOrigin(1.0, 1))
        estimator.judge(topic_page(f"{bad}{n}", "boats"), PageOrigin(1.0, 1))
    assert estimator.revalue(f"{good}3", 0.0) > estimator.revalue(f"{bad}3", 0.0)
    assert estimator.revalue(url("unknown"), 0.7) == 0.7


def test_links_of_a_relevant_page_inherit_but_not_those_of_its_menu() -> None:
    estimator = Adaptive(CONCEPTS)
    for n in range(4):
        page = topic_page(url(f"{n}"), "glowfever", (url("menu"), "see"), (url(f"own{n}"), "see"))
        values = estimator.judge(page, PageOrigin(1.0, 1)).links
    assert values[url("own3")] > values[url("menu")] + 0.1


def test_all_that_waits_is_valued_anew_every_hundred_pages() -> None:
    estimator = Adaptive(CONCEPTS)
    estimator.judge(topic_page(url("s"), "", (url("wait"), "x")), SEED)
    assert estimator.revalued() == {}
    for n in range(99):
        estimator.judge(topic_page(url(f"{n}"), "boats"), PageOrigin(1.0, 1))
    assert set(estimator.revalued()) == {url("wait")}


def test_a_page_is_relevant_by_its_concepts_not_by_a_broader_one_alone() -> None:
    def own(text: str, title: str = "") -> float:
        return Adaptive(CONCEPTS).judge(topic_page(url("p"), text, title=title), PageOrigin(1.0, 1)).own

    assert own("boats") == 0
    assert own("hives " * 50) < own("rash " * 50) < 0.6 < own("glowfever")
    assert own(f"glowfever {WORDS}") < own(f"glowfever {WORDS}", title="Glowfever")
    assert own("glowfever " + "de la piel y el sol que es muy malo para los ojos " * 9) < 0.2


def test_headings_and_bold_type_count_more() -> None:
    plain, strong = (TopicPage(url=url("p"), text=f"glowfever {WORDS}", strong=strong) for strong in ("", "glowfever"))
    values = [Adaptive(CONCEPTS).judge(page, PageOrigin()).own for page in (plain, strong)]
    assert values[0] < values[1]


def test_the_more_links_wait_the_rarer_all_of_them_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("medharvest.topics.adaptive_estimator._REVALUE_EVERY_PAGES", 2)
    monkeypatch.setattr("medharvest.topics.adaptive_estimator._WAITING_LINKS_PER_PAGE", 2)
    estimator = Adaptive(CONCEPTS)
    estimator._due = 2
    estimator.judge(topic_page(url("s"), "", *((url(f"w{n}"), "x") for n in range(12))), SEED)
    looks = []
    for number in range(1, 9):
        estimator.judge(topic_page(url(f"p{number}")), PageOrigin(1.0, 1))
        looks.append(bool(estimator.revalued()))
    assert looks == [True, False, False, False, False, False, True, False]


def test_a_seed_is_trusted_as_far_as_it_is_prose() -> None:
    article = topic_page(url("p"), "boats " * 20, (url("a"), "next"))
    listing = topic_page(url("p"), "", *((url(f"{name}"), "next") for name in "abcdefghij"))
    values = [Adaptive(CONCEPTS).judge(page, SEED).links[url("a")] for page in (article, listing)]
    assert values[0] > values[1] + 0.2
    assert Adaptive(CONCEPTS).judge(article, SEED).own == 0  # that somebody chose it does not make it relevant
    assert prose_share(listing) == 0
    assert prose_share(TopicPage(url="")) == 1


def test_many_links_to_one_address_are_kept_within_bounds() -> None:
    estimator = Adaptive(CONCEPTS)
    estimator.judge(topic_page(url("s"), "", *((url("a"), "x") for _ in range(30))), SEED)
    assert len(estimator._mentions[url("a")]) == 8


def test_what_it_learnt_can_be_written_down() -> None:
    estimator = Adaptive(CONCEPTS)
    estimator.judge(
        topic_page(url("s"), "glowfever and photophobia", (url("a"), "photophobia"), (url("b"), "rash")), SEED
    )
    again = Adaptive(CONCEPTS, weights=LINK_WEIGHTS)
    again.recall(json.loads(json.dumps(estimator.memory())))
    assert [again.value(url(name)) for name in "ab"] == [estimator.value(url(name)) for name in "ab"]


@pytest.mark.parametrize(
    ("text", "guide"), [("A-Z", True), ("All topics", True), ("The index of all my old boats", False), ("Boats", False)]
)
def test_guides_are_short(text: str, guide: bool) -> None:  # noqa: FBT001
    assert is_guide_link(text) is guide


def test_a_short_text_is_in_no_language() -> None:
    assert not is_foreign_text("piel y sol")
    assert is_foreign_text("piel y sol " * 30)
    assert not is_foreign_text(WORDS)


def test_places_of_an_address() -> None:
    assert places_of_url("https://a.example/x/y/z.html?q=/1") == ("a.example", "a.example/x/", "a.example/x/y/...")
    assert places_of_url("https://a.example") == ("a.example", "a.example/", "a.example/...")


def test_priors_begin_low_and_follow_what_comes() -> None:
    priors = PlaceStatistics()
    assert priors.place(url("a")) == pytest.approx(0.03)
    assert priors.source(url("s")) == pytest.approx(0.03)
    priors.learn(url("b"), (url("s"),), 1.0)
    assert priors.place("https://a.example/y/a") < priors.place(url("a"))
    assert priors.source(url("s")) == pytest.approx(1.06 / 3)
    assert priors.place("https://a.example") > priors.place("https://b.example")


def test_a_profile_knows_nothing_of_an_empty_text() -> None:
    profile = WordProfile({})
    assert profile.strength(()) == 0
    assert profile.strength(("boats",)) == 0
    assert profile.similarity({"boats": 1}) == 0
    profile.learn({}, 1.0)


def test_concepts_count_in_the_running_text_not_in_a_box_of_related_pages() -> None:
    boxed = "boats and ships\nglowfever\nlumen rash\nglowfever in sailors"
    page = TopicPage(url=url("p"), text=boxed)
    whole, body, told = (
        Adaptive(CONCEPTS).judge(one, PageOrigin(1.0, 1)).own
        for one in (page, replace(page, body="boats and ships"), replace(page, body="ships with glowfever"))
    )
    assert body == 0 < whole
    assert told > 0


def test_a_link_in_a_block_inherits_less_than_one_in_running_text() -> None:
    links = (TopicLink(url("a"), "here", listed=True), TopicLink(url("b"), "here"))
    values = Adaptive(CONCEPTS).judge(TopicPage(url=url("p"), text="glowfever", links=links), PageOrigin(1.0, 1)).links
    assert values[url("b")] > values[url("a")] > 0


def test_a_plan_that_an_older_version_saved_is_recalled() -> None:
    estimator = Adaptive(CONCEPTS)
    values = estimator.judge(topic_page(url("s"), "glowfever", (url("a"), "here")), PageOrigin(1.0, 1)).links
    memory = json.loads(json.dumps(estimator.memory()))
    memory["mentions"] = {to: [mention[:4] for mention in known] for to, known in memory["mentions"].items()}
    again = Adaptive(CONCEPTS)
    again.recall(memory)
    assert again.revalue(url("a"), 0.0) == values[url("a")]

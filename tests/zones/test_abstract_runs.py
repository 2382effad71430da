"""The abstract is chosen as a whole."""

from __future__ import annotations

import pytest

from medharvest.boosted_trees import trees_from_data
from medharvest.pages import parse_page
from medharvest.records import Verdict
from medharvest.zones.abstract_runs import (
    RUN_NUMBERS,
    AbstractPage,
    find_abstract,
    guess_language,
    list_abstract_runs,
    number_runs,
)
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.zone_features import MetadataKeys

PROSE = "We asked two hundred people in the valley how they slept when the snow came early, and how they woke."
HTML = f"""<h1>Sleep and snow in the winter</h1><p>Anna Berg</p><h2>Background</h2><p>{PROSE}</p><h2>Results</h2>
    <p>{PROSE} Again.</p><p>Received in March; accepted in May. Copyright of the valley, all rights reserved.</p>"""


def page(chances: dict[int, float], ruled: tuple[int, ...] = (), known: MetadataKeys | None = None) -> AbstractPage:
    zones = segment_with_hidden(parse_page(HTML.encode(), name="page"))
    rules = dict.fromkeys(ruled, Verdict("abstract", 0.8, "under-heading"))
    return AbstractPage(zones, rules, chances, 0, known or MetadataKeys())


CHANCES = {1: 0.01, 2: 0.0, 3: 0.9, 4: 0.0, 5: 0.8, 6: 0.2}
LONGEST = trees_from_data(
    {"features": list(RUN_NUMBERS), "rounds": [[[[1, 1.5, 1, 2], [-1.0], [1, 2.5, 3, 4], [3.0], [0.0]]]]}
)


def test_runs_are_those_of_the_rules_those_around_likely_zones_and_parts_of_both() -> None:
    runs = list_abstract_runs(page(CHANCES, ruled=(3, 5, 6)))
    assert runs[0] == (3, 5, 6)
    assert {(3,), (5,), (3, 5), (5, 6)} <= set(runs)
    assert len(runs) == len(set(runs))


def test_a_run_has_a_number_for_each_name_and_shows_how_it_ends() -> None:
    one = page(CHANCES)
    whole, cut = (dict(zip(RUN_NUMBERS, numbers, strict=True)) for numbers in number_runs(one, [(3, 5, 6), (3, 5)]))
    assert whole["other-matter-tail"] > cut["other-matter-tail"] == 0
    assert (cut["paragraphs"], cut["gaps"], cut["below-chance"]) == (2, 1, 0.2)
    assert cut["sections"] == 1


def test_agreement_with_the_metadata_is_seen() -> None:
    key = "".join(filter(str.isalnum, PROSE.lower()))
    known = MetadataKeys(abstracts=(key,))
    numbers = dict(zip(RUN_NUMBERS, number_runs(page(CHANCES, known=known), [(3,)])[0], strict=True))
    assert (numbers["known-length"], numbers["known-start"], numbers["known-end"]) == (1.0, True, True)


def test_the_best_run_is_labelled_with_the_headings_inside_it() -> None:
    found = find_abstract(page(CHANCES), LONGEST)
    assert {i: verdict.label for i, verdict in found.items()} == {
        2: "heading",
        3: "abstract",
        4: "heading",
        5: "abstract",
    }
    assert {verdict.method for verdict in found.values()} == {"abstract-run", "section"}


def test_a_page_without_a_likely_run_has_no_abstract() -> None:
    never = trees_from_data({"features": list(RUN_NUMBERS), "rounds": [[[[-9.0]]]]})
    assert find_abstract(page(CHANCES), never) == {}
    assert find_abstract(page({}), LONGEST) == {}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (PROSE, "english"),
        ("Los pacientes que durmieron con la nieve del valle para una noche", "spanish"),
        ("雪谷睡眠研究方法结果", "ideographs"),
        ("Снег и сон зимой", "cyrillic"),
        ("x", "other"),
    ],
)
def test_the_language_is_told_by_function_words_or_script(text: str, language: str) -> None:
    assert guess_language(text) == language

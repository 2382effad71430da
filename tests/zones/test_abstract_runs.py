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
    list_abstract_runs,
    number_runs,
)
from medharvest.zones.known_values import MetadataKeys
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.wording import guess_language

PROSE = "We asked two hundred people in the valley how they slept when the snow came early, and how they woke."
HTML = f"""<h1>Sleep and snow in the winter</h1><p>Anna Berg</p><h2>Background</h2><p>{PROSE}</p><h2>Results</h2>
    <p>{PROSE} Again.</p><p>Received in March; accepted in May. Copyright of the valley, all rights reserved.</p>"""


def page(
    chances: dict[int, float],
    ruled: tuple[int, ...] = (),
    known: MetadataKeys | None = None,
    *,
    html: str = HTML,
    title: int = 0,
) -> AbstractPage:
    zones = segment_with_hidden(parse_page(html.encode(), name="page"))
    rules = dict.fromkeys(ruled, Verdict("abstract", 0.8, "under-heading"))
    return AbstractPage(zones, rules, chances, title, known or MetadataKeys())


CHANCES = {1: 0.01, 2: 0.0, 3: 0.9, 4: 0.0, 5: 0.8, 6: 0.2}
LONGEST = trees_from_data(
    {"features": list(RUN_NUMBERS), "rounds": [[[[1, 1.5, 1, 2], [-1.0], [1, 2.5, 3, 4], [3.0], [0.0]]]]}
)


def test_runs_are_those_of_the_rules_those_around_likely_zones_and_parts_of_both() -> None:
    runs = list_abstract_runs(page(CHANCES, ruled=(3, 5, 6)))
    assert runs[0] == (3, 5, 6)
    assert {(3, 5), (6,)} <= set(runs)
    assert not {(3,), (5,), (5, 6)} & set(runs)  # they cut through the sections of an announced abstract
    assert {(3,), (5,)} <= set(list_abstract_runs(page(CHANCES)))
    assert len(runs) == len(set(runs))


def test_a_run_has_a_number_for_each_name_and_shows_how_it_ends() -> None:
    one = page(CHANCES)
    whole, cut = (dict(zip(RUN_NUMBERS, numbers, strict=True)) for numbers in number_runs(one, [(3, 5, 6), (3, 5)]))
    assert whole["other-matter-tail"] > cut["other-matter-tail"] == 0
    assert (cut["paragraphs"], cut["gaps"], cut["below-chance"]) == (2, 1, 0.2)
    assert cut["sections"] == 1


SECTIONS = f"""<h1>Sleep and snow</h1><h4>Aims</h4><p>{PROSE}</p><h4>Methods</h4><p>{PROSE}</p><h4>Results</h4>
    <p>{PROSE}</p><h2>Introduction</h2><p>{PROSE}</p><h2>Methods</h2><p>{PROSE}</p>"""


@pytest.mark.parametrize(
    ("run", "sections"),
    [
        ((2, 4, 6), (0, 2, 0, 0)),  # the sections of the text are written otherwise
        ((4, 6), (1, 2, 1, 0)),
        ((2,), (0, 4, 0, 2)),
        ((6,), (2, 2, 2, 0)),
        ((8,), (3, 1, 0, 1)),
    ],
)
def test_sections_that_a_run_leaves_out_are_counted(run: tuple[int, ...], sections: tuple[int, ...]) -> None:
    numbers = dict(zip(RUN_NUMBERS, number_runs(page({}, html=SECTIONS), [run])[0], strict=True))
    names = ("sections-above", "sections-below", "alike-above", "alike-below")
    assert tuple(numbers[name] for name in names) == sections


def test_no_run_has_two_sections_of_one_name() -> None:
    likely = dict.fromkeys((2, 4, 6, 8, 10), 0.9)
    runs = list_abstract_runs(page(likely, (2, 4, 6), html=SECTIONS))
    assert (2, 4, 6) in runs
    assert not any({4, 10} <= set(run) for run in runs)


def test_sections_far_away_are_not_counted() -> None:
    far = SECTIONS.replace("<h2>Introduction</h2>", "<p>Snow.</p>" * 8)
    numbers = number_runs(page({}, html=far), [(2, 4, 6)])[0]
    assert numbers[RUN_NUMBERS.index("sections-below")] == 0


def test_a_heading_that_announces_something_divides_the_runs_of_the_rules() -> None:
    one = page(CHANCES, ruled=(3, 5))
    divided = one._replace(rules={**one.rules, 4: Verdict("heading", 0.9, "announced")})
    assert list_abstract_runs(one)[0] == (3, 5)
    assert list_abstract_runs(divided)[:2] == [(3,), (5,)]


@pytest.mark.parametrize(
    ("gap", "runs"),
    [(1, {(0, 2)}), (2, {(0, 3)}), (3, set())],
)
def test_runs_grow_over_small_gaps(gap: int, runs: set[tuple[int, ...]]) -> None:
    html = f"<p>{PROSE}</p>{'<b><i>x</i></b><hr>' * gap}<div><p>{PROSE}</p></div>"
    chances = {0: 0.9, gap + 1: 0.9}
    assert {run for run in list_abstract_runs(page(chances, html=html, title=-1)) if len(run) > 1} == runs


@pytest.mark.parametrize(("chance", "grown"), [(0.7, True), (0.2, True), (0.02, False)])
def test_a_run_takes_in_every_paragraph_that_is_likely_enough(chance: float, *, grown: bool) -> None:
    html = f"<p>{PROSE}</p><div><p>Snow.</p></div>"
    assert ((0, 1) in list_abstract_runs(page({0: 0.9, 1: chance}, html=html, title=-1))) is grown


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
        ("Ludzie w dolinie nie spali, gdy spadł śnieg, oraz się nie budzili", "polish"),
        ("Orang tidur dengan salju yang turun pada malam itu untuk tidur", "indonesian"),
        ("雪谷睡眠研究方法结果", "ideographs"),
        ("Снег и сон зимой", "cyrillic"),
        ("x", "other"),
    ],
)
def test_the_language_is_told_by_function_words_or_script(text: str, language: str) -> None:
    assert guess_language(text) == language


@pytest.mark.parametrize(("ruled", "method"), [((3, 5), "abstract-agreed"), ((3, 5, 6), "abstract-run")])
def test_the_method_tells_whether_the_rules_announce_just_this_run(ruled: tuple[int, ...], method: str) -> None:
    prefers_two = trees_from_data(
        {"features": list(RUN_NUMBERS), "rounds": [[[[1, 1.5, 1, 2], [-5.0], [1, 2.5, 3, 4], [5.0], [-5.0]]]]}
    )
    found = find_abstract(page(CHANCES, ruled=ruled), prefers_two)
    assert {found[i].method for i in (3, 5)} == {method}

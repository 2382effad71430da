import json
from collections.abc import Mapping
from typing import Any

from medharvest.boosted_trees import digest_of_data
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from medharvest.pages import parse_page
from medharvest.zones.abstract_runs import RUN_NUMBERS
from medharvest.zones.labeller import (
    PARAGRAPH_NUMBERS,
    PERSON_NUMBERS,
    PERSON_STATES,
    TITLE_NUMBERS,
    label_by_models,
    zone_models_from_data,
)
from medharvest.zones.segmentation import segment_with_hidden
from medharvest.zones.zone_numbers import ZONE_NUMBERS
from training.zone_models import (
    PageExample,
    align_true_labels,
    collect_page_examples,
    observe_variants,
    package_zone_models,
    split_layouts,
    train_zone_models,
)

CLINIC, SCHOOL = "Sleep Clinic, General Hospital, Oslo, Norway", "School of Snow, University of Bergen, Bergen, Norway"
PROSE = "We asked two hundred people in the valley how they slept when the snow came early, and how they woke."
TRUTH = {
    "title": "Sleep and snow in the winter of the north",
    "authors": ["Anna Berg", {"given": "Carl", "family": "Dahl"}],
    "affiliations": [CLINIC, SCHOOL],
    "abstract": f"Methods {PROSE} Results They slept less than before, and longer in the morning.",
}
MIDDLE = "<ul>" + "<li>Snow fell in the valley again</li>" * 60 + "</ul>"
BODY = f"""<title>{TRUTH["title"]} | Snow</title><nav><p>Home</p><p>About</p></nav>
    <h1 class="{{0}}">{TRUTH["title"]}</h1>
    <p class="{{1}}">Anna Berg<sup>1</sup>, Carl Dahl<sup>2</sup></p><p>1 {CLINIC}</p><p>2 {SCHOOL}</p>
    <h2>Abstract</h2><h3>Methods</h3><p>{PROSE}</p><h3>Results</h3>
    <p>They slept less than before, and longer in the morning.</p><h2>Introduction</h2>{MIDDLE}"""


def _page(layout: str, body: str = BODY.format("title", "authors"), truth: Mapping[str, Any] = TRUTH) -> ReadPage:
    return LabelledPage(id=layout, body=body.encode(), truth=truth, layout=layout)


def _labels(body: str, truth: Mapping[str, Any]) -> dict[str, str]:
    zones = segment_with_hidden(parse_page(body.encode(), name="page"))
    labels = align_true_labels(zones, truth)
    return {} if labels is None else {z.text: label for z, label in zip(zones, labels, strict=True) if label}


def test_known_values_give_the_zones_their_labels():
    assert list(_labels(BODY, TRUTH).values()) == [
        *("title", "author", "affiliation", "affiliation"),
        *("section", "abstract", "section", "abstract"),
    ]


def test_a_line_may_hold_a_name_and_an_affiliation():
    body = f"<h1>{TRUTH['title']}</h1><p>Anna Berg, {CLINIC}</p>"
    assert list(_labels(body, TRUTH).values()) == ["title", "both"]


def test_a_known_note_on_people_is_no_affiliation():
    note = f"Reprint requests to Anna Berg, {CLINIC}"
    body = f"<h1>{TRUTH['title']}</h1><p>Anna Berg, Carl Dahl</p><p>{note}</p>"
    assert list(_labels(body, TRUTH).values()) == ["title", "author", "both"]
    assert list(_labels(body, {**TRUTH, "people_notes": {"correspondence": note}}).values()) == ["title", "author"]


def test_a_page_that_does_not_print_its_title_teaches_nothing():
    assert _labels("<p>Snow</p>", TRUTH) == {}
    assert collect_page_examples(observe_variants([_page("a", "<p>Snow</p>")])) == []


def test_the_title_above_the_people_is_the_title():
    title = f"<h2>{TRUTH['title']}</h2>"
    body = f"<div>{title}</div>{'<p>x y</p>' * 30}{title}<p>Anna Berg, Carl Dahl</p>"
    zones = segment_with_hidden(parse_page(body.encode(), name="page"))
    labels = align_true_labels(zones, TRUTH)
    assert labels is not None
    assert labels.index("title") == 31


def _examples(count: int = 1, **given: Any) -> list[PageExample]:
    return collect_page_examples(observe_variants([_page("a")] * count), **given)


def test_few_pages_of_a_layout_teach():
    assert len(_examples(7)) == 5  # these have no metadata, else each would count twice


def test_a_page_teaches_its_title_its_people_and_its_abstract():
    titles, persons, paragraphs = _examples()[0][1:]
    assert [row.label for row in titles if row.label] == [1]
    assert [PERSON_STATES[row.label] for row in persons if row.label] == ["author", "affiliation", "affiliation"]
    assert [row.label for row in paragraphs if row.label] == [1, 1]
    for rows, names in ((titles, TITLE_NUMBERS), (persons, PERSON_NUMBERS), (paragraphs, PARAGRAPH_NUMBERS)):
        assert {len(row.numbers) for row in rows} == {len(names)}


def test_every_third_of_the_other_zones_teaches():
    body = f"<h1>{TRUTH['title']}</h1><p>Anna Berg, Carl Dahl</p>{'<p>who slept when</p>' * 30}"
    persons = collect_page_examples(observe_variants([_page("a", body)]))[0].persons
    assert [row.label for row in persons].count(0) == 10
    assert [row.label for row in persons].count(1) == 1


def test_a_row_has_the_weight_and_the_layout_of_its_page():
    rows = [row for kind in _examples(weight=0.5)[0][1:] for row in kind]
    assert {(row.weight, row.layout) for row in rows} == {(0.5, "a")}


def test_a_second_print_of_the_title_is_not_taught_as_something_else():
    body = BODY.replace("<h2>Introduction", f"<h2>{TRUTH['title']}</h2><h2>Stories of snow</h2><h2>Introduction")
    titles = collect_page_examples(observe_variants([_page("a", body)]))[0].titles
    lengths = [row.numbers[TITLE_NUMBERS.index("length")] for row in titles]
    assert lengths.count(lengths[[row.label for row in titles].index(1)]) == 1


def test_the_second_labeller_sees_neither_the_metadata_nor_the_zones_around():
    used = {}
    data = train_zone_models([example for n in range(5) for example in _with_metadata(str(n))])
    for name in ("people", "other_people"):
        nodes = [node for trees in data[name]["rounds"] for tree in trees for node in tree if len(node) > 1]
        used[name] = {data[name]["features"][node[0]] for node in nodes}
    hidden = ("held-", "known-", "+", "-", "group", "rule ")
    assert [name for name in used["other_people"] if name.startswith(hidden)] == []
    assert used["other_people"]
    assert [name for name in used["people"] if name.startswith(hidden)]


def test_the_numbers_hidden_from_the_second_labeller_are_those_that_they_are_named_after():
    known = "<meta name=citation_author content='Anna Berg'><meta name=citation_author_institution content='Ice'>"
    plain, told = (
        observe_variants([_page("a", f"{head}<h1>{TRUTH['title']}</h1><p>Anna Berg, Carl Dahl</p>")])[0].seen.numbers
        for head in ("", known)
    )
    pairs = zip(ZONE_NUMBERS, plain.vector(1), told.vector(1), strict=True)
    assert {name for name, one, other in pairs if one != other} == {
        *("held-share", "held-count", "held-dense", "known-place", "known-names")
    }


def _with_metadata(layout: str) -> list[PageExample]:
    names = "".join(f"<meta name=citation_author content='{name}'>" for name in ("Anna Berg", "Carl Dahl"))
    return collect_page_examples(observe_variants([_page(layout, names + BODY.format("title", "authors"))]))


def test_trained_models_label_a_page_like_those_they_saw():
    pages = [_page(str(number), BODY.format("title", "authors")) for number in range(30)]
    data = train_zone_models(collect_page_examples(observe_variants(pages)))
    models = zone_models_from_data({**data, "runs": {"features": list(RUN_NUMBERS), "rounds": [[[[1.0]]]]}})
    found = {z.verdict.label: z.zone.text for z in label_by_models(parse_page(pages[0].body, name="page"), models)}
    assert found["title"] == TRUTH["title"]
    assert found["author"] == "Anna Berg1, Carl Dahl2"
    assert found["affiliation"] == f"2 {SCHOOL}"


def test_the_packaged_models_carry_their_digest_and_the_pages_they_saw():
    pages = [_page(str(number)) for number in range(5)]
    learnt = collect_page_examples(observe_variants(pages))
    content = json.loads(package_zone_models(pages, learnt, {"titles": {}}))
    assert content["digest"] == digest_of_data(content["models"])
    assert len(content["card"]["pages"]) == 5
    assert content["card"]["layouts"] == 5
    assert "vocabulary" not in content["card"]


def test_kin_layouts_share_a_fold():
    folds = split_layouts(["snow_2001", "snow_2015", "ice", "rain"], 2)
    assert next(fold for fold in folds if "snow_2001" in fold) >= {"snow_2015"}
    assert {layout for fold in folds for layout in fold} == {"snow_2001", "snow_2015", "ice", "rain"}

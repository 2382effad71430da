import json
from collections.abc import Mapping
from typing import Any

from medharvest.boosted_trees import digest_of_data
from medharvest.evaluate.labelled_pages import LabelledPage, ReadPage
from medharvest.pages import parse_page
from medharvest.zones.abstract_runs import RUN_NUMBERS
from medharvest.zones.chain_model import zone_models_from_data
from medharvest.zones.labeller import label_by_models
from medharvest.zones.segmentation import segment_with_hidden
from training.zone_models import (
    PageExample,
    align_true_labels,
    class_vocabulary,
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


def test_few_pages_of_a_layout_teach_and_long_runs_are_shortened():
    learnt = collect_page_examples(observe_variants([_page("a")] * 7))
    assert len(learnt) == 5  # these have no metadata, else each would count twice
    assert len(learnt[0].people) < 60
    assert [label for _, label in learnt[0].people][:3] == ["author", "affiliation", "affiliation"]


def test_class_words_of_few_layouts_are_not_learnt():
    row = (["w=aff", "L=3"], "none")
    rare = [PageExample(layout, [row], [row], [], [], []) for layout in "abcd"]
    assert class_vocabulary(rare) == {}
    assert class_vocabulary([*rare, rare[0]._replace(layout="e")]) == {"w=aff": 5}


def test_trained_models_label_a_page_like_those_they_saw():
    pages = [_page(str(number), BODY.format("title", "authors")) for number in range(5)]
    data = train_zone_models(collect_page_examples(observe_variants(pages)))
    models = zone_models_from_data({**data, "run_trees": {"features": list(RUN_NUMBERS), "rounds": [[[[1.0]]]]}})
    found = {z.verdict.label: z.zone.text for z in label_by_models(parse_page(pages[0].body, name="page"), models)}
    assert found["title"] == TRUTH["title"]
    assert found["author"] == "Anna Berg1, Carl Dahl2"
    assert found["affiliation"] == f"2 {SCHOOL}"


def test_the_packaged_models_carry_their_digest_and_the_pages_they_saw():
    pages = [_page(str(number)) for number in range(5)]
    learnt = collect_page_examples(observe_variants(pages))
    content = json.loads(package_zone_models(pages, learnt, {"title": {}}))
    assert content["digest"] == digest_of_data(content["models"])
    assert len(content["card"]["pages"]) == 5
    assert content["card"]["layouts"] == 5
    assert content["card"]["vocabulary"]["title"] == 5


def test_kin_layouts_share_a_fold():
    folds = split_layouts(["snow_2001", "snow_2015", "ice", "rain"], 2)
    assert next(fold for fold in folds if "snow_2001" in fold) >= {"snow_2015"}
    assert {layout for fold in folds for layout in fold} == {"snow_2001", "snow_2015", "ice", "rain"}

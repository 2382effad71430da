"""The yardstick of `read`: by hand-made cases, and side by side with the corpus's own scorer."""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from medharvest.evaluate.field_scores import (
    SCORED_CORE_FIELDS,
    SCORED_FIELDS,
    SCORED_LIST_FIELDS,
    FieldTally,
    ReadScore,
    compare_field,
    score_predictions,
)

RIGHT, WRONG, MISSING, IGNORED = (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)
ABSTRACT = " ".join(f"word{number}" for number in range(40))

# A field, its truth, what was read, and how many values are then correct, wrong and missing.
CASES: list[tuple[str, Any, Any, tuple[int, int, int]]] = [
    ("title", "Iron — and “CO₂” uptake", "iron and CO 2 uptake.", RIGHT),
    ("title", "Iron uptake", "Iron uptake in mice", WRONG),
    ("title", "Iron uptake", "", MISSING),
    ("title", "Iron uptake", None, MISSING),
    ("title", "Iron uptake", ["Iron uptake", "Something else"], RIGHT),
    ("title", "Iron uptake", [""], WRONG),
    ("title", "Straße", "STRASSE", RIGHT),
    ("title", "!!!", "???", RIGHT),
    ("title", None, "Iron uptake", IGNORED),
    ("title", "", "Iron uptake", IGNORED),
    ("abstract", ABSTRACT, f"<b>Background:</b> {ABSTRACT} Conclusions", RIGHT),
    ("abstract", ABSTRACT, ABSTRACT[: len(ABSTRACT) // 2], WRONG),
    ("abstract", ABSTRACT, f"{ABSTRACT} and five more words here", WRONG),
    ("abstract", "Abstract", "Summary", RIGHT),
    ("abstract", "Abstract", "Summary of it", WRONG),
    ("doi", "10.5555/AbC.1", "https://doi.org/10.5555/abc.1", RIGHT),
    ("doi", "10.5555/abc.1", "doi: 10.5555/abc.1.", RIGHT),
    ("doi", "10.5555/abc.1", "http://dx.doi.org/doi:10.5555/abc.1", RIGHT),
    ("doi", "10.5555/abc.1", "10.5555/abc.10", WRONG),
    ("journal", "Journal of Bacteriology", "J Bacteriol", RIGHT),
    ("journal", "The Lancet (London)", "Lancet", RIGHT),
    ("journal", "BMJ", "British Medical Journal", RIGHT),
    ("journal", "Nature", "Nature Chemistry", WRONG),
    ("journal", "The", "Of", WRONG),
    ("volume", "14", " 14 ", RIGHT),
    ("volume", "14", 14, RIGHT),
    ("issue", "Suppl 1", "suppl 1", RIGHT),
    ("issue", "5/6", "5", WRONG),
    ("first_page", "e12", "E12", RIGHT),
    ("last_page", "131", "31", WRONG),
    ("date", "2014-03", "2014-03-01", RIGHT),
    ("date", "2014-03-02", "2014", WRONG),
    ("date", "2014-03-02", "March 2, 2014", RIGHT),
    ("date", "03/04/2015", "2015-04-03", RIGHT),
    ("date", "03/04/2015", "2015-03-04", RIGHT),
    ("date", "2015-03-04", "2015-04-03", WRONG),
    ("date", "2017 May/June", "2017-05", RIGHT),
    ("date", "2017 May/June", "2017-06", WRONG),
    ("date", "2014-03-02", "2014-03-02T10:20:30Z", RIGHT),
    ("date", "2014-03-02", {"date-parts": [[2014, 3, 2]]}, RIGHT),
    ("date", "2014-03-02", {"date-parts": []}, WRONG),
    ("date", "2014-03-02", "no year at all", WRONG),
    ("date", "2014", "Winter 20145", WRONG),
    ("date", "2014-13-40", "2014-13-40", WRONG),
    ("year", "2014-03-02", "2014", RIGHT),
    ("year", "2014", "2015-01-01", WRONG),
    ("issn", "1234-567X", ["9999-9999", "1234567x"], RIGHT),
    ("issn", ["1234-567X", "1111-1111"], "1111-1111", RIGHT),
    ("issn", "1234-5678", "print 8765-4321", WRONG),
    ("authors", ["Victoria Van Hyning"], ["Van Hyning, V."], (1, 0, 0)),
    ("authors", ["Remus DM"], [{"family": "Remus", "given": "D.M."}], (1, 0, 0)),
    ("authors", ["JP Smith"], [{"family": "Smith", "given": "Jean-Paul"}], (1, 0, 0)),
    ("authors", ["JEAN SMITH"], ["Smith, J"], (1, 0, 0)),
    ("authors", ["John Doe Jr"], ["Doe, Jr."], (0, 1, 1)),
    ("authors", ["John Doe, Jr."], [{"family": "Doe", "given": "John", "suffix": "Jr"}], (1, 0, 0)),
    ("authors", ["Ann Ash", "Bob Beech", "Cy Cedar"], ["Bob Beech", "Ann Ash", "Cy Cedar"], (2, 1, 1)),
    ("authors", ["Ann Ash", "Bob Beech"], ["Ann Ash", "Ann Ash", "Bob Beech"], (2, 1, 0)),
    ("authors", ["Ann Ash"], "Ann Ash", (1, 0, 0)),
    ("authors", ["Ann Ash"], {"name": "Ann Ash"}, (1, 0, 0)),
    ("authors", ["Ann Ash"], [{}, "."], (0, 2, 1)),
    ("authors", ["Sukarno"], [{"family": "Sukarno"}], (1, 0, 0)),
    ("authors", ["The Elm Group"], [{"collective": "The Elm Group"}], (1, 0, 0)),
    ("authors", ["Ann Ash"], None, (0, 0, 1)),
    ("authors", [], ["Ann Ash"], (0, 0, 0)),
    ("affiliations", ["Dept of X, Town"], ["1 Dept of X, Town, a@b.example"], (1, 0, 0)),
    ("affiliations", ["Dept of X, Town"], ["†aDept of X, Town."], (1, 0, 0)),
    ("affiliations", ["Dept of X, Town"], [{"name": "a) Dept of X, Town"}], (1, 0, 0)),
    ("affiliations", ["Dept of X", "Dept of X."], ["Dept of X", "*"], (1, 0, 0)),
    ("affiliations", ["A B C D E F G H I J"], ["A B C D E F G H I", "A B C D E F G H I J"], (1, 1, 0)),
    ("affiliations", ["Dept of X"], ["Dept of Y"], (0, 1, 1)),
    ("keywords", ["Sickle-cell", "malaria"], ["Malaria", "sickle cell", "extra"], (2, 1, 0)),
    ("keywords", ["malaria"], "malaria", (1, 0, 0)),
    ("keywords", ["malaria"], ["", "-"], (0, 1, 1)),
]


@pytest.mark.parametrize(("field", "truth", "read", "expected"), CASES)
def test_a_field_is_right_wrong_or_missing(field: str, truth: Any, read: Any, expected: tuple[int, int, int]) -> None:
    tally = compare_field(field, *_page(field, truth, read))
    assert (tally.correct, tally.wrong, tally.missing) == expected
    assert tally.exact == (tally.pages == 1 and expected[1:] == (0, 0))


@pytest.mark.parametrize("field", SCORED_FIELDS)
def test_a_value_where_the_truth_is_silent_is_counted_and_not_held_against_the_reader(field: str) -> None:
    assert compare_field(field, {}, {"date": "2014", field: "anything"}) == FieldTally(on_null=1)


def test_a_predicted_group_the_truth_lists_apart_is_neither_right_nor_wrong() -> None:
    truth = {"authors": ["Ann Ash"], "collective_authors": ["Elm Investigators"]}
    read = {"authors": [{"family": "Ash", "given": "Ann"}, {"collective": "for the ELM investigators"}]}
    assert compare_field("authors", truth, read) == FieldTally(correct=1, truth=1, pages=1, exact=1)


def test_the_core_score_is_the_mean_of_four_and_a_page_must_have_all_it_prints() -> None:
    whole = {"title": "One", "authors": ["Ann Ash"], "affiliations": ["Dept"], "abstract": "Text"}
    editorial = {"title": "Two", "authors": ["Bob Beech"]}
    score = score_predictions([(whole, whole), (editorial, {"title": "Two"}), ({}, whole)])
    assert score.core4 == pytest.approx((1 + 2 / 3 + 1 + 1) / 4)
    assert (score.all4, score.pages) == (0.5, 3)


def test_nothing_to_score_gives_zeros() -> None:
    score = score_predictions([])
    assert (score.core4, score.all4, score.pages, score.mean_f1(SCORED_CORE_FIELDS)) == (0, 0, 0, 0)


@pytest.mark.needs("corpus")
def test_hand_made_cases_score_alike_on_the_corpus_yardstick(yardstick: ModuleType) -> None:
    cases = [(*_page(field, truth, read), field) for field, truth, read, _ in CASES]
    group = {"authors": ["Ann Ash"], "collective_authors": ["Elm Investigators"]}
    cases.append((group, {"authors": ["Ash, A", {"collective": "Elm investigators"}]}, "authors"))
    for truth, read, field in cases:
        ours = score_predictions([(truth, read)])
        theirs = yardstick.score([{"id": "x", **truth}], {"x": read})
        assert _whole(ours) == pytest.approx(_whole_of(theirs), abs=1e-12), (field, truth, read)


@pytest.mark.needs("corpus")
@pytest.mark.parametrize("folder", ["articles", "pdfs"])
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_both_yardsticks_agree_on_every_page_of_the_corpus(
    yardstick: ModuleType, corpus: Path, folder: str, seed: int | None
) -> None:
    lines = (corpus / folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    truths = [json.loads(line) for line in lines]
    chance = random.Random(seed)
    reads = {truth["id"]: truth if seed is None else perturbed(truth, chance) for truth in truths}
    for group in [*([truth] for truth in truths), truths]:
        ours = score_predictions((truth, reads[truth["id"]]) for truth in group)
        theirs = yardstick.score(group, reads)
        assert _whole(ours) == pytest.approx(_whole_of(theirs), abs=1e-12), group[0]["id"]
    assert (ours.core4 == 1) == (seed is None)


def _page(field: str, truth: Any, read: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    name = "date" if field == "year" else field
    return {name: truth}, {name: read}


COUNTS = ("correct", "wrong", "missing", "truth", "pages", "exact", "on_null")
SHARES = ("precision", "recall", "f1", "page")


def _whole(score: ReadScore) -> dict[str, float]:
    flat = {
        f"{field} {name}": getattr(score.fields[field], name) for field in SCORED_FIELDS for name in COUNTS + SHARES
    }
    return {**flat, "core4": score.core4, "all4": score.all4, "pages": score.pages}


def _whole_of(theirs: Mapping[str, Any]) -> dict[str, float]:
    """The yardstick leaves out what it never counted; everything else it says is taken over."""
    flat = {f"{field} {name}": 0.0 for field in SCORED_FIELDS for name in COUNTS + SHARES}
    for key, value in theirs.items():
        flat |= {f"{key} {name}": part for name, part in value.items()} if isinstance(value, dict) else {key: value}
    return flat


def perturbed(truth: Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """A prediction that errs as readers do: a field is kept, or damaged in one of several ways."""
    read: dict[str, Any] = {}
    for name, value in truth.items():
        damages = list(_damages(name, value, chance))
        read[name] = chance.choice(damages)() if damages and chance.random() < 0.6 else value
    if chance.random() < 0.1:
        del read[chance.choice(SCORED_CORE_FIELDS)]
    return read


def _damages(name: str, value: Any, chance: random.Random) -> Iterator[Callable[[], Any]]:
    if value is None:
        yield lambda: "invented"
    elif name in SCORED_LIST_FIELDS and value:
        yield lambda: chance.sample(value, len(value))
        yield lambda: value[: len(value) // 2]
        yield lambda: [*value, value[0], "Another, One"]
        yield lambda: [str(item).upper() for item in value]
        yield lambda: [{"family": str(item).split()[-1], "given": " ".join(str(item).split()[:-1])} for item in value]
        yield lambda: [f"{number} {item}, x@y.example" for number, item in enumerate(value, 1)]
        yield lambda: [{"collective": str(item)} for item in value]
        yield lambda: str(value[0])
    elif isinstance(value, str):
        yield lambda: value[: len(value) * chance.randrange(80, 100) // 100]
        yield lambda: f"<i>{value.upper()}</i>"
        yield lambda: [value, "second"]
        yield lambda: f"Background: {value} Conclusions"
        yield lambda: value.replace("-", "/")
        yield lambda: " ".join(chance.sample(value.split(), len(value.split())))
        yield lambda: chance.choice(["", None, [], "2015", "12 March 2014", "10.5555/1", "1234-5678"])

"""Floors: created a margin below, raised, never lowered; pinned to their data."""

from pathlib import Path

import pytest

from medharvest.errors import OutputError, QualityError
from medharvest.evaluate.results import Result
from medharvest.evaluate.stages import FLOOR_MARGIN, Floor, check_floors, load_floors, raise_floors, save_floors


def result(*, digest: str = "d1", **figures: float) -> Result:
    return Result(stage="read", data="demo", digest=digest, pages=1, figures=tuple(figures.items()))


def floor(*, digest: str = "d1", **figures: float) -> dict[str, Floor]:
    return {"read/demo": Floor(digest, figures)}


@pytest.mark.parametrize(
    ("measured", "floors", "words"),
    [
        (result(core4=0.9), floor(core4=0.9), []),
        (result(core4=0.91), floor(core4=0.9), []),
        (result(core4=0.89), floor(core4=0.9), ["core4 is 0.8900, below its floor 0.9000"]),
        (result(core4=0.9), {}, ["no floor"]),
        (result(core4=0.9), {"links/demo": Floor("d1", {"core4": 0.1})}, ["no floor"]),
        (result(core4=0.9, all4=0.5), floor(core4=0.9), ["no floor for all4"]),
        (result(core4=0.9), floor(core4=0.9, all4=0.5), ["all4 has a floor and is not measured"]),
        (result(core4=0.9, digest="d2"), floor(core4=0.9), ["labelled data changed"]),
    ],
)
def test_the_gate_says_what_is_wrong(measured: Result, floors: dict[str, Floor], words: list[str]) -> None:
    complaints = check_floors([measured], floors)
    assert len(complaints) == len(words)
    for complaint, word in zip(complaints, words, strict=True):
        assert complaint.startswith("read/demo: ")
        assert word in complaint


@pytest.mark.parametrize(
    ("measured", "old", "new"),
    [
        (0.9, {}, 0.895),
        (0.002, {}, 0.0),
        (0.9, floor(core4=0.8), 0.895),
        (0.9, floor(core4=0.899), 0.899),
        (0.9, floor(core4=0.9), 0.9),
    ],
)
def test_an_update_creates_and_raises_floors(measured: float, old: dict[str, Floor], new: float) -> None:
    floors = raise_floors([result(core4=measured)], old)
    assert floors["read/demo"].figures == {"core4": pytest.approx(new)}
    assert check_floors([result(core4=measured)], floors) == []


def test_an_update_refuses_to_lower_a_floor_and_leaves_the_old_ones_alone() -> None:
    old = floor(core4=0.9, all4=0.5)
    with pytest.raises(QualityError, match="refused to lower") as caught:
        raise_floors([result(core4=0.95, all4=0.49)], old)
    assert caught.value.stage == "read"
    assert caught.value.hint
    assert old == floor(core4=0.9, all4=0.5)


def test_an_update_refuses_changed_data_until_its_entry_is_taken_out_by_hand() -> None:
    changed = result(core4=0.99, digest="d2")
    with pytest.raises(QualityError, match="refused to move a floor to other data: read/demo") as caught:
        raise_floors([changed], floor(core4=0.9))
    assert "read/demo" in caught.value.hint
    assert "by hand" in caught.value.hint
    assert raise_floors([changed], {})["read/demo"].digest == "d2"


def measured(*names: str) -> list[Result]:
    rows = (name.split("/") for name in names)
    return [Result(stage=stage, data=data, digest="d", pages=1, figures=(("f", 1.0),)) for stage, data in rows]


DEMO = ("read/demo", "links/demo", "zones/demo", "issue/demo", "blocks/demo", "kinds/demo")


@pytest.mark.parametrize(
    ("names", "lost"),
    [
        pytest.param(["zones/demo"], [], id="one stage, its own floors only"),
        pytest.param(["read/demo"], ["read/old"], id="data that is gone"),
        pytest.param(["read/demo", "read/layouts"], ["read/old", "read/pdfs"], id="a corpus of which a part is gone"),
        pytest.param(["read/demo-stripped"], ["read/old"], id="stripped pages only"),
        pytest.param([*DEMO, "read/demo-stripped"], ["gone/demo", "read/old"], id="everything without a corpus"),
        pytest.param(
            [*DEMO, "read/demo-stripped", "read/layouts", "read/pdfs", "read/layouts-stripped"],
            ["gone/demo", "links/issues", "read/old"],
            id="everything with a corpus",
        ),
        pytest.param([], [], id="nothing measured"),
    ],
)
def test_a_floor_whose_data_should_have_been_measured_is_a_complaint(names: list[str], lost: list[str]) -> None:
    corpus = ("links/issues", "read/layouts", "read/layouts-stripped", "read/pdfs")
    every = (*DEMO, *corpus, "read/demo-stripped", "read/old", "gone/demo")
    complaints = check_floors(measured(*names), {name: Floor("d", {"f": 0.5}) for name in every})
    assert complaints == [f"{name}: has a floor and is not measured any more" for name in lost]


def test_an_update_keeps_floors_of_data_that_was_not_scored() -> None:
    others = {"read/layouts": Floor("x", {"core4": 0.7})}
    assert raise_floors([result(core4=0.9)], others).keys() == {"read/layouts", "read/demo"}


def test_floors_are_read_back_as_written(tmp_path: Path) -> None:
    floors = raise_floors([result(core4=0.9 + FLOOR_MARGIN, all4=1 / 3)], {})
    save_floors(tmp_path / "new" / "floors.json", floors)
    assert load_floors(tmp_path / "new" / "floors.json") == floors


def test_a_missing_file_holds_no_floor(tmp_path: Path) -> None:
    assert load_floors(tmp_path / "floors.json") == {}


@pytest.mark.parametrize("text", ["", "[]", '{"read/demo": 1}', '{"read/demo": {"digest": ""}}', "\udcff"])
def test_a_broken_file_is_an_error_with_a_hint(tmp_path: Path, text: str) -> None:
    file = tmp_path / "floors.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(QualityError, match="floors cannot be read") as caught:
        load_floors(file)
    assert caught.value.hint


def test_an_unwritable_file_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        save_floors(tmp_path / "file" / "floors.json", {})

"""A Parquet file: rows replaced by number, the file whole at all times."""

from __future__ import annotations

import sys
from dataclasses import replace

import pyarrow.parquet
import pytest
from tests.deliver.records import ONE, THREE, TWO, parcel

from medharvest.deliver import DeliveryState, open_target, parse_target
from medharvest.errors import DeliveryError
from medharvest.settings import Settings


@pytest.fixture
def target(tmp_path):
    return open_target(parse_target(f"lake=parquet:{tmp_path}/new/records.parquet"), Settings(), {})


def sent(target, *parcels):
    return [receipt for batch in target.pack(parcels) for receipt in target.send(batch)]


def test_rows_are_written_and_replaced(target, tmp_path):
    assert sent(target) == []
    got = sent(target, parcel(1, ONE, target), parcel(2, TWO, target))
    assert [one.state for one in got] == [DeliveryState.SENT] * 2
    sent(target, parcel(1, replace(ONE, title="New"), target), parcel(3, THREE, target))
    sent(target, *(parcel(number, one, target) for number, one in ((1, ONE), (2, TWO), (3, THREE))))
    target.close()
    table = pyarrow.parquet.read_table(tmp_path / "new" / "records.parquet")
    assert table.select(["id", "title", "doi"]).to_pylist() == [
        {"id": number, "title": one.title, "doi": one.doi} for number, one in ((1, ONE), (2, TWO), (3, THREE))
    ]
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["records.parquet"]


def test_a_file_of_somebody_else_is_left_as_it_is(target, tmp_path):
    file = tmp_path / "new" / "records.parquet"
    file.parent.mkdir()
    file.write_text("no Parquet")
    (failed,) = sent(target, parcel(1, ONE, target))
    assert (failed.state, failed.again) == (DeliveryState.FAILED, False)
    assert "not a Parquet file of medharvest" in failed.detail
    assert file.read_text() == "no Parquet"


def test_a_folder_that_cannot_be_made_is_a_failure(target, tmp_path):
    (tmp_path / "new").write_text("a file")
    (failed,) = sent(target, parcel(1, ONE, target))
    assert (failed.state, failed.again) == (DeliveryState.FAILED, True)


def test_without_the_library_the_way_to_it_is_told(target, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DeliveryError, match="pyarrow") as caught:
        sent(target, parcel(1, ONE, target))
    assert caught.value.hint == "pip install 'medharvest[parquet]'"

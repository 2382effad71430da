"""Files: one an issue, whole or not at all, named so that PubMed takes them."""

from __future__ import annotations

import io
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.deliver.records import ONE, RECORDS, TWO, parcel

from medharvest.deliver import DeliveryState
from medharvest.deliver.files import FileTarget, make_folder_writer
from medharvest.errors import DeliveryError
from medharvest.formats import FORMATS, check_file


def make(folder: Path, form: str = "pubmed", pattern: str = "") -> FileTarget:
    return FileTarget(FORMATS[form], make_folder_writer(folder), pattern=pattern)


def sent(target: FileTarget, *parcels):
    return [receipt for batch in target.pack(parcels) for receipt in target.send(batch)]


@pytest.mark.parametrize("form", [name for name, form in FORMATS.items() if form.read])
def test_each_issue_is_a_file_that_its_reader_takes(tmp_path, form):
    target = make(tmp_path / "new" / "folder", form)
    got = sent(target, *(parcel(number, one, target) for number, one in enumerate(RECORDS, 1)))
    assert [one.state for one in got] == [DeliveryState.SENT] * 3
    assert got[0].detail == got[1].detail != got[2].detail
    files = sorted((tmp_path / "new" / "folder").iterdir())
    assert {file.name for file in files} == {one.detail for one in got}
    read: Any = FORMATS[form].read
    dois = [record.doi for file in files for record in read(io.BytesIO(file.read_bytes()))]
    assert sorted(dois) == sorted(one.doi for one in RECORDS)


def test_names_are_short_plain_and_tell_the_issue(tmp_path):
    long = replace(ONE, abbreviation="Zeitschrift für Gezeitenkunde und Öl", volume="12345678901", issue="Suppl. 1/2")
    (batch,) = make(tmp_path).pack([parcel(1, long)])
    assert batch.name == f"Zeitschri_123456789_Suppl12_{batch.name[-10:-4]}.xml"
    assert len(batch.name) <= 38
    (usual,) = make(tmp_path).pack([parcel(1, ONE)])
    assert usual.name.startswith("JTides_12_3_")
    assert len(usual.name) <= 32
    (bare,) = make(tmp_path).pack([parcel(1, replace(ONE, volume="", issue=""))])
    assert bare.name.startswith("JTides_")
    assert "__" not in bare.name


def test_a_pattern_makes_other_names_and_a_wrong_one_is_told(tmp_path):
    (batch,) = make(tmp_path, pattern="pm-{year}-{digest}").pack([parcel(1, ONE)])
    assert batch.name.startswith("pm-2024-")
    for wrong in (
        "{journal}",
        "../{digest}",
        "{digest}/{year}",
        "{digest}{nothing}",
        "{digest",
        ".{digest}",
        "{0}{digest}",
    ):
        with pytest.raises(DeliveryError, match="not a valid pattern for file names"):
            make(tmp_path, pattern=wrong)


def test_a_record_with_a_pmid_replaces_what_pubmed_has_and_the_file_stays_valid(tmp_path):
    (batch,) = make(tmp_path).pack([parcel(1, ONE, remote_id="31234567"), parcel(2, TWO, remote_id="a file.xml")])
    assert batch.body.count(b'<Replaces IdType="pubmed">31234567</Replaces>') == batch.body.count(b"<Replaces") == 1
    assert [finding for finding in check_file(batch.body, FORMATS["pubmed"]) if finding.rule == "schema"] == []
    assert batch.body.count(b"<Article>") == 2


def test_a_folder_that_cannot_be_written_is_a_failure_and_leaves_nothing(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    (failed,) = sent(make(tmp_path), parcel(1, ONE))
    assert (failed.state, failed.again, failed.detail) == (DeliveryState.FAILED, True, "No space left on device")
    assert list(tmp_path.iterdir()) == []

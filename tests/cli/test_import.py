"""`import`: files of records into the store."""

from __future__ import annotations

import json

import pytest

from medharvest.store import open_store

RIS = """TY  - JOUR
TI  - Tidal volume and gout in adults
AU  - Marsh, Ada
T2  - Annals of Estuary Medicine
PY  - 2031
DO  - 10.5555/aem.7
AB  - {abstract}
ER  -

"""
LONG = "We measured tides for a year in all adults with gout who lived near the harbour. " * 3


@pytest.fixture
def take(medharvest, tmp_path):
    def call(*arguments, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.ris").write_text(text, encoding="utf-8")
        return medharvest("import", "--store", tmp_path / "s.sqlite", *arguments)

    return call


def test_what_is_new_the_same_and_changed_is_shown(take, tmp_path):
    ran = take(tmp_path / "a.ris", a=RIS.format(abstract=LONG))
    assert (ran.code, ran.out) == (0, "new: Tidal volume and gout in adults\n")
    assert ran.err.splitlines() == [
        f"{tmp_path / 'a.ris'}: ris; records: 1",
        f"{tmp_path / 'a.ris'}: kept: title 1, authors 1, abstract 1, journal 1, date 1, doi 1, language 1",
        "1 new, 0 same, 0 changed",
    ]
    assert take(tmp_path / "a.ris").out == "same: Tidal volume and gout in adults (by doi, 1.00)\n"
    other = RIS.format(abstract=LONG + "It was small.").replace("gout in adults", "gout").replace("AB", "VL  - 3\nAB")
    ran = take(tmp_path / "b.ris", "--dry-run", b=other)
    assert ran.out.splitlines() == [
        "changed: Tidal volume and gout (by doi, 1.00)",
        "  title: Tidal volume and gout in adults | file: Tidal volume and gout",
        "  abstract: …o lived near the harbour. | file: …o lived near the harbour. It was small.",
        "  volume: + 3",
    ]
    assert "nothing was stored" in ran.err
    with open_store(str(tmp_path / "s.sqlite")) as store:
        assert [record.volume for record in store.citations()] == [""]


def test_the_file_may_be_preferred_and_programs_read_json(take, tmp_path):
    take(tmp_path / "a.ris", a=RIS.format(abstract="x"))
    ran = take(tmp_path / "b.ris", "--prefer", "file", "--json", b=RIS.format(abstract="We measured tides."))
    told, report = map(json.loads, ran.out.splitlines())
    assert report["report"]["records"] == 1
    assert (told["state"], told["match"]["method"], told["doi"]) == ("changed", "doi", "10.5555/aem.7")
    assert told["differences"] == [{"field": "abstract", "before": "x", "after": "We measured tides."}]
    with open_store(str(tmp_path / "s.sqlite")) as store:
        assert [record.abstract for record in store.citations()] == ["We measured tides."]


def test_a_related_record_is_told(take, tmp_path):
    take(tmp_path / "a.ris", a=RIS.format(abstract=LONG))
    ran = take(tmp_path / "b.ris", b=RIS.format(abstract="x").replace("aem.7", "aem.8"))
    assert ran.out.splitlines()[1:] == ["  related, another DOI: Tidal volume and gout in adults"]


def test_a_bad_file_stops_alone_and_is_left_out_among_others(take, tmp_path):
    ran = take(tmp_path / "none.ris")
    assert (ran.code, "no such file" in ran.err) == (1, True)
    ran = take(tmp_path / "none.ris", tmp_path / "a.ris", "--json", a=RIS.format(abstract="x"))
    first, second, _ = map(json.loads, ran.out.splitlines())
    assert ran.code == 3
    assert first["error"].startswith("no such file")
    assert second["state"] == "new"


def test_a_rule_that_is_none_is_told_with_those_there_are(take, tmp_path, monkeypatch):
    take(tmp_path / "a.ris", a=RIS.format(abstract="x"))
    monkeypatch.setenv("MEDHARVEST_MATCH_RULES", "dio")
    ran = take(tmp_path / "a.ris")
    assert ran.code == 1
    assert "no such rule in match.rules: dio; hint: the rules are pmid, doi" in ran.err


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_imported(take, tmp_path):
    broken = RIS.format(abstract=LONG) + "TY  - JOUR\nVL  - 3\nER  -\n\n" + RIS.format(abstract="x").replace("7", "8")
    ran = take(tmp_path / "a.ris", a=broken + "TY  - JOUR\nTI  - Kelp\nCA  - A word\n")
    assert ran.code == 3
    lines = [line.removeprefix(f"{tmp_path / 'a.ris'}: ") for line in ran.err.splitlines()]
    assert lines[0] == "record 2, line 10: no title, name or identifier; hint: complete or remove it"
    assert lines[1] == "ris; records: 3; could not be read: 1"
    assert lines[3] == "dropped: CA 1 ('A word')"
    assert ran.out.count("new: ") + ran.out.count("same: ") + ran.out.count("changed: ") == 3


def test_the_report_is_an_object_for_programs(take, tmp_path):
    ran = take(tmp_path / "a.ris", "--json", a=RIS.format(abstract="x") + "TY  - JOUR\nER  -\n")
    report = json.loads(ran.out.splitlines()[-1])["report"]
    assert (ran.code, report["format"], report["records"], report["kept"]["title"]) == (3, "ris", 1, 1)
    assert report["refused"] == [
        {"record": 2, "line": 10, "reason": "no title, name or identifier", "hint": "complete or remove it"}
    ]


def test_the_encoding_is_guessed_and_told_or_given(medharvest, tmp_path):
    file = tmp_path / "a.ris"
    file.write_bytes(RIS.format(abstract="测试").encode("gbk"))
    guessed = medharvest("validate", file)
    assert "warning: file: decoded as cp1252, a guess, because the file is not UTF-8" in guessed.out
    assert f"{file}: ris, cp1252, valid" in guessed.out
    given = medharvest("import", "--store", tmp_path / "s.sqlite", "--encoding", "gbk", file)
    assert "decoded as gb18030, as given" in given.err
    with open_store(str(tmp_path / "s.sqlite")) as store:
        assert [record.abstract for record in store.citations()] == ["测试"]
    wrong = medharvest("import", "--encoding", "hex", file)
    assert (wrong.code, "unknown encoding: hex; hint: a name such as" in wrong.err) == (1, True)

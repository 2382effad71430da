"""`journals`: list, show, add, remove; and the file one can mail, friendly or hostile."""

from __future__ import annotations

import hashlib
import json

import pytest

from medharvest.codec import to_json
from medharvest.records import Kind, LinkExample, Policy
from medharvest.store import Journal, open_store

VECTOR = (("href",), ("/a",), (), (), (), (), (), (), ("é \ud800",))
EXAMPLES = (
    LinkExample(page="https://tides.example/1", index=0, article=False, vector=VECTOR),
    LinkExample(page="https://tides.example/1", index=1, article=True, kind=Kind.PDF, vector=VECTOR),
    LinkExample(page="https://tides.example/2", index=0, article=True, vector=VECTOR, traits=(("path", "li"),)),
)


@pytest.fixture
def journals(medharvest, tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as store:
        store.journals.save(
            Journal(name="tides", title="Journal of Tides", issn=("9152-6035",), hosts=("tides.example",))
        )
        store.journals.teach_links("tides", EXAMPLES[:2], digest="d1")
        store.journals.teach_links("tides", EXAMPLES[2:], digest="d2")

    def call(*arguments, store="s.sqlite"):
        return medharvest("journals", "--store", tmp_path / store, *arguments)

    return call


@pytest.fixture
def exported(journals, tmp_path):
    assert journals("export", "tides", tmp_path / "tides.jsonl").code == 0
    return tmp_path / "tides.jsonl"


def test_the_journals_are_listed_for_people_and_for_programs(journals):
    assert journals().out == "tides: Journal of Tides; 91526035; tides.example; 3 links taught\n"
    assert json.loads(journals("--json").out) == {
        "name": "tides",
        "title": "Journal of Tides",
        "issn": ["91526035"],
        "hosts": ["tides.example"],
        "examples": 3,
        "policy": to_json(Policy()),
    }


def test_one_is_shown_with_the_pages_that_taught_it(journals):
    assert journals("show", "tides").out.splitlines()[1:] == ["  https://tides.example/1", "  https://tides.example/2"]
    assert "no such journal: moors" in journals("show", "moors").err


def test_one_is_added_and_removed_again(journals):
    assert journals("add", "moors", "--title", "Moors", "--issn", "1111-1111", "--host", "www.moors.example").code == 0
    assert "moors: Moors; 11111111; moors.example; 0 links taught" in journals().out
    assert journals("remove", "tides", "--page", "https://tides.example/1").code == 0
    assert "1 links taught" in journals("show", "tides").out
    assert journals("remove", "tides").code == 0
    assert [line.split(":")[0] for line in journals().out.splitlines()] == ["moors"]


def test_what_is_exported_is_imported_word_for_word(journals, exported, tmp_path):
    assert "3 links taught" in journals("import", exported, store="other.sqlite").out
    with open_store(str(tmp_path / "other.sqlite")) as store:
        assert tuple(store.journals.link_examples("tides")) == EXAMPLES
        assert store.journals.taught_pages("tides") == {
            "https://tides.example/1": "d1",
            "https://tides.example/2": "d2",
        }
        assert store.journals.get("tides").title == "Journal of Tides"
    again = journals("export", "tides", store="other.sqlite")
    assert again.out == exported.read_text(encoding="utf-8")


def test_an_import_under_another_name_and_one_into_a_known_journal(journals, exported):
    assert journals("import", exported, "--as", "moors").code == 0
    assert journals("import", exported).code == 0
    assert [line.rpartition(";")[2] for line in journals().out.splitlines()] == [" 3 links taught"] * 2


def spoilt(exported, change):
    """The file with a change in one of its lines, its digest made right again."""
    header, *lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    change(header, lines)
    body = "".join(json.dumps(line) + "\n" for line in lines)
    if header.get("digest"):
        header["digest"] = hashlib.sha256(body.encode()).hexdigest()
    exported.write_text(json.dumps(header) + "\n" + body, encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head, _: head.update(format="other"), "not written by `journals export`"),
        (lambda head, _: head.update(version=2), "version 2, expected 1"),
        (lambda head, _: head.pop("digest"), "lacks the journal or the digest"),
        (lambda head, _: head.update(journal=[]), "lacks the journal or the digest"),
        (lambda head, _: head["journal"].update(title=1), "name and title are texts"),
        (lambda head, _: head["journal"].update(hosts=[1]), "name and title are texts"),
        (lambda head, _: head["journal"].update(name="two words"), "a name is one word"),
        (lambda _, lines: lines.append([1]), "each line is a JSON object"),
        (lambda _, lines: lines[0].update(digest=1), "not a link example"),
        (lambda _, lines: lines[0].update(more=1), "not a link example"),
        (lambda _, lines: lines[0].update(page=""), "not a link example"),
        (lambda _, lines: lines[0].update(index=True), "not a link example"),
        (lambda _, lines: lines[0].update(index=-1), "not a link example"),
        (lambda _, lines: lines[0].update(article="no"), "not a link example"),
        (lambda _, lines: lines[0].update(kind="film"), "not a link example"),
        (lambda _, lines: lines[0].update(vector=[["a"]]), "not a link example"),
        (lambda _, lines: lines[0].update(vector=[[1]] * 9), "not a link example"),
        (lambda _, lines: lines[0].update(traits=[["a", "b", "c"]]), "not a link example"),
        (lambda _, lines: lines[0].update(traits={}), "not a link example"),
    ],
)
def test_a_hostile_file_is_refused_with_its_line_and_the_reason(journals, exported, tmp_path, change, message):
    spoilt(exported, change)
    ran = journals("import", exported, store="other.sqlite")
    assert (ran.code, ran.out) == (1, "")
    assert message in ran.err
    with open_store(str(tmp_path / "other.sqlite")) as store:
        assert store.journals.all() == ()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "each line is a JSON object"),
        (b"\xff\xfe", "each line is a JSON object"),
        (b"[" * 200_000, "each line is a JSON object"),
        (b"{}", "not written by"),
    ],
)
def test_any_other_file_is_refused(journals, tmp_path, body, message):
    (tmp_path / "bad.jsonl").write_bytes(body)
    ran = journals("import", tmp_path / "bad.jsonl")
    assert ran.code == 1
    assert message in ran.err


def test_a_file_cut_off_on_the_way_is_refused(journals, exported):
    exported.write_bytes(exported.read_bytes()[:-10])
    ran = journals("import", exported)
    assert ran.code == 1
    assert "changed or cut off" in ran.err


def test_an_issue_of_a_journal_that_is_not_there_is_refused_before_anything_is_fetched(medharvest, journals, tmp_path):
    ran = medharvest("issue", "http://127.0.0.1:9/", "--journal", "moors", "--store", tmp_path / "s.sqlite")
    assert ran.code == 1
    assert "no such journal: moors" in ran.err
    assert journals().code == 0


NLM = """--------------------------------------------------------
JrId: 1
JournalTitle: Journal of tides
MedAbbr: J Tides
ISSN (Print): 2434-561X
ISSN (Online):
IsoAbbr: J. Tides
NlmId: 101999999
"""


def test_the_titles_of_nlms_list_are_taken_and_found(journals, tmp_path):
    (tmp_path / "J_Medline.txt").write_text(NLM, encoding="utf-8")
    assert journals("import", tmp_path / "J_Medline.txt").out.startswith("1 journals: ")
    line = "Journal of tides; abbreviation: J Tides; ISO: J. Tides; ISSN: 2434-561X; NLM id: 101999999\n"
    assert journals("find", "2434-561X").out == journals("find", "j tides").out == line
    assert line in journals("show", "tides").out
    assert json.loads(journals("find", "j tides", "--json").out)["guess"] is False


def test_what_is_set_by_the_user_wins_and_stays_until_it_is_set_again(journals):
    ran = journals("set", "tides", "--abbreviation", "J Tid", "--issn", "2049-3630", "--publisher", "Estuary Press")
    assert ran.out == "Journal of Tides; abbreviation: J Tid; ISSN: 2049-3630; publisher: Estuary Press\n"
    ran = journals("set", "tides", "--iso", "J. Tid.", "--nlm-id", "7", "--title", "The Journal of Tides")
    assert ran.out.startswith("The Journal of Tides; abbreviation: J Tid; ISO: J. Tid.; ISSN: 2049-3630; NLM id: 7;")
    assert (
        journals("set", "Moor Medicine", "--abbreviation", "Moor Med").out == "Moor Medicine; abbreviation: Moor Med\n"
    )


def test_the_issn_of_a_taught_journal_finds_what_a_list_says_of_it(journals, tmp_path):
    (tmp_path / "J_Medline.txt").write_text(NLM.replace("Journal of tides", "Tidal records"), encoding="utf-8")
    journals("import", tmp_path / "J_Medline.txt")
    journals("add", "moors", "--issn", "2434-561X")
    assert journals("set", "moors", "--publisher", "P").out.startswith("Tidal records; abbreviation: J Tides;")


def test_an_abbreviation_that_nobody_gave_is_called_a_guess(journals):
    assert journals("find", "Annals of Moor Medicine").out == (
        "Annals of Moor Medicine; abbreviation: Ann Moor Med (a guess, not to be delivered)\n"
    )
    assert json.loads(journals("find", "Annals of Moor Medicine", "--json").out)["guess"] is True


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("set", "tides", "--issn", "2049-3631"), "not an ISSN: 2049-3631"),
        (("find", "2049-3630"), "no journal known with this ISSN: 2049-3630"),
    ],
)
def test_a_wrong_or_unknown_issn_is_told(journals, arguments, message):
    ran = journals(*arguments)
    assert ran.code == 1
    assert message in ran.err
    assert "hint: " in ran.err


def test_a_file_that_is_no_list_is_told(journals, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing here", encoding="utf-8")
    ran = journals("import", tmp_path / "notes.txt")
    assert ran.code == 1
    assert "not a list of journals" in ran.err

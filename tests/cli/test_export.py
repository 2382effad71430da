"""`export` and `validate`, as a user calls them."""

import json
from dataclasses import replace

import pytest

from medharvest import demo
from medharvest.formats import FORMATS
from medharvest.records import Citation, JournalTitle
from medharvest.store import open_store

BUNDLED = tuple(article.citation for issue in demo.list_demo_issues() for article in issue.articles)[:3]
UNKNOWN = tuple(replace(one, abbreviation="", issn=(), journal="Journal of Tides") for one in BUNDLED)


@pytest.fixture
def store(tmp_path):
    """A store whose journal has neither abbreviation nor ISSN."""
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        opened.save(None, UNKNOWN)
    return tmp_path / "s.sqlite"


def test_a_journal_that_nobody_named_is_not_exported_to_pubmed(medharvest, store, tmp_path):
    ran = medharvest("export", "pubmed", "--store", store, "--out", tmp_path / "a.xml")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "error: pubmed needs the abbreviation and issn of Journal of Tides; "
        f"hint: medharvest journals --store {store} set 'Journal of Tides' --abbreviation … --issn …\n"
    )
    assert not (tmp_path / "a.xml").exists()


def test_one_journal_may_be_asked_for_by_any_of_its_names(medharvest, store):
    with open_store(str(store)) as opened:
        opened.save(None, [Citation(title="Salt and sleep", journal="Lancet (London, England)", doi="10.5555/lan")])
    for name in ("The Lancet", "lancet", "0140-6736"):
        ran = medharvest("export", "jsonl", "--journal", name, "--store", store)
        assert [json.loads(line)["title"] for line in ran.out.splitlines()] == ["Salt and sleep"]
    ran = medharvest("export", "jsonl", "--journal", "Nobody's journal", "--store", store)
    assert (ran.code, ran.out) == (1, "")


def test_only_what_was_accepted_may_be_asked_for(medharvest, store):
    ran = medharvest("export", "jsonl", "--status", "accepted", "--store", store)
    assert (ran.code, ran.out) == (1, "")
    assert "nothing stored matches --journal, --issue, --run and --status" in ran.err
    with open_store(str(store)) as opened:
        opened.accept(2, who="ada")
        opened.review.delete(3, who="ada")
    one = medharvest("export", "jsonl", "--status", "accepted", "--store", store).out.splitlines()
    assert [json.loads(line)["title"] for line in one] == [UNKNOWN[1].title]
    assert len(medharvest("export", "jsonl", "--store", store).out.splitlines()) == 2


def test_a_draft_is_written_and_says_that_it_is_one(medharvest, store):
    ran = medharvest("export", "pubmed", "--draft", "--store", store)
    assert ran.code == 0
    assert "<!-- draft, not to be delivered" in ran.out
    assert ran.out.count("<Article>") == 3


def test_once_the_journal_is_known_the_file_is_written_and_valid(medharvest, store, tmp_path):
    with open_store(str(store)) as opened:
        opened.journals.save_title(JournalTitle(title="Journal of Tides", abbreviation="J Tides", issn=("2049-3630",)))
    out = tmp_path / "a.xml"
    assert medharvest("export", "pubmed", "--store", store, "--out", out).out == f"pubmed: {out}\n"
    assert "<JournalTitle>J Tides</JournalTitle>\n<Issn>2049-3630</Issn>" in out.read_text(encoding="utf-8")
    assert medharvest("validate", out).out == f"{out}: pubmed, valid; 0 errors, 0 warnings\n"


def test_a_record_with_an_error_is_left_out_and_named(medharvest, tmp_path):
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        opened.save(None, [BUNDLED[0], replace(BUNDLED[1], doi="nonsense")])
    ran = medharvest("export", "pubmed", "--store", tmp_path / "s.sqlite")
    assert ran.out.count("<Article>") == 1
    assert f"not in pubmed: {BUNDLED[1].title} (not a bare DOI: nonsense; hint:" in ran.err


@pytest.mark.parametrize("name", [name for name, form in FORMATS.items() if form.read])
def test_what_is_exported_is_recognised_and_valid(medharvest, tmp_path, name):
    path = tmp_path / f"a{FORMATS[name].suffix}"
    path.write_text("".join(FORMATS[name].write(BUNDLED)), encoding="utf-8", newline="")
    ran = medharvest("validate", path)
    verdict = "valid" if name in {"pubmed", "pubmedset", "jats"} else "valid by the rules only"
    assert (ran.code, ran.out.splitlines()[-1]) == (0, f"{path}: {name}, {verdict}; 0 errors, 0 warnings")


def test_a_wrong_file_is_told_line_by_line_with_hints(medharvest, tmp_path):
    path = tmp_path / "a.xml"
    text = "".join(FORMATS["pubmed"].write(BUNDLED[:1]))
    path.write_text(text.replace("<Issn>9031-4476</Issn>\n", ""), encoding="utf-8")
    ran = medharvest("validate", path)
    assert ran.code == 1
    first, *_, last = ran.out.splitlines()
    wanted = "error: record 1, issn: required by PubMed: issn; hint: write the journal's ISSN"
    assert first.startswith(f"{path}:4: {wanted}")
    assert f"{path}:5: error: Journal: Element Journal content does not follow the schema" in ran.out
    assert last == f"{path}: pubmed, not valid; 2 errors, 0 warnings"


def test_findings_are_objects_for_programs_and_other_files_go_on(medharvest, tmp_path):
    right, wrong = tmp_path / "a.ris", tmp_path / "b.ris"
    right.write_text("".join(FORMATS["ris"].write(BUNDLED)), encoding="utf-8")
    wrong.write_text("TY  - JOUR\nTI  - Sleep\nSN  - 2049-3631\nER  - \n", encoding="utf-8")
    ran = medharvest("validate", right, wrong, tmp_path / "none", "--json")
    assert ran.code == 3
    one, two, three = map(json.loads, ran.out.splitlines())
    assert (one["file"], one["format"], one["valid"], one["findings"]) == (str(right), "ris", True, [])
    assert not two["valid"]
    assert {(item["field"], item["level"]) for item in two["findings"]} == {("issn", "error"), ("first_page", "error")}
    assert (three["file"], three["error"]) == (str(tmp_path / "none"), f"no such file: {tmp_path / 'none'}")
    plain = medharvest("validate", wrong, tmp_path / "none")
    assert plain.code == 1
    assert "record 1, issn: not an ISSN, or its check digit is wrong: 2049-3631" in plain.out
    assert "error: no such file" in plain.err


def test_one_file_that_cannot_be_read_is_the_error_itself(medharvest, tmp_path):
    ran = medharvest("validate", tmp_path / "none")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: no such file")
    (tmp_path / "letter.txt").write_text("Dear editor", encoding="utf-8")
    ran = medharvest("validate", tmp_path / "letter.txt")
    assert "format not recognised" in ran.err
    assert "--format" in ran.err


def test_the_format_may_be_named(medharvest, tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("name;title\nx;Sleep\n", encoding="utf-8")
    assert medharvest("validate", path, "--format", "csv").out.splitlines()[-1].startswith(f"{path}: csv, not valid")
    assert "unknown format: cvs; hint: did you mean csv" in medharvest("validate", path, "--format", "cvs").err
    assert medharvest("validate").code == 2

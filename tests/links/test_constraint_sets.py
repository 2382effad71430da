import pytest

from medharvest.errors import InputError
from medharvest.links import DEFAULT_SETS, PAPER_SETS, judge_links, load_constraints
from medharvest.records import Kind, Page


@pytest.fixture
def file(tmp_path):
    return tmp_path / "constraints.toml"


def test_a_file_adds_and_removes_words_of_the_default_sets(file):
    file.write_text(
        '[excluded]\nadd = ["Careers", "press  room"]\nremove = ["share"]\n[pdf]\nadd = ["Reprint Order"]\n'
        '[servers]\nadd = ["pdf.journal.example"]\n'
    )
    sets = load_constraints(file)
    assert sets.excluded == DEFAULT_SETS.excluded - {"share"} | {"careers", "press room"}
    assert sets.pdf == DEFAULT_SETS.pdf | {"reprint order"}
    assert sets.servers == {"pdf.journal.example"}
    assert (sets.abstract, sets.fulltext, sets.supplement) == (
        DEFAULT_SETS.abstract,
        DEFAULT_SETS.fulltext,
        DEFAULT_SETS.supplement,
    )


def test_a_file_may_begin_with_the_papers_sets_and_their_spelling(file):
    file.write_text('base = "paper"\n[abstract]\nadd = ["Résumé"]\n', encoding="utf-8")
    sets = load_constraints(file)
    assert sets.literal
    assert sets.abstract == PAPER_SETS.abstract | {"Résumé"}
    assert sets.excluded == PAPER_SETS.excluded


def test_added_words_and_phrases_count(file):
    file.write_text('[excluded]\nadd = ["press room"]\n[fulltext]\nadd = ["whole story"]\n', encoding="utf-8")
    html = "<a href=/press-room/1>Snow</a><a href=2>The Whole Story</a><a href=/press/3>Room</a>"
    page = Page(url="http://j.example/", text=html, digest="", encoding="utf-8")
    judged = judge_links(page, sets=load_constraints(file))
    assert [link.follows for link in judged] == [False, True, True]
    assert [link.kind for link in judged] == [None, Kind.FULLTEXT, None]


def test_the_papers_sets_are_the_papers():
    assert PAPER_SETS.excluded == set(
        "home subscriptions archive mailto help login search feedback findex shtml lookup".split()
    )
    assert PAPER_SETS.abstract == {"abstract", "abs", "list", "[Abstract]", "Abstract"}
    assert PAPER_SETS.fulltext == {"full", "Full Text", "Full text", "References"}
    assert PAPER_SETS.pdf == {"PDF", "pdf"}
    assert not PAPER_SETS.supplement


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("x =\n", "not TOML", "line 1"),
        ("x = " + "[" * 5_000, "not TOML", ""),
        ('base = "papers"', "no such base sets: papers", '"default" or "paper"'),
        ("base = [1]", "no such base sets", '"default" or "paper"'),
        ("[exclude]\nadd = []", "no such set: exclude", "did you mean excluded"),
        ("[zzz]\nadd = []", "no such set: zzz", "fulltext"),
        ("pdf = 3", "pdf is not a table", "[excluded] add"),
        ("[pdf]\nplus = []", "pdf is not a table", "[excluded] add"),
        ('[pdf]\nadd = "reprint"', "lists of words", "[excluded] add"),
        ("[pdf]\nadd = [1]", "lists of words", "[excluded] add"),
        ('[pdf]\nadd = [" "]', "lists of words", "[excluded] add"),
        ('[pdf]\nremove = ["epdff"]', "epdff", "did you mean epdf"),
        ('[pdf]\nremove = ["zzz"]', "zzz", "words there: epdf, pdf, reprint"),
    ],
)
def test_a_wrong_file_is_told_with_the_way_out(file, text, message, hint):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="constraints") as caught:
        load_constraints(file)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.name == str(file)


def test_a_file_that_is_not_there_is_told(file):
    with pytest.raises(InputError, match="cannot be read") as caught:
        load_constraints(file)
    assert caught.value.hint == "No such file or directory"

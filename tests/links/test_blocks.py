"""Blocks agree with a slow reference, on pages made of what breaks scanners and on every page of a corpus."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from tests.growth import growth
from tests.links.slow_blocks import slow_blocks, slow_distances, slow_links, slow_units
from tests.needs import lacking

from medharvest.links import scan_links
from medharvest.links.blocks import DISTANCE_MEASURES, adaptive_threshold, find_blocks, near_runs
from medharvest.links.body_text import body_text
from medharvest.links.distances import code_distances, count_units, link_spans, text_distances
from medharvest.pages import parse_page
from medharvest.records import LinkBlock, Page

# Few by default, for speed; `BLOCKS_GENERATED=100000` is the number that the method must pass.
GENERATED = int(os.environ.get("BLOCKS_GENERATED", "1500"))
# Characters of each corpus page that are read, from varying places; `BLOCKS_CHARACTERS=1000000000` reads all.
CHARACTERS = int(os.environ.get("BLOCKS_CHARACTERS", "20000"))
PIECES = (
    "<a href=x>", '<a href="x">one</a>', "<a href='x y'>two<b>!</b></a>", "</a>", "</a >", '</a t=">">', "<A HREF=x>",
    "<a name=n>", "<a>", "<a", "<a ", "<a href", '<a title=">" href="x">', '<a href="<b>">', "<a href=x/>", "<abbr>",
    "<!--", "-->", "<!-- c -->", "<!-->", "--", "<script>", "</script>", "<script src=x />", "<style>", "</style >",
    "<script>if (a<b) '<a href=x>'</script>", "<base href=y>", '<base href="', "<td class=x>", "<br/>", "<br />",
    '<p title="a > b">', "<p title='", '"', "'", "=", ">", "<", "</", "<!DOCTYPE html>", "<?xml v?>", "< b>", "</ b>",
    "<b<i>", "<li\n>", "</li>", "word", "two words", " ", "\n", "\t  ", "Bei Jing 2008", "March 8th, 2014", "Sept. 1, ",
    "2014-03-08", "2014/3/8", "8.3.2014", "2014年3月8日", "12014-1-1", "don't", "re-do", "-", "--", "...", "1,000.5",
    "2nd", "a_b", "&nbsp;", "&amp;", "&lt;b&gt;", "&#8217;", "&copy", "你好", "、、", "カナ・", "한글", "é", "e\u0301",
    "\u00ad", "\u200b", "हिन्दी", "½", "²", "“x”", "\x00", "\x85", "\u2028", "😀", "\U00020000",
    "x" * 30, "lorem ipsum " * 9,
)  # fmt: skip


def page(text: str) -> Page:
    return Page(url="", text=text, digest="", encoding="utf-8")


def check(text: str) -> None:
    links, _ = slow_links(text)
    spans = link_spans(text)
    assert list(spans.links) == links
    assert [link.offset for link in scan_links(page(text))] == [start for start, _ in links]
    for kind, measured in (("code", code_distances), ("text", text_distances)):
        expected = slow_distances(text, kind)
        assert measured(text, spans) == expected
        assert measured(text, spans, most=9) == [min(9, distance) for distance in expected]


def generated(seed: int) -> str:
    choose = random.Random(seed)
    return "".join(choose.choices(PIECES, k=choose.randrange(2, 24)))


@pytest.mark.no_cover
def test_distances_agree_with_the_reference_on_generated_text():
    for seed in range(GENERATED):
        text = generated(seed)
        try:
            check(text)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {text!r}") from error


@pytest.mark.parametrize("kind", ["code", "text"])
def test_blocks_agree_with_the_reference_on_generated_text(kind):
    for seed in range(GENERATED // 5):
        text = generated(-1 - seed)
        for threshold, least in ((1, 1), (6, 2), (40, 3)):
            found = find_blocks(page(text), distance=kind, threshold=threshold, least=least).blocks
            expected = slow_blocks(text, kind, threshold, least)
            assert [(one.start, one.end, one.first, one.links) for one in found] == expected, text


def piece(text: str, seed: int) -> str:
    start = random.Random(seed).randrange(max(1, len(text) - CHARACTERS))
    return text[start : start + CHARACTERS]


@pytest.mark.no_cover
def test_every_page_of_a_corpus_agrees_with_the_reference():
    corpus = os.environ.get("MEDHARVEST_CORPUS") or lacking("corpus", "no corpus")
    for seed, file in enumerate(sorted(Path(corpus, "blocks").rglob("*.html"))):
        text = piece(parse_page(file.read_bytes()).text, seed)
        links, _ = slow_links(text)
        spans = link_spans(text)
        assert list(spans.links) == links, file
        for kind, measured in (("code", code_distances), ("text", text_distances)):
            expected, most = slow_distances(text, kind), DISTANCE_MEASURES[kind].high
            assert measured(text, spans) == expected, file
            assert measured(text, spans, most=most) == [min(most, distance) for distance in expected], file


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Bei Jing 2008", 3),
        ("March 8th, 2014", 1),
        ("on 2014-03-08", 2),
        ("2014/3/8 and 8.3.2014", 3),
        ("2014年3月8日", 1),
        ("don't re-do it", 3),
        ("你好、世界。。", 6),
        ("wait... what?!", 5),
        ("1,000.50", 1),
        (" \n\u00a0\t", 0),
        ("the 8th", 3),
        ("हिन्दी भाषा", 2),
        ("", 0),
    ],
)
def test_units_are_words_numbers_dates_characters_and_marks(text, units):
    assert count_units(text) == units
    assert slow_units(text) == units


@pytest.mark.parametrize(
    ("between", "code", "text"),
    [
        ("", 0, 0),
        ("<td class=x>", 4, 0),
        ("</li>\n<li class='a b'>", 10, 0),
        ("<!-- a long remark --> | ", 3, 1),
        ("<script>var a = 1</script>,", 1, 1),
        ("<b title='>'>no</b>", 9, 1),
        ("&nbsp;&amp; so", 14, 2),
    ],
)
def test_a_gap_is_counted_without_attributes_comments_and_scripts(between, code, text):
    whole = f"<a href=1>x</a>{between}<a href=2>y</a>"
    spans = link_spans(whole)
    assert code_distances(whole, spans) == [code]
    assert text_distances(whole, spans) == [text]


def test_a_date_that_the_first_look_cuts_in_two_counts_once():
    gap = "a b c d e Sept. 8th,<b> 2014" + " " * 200
    whole = f"<a href=1>x</a>{gap}<a href=2>y</a>"
    assert text_distances(whole, link_spans(whole), most=9) == [6]


def test_a_block_is_a_maximal_run_of_near_links():
    near, far = "<a href=1>x</a> , ", "a b c d e f "
    text = near * 3 + far + near * 2 + far + near * 4
    found = find_blocks(page(text), threshold=6)
    assert [(one.first, one.links) for one in found.blocks] == [(0, 3), (5, 4)]
    first = found.blocks[0]
    assert text[first.start : first.end] == (near * 3).removesuffix(" , ")
    assert found.links == 9
    assert found.lcr == pytest.approx(7 / 9)
    assert found.ccr == pytest.approx(sum(one.end - one.start for one in found.blocks) / len(text))


def test_the_threshold_itself_is_far():
    assert near_runs([4, 5, 4], 5, 2) == [(0, 2), (2, 2)]


def test_a_page_without_links_has_no_share_of_them():
    found = find_blocks(page("<p>text</p>"), least=1)
    assert (found.blocks, found.links, found.lcr, found.ccr) == ((), 0, None, 0)
    assert find_blocks(page("<a href=x>one</a>"), least=1).blocks == (LinkBlock(start=0, end=17, first=0, links=1),)


def test_a_link_left_open_ends_at_the_next_one():
    text = "<a href=1>one <a href=2>two</a> end <a href=3>three"
    assert list(link_spans(text).links) == [(0, 14), (14, 31), (36, len(text))]


@pytest.mark.parametrize(
    ("distances", "threshold"),
    [
        ([], 40),
        ([0, 1, 2, 400], 40),
        ([12, 13, 15, 90, 140], 37),
        ([30, 31, 33, 35, 160], 75),
        ([100, 110, 130], 32),
    ],
)
def test_the_adaptive_threshold_lies_in_the_widest_stretch_without_distances(distances, threshold):
    assert adaptive_threshold(distances, DISTANCE_MEASURES["text"]) == threshold


HOSTILE = {
    "starts of links": "<a",
    "links without end": "<a href=x ",
    "open quotes": '<a href="x ',
    "crossed quotes": "<a href='\"><a href=\"'>",
    "comments in comments": "<!-- <!-- ",
    "open links": "<a href=x>y ",
    "open tags": '<div title="',
    "gaps of open tags": "<a href=x></a><p '\" ",
    "scripts": "<script><a href=x>",
    "blanks": "<a href=x></a>" + " " * 40,
    "dates": "<a href=x></a>may 1 ",
    "entities": "<a href=x></a>&amp&#",
}


@pytest.mark.no_cover
@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_work_grows_with_the_size_of_a_hostile_page(piece):
    def read(size: int) -> None:
        text = piece * (size // len(piece))
        find_blocks(page(text), distance="code")
        body_text(page(text))

    assert growth(read, 2_000) < 6
    read(400_000)

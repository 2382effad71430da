from __future__ import annotations

import pytest

from medharvest.links.scan import scan_links
from medharvest.links.surroundings import Surrounding, find_surroundings
from medharvest.records import Page


def around(html: str) -> tuple[Surrounding, ...]:
    page = Page(url="https://journal.example/", text=html, digest="", encoding="utf-8")
    return find_surroundings(page, scan_links(page))


def names(one: Surrounding) -> str:
    return ">".join(tag.name for tag in one.path)


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<div><p><a href=x>t</a></div>", "div>p"),
        ("<div></div><a href=x>t</a>", ""),
        ("<ul><li><b>n</b><li><a href=x>t</a></ul>", "ul>li"),
        ("<ul><li><ul><li>n</ul><a href=x>t</a></ul>", "ul>li"),
        ("<table><tr><td>n<td><a href=x>t</a></table>", "table>tr>td"),
        ("<table><tr><td>n</div><a href=x>t</a></table>", "table>tr>td"),
        ("<div><table><tr><td>n</table></div><a href=x>t</a>", ""),
        ("<p>n<div><a href=x>t</a></div>", "div"),
        ("<dl><dt>n<dd><a href=x>t</a></dl>", "dl>dd"),
        ("<div><br><img src=i><hr><a href=x>t</a></div>", "div"),
        ("<div/><a href=x>t</a>", ""),
        ("<div><!-- </div> --><script>'</div>'</script><a href=x>t</a>", "div"),
        ("<div><a href=y><span>n</span></a><a href=x>t</a></div>", "div"),
        ("</div><a href=x>t</a>", ""),
    ],
)
def test_the_open_tags_around_a_link(html: str, path: str) -> None:
    assert names(around(html)[-1]) == path


def test_a_tag_keeps_its_classes_and_id() -> None:
    (one,) = around('<div class=" toc  item" id=n7><a href=x>t</a></div>')
    assert (one.path[0].classes, one.path[0].id, one.path[0].start) == ("toc item", "n7", 0)


@pytest.mark.parametrize(
    ("html", "hidden"),
    [
        ('<div style="display: none"><p><a href=x>t</a></p></div>', True),
        ("<div hidden><a href=x>t</a></div>", True),
        ('<div style="visibility:HIDDEN"><a href=x>t</a></div>', True),
        ('<div style="color: red"><a href=x>t</a></div>', False),
        ("<div hidden></div><a href=x>t</a>", False),
    ],
)
def test_a_tag_around_a_link_may_hide_it(html: str, *, hidden: bool) -> None:
    assert around(html)[0].hidden is hidden


def test_the_heading_above_a_link() -> None:
    one, two, three = around(
        "<a href=x>1</a><h2>Case <i>reports</i></h2><p><a href=x>2</a></p><h3> </h3><h4><a href=x>3</a></h4>"
    )
    assert (one.heading, one.heading_level, one.heading_start) == ("", 0, -1)
    assert (two.heading, two.heading_level) == ("Case reports", 2)
    assert (three.heading, three.heading_level) == ("Case reports", 2)


def test_a_heading_without_start_or_end_is_none() -> None:
    assert around(f"</h2><a href=x>1</a><h3>{'n' * 3000}</h3><a href=x>2</a>")[1].heading == ""


def test_the_text_beside_a_link_ends_at_its_neighbours() -> None:
    one, two = around("<p>Smith J. <a href=x>A</a> [<b>1</b>&ndash;7] <a href=x>B</a> end</p>")
    assert (one.before, one.after) == ("Smith J.", "[1–7]")
    assert (two.before, two.after) == ("[1–7]", "end")


def test_text_far_away_is_not_looked_at_and_no_half_tag_is_read() -> None:
    (one,) = around(f"far <p class='{'n' * 290}'>near <a href=x>A</a>{'m' * 400}")
    assert one.before == "near"
    assert 0 < len(one.after) < 301


def test_deep_nesting_stops_the_path_not_the_walk() -> None:
    one = around("<div>" * 2000 + "<a href=x>t</a>" + "</div>" * 2000)[0]
    assert len(one.path) == 512

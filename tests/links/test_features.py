"""The features of links, which mean the same on every site."""

import re
from collections.abc import Callable

import pytest
from tests.growth import growth

from medharvest.links.features import LINK_FEATURES, LinkDescriptions, describe_links
from medharvest.links.scan import scan_links
from medharvest.links.surroundings import find_list_positions, find_surroundings
from medharvest.records import Page

MENU = '<div class="topMenu"><a href="/">Home</a> <a href="/about">About us</a></div>'
ROW = (
    '<li class="entry n{0}"><a class="title" href="/c/{0}01.htm">Sleep and snow in the winter of {0}</a> by A. Lund, '
    '{0}1-{0}9 <a href="/c/{0}01.pdf">PDF</a></li>'
)
ISSUE = f'<html><body>{MENU}<h2>Original articles</h2><ul id="toc">{"".join(map(ROW.format, range(11, 16)))}</ul>'


def described(html: str, url: str = "https://journal.example/toc/7") -> LinkDescriptions:
    page = Page(url=url, text=html, digest="", encoding="utf-8")
    return describe_links(page, scan_links(page))


def features(html: str, place: int) -> dict[str, int]:
    return dict(zip(LINK_FEATURES, described(html).vectors[place], strict=True))


def test_every_vector_has_a_number_for_every_feature():
    assert len(set(LINK_FEATURES)) == len(LINK_FEATURES)
    assert {len(vector) for vector in described(ISSUE).vectors} == {len(LINK_FEATURES)}
    assert all(isinstance(value, int) for vector in described(ISSUE).vectors for value in vector)


def test_a_page_without_links_has_no_vectors():
    assert described("<p>Nothing here").vectors == ()


@pytest.mark.parametrize(
    ("place", "name", "value"),
    [
        (0, "place_region", 0),
        (2, "place_region", 9),
        (2, "place_over", 1),
        (0, "place_over", 0),
        (2, "place_own_title", 1),
        (3, "place_own_title", 0),
        (0, "place_main", 0),
        (2, "place_main", 1),
        (2, "place_listed", 1),
        (2, "place_people_after", 1),
        (2, "place_pages_after", 1),
        (3, "place_pages_before", 1),
        (3, "repeat_text", 3),
        (3, "repeat_text_targets", 10),
        (2, "repeat_kin", 2),
        (2, "repeat_kin_forms", 2),
        (0, "repeat_kin", 0),
        (2, "unit_size", 2),
        (2, "rows_size", 4),
        (2, "sign_titles", 10),
        (3, "sign_titles", 0),
        (3, "shape_forms", 10),
        (0, "section_services", 10),
        (2, "section_services", 0),
    ],
)
def test_what_numbers_say(place: int, name: str, value: int):
    assert features(ISSUE, place)[name] == value


def test_links_to_one_address_know_of_each_other():
    html = '<p><a href="/7">Sleep and snow in the winter of one</a> <a href="/7"><img src="cover.jpg"></a>'
    assert features(html, 1)["repeat_same_title"] == 1
    assert features(html, 1)["repeat_same"] == 2
    assert features(html, 1)["place_picture"] == 1


def test_equal_entries_of_a_list_have_one_sign():
    assert len(set(described(ISSUE).signs[2::2])) == 1


def test_the_vector_does_not_know_the_site():
    other = described(ISSUE, url="https://elsewhere.test/toc/7")
    assert other.vectors == described(ISSUE).vectors


def test_standings_tell_the_entry_and_the_row_inside_it():
    entry = "<div><b>Title</b><ul><li><a href=a>A</a><li><a href=b>B</a><li><a href=c>C</a></ul></div>"
    page = Page(url="", text=f"<body>{entry * 4}<a href=d>D</a>", digest="", encoding="utf-8")
    found = find_list_positions(find_surroundings(page, scan_links(page)))
    assert len({stand.row for stand in found[:3]}) == 3
    assert len({stand.unit for stand in found[:3]}) == 1
    assert len({stand.unit for stand in found[:12]}) == 4
    assert found[12].row == found[12].unit == -1


def test_of_two_runs_with_as_many_entries_the_inner_one_is_meant():
    entry = "<div><p><a href=a>A</a></p><p><a href=b>B</a></p><p><a href=c>C</a></p></div>"
    page = Page(url="", text=f"<body>{entry * 3}", digest="", encoding="utf-8")
    found = find_list_positions(find_surroundings(page, scan_links(page)))
    assert len({stand.unit for stand in found}) == 9


@pytest.mark.parametrize(
    "page",
    [
        lambda size: "<a href=x>" * size,
        lambda size: "<div>" * 300 + "<a href=x>t</a>" * size,
        lambda size: "<li><a href=/1?a>A. B</a>" * size,
        lambda size: '<a href="' + "/1a" * size + '">t</a>',
    ],
    ids=["open", "deep", "entries", "address"],
)
def test_work_grows_with_the_page(page: Callable[[int], str]):
    assert growth(lambda size: described(page(size)), 150) < 6


def test_no_feature_is_named_for_a_site():
    assert all(re.fullmatch(r"[a-z_]+", name) for name in LINK_FEATURES)

from urllib.parse import urlsplit

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.links import canonical_url
from medharvest.links.urls import Resolver, join_url, path_of, server_of


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://J.Example:80/a/../b#part", "http://j.example/b"),
        ("https://j.example:443", "https://j.example/"),
        ("http://j.example:8080/a", "http://j.example:8080/a"),
        ("http://j.example/a b", "http://j.example/a%20b"),
        ("http://j.example/a;jsessionid=1F?b=2", "http://j.example/a?b=2"),
        ("http://j.example/a;JSESSIONID=1F/b;v=1", "http://j.example/a/b;v=1"),
        ("http://j.example/(S(k3xab))/a", "http://j.example/a"),
        ("http://j.example/a(S(k3xab))/b", "http://j.example/a(S(k3xab))/b"),
        ("http://j.example/a/..;sid=1/b", "http://j.example/b"),
        ("http://j.example/a?PHPSESSID=1&z=1&sid=2&y=2", "http://j.example/a?z=1&y=2"),
        ("http://j.example/a?cfid=1&CFTOKEN=2", "http://j.example/a"),
        ("http://j.example/a?utm_source=x&id=3&gclid=4&fbclid=5", "http://j.example/a?id=3"),
        ("http://j.example/a?utm=1&side=2&sids", "http://j.example/a?utm=1&side=2&sids"),
        ("http://j.example/a?", "http://j.example/a"),
        ("http://j.example/a?&b&&c&", "http://j.example/a?b&c"),
        ("http://j.example/a?sid=1#x?y", "http://j.example/a"),
        ("mailto:Snow@j.example", "mailto:Snow@j.example"),
        ("no address", "no address"),
        ("http://[bad/", "http://[bad/"),
        ("\ud800", "\ud800"),
        ("", ""),
    ],
)
def test_an_address_has_one_spelling(url, canonical):
    assert canonical_url(url) == canonical


_PIECES = (
    "http:// https:// j.example :80 / .. . // ; jsessionid= sid= ? & = # (S(x)) %2e %3B a B utm_x é \\ @ mailto:"
).split()


@given(st.lists(st.sampled_from([*_PIECES, " "]), max_size=12).map("".join) | st.text(max_size=40))
def test_one_spelling_is_spelt_like_itself(text):
    for url in (text, f"http://j.example/{text}"):
        once = canonical_url(url)
        assert canonical_url(once) == once


_HREF = st.lists(
    st.sampled_from("../ / a Bc-1.html . .. ? b=1 & # : ; // %20 é ~x _ ./ http: https://k.example \\ @".split()),
    max_size=8,
).map("".join)
_BASES = (
    "http://j.example/x/y/z.html?q=1",
    "https://j.example",
    "http://j.example:81//x//y",
    "http://127.0.0.1/a",
    "http://u:p@j.example/a/",
    "HTTP://J.Example/%7Ea/../b",
    "file:///a/b",
    "mailto:a@b",
    "no address",
    "",
)


@given(st.sampled_from(_BASES), _HREF)
def test_the_short_way_to_an_absolute_address_ends_where_the_long_way_does(base, href):
    resolve = Resolver(base)
    assert resolve(href) == join_url(base, href)
    assert resolve(href) == join_url(base, href)  # known by now


@given(st.sampled_from(_BASES), _HREF)
def test_server_and_path_of_an_address_are_those_of_the_standard(base, href):
    url = join_url(base, href)
    if url:
        parsed = ada_url.URL(url)
        assert server_of(url) == parsed.host.removeprefix("www.")
        assert path_of(url) == (parsed.pathname + parsed.search).rstrip("?")


@pytest.mark.parametrize("ups", range(12))
def test_no_way_leads_up_beyond_the_server(ups):
    assert Resolver("http://j.example/x/y/z")("../" * ups + "a") == join_url(
        "http://j.example/x/y/z", "../" * ups + "a"
    )


def test_a_stated_base_is_used_unless_it_is_none_or_endless():
    resolve = Resolver("http://j.example/a/")
    assert resolve.rebased("../b/")("c") == "http://j.example/b/c"
    assert resolve.rebased("http://[bad")("c") == "http://j.example/a/c"
    assert resolve.rebased("x/" * 5_000)("c") == "http://j.example/a/c"


@pytest.mark.no_cover
@pytest.mark.parametrize("piece", ["../", "a/", ";sid=1", "(S(", "/(S(x))", "&a", "a", "#", "?"])
def test_endless_addresses_take_linear_time(piece):
    url = "http://j.example/" + piece * (1_000_000 // len(piece))
    assert urlsplit(canonical_url(url)).netloc == "j.example"
    Resolver("http://j.example/x")(piece * (1_000_000 // len(piece)))

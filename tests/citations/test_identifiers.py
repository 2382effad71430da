import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.citations.identifiers import find_doi, find_issns, find_orcid, find_unchecked_issns


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/abc", "10.1000/abc"),
        ("https://doi.org/10.1000/abc.", "10.1000/abc"),
        ("doi: 10.1000/abc; see also", "10.1000/abc"),
        ("(10.1000/abc)", "10.1000/abc"),
        ("(10.1000/s0140(05)12).", "10.1000/s0140(05)12"),
        ("10.1000/abc(1)", "10.1000/abc(1)"),
        ("[10.1000/abc].", "10.1000/abc"),
        ("10.1000/abc?x=1#top", "10.1000/abc"),
        ('"10.1000/abc"', "10.1000/abc"),
        ("https://doi.org/10.1000/19002246.this version posted", "10.1000/19002246"),
        ("10.1000/abc.the", "10.1000/abc.the"),
        ("10.12/abc", ""),
        ("10.1000/.", ""),
        ("110.1000/abc", ""),
        ("", ""),
    ],
)
def test_a_doi_is_found_bare(text: str, doi: str) -> None:
    assert find_doi(text) == doi


@pytest.mark.parametrize(
    ("text", "issns"),
    [
        ("2049-3630", ("2049-3630",)),
        ("20493630", ("2049-3630",)),
        ("ISSN 2434-561x (print), 2049-3630 (online), 2049-3630", ("2434-561X", "2049-3630")),
        ("2049-3631", ()),
        ("tel. 1234-5678", ()),
        ("", ()),
    ],
)
def test_issns_are_found_once_each_and_only_with_a_right_check_digit(text: str, issns: tuple[str, ...]) -> None:
    assert find_issns(text) == issns


@pytest.mark.parametrize(
    ("text", "orcid"),
    [
        ("https://orcid.org/0000-0000-4409-1267", "0000-0000-4409-1267"),
        ("0000-0000-6887-301x", "0000-0000-6887-301X"),
        ("0000-0000-4409-1268", ""),
        ("0000-0000-4409-1268 or 0000-0000-4409-1267", "0000-0000-4409-1267"),
        ("", ""),
    ],
)
def test_an_orcid_is_found_bare_and_only_with_a_right_check_digit(text: str, orcid: str) -> None:
    assert find_orcid(text) == orcid


@given(st.text() | st.text(alphabet="10./()x-0"))
def test_no_text_raises_and_a_doi_stands_in_its_text(text: str) -> None:
    assert find_doi(text) in text
    find_issns(text)
    find_orcid(text)


@pytest.mark.no_cover
@pytest.mark.parametrize("text", ["10.1000/" + ")" * 10**6, "10.1000/" * 10**5, "1234-" * 200_000, "0" * 10**6])
def test_a_megabyte_of_anything_is_read_in_bounded_time(text: str) -> None:
    find_doi(text)
    find_issns(text)
    find_orcid(text)


def test_what_is_written_like_an_issn_is_taken_as_it_stands_whatever_its_check_digit() -> None:
    assert find_unchecked_issns("1234-5678 (Print), 2049363x; 1234-5678") == ("1234-5678", "2049363x")
    assert find_issns("1234-5678 2049-363x 2049-3630") == ("2049-3630",)
    assert find_unchecked_issns("12345") == ()

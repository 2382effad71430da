import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.citations.printed_dates import MONTH_BY_NAME, parse_date

DATES = [
    ("2010", "2010"),
    ("2010-09", "2010-09"),
    ("2010/9", "2010-09"),
    ("2010-09-15", "2010-09-15"),
    ("2010/9/5", "2010-09-05"),
    ("2010.09.15", "2010-09-15"),
    ("2010-09-15T08:30:00Z", "2010-09-15"),
    ("15.09.2010", "2010-09-15"),
    ("15/09/2010", "2010-09-15"),
    ("11/11/2010", "2010-11-11"),
    ("03/3/2010", "2010-03-03"),
    ("09/15/2010", "2010-09-15"),
    ("03/04/2010", "2010"),
    ("15 September 2010", "2010-09-15"),
    ("15 sept. 2010", "2010-09-15"),
    ("15th September, 2010", "2010-09-15"),
    ("1st of May 2010", "2010-05-01"),
    ("15-Sep-2010", "2010-09-15"),
    ("September 15, 2010", "2010-09-15"),
    ("SEPTEMBER 15 2010", "2010-09-15"),
    ("Sep. 15, 2010", "2010-09-15"),
    ("2010 Sep 15", "2010-09-15"),
    ("2010 Sep", "2010-09"),
    ("2010 Sep-Oct", "2010-09"),
    ("September 2010", "2010-09"),
    ("May/June 2017", "2017-05"),
    ("Mar–Apr 2001", "2001-03"),
    ("7 février 2001", "2001-02-07"),
    ("7 fe\u0301vrier 2001", "2001-02-07"),
    ("12 juil. 2001", "2001-07-12"),
    ("août 2001", "2001-08"),
    ("7 de mayo de 2001", "2001-05-07"),
    ("1er mars 2001", "2001-03-01"),
    ("3. März 2001", "2001-03-03"),
    ("12 października 2001", "2001-10-12"),
    ("5 сентября 2001", "2001-09-05"),
    ("15.IX.2010", "2010-09-15"),
    ("15. XIII. 2010", "2010"),
    ("2010年9月15日", "2010-09-15"),
    ("2010 年 9 月", "2010-09"),
    ("Spring 2010", "2010"),
    ("29 February 2012", "2012-02-29"),
    ("29 February 2011", "2011-02"),
    ("2010-02-31", "2010"),
    ("2010-13-01", "2010"),
    ("32 May 2010", "2010-05"),
    ("2010-2011", "2010"),
    ("15\u00a0September\n 2010", "2010-09-15"),
    ("© 2010 The Society. Published 15 September 2010", "2010-09-15"),
    ("Published 15 May 2009; updated 2010-01-02", "2009-05-15"),
    ("12010-09", ""),
    ("20100915", ""),
    ("1234", ""),
    ("2110", ""),
    ("20\u0661\u0660", ""),
    ("forthcoming", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "iso"), DATES)
def test_a_printed_date_is_read_as_precisely_as_it_is_known(text: str, iso: str) -> None:
    assert parse_date(text) == iso


def test_every_name_of_a_month_is_known_in_either_order() -> None:
    for name, number in MONTH_BY_NAME.items():
        assert parse_date(f"4 {name} 1999") == parse_date(f"{name.title()} 4, 1999") == f"1999-{number:02d}-04"


@given(st.dates(min_value=dt.date(1500, 1, 1), max_value=dt.date(2099, 12, 31)))
def test_an_iso_date_is_itself(date: dt.date) -> None:
    assert parse_date(str(date)) == str(date)


@given(st.text() | st.text(alphabet="0123456789-/. mayMARst,"))
def test_no_text_raises_and_every_answer_is_iso(text: str) -> None:
    assert re.fullmatch(r"([0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?)?", parse_date(text))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "text", ["1 " * 400_000, "2010 " * 200_000, "May 1" + " " * 10**6, "Sep" * 300_000, "9" * 10**6]
)
def test_a_megabyte_of_anything_is_read_in_bounded_time(text: str) -> None:
    parse_date(text)

"""The names of issues in short texts: volume, number, year and month."""

from __future__ import annotations

import pytest

from medharvest.links.issue_names import IssueName, newest_first, read_issue_name, word_issue


@pytest.mark.parametrize(
    ("text", "volume", "issue", "year"),
    [
        ("Vol. 12, No. 3 (2019)", "12", "3", "2019"),
        ("Volume9 Issue1 (May/June 2020)", "9", "1", "2020"),
        ("Volume 9 (2020)", "9", "", "2020"),
        ("441-552 Number 5 / September 2008", "", "5", "2008"),
        ("Volumes 161 - 168 (2011 - 2012)", "161-168", "", "2011-2012"),
        ("Volume 164, Issues 1–2", "164", "1-2", ""),
        ("12(3)", "12", "3", ""),
        ("12/3", "12", "3", ""),
        ("3/2019", "", "3", "2019"),
        ("2019/3", "", "3", "2019"),
        ("Vol. XII, No. 4", "XII", "4", ""),
        ("Vol 12 Suppl 1", "12", "Suppl 1", ""),
        ("2000–2009", "", "", "2000-2009"),
        ("2021 (444)", "", "", "2021"),
        ("3rd issue", "", "3", ""),
        ("Vol 12, Issue 3, Pages 123-150", "12", "3", ""),
        ("12. Jahrgang, Heft 3", "12", "3", ""),
        ("Ausgabe 3/2019", "", "3", "2019"),
        ("Tome 34 - n° 2", "34", "2", ""),
        ("numéro 4, 2018", "", "4", "2018"),
        ("Vol. 12 Núm. 3 (2019): Enero-marzo", "12", "3", "2019"),
        ("2019年第3期", "", "3", "2019"),
        ("第十二卷", "12", "", ""),
        ("12卷3号", "12", "3", ""),
        ("Том 12, № 3 (2019)", "12", "3", "2019"),
        ("2019, выпуск 4", "", "4", "2019"),
        ("Cilt: 12 Say\u0131: 3", "12", "3", ""),
        ("Rok 2019, ročník 12, číslo 3", "12", "3", "2019"),
        ("12. évf. 3. szám", "12", "3", ""),
        ("12권 3호", "12", "3", ""),
    ],
)
def test_volume_number_and_year_are_read_in_many_spellings(text, volume, issue, year):
    name = read_issue_name(text)
    assert (name.volume, name.issue, name.year) == (volume, issue, year)


@pytest.mark.parametrize(
    "text",
    [
        "Volume overload in dialysis",
        "A 12 week trial of 2 drugs",
        "Issue author index",
        "Supplementary material",
        "Special issue on asthma",
        "(pages 170",
        "10.5555/12345678",
    ],
)
def test_other_texts_name_no_issue(text):
    assert not read_issue_name(text)


@pytest.mark.parametrize(("text", "month"), [("January", 1), ("mars 2019", 3), ("Spring 2010", 4), ("лето 2011", 7)])
def test_months_and_seasons_have_a_place_in_the_year(text, month):
    assert read_issue_name(text).month == month


def test_a_day_stays_a_number_beside_its_month():
    assert word_issue("14 Mar 2018").numbers == ("14",)


def test_the_newest_comes_first_by_year_volume_month_and_number():
    names = [read_issue_name(text) for text in ("12(1) 2018", "No. 2, 2019", "No. 10, 2019", "No. 9, 2019")]
    assert newest_first(names) == [2, 3, 1, 0]


def test_without_years_and_volumes_the_order_of_the_page_is_kept_or_turned_round():
    unknown = IssueName(issue="1")
    assert newest_first([unknown, IssueName(issue="2")]) == [0, 1]
    assert newest_first([IssueName(year="2018"), unknown, IssueName(year="2019")]) == [2, 1, 0]


def test_names_contradict_each_other_if_volumes_or_years_are_apart():
    assert read_issue_name("Volume 12").contradicts(read_issue_name("Volume 13"))
    assert not read_issue_name("Volumes 10-14").contradicts(read_issue_name("Volume 12, No. 3"))
    assert not read_issue_name("Volume 12").contradicts(read_issue_name("2019"))

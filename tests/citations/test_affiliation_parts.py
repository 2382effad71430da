"""Institution, city and country of an affiliation."""

from __future__ import annotations

import pytest

from medharvest.citations.affiliations import affiliation_parts, name_country
from medharvest.records import AffiliationParts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Department of Tides, University of Quay, Oslo, Norway", ("University of Quay", "Oslo", "Norway", "NO")),
        ("University of Quay, Oslo, Norway. E-mail: a@b.example", ("University of Quay", "Oslo", "Norway", "NO")),
        ("Institut, Universität am Kai, D-79104 Freiburg, Deutschland",
            ("Universität am Kai", "Freiburg", "Deutschland", "DE")),
        ("Quay Hospital, 464 Harbour Road, Glasgow G61 1QH, UK", ("Quay Hospital", "Glasgow", "UK", "GB")),
        ("Department of Sleep, Quay Medical School, Boston, MA 02115, USA",
            ("Quay Medical School", "Boston", "USA", "US")),
        ("Quay Medical School, Boston, Massachusetts", ("Quay Medical School", "Boston", "", "US")),
        ("Centers for Tides, Atlanta, Georgia.", ("Centers for Tides", "Atlanta", "", "US")),
        ("Quay University, Tbilisi, Georgia", ("Quay University", "Tbilisi", "Georgia", "GE")),
        ("Quay University, Washington, DC 20057 USA", ("Quay University", "Washington", "USA", "US")),
        ("School of Tides, Quay University, Nomi, Ishikawa, Japan", ("Quay University", "Nomi", "Japan", "JP")),
        ("Quay University, Minami-ku, Hiroshima 734-8551, Japan", ("Quay University", "Hiroshima", "Japan", "JP")),
        ("Quay Institute of Science, Bangalore-560012, India.",
            ("Quay Institute of Science", "Bangalore", "India", "IN")),
        ("Quay University, Kotlářská 14, 60200 Brno, Czech Republic",
            ("Quay University", "Brno", "Czech Republic", "CZ")),
        ("Université du Quai, 75005 Paris Cedex 05, France", ("Université du Quai", "Paris", "France", "FR")),
        ("Universidade do Cais, Florianópolis, SC, Brasil", ("Universidade do Cais", "Florianópolis", "Brasil", "BR")),
        ("National University of Quay, Singapore", ("National University of Quay", "Singapore", "Singapore", "SG")),
        ("Royal College of Tides, Dublin 2, Ireland", ("Royal College of Tides", "Dublin", "Ireland", "IE")),
        ("Lecturer, Department of Tides, Quay College, Pune", ("Quay College", "Pune", "", "")),
        ("潮汐研究所，码头大学，北京 100871，中国", ("码头大学", "北京", "中国", "CN")),  # noqa: RUF001
        ("Кафедра приливов, Университет Причала, Москва, Россия", ("Университет Причала", "Москва", "Россия", "RU")),
        ("Department of Psychology, Quay University, Norway", ("Quay University", "", "Norway", "NO")),
        ("University of Quay", ("University of Quay", "", "", "")),
        ("", ("", "", "", "")),
    ],
)  # fmt: skip
def test_the_parts_of_an_affiliation_are_found(text: str, expected: tuple[str, str, str, str]) -> None:
    institution, city, country, code = expected
    assert affiliation_parts(text) == AffiliationParts(
        institution=institution, city=city, country=country, country_code=code
    )


def test_countries_have_one_english_name() -> None:
    assert [name_country(code) for code in ("DE", "US", "GB", "XX")] == ["Germany", "USA", "UK", ""]

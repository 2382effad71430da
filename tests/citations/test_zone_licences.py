"""Open licences by their short names."""

import pytest
from tests.citations.strategies import zone

from medharvest.citations.zone_fields import find_printed_licence, parse_licence


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("https://creativecommons.org/licenses/by-nc-nd/4.0/", "CC BY-NC-ND 4.0"),
        ("http://creativecommons.org/licenses/by/3.0", "CC BY 3.0"),
        ("© 2024 Quay Press · CC BY-NC 4.0", "CC BY-NC 4.0"),
        ("CC-BY", "CC BY"),
        ("CC BY SA 2.0", "CC BY-SA 2.0"),
        ("under the terms of the Creative Commons Attribution License, which", "CC BY"),
        ("a Creative Commons Attribution 4.0 International License", "CC BY 4.0"),
        ("Creative Commons Attribution-NonCommercial-ShareAlike 3.0 Unported", "CC BY-NC-SA 3.0"),
        ("Creative Commons License (Attribution-NonCommercial-NoDerivs 4.0 International)", "CC BY-NC-ND 4.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
        ("CC0", "CC0"),
        ("Creative Commons licensing terms apply", ""),
        ("https://licence.example/4", ""),
        ("All rights reserved", ""),
        ("", ""),
    ],
)
def test_a_licence_has_a_short_name(text: str, name: str) -> None:
    assert parse_licence(text) == name
    assert parse_licence(name) == name


def test_a_notice_of_the_page_names_its_licence() -> None:
    waiver = zone(
        "unidentified", "The Creative Commons waiver (creativecommons.org/publicdomain/zero/1.0/) is for data"
    )
    own = zone("unidentified", "This is an open access article under CC BY 4.0")
    cited = zone("reference", "Berg A. Snow under CC BY-ND 2.0")
    found = find_printed_licence([cited, waiver, own])
    assert found is not None
    assert (found.text, found.zone) == ("CC BY 4.0", own)
    assert find_printed_licence([cited, waiver]).text == "CC0 1.0"  # type: ignore[union-attr]
    assert find_printed_licence([cited, zone("unidentified", "creative commons")]) is None


@pytest.mark.no_cover
def test_a_megabyte_of_notices_is_read_in_bounded_time() -> None:
    zones = [zone("unidentified", "creative commons attribution- non " * 80)] * 400
    find_printed_licence(zones)

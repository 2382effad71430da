import pytest

from medharvest.records import Mark, MetaItem, Zone
from medharvest.zones.appearance import class_index_of, inspect_zone
from medharvest.zones.wording import fold_letters, may_hold_people
from medharvest.zones.zone_features import (
    MetadataKeys,
    describe_zones,
    flatten_feature_groups,
    make_anchor_features,
    make_metadata_comparison,
    metadata_keys_of,
)

TITLE = "Sleep and snow in the winter of the north"


def _zone(text: str, tag: str = "p", **more: object) -> Zone:
    return Zone(level=3, tag=tag, path=f"html[1]/body[1]/ul[1]/{tag}[1]", text=text, **more)  # type: ignore[arg-type]


def _features(*zones: Zone, known: MetadataKeys | None = None) -> list[list[str]]:
    return [
        flatten_feature_groups(one)
        for one in describe_zones(zones, rules=["none"] * len(zones), known=known or MetadataKeys())
    ]


def test_a_zone_shows_what_it_is_made_of():
    zone = _zone(
        "1 Snow Clinic, General Hospital, Oslo, Norway; 2019.",
        words=("aff",),
        marks=(Mark(0, 1, "sup"), Mark(0, 53, "b")),
        size=11.0,
        hidden=True,
    )
    seen = set(_features(zone)[0])
    assert {"t=p", "w=aff", "country", "semicolon", "year", "hidden", "end=.", "+sup=1,True", "+size=1"} <= seen
    assert "+marker" in seen
    assert inspect_zone(zone, "").institution


def test_names_are_inspected_without_the_text_between_them():
    seen = inspect_zone(_zone("Authors: Anna Berg, Carl Dahl"), "")
    assert seen.names == 1.0
    assert "names=3,4,False,False" in seen.wording.names


def test_headings_are_described_by_what_they_announce():
    texts = ("Abstract", "Author affiliations", "Results", "Introduction", "Snow")
    found = [inspect_zone(_zone(text, "h2"), "").heading for text in texts]
    assert found == ["abstract", "people", "section", "section", "other"]
    assert inspect_zone(_zone("Case report"), "").heading == "body"
    assert inspect_zone(_zone("Snow"), "").heading == ""


def test_the_zone_that_the_tab_shows_is_known_for_it():
    head, title = _zone(f"{TITLE} | Snow Journal", "title"), _zone(TITLE, "h1")
    cited = _zone(f"Berg A. {TITLE}. Snow Journal 2001;1:1-9")
    first = _features(head, title, cited)
    assert "tab-heading" in first[1]
    assert "G=most" in first[1]
    assert any(feature.startswith("G=around") for feature in _features(_zone(TITLE, "title"), cited)[1])


def test_neighbours_and_the_heading_above_are_features():
    zones = (_zone("Abstract", "h2"), _zone("We slept."), _zone("Anna Berg"), _zone("Snow Hospital"), _zone("End"))
    seen = _features(*zones)
    assert {"a:H=abstract", "u=abstract", "u=abstract,1"} <= set(seen[1])
    assert "z:t=p" in seen[0]
    assert "since-names=1" in seen[3]
    assert "since-places=1" in seen[4]
    assert "p=ul" in seen[0]


def test_words_that_the_page_writes_small_are_no_names():
    zones = (_zone("Related Content"), _zone("Anna Berg"), _zone("see related content here"))
    seen = _features(*zones)
    assert "plain=3,2" in seen[0]
    assert "plain=0,2" in seen[1]


def test_dull_zones_have_no_features():
    assert describe_zones([_zone("Snow")], rules=["none"], known=MetadataKeys(), dull={0}) == [()]


def test_a_mute_zone_counts_for_its_neighbours():
    zones = [_zone("Abstract", "h2"), _zone("We slept.")]
    mute, spoken = describe_zones(zones, rules=["none"] * 2, known=MetadataKeys(), mute={0})
    assert mute == ()
    assert {"a:H=abstract", "u=abstract"} <= set(flatten_feature_groups(spoken))


def test_a_zone_that_no_other_sees_is_inspected_for_its_heading_only():
    quiet = [_zone(f"{n}") for n in range(6)]
    zones = [*quiet, _zone("Funding", "h2"), *quiet, _zone("Anna Berg")]
    mute = set(range(len(zones) - 1))
    told = describe_zones(zones, rules=["none"] * len(zones), known=MetadataKeys(), mute=mute)[-1]
    assert {"u=funding", "a:t=p", "b:t=p"} <= set(flatten_feature_groups(told))
    assert "since-names=0" not in flatten_feature_groups(told)


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("Anna Berg", True),
        ("Berg, anna", True),
        ("berg and dahl", True),
        ("a hospital", True),
        ("Berg", False),
        ("Contact us", False),
    ],
)
def test_a_text_without_a_list_that_ends_in_lower_case_names_no_people(text, people):
    assert may_hold_people(_zone(text)) is people
    assert may_hold_people(_zone(text, marks=(Mark(0, 1, "sup"),)))


def test_a_zone_knows_its_distance_from_title_and_abstract():
    assert "side=above" in make_anchor_features(3, title=1, abstract=[5, 6]).names
    assert "side=behind" in make_anchor_features(9, title=1, abstract=[5, 6]).names
    assert "side=within" in make_anchor_features(6, title=1, abstract=[5, 7]).names
    assert "side=none" in make_anchor_features(3, title=1, abstract=[]).names


def test_metadata_is_compared_with_each_zone():
    items = (
        MetaItem("citation", "citation_title", TITLE),
        MetaItem("citation", "citation_author", "Berg, Anna; Carl Dahl"),
        MetaItem("citation", "citation_author_institution", "Snow Hospital, Oslo"),
        MetaItem("meta", "description", "We asked people how they slept. " * 5),
        MetaItem("meta", "description", "short"),
    )
    known = metadata_keys_of(items)
    agree = make_metadata_comparison(known)
    assert known.families == ("berg", "dahl")
    assert set(agree(_zone(TITLE)).names) >= {"k-title=True", "k-names=0,False"}
    assert set(agree(_zone("Anna Berg, Carl Dahl")).names) >= {"k-names=3,True", "k-held=2,True"}
    assert "k-place=True" in set(agree(_zone("1 Snow Hospital, Oslo")).names)
    assert "k-abstract=True" in set(agree(_zone("We asked people how they slept.")).names)
    assert make_metadata_comparison(MetadataKeys())(_zone(TITLE)).names == ()
    assert any(feature.startswith("k-") for feature in _features(_zone(TITLE), known=known)[0])


def test_texts_are_compared_by_letters_and_digits_in_one_case():
    assert [fold_letters(text) for text in ("Snow-ball_1", "Ångström_№ 1")] == ["snowball1", "ångströmno1"]


def test_classes_count_from_below():
    assert [class_index_of(value, (1, 5)) for value in (0, 1, 7)] == [0, 1, 2]

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medharvest.errors import SettingsError
from medharvest.settings import SettingDescription, Settings, describe_settings, load_settings, setting_variable

ALL = tuple(describe_settings())
# Three other values of each type, as a file, the environment and an option give them.
OTHERS: dict[str, tuple[str, str, Any, tuple[Any, Any, Any]]] = {
    "str": ('"file"', "environment", "option", ("file", "environment", "option")),
    "float": ("2", "3.5", 4.5, (2.0, 3.5, 4.5)),
    "int": ("2", "3", 4, (2, 3, 4)),
    "Links": ('"constraints"', "article", "constraints", ("constraints", "article", "constraints")),
}


def value_of(settings: Settings, name: str) -> Any:
    found: Any = settings
    for part in name.split("."):
        found = getattr(found, part)
    return found


def write(folder: Path, text: str) -> Path:
    file = folder / "settings.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("item", ALL, ids=lambda item: item.name)
def test_an_option_wins_over_the_environment_over_the_file_over_the_default(
    item: SettingDescription, tmp_path: Path
) -> None:
    if item.type == "bool":
        in_file, in_variable, option = str(not item.default).lower(), str(item.default), not item.default
        expected = (not item.default, item.default, not item.default)
    else:
        in_file, in_variable, option, expected = OTHERS[item.type]
    file = write(tmp_path, f"{item.name} = {in_file}")
    environment = {item.variable: in_variable}
    found = (
        load_settings(environment={}),
        load_settings(file=file, environment={}),
        load_settings(file=file, environment=environment),
        load_settings(file=file, environment=environment, options={item.name: option}),
        load_settings(file=file, environment=environment, options={item.name: None}),
    )
    values = [value_of(settings, item.name) for settings in found]
    assert values == [item.default, *expected, expected[1]]
    assert {type(value).__name__ for value in values} == {item.type}


@pytest.mark.parametrize("item", ALL, ids=lambda item: item.name)
def test_every_setting_has_a_sentence_and_a_variable(item: SettingDescription) -> None:
    assert len(item.doc.split()) > 2
    assert item.doc[0].isupper()
    assert not item.doc.endswith(".")
    assert item.variable == setting_variable(item.name) == "MEDHARVEST_" + item.name.upper().replace(".", "_")


def test_no_two_settings_share_a_variable() -> None:
    assert len({item.variable for item in ALL}) == len(ALL)


def test_other_variables_and_other_settings_are_left_alone() -> None:
    settings = load_settings(environment={"HOME": "/", "MEDHARVEST_PYTHON": "python3", "MEDHARVEST_FETCH_DELAY": "7"})
    assert settings.fetch.delay == 7
    assert load_settings(environment={}, options={"fetch.delay": 7}) == settings


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("fetch.dealy", "did you mean fetch.delay"),
        ("crawl.maxpages", "did you mean crawl.max_pages"),
        ("zzz", "the settings reference lists all of them"),
        ("store.url", "did you mean store"),
        ("", "the settings reference lists all of them"),
    ],
)
def test_an_unknown_name_is_refused_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environment={}, options={name: 1})
    assert caught.value.setting == name
    assert str(caught.value) == f"no such setting: {name}"
    assert caught.value.hint == hint


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("fetch.delay", "soon", "float expected"),
        ("fetch.delay", "", "float expected"),
        ("fetch.delay", "nan", "0 or more expected"),
        ("fetch.delay", "inf", "0 or more expected"),
        ("fetch.delay", -1, "0 or more expected"),
        ("fetch.delay", True, "float expected"),
        ("fetch.delay", [1], "float expected"),
        ("fetch.delay", 10**400, "float expected"),
        ("crawl.max_pages", "1.5", "int expected"),
        ("crawl.max_pages", 1.5, "int expected"),
        ("crawl.max_pages", float("inf"), "int expected"),
        ("crawl.max_pages", True, "int expected"),
        ("crawl.max_pages", "9" * 5000, "int expected"),
        ("crawl.max_pages", "-3", "0 or more expected"),
        ("fetch.robots", "maybe", "bool expected"),
        ("fetch.robots", 2, "bool expected"),
        ("store", 5, "str expected"),
        ("store", ["a"], "str expected"),
    ],
)
def test_a_wrong_value_is_refused_by_name_and_type(name: str, value: Any, hint: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environment={}, options={name: value})
    assert (caught.value.setting, caught.value.hint) == (name, hint)
    assert caught.value.message == f"wrong value for {name}: {value}"


@pytest.mark.parametrize(
    ("word", "meaning"),
    [(word, True) for word in ("1", "true", "YES", "on")] + [(word, False) for word in ("0", "False", "no", "OFF")],
)
def test_yes_and_no_may_be_written_in_words(word: str, meaning: bool) -> None:  # noqa: FBT001
    assert load_settings(environment={"MEDHARVEST_FETCH_ROBOTS": word}).fetch.robots is meaning


@pytest.mark.parametrize(
    "body",
    [b"fetch = ", b"\xff\xfe", b"x = " + b"9" * 5000, b"x = " + b"[" * 5000, b"a" + b".a" * 5000 + b" = 1"],
    ids=["syntax", "not-utf-8", "long-number", "deep-list", "deep-name"],
)
def test_a_file_that_is_no_toml_is_refused_by_its_name(body: bytes, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_bytes(body)
    with pytest.raises(SettingsError) as caught:
        load_settings(file=file, environment={})
    assert caught.value.hint
    assert str(file) == caught.value.setting or caught.value.message.startswith("no such setting")


def test_a_file_that_cannot_be_read_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read") as caught:
        load_settings(file=tmp_path / "none.toml", environment={})
    assert caught.value.setting == str(tmp_path / "none.toml")
    assert caught.value.hint == "No such file or directory"


def test_a_file_may_use_tables(tmp_path: Path) -> None:
    file = write(tmp_path, 'store = "sqlite:///x"\n[fetch]\ndelay = 0\nrobots = false\n[crawl]\nmax_pages = 9\n')
    settings = load_settings(file=file, environment={})
    assert (settings.store, settings.fetch.delay, settings.fetch.robots) == ("sqlite:///x", 0.0, False)
    assert settings.crawl.max_pages == 9


@given(st.sampled_from(ALL), st.text() | st.floats() | st.integers() | st.booleans() | st.lists(st.text(), max_size=2))
def test_any_value_is_taken_or_refused_as_a_settings_error(item: SettingDescription, value: Any) -> None:
    try:
        settings = load_settings(environment={}, options={item.name: value})
    except SettingsError:
        return
    assert type(value_of(settings, item.name)).__name__ == item.type


def test_an_unknown_variable_of_ours_is_refused_with_a_hint() -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(environment={"MEDHARVEST_FETCH_DELY": "7"})
    assert caught.value.setting == "MEDHARVEST_FETCH_DELY"
    assert caught.value.hint == "did you mean MEDHARVEST_FETCH_DELAY"

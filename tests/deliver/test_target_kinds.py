"""Targets by name and URL: what is wrong with one is told before anything is sent, and never a password."""

from __future__ import annotations

from dataclasses import replace

import pytest

from medharvest.deliver import TARGET_KINDS, configured_targets, open_target, parse_target
from medharvest.deliver.target_kinds import open_report_folder, sftp_address
from medharvest.errors import DeliveryError, FormatError
from medharvest.settings import Deliver, Settings, load_settings

KEY = {"MEDHARVEST_SECRET_T": "k"}


@pytest.mark.parametrize("kind", TARGET_KINDS)
def test_the_example_of_each_kind_opens(kind):
    made = open_target(parse_target(f"t={TARGET_KINDS[kind].form}"), Settings(), KEY)
    assert made.lists is (kind == "oai")
    made.close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("folder:/x", "not a target"),
        ("=folder:/x", "not a target"),
        ("a b=folder:/x", "not a target"),
        ("t=", "not a target"),
        ("t=http://[::1", "not a target"),
        ("t=ftp://host/x", "no such kind of target"),
        ("t=nothing", "no such kind of target"),
        ("t=folder:/x?colour=red", "no such option of folder: colour"),
        ("t=oai:?colour=red", "no such option of oai: colour"),
        ("t=sftp://name:oyster@host/x", "the address of t contains a password"),
    ],
)
def test_a_wrong_address_is_told_with_a_hint(text, message):
    with pytest.raises(DeliveryError, match=message) as caught:
        parse_target(text)
    assert caught.value.hint
    assert "oyster" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("folder:", "the folder or file is missing"),
        ("parquet:", "the folder or file is missing"),
        ("sftp:///x", "the host is missing"),
        ("sftp://host:99999/x", "not a valid port"),
        ("sqlite:///x.db?table=a b", "not a valid table name"),
        ("postgresql://host:port/x", "not a valid database URL"),
        ("webhook:/x", "not a web address"),
        ("webhook+ftp://host/x", "not a web address"),
        ("opensearch+https://host/", "the index is missing"),
        ("opensearch+https://host/_all", "the index is missing"),
        ("zotero:people/7", "the library is missing"),
    ],
)
def test_what_cannot_be_opened_is_told_with_an_example(url, message):
    with pytest.raises(DeliveryError, match=message):
        open_target(parse_target(f"t={url}"), Settings(), KEY)


@pytest.mark.parametrize("url", ["webhook+https://host.example/x", "zotero:users/7"])
def test_a_target_that_needs_a_key_says_where_it_is_looked_for(url):
    with pytest.raises(DeliveryError) as caught:
        open_target(parse_target(f"my-t={url}"), Settings(), {})
    assert caught.value.hint == "set the environment variable MEDHARVEST_SECRET_MY_T"


def test_an_unknown_format_is_told():
    with pytest.raises(FormatError, match="unknown format: ris2"):
        open_target(parse_target("t=folder:/x?format=ris2"), Settings(), {})


def test_an_sftp_address_is_taken_apart():
    address = parse_target("t=sftp://me%40x@host:2222/~/in/box?key=/k&hostkey=SHA256:a+b&reports=out")
    found = sftp_address(address, "word", Deliver(timeout=3.0))
    assert (found.host, found.port, found.user, found.folder) == ("host", 2222, "me@x", "in/box")
    assert (found.key_file, found.fingerprint, found.reports, found.timeout) == ("/k", "SHA256:a+b", "out", 3.0)
    assert "word" not in repr(found)


def test_reports_are_read_from_sftp_alone():
    with pytest.raises(DeliveryError, match="this kind of target has no reports"):
        open_report_folder(parse_target("t=folder:/x"), Settings(), {})


def test_targets_of_the_settings_are_trusted_and_keep_their_order(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text('[targets]\nlibrary = "folder:/a"\npubmed = "sftp://host/b"\n')
    settings = load_settings(file=file, environment={"MEDHARVEST_SECRET_PUBMED": "x"})
    assert [(one.name, one.trusted) for one in configured_targets(settings).values()] == [
        ("library", True),
        ("pubmed", True),
    ]
    named = load_settings(environment={"MEDHARVEST_TARGETS": "a = folder:/a\n\nb = oai:"})
    assert list(configured_targets(named)) == ["a", "b"]
    assert configured_targets(replace(settings, targets="")) == {}
    assert not parse_target("a=folder:/a").trusted

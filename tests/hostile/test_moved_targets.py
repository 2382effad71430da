"""The name of a delivery target is given to another place: nothing is taken for sent that never went there."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update
from tests.deliver.records import RECORDS

from medharvest.cli import main
from medharvest.deliver import digest_target_address, parse_target
from medharvest.store import DeliveryRow, open_store
from medharvest.store.tables import delivery

MOVED = "t: its address has changed; nothing was sent to the new one yet, so every record is new\n"


@pytest.fixture
def store(tmp_path: Path) -> str:
    with open_store(str(tmp_path / "s.sqlite")) as opened:
        opened.save(None, RECORDS)
    return str(tmp_path / "s.sqlite")


@pytest.fixture
def deliver(store: str, capsys: pytest.CaptureFixture[str]):
    """Deliver to a target named `t` at an address; return what is said on stderr."""

    def call(url: str, *more: str) -> str:
        with pytest.raises(SystemExit):
            main(["deliver", "t", "--target", f"t={url}", "--store", store, *more])
        return capsys.readouterr().err

    return call


def forget_addresses(store: str) -> None:
    """Make the rows of a store like those of an older one, which did not note the address."""
    with open_store(store) as opened, opened._transactions.writing() as connection:
        connection.execute(update(delivery).values(address=""))


def test_another_folder_of_the_same_name_gets_every_record_and_the_change_is_told(deliver, tmp_path: Path) -> None:
    assert deliver(f"folder:{tmp_path}/one?format=ris") == "t: 3 sent\n"
    two = f"folder:{tmp_path}/two?format=ris"
    assert deliver(two, "--dry-run").startswith(MOVED)
    assert deliver(two) == f"{MOVED}t: 3 sent\n"
    names = [sorted(path.name for path in (tmp_path / folder).iterdir()) for folder in ("one", "two")]
    assert names[0] == names[1] != []
    assert deliver(two) == "t: 3 unchanged\n"


def test_a_target_that_comes_back_is_remembered(deliver, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        deliver(f"folder:{tmp_path}/{folder}")
    assert deliver(f"folder:{tmp_path}/one/") == "t: 3 unchanged\n"


def test_after_an_upgrade_nothing_is_sent_again_and_the_next_change_counts(deliver, store: str, tmp_path: Path) -> None:
    one, two = f"folder:{tmp_path}/one", f"folder:{tmp_path}/two"
    deliver(one)
    forget_addresses(store)
    assert "3 unchanged" in deliver(one, "--dry-run")  # changes nothing
    assert deliver(one) == "t: 3 unchanged\n"
    assert deliver(two) == f"{MOVED}t: 3 sent\n"


def test_rows_without_an_address_are_taken_for_one_address_only(store: str) -> None:
    row = DeliveryRow(article=1, digest="d" * 64, state="sent")
    with open_store(store) as opened:
        kept = opened.deliveries
        kept.keep("t", [row])
        kept.keep("t", [row], address="a" * 64)
        kept.adopt("t", address="a" * 64)
        assert (len(kept.find("t", [1], address="a" * 64)), kept.find("t", [1], address="b" * 64)) == (1, {})
        assert (kept.has_moved("t", address="a" * 64), kept.has_moved("t", address="b" * 64)) == (False, True)
        assert not kept.has_moved("other", address="a" * 64)


SAME = [
    ("folder:/srv/a?format=ris", "folder:/srv/a/?format=pubmed"),
    ("folder:/srv/a", "folder:/srv/b/../a"),
    ("sftp://me@host.example/in?key=/k1", "sftp://me@HOST.example/in/?key=/k2&hostkey=x"),
    ("webhook+https://host.example/hook?token=one", "webhook+https://host.example/hook?token=two"),
    ("webhook+https://one@host.example/hook", "webhook+https://two@host.example/hook"),
    ("postgresql://a@host.example/db?sslmode=require", "postgresql://b@host.example/db"),
]
OTHER = [
    ("folder:/srv/a", "folder:/srv/b"),
    ("folder:/srv/a", "parquet:/srv/a"),
    ("sftp://me@host.example/in", "sftp://you@host.example/in"),
    ("sftp://me@host.example/in", "sftp://me@host.example:2222/in"),
    ("sqlite:////srv/a.db?table=one", "sqlite:////srv/a.db?table=two"),
    ("sqlite:////srv/a.db", "sqlite:///srv/a.db"),
    ("zotero:users/1?collection=A", "zotero:users/1?collection=B"),
    ("webhook+https://host.example/hook?queue=a", "webhook+https://host.example/hook?queue=b"),
    ("webhook+http://host.example/hook", "webhook+https://host.example/hook"),
]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_options_and_secrets_are_no_part_of_an_address(one: str, two: str) -> None:
    first, second = (digest_target_address(parse_target(f"t={url}")) for url in (one, two))
    assert (len(first), first) == (64, second)


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_another_place_is_another_address(one: str, two: str) -> None:
    first, second = (digest_target_address(parse_target(f"t={url}")) for url in (one, two))
    assert first != second


def test_an_oai_list_has_no_address() -> None:
    assert digest_target_address(parse_target("list=oai:")) == ""

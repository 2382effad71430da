"""SFTP, against a server on loopback: whole files or none, and only to a server that is known."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest
from tests.deliver.records import ONE, TWO, parcel
from tests.deliver.sftp_server import KEY, PASSWORD, Served, sftp_server

from medharvest.deliver import DeliveryState, RetryPolicy, open_target, parse_target, send_parcels
from medharvest.deliver.sftp import SftpFolder, host_key_fingerprint
from medharvest.deliver.target_kinds import open_report_folder
from medharvest.errors import DeliveryError
from medharvest.settings import Settings

SECRET = {"MEDHARVEST_SECRET_PUBMED": PASSWORD}
SETTINGS = replace(Settings(), deliver=replace(Settings().deliver, timeout=60.0))


@pytest.fixture
def served(tmp_path):
    with sftp_server(tmp_path / "server") as server:
        yield server


def target(served: Served, environment=SECRET, **options: str):
    return open_target(parse_target(f"pubmed={served.url(**options)}"), SETTINGS, environment)


def send(made, *parcels, tries: int = 1):
    kept: list[object] = []
    patience = RetryPolicy(tries=tries, sleep=lambda _: None)
    got = list(
        send_parcels(parcels, made, patience=patience, keep=lambda batch, receipts: kept.append((batch, receipts)))
    )
    made.close()
    return got


def test_a_file_arrives_under_a_temporary_name_and_is_renamed(served):
    (sent, other) = send(target(served), parcel(1, ONE), parcel(2, TWO))
    assert (sent.state, other.state) == (DeliveryState.SENT, DeliveryState.SENT)
    assert served.names() == [sent.detail]
    assert served.renames == [(f"/{sent.detail}.part", f"/{sent.detail}")]
    body = (served.folder / sent.detail).read_bytes()
    assert body.count(b"<Article>") == 2
    assert len(sent.detail) <= 32


def test_a_connection_that_breaks_leaves_no_half_file_and_the_next_try_sends_it_whole(served):
    served.break_after = 500
    (failed,) = send(target(served), parcel(1, ONE))
    assert (failed.state, failed.again) == (DeliveryState.FAILED, True)
    assert all(name.endswith(".part") for name in served.names())
    served.break_after = -1
    (sent,) = send(target(served), parcel(1, ONE))
    assert sent.state is DeliveryState.SENT
    assert served.names() == [sent.detail]
    assert (served.folder / sent.detail).read_bytes() == parcel(1, ONE).body


def test_within_one_delivery_it_connects_again(served):
    served.break_after = 500
    made = target(served)
    pauses = []

    def mend(seconds: float) -> None:
        pauses.append(seconds)
        served.break_after = -1

    patience = RetryPolicy(tries=3, backoff=2.0, sleep=mend)
    (sent,) = send_parcels([parcel(1, ONE)], made, patience=patience, keep=lambda *_: None)
    made.close()
    assert (sent.state, pauses) == (DeliveryState.SENT, [2.0])


def test_a_size_that_is_not_ours_is_no_delivery(served):
    served.lie = 1
    (failed,) = send(target(served), parcel(1, ONE))
    assert "bytes arrived" in failed.detail
    assert served.names() == []


def test_a_server_without_a_rename_in_one_step_is_served_too(served):
    served.posix = False
    (first,) = send(target(served), parcel(1, ONE))
    (again,) = send(target(served), parcel(1, ONE))
    assert first.detail == again.detail
    assert served.names() == [first.detail]


def test_an_unknown_server_is_not_believed_and_its_key_is_shown(served):
    with pytest.raises(DeliveryError, match="has an unknown host key: SHA256:") as caught:
        send(target(served, hostkey="SHA256:other"), parcel(1, ONE))
    assert f"hostkey={host_key_fingerprint(KEY.asbytes())}" in caught.value.hint
    assert served.names() == []


def test_a_server_is_known_by_the_file_of_known_hosts_or_contradicts_it(served, tmp_path):
    known = tmp_path / "known_hosts"
    known.write_text(f"[127.0.0.1]:{served.port} {KEY.get_name()} {KEY.get_base64()}\n")
    (sent,) = send(target(served, hostkey="", known_hosts=str(known)), parcel(1, ONE))
    assert sent.state is DeliveryState.SENT
    other = type(KEY).generate()
    known.write_text(f"[127.0.0.1]:{served.port} {other.get_name()} {other.get_base64()}\n")
    with pytest.raises(DeliveryError, match="unknown host key"):
        send(target(served, hostkey="", known_hosts=str(known)), parcel(1, ONE))


def test_a_wrong_password_is_told_without_showing_it(served):
    with pytest.raises(DeliveryError) as caught:
        send(target(served, {"MEDHARVEST_SECRET_PUBMED": "wrong word"}), parcel(1, ONE))
    assert caught.value.message == "127.0.0.1 refuses the login"
    assert "MEDHARVEST_SECRET_PUBMED" in caught.value.hint
    assert "wrong word" not in str(caught.value) + caught.value.hint


def test_a_host_that_is_not_there(monkeypatch):
    import socket

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(DeliveryError, match=r"no such host: nowhere\.example"):
        send(open_target(parse_target("pubmed=sftp://nowhere.example/"), SETTINGS, {}), parcel(1, ONE))


def test_a_port_that_nobody_listens_on_is_a_failure_that_may_pass():
    address = parse_target("pubmed=sftp://127.0.0.1:1/x?key=/no/such/key")
    (failed,) = send(open_target(address, SETTINGS, SECRET), parcel(1, ONE))
    assert (failed.state, failed.again) == (DeliveryState.FAILED, True)


def test_reports_are_read_back_but_neither_parts_nor_files_of_ours(served):
    (served.folder / "reports").mkdir()
    for name, text in {"a.txt": "PMID 1", "b.part": "x", "c.xml": "x", "empty.txt": ""}.items():
        (served.folder / "reports" / name).write_text(text)
    folder = open_report_folder(parse_target(f"pubmed={served.url(reports='/reports')}"), SETTINGS, SECRET)
    assert list(folder.reports()) == [("a.txt", b"PMID 1")]
    folder.close()
    folder.close()


def test_a_folder_of_reports_that_is_not_there_is_told(served):
    folder = open_report_folder(parse_target(f"pubmed={served.url(reports='/none')}"), SETTINGS, SECRET)
    with pytest.raises(DeliveryError, match="reports in /none cannot be read: No such file"):
        list(folder.reports())
    folder.close()


def test_without_the_library_the_way_to_it_is_told(monkeypatch, served):
    monkeypatch.setitem(sys.modules, "paramiko", None)
    with pytest.raises(DeliveryError, match="paramiko") as caught:
        SftpFolder(target(served)._put.__self__.address).put("a", b"")
    assert caught.value.hint == "pip install 'medharvest[sftp]'"

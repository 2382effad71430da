"""Webhook, OpenSearch and Zotero, against servers on loopback that answer as theirs do."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import pytest
from tests.deliver.records import ONE, RECORDS, TWO, parcel
from tests.deliver.site import Reply, receiving, silent

from medharvest.deliver import DeliveryState, RetryPolicy, open_target, parse_target, send_parcels
from medharvest.errors import DeliveryError
from medharvest.records import Author
from medharvest.settings import Settings

KEY = {"MEDHARVEST_SECRET_T": "a key of mine"}
SETTINGS = replace(Settings(), deliver=replace(Settings().deliver, timeout=60.0))


def target(url: str, environment=KEY, *, trusted: bool = True):
    return open_target(replace(parse_target(f"t={url}"), trusted=trusted), SETTINGS, environment)


def send(made, *parcels, tries: int = 1, pauses=None):
    patience = RetryPolicy(tries=tries, sleep=(pauses if pauses is not None else []).append)
    try:
        return list(send_parcels(parcels, made, patience=patience, keep=lambda *_: None))
    finally:
        made.close()


def parcels(made, records=RECORDS, **more):
    return [parcel(number, one, made, version=number * 10, **more) for number, one in enumerate(records, 1)]


def test_a_webhook_gets_each_record_signed():
    with receiving(lambda _: Reply(204, b"")) as site:
        made = target(f"webhook+{site.url}/hook?from=us")
        got = send(made, *parcels(made))
    assert [one.state for one in got] == [DeliveryState.SENT] * 3
    first = site.requests[0]
    assert first.path == "/hook?from=us"
    assert json.loads(first.body)["doi"] == ONE.doi
    signed = first.headers["X-Medharvest-Timestamp"].encode() + b"." + first.body
    expected = "sha256=" + hmac.new(b"a key of mine", signed, hashlib.sha256).hexdigest()
    assert first.headers["X-Medharvest-Signature"] == expected
    assert first.headers["Idempotency-Key"] == f"1-{parcels(made)[0].digest[:32]}"
    assert b"a key of mine" not in first.body
    assert "a key of mine" not in str(first.headers)


@pytest.mark.parametrize(
    ("reply", "state", "tries"),
    [
        (Reply(500, b"oh"), DeliveryState.FAILED, 3),
        (Reply(429, b"", {"Retry-After": "7"}), DeliveryState.FAILED, 3),
        (Reply(302, b"", {"Location": "/elsewhere"}), DeliveryState.FAILED, 1),
        (Reply(422, b"no\n such thing"), DeliveryState.REFUSED, 1),
    ],
)
def test_what_an_answer_means(reply, state, tries):
    pauses: list[float] = []
    with receiving(lambda _: reply) as site:
        made = target(f"webhook+{site.url}/")
        (got,) = send(made, parcel(1, ONE, made), tries=3, pauses=pauses)
    assert got.state is state
    assert len(site.requests) == tries
    assert f"HTTP {reply.status}" in got.detail
    if reply.status == 429:
        assert pauses == [7.0, 7.0]


def test_an_answer_without_end_is_cut_off():
    with receiving(lambda _: Reply(200, b"x" * 20_100_000)) as site:
        made = target(f"webhook+{site.url}/")
        (got,) = send(made, parcel(1, ONE, made))
    assert (got.state, got.again) == (DeliveryState.FAILED, False)
    assert "too_large" in got.detail


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_stops_everything_and_is_not_shown(status):
    with receiving(lambda _: Reply(status)) as site:
        made = target(f"webhook+{site.url}/")
        with pytest.raises(DeliveryError) as caught:
            send(made, *parcels(made))
    assert len(site.requests) == 1
    assert "MEDHARVEST_SECRET_T" in caught.value.hint
    assert "a key of mine" not in caught.value.message + caught.value.hint


def test_a_server_that_is_away_is_tried_again():
    made = target(f"webhook+{silent()}/")
    pauses: list[float] = []
    (got,) = send(made, parcel(1, ONE, made), tries=2, pauses=pauses)
    assert (got.state, got.again, pauses) == (DeliveryState.FAILED, True, [2.0])


def test_a_private_address_that_the_settings_do_not_name_is_not_asked():
    with receiving(lambda _: Reply()) as site:
        made = target(f"webhook+{site.url}/", trusted=False)
        with pytest.raises(DeliveryError, match="is private") as caught:
            send(made, parcel(1, ONE, made))
    assert site.requests == []
    assert "[targets]" in caught.value.hint


def bulk(statuses):
    """OpenSearch as it answers: an item for each document."""

    def answer(request):
        actions = [json.loads(line)["index"] for line in request.body.splitlines()[::2]]
        items = []
        for action in actions:
            status = statuses.get(action["_id"], 201)
            item = {"_index": action["_index"], "_id": action["_id"], "status": status}
            if status > 299:
                item["error"] = {"type": "some_exception", "reason": "because"}
            items.append({"index": item})
        return Reply(200, json.dumps({"errors": bool(statuses), "items": items}).encode())

    return answer


def test_documents_go_in_bulk_with_their_versions():
    with receiving(bulk({})) as site:
        made = target(f"opensearch+{site.url}/articles", {"MEDHARVEST_SECRET_T": "name:password"})
        got = send(made, *parcels(made))
    assert [(one.state, one.remote_id) for one in got] == [
        (DeliveryState.SENT, "1"),
        (DeliveryState.SENT, "2"),
        (DeliveryState.SENT, "3"),
    ]
    (request,) = site.requests
    assert request.path == "/_bulk"
    assert request.headers["Authorization"] == "Basic bmFtZTpwYXNzd29yZA=="
    lines = [json.loads(line) for line in request.body.splitlines()]
    assert lines[2] == {"index": {"_index": "articles", "_id": "2", "version": 20, "version_type": "external_gte"}}
    assert lines[3]["title"] == TWO.title


def test_each_document_has_its_own_fate_and_only_what_may_pass_is_sent_again():
    statuses = {"1": 409, "2": 429, "3": 400}
    with receiving(bulk(statuses)) as site:
        made = target(f"opensearch+{site.url}/prefix/articles")
        got = {one.article: one for one in send(made, *parcels(made), tries=2)}
    assert {number: one.state for number, one in got.items()} == {
        1: DeliveryState.REFUSED,
        2: DeliveryState.FAILED,
        3: DeliveryState.REFUSED,
    }
    assert "newer version" in got[1].detail
    assert got[3].detail == "400: because"
    assert [len(request.body.splitlines()) for request in site.requests] == [6, 2]
    assert site.requests[0].path == "/prefix/_bulk"
    assert site.requests[0].headers["Authorization"] == "ApiKey a key of mine"


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"{}", b'{"items": []}', b'{"items": [{"index": 1}]}', b"[" * 9999])
def test_an_answer_that_is_no_bulk_answer_is_a_failure(body):
    with receiving(lambda _: Reply(200, body)) as site:
        made = target(f"opensearch+{site.url}/articles", {})
        (got,) = send(made, parcel(1, ONE, made))
    assert got.state is DeliveryState.FAILED
    assert "check the address" in got.detail


def test_a_bulk_request_that_fails_as_a_whole_fails_for_each():
    with receiving(lambda _: Reply(503)) as site:
        made = target(f"opensearch+{site.url}/articles")
        got = send(made, *parcels(made))
    assert [one.state for one in got] == [DeliveryState.FAILED] * 3


class Zotero:
    """A library of Zotero's: items by key with versions, tokens once."""

    def __init__(self):
        self.items, self.version, self.tokens = {}, 0, set()

    def __call__(self, request):
        assert request.headers["Zotero-API-Key"] == "a key of mine"
        assert request.headers["Zotero-API-Version"] == "3"
        if request.method == "GET":
            keys = request.path.partition("itemKey=")[2].split(",")
            found = [item for key, item in self.items.items() if key in keys]
            return Reply(200, json.dumps(found).encode())
        token = request.headers.get("Zotero-Write-Token")
        if token in self.tokens:
            return Reply(412, b"Write token already used")
        if token:
            self.tokens.add(token)
        return self.write(json.loads(request.body))

    def write(self, posted):
        assert len(posted) <= 50
        self.version += 1
        answer: dict[str, dict[str, Any]] = {"successful": {}, "unchanged": {}, "failed": {}}
        for place, item in enumerate(posted):
            key, version = item.pop("key"), item.pop("version")
            known = self.items.get(key)
            if known and known["version"] != version:
                answer["failed"][str(place)] = {"code": 412, "message": "has been modified"}
            elif known and known["data"] == item:
                answer["unchanged"][str(place)] = key
            elif item["title"] == "Sand":
                answer["failed"][str(place)] = {"code": 400, "message": "no sand here"}
            else:
                self.items[key] = {"key": key, "version": self.version, "data": item}
                answer["successful"][str(place)] = self.items[key]
        return Reply(200, json.dumps(answer).encode(), {"Last-Modified-Version": str(self.version)})


def zotero(site, **options: str):
    query = "&".join(f"{name}={value}" for name, value in {"server": site.url, **options}.items())
    return target(f"zotero:users/7?{query}")


def test_items_are_written_fifty_at_a_time_and_a_refusal_is_told():
    library = Zotero()
    nameless = replace(ONE, authors=(*ONE.authors, Author()))
    records = [replace(nameless, doi=f"10.9999/{number}") for number in range(60)] + [RECORDS[2]]
    with receiving(library) as site:
        made = zotero(site, collection="ABCD2345")
        got = send(made, *parcels(made, records))
    assert [one.state for one in got] == [DeliveryState.SENT] * 60 + [DeliveryState.REFUSED]
    assert got[-1].detail == "400: no sand here"
    assert [len(json.loads(request.body)) for request in site.requests] == [50, 11]
    assert site.requests[0].path == "/users/7/items"
    item = library.items[got[0].remote_id.split()[0]]["data"]
    assert item["creators"] == [
        {"creatorType": "author", "firstName": "Ada Jr", "lastName": "Marsh"},
        {"creatorType": "author", "name": "Shore Group"},
        {"creatorType": "author", "name": "Oke"},
    ]
    assert (item["pages"], item["collections"], item["tags"]) == (
        "45-50",
        ["ABCD2345"],
        [{"tag": "gout"}, {"tag": "tides"}],
    )


def test_an_item_of_ours_is_updated_but_never_over_somebodys_change():
    library = Zotero()
    with receiving(library) as site:
        made = zotero(site)
        (first,) = send(made, parcel(1, ONE, made))
        changed = replace(ONE, title="Tides, corrected", pmid="7", vernacular_title="Gezeiten")
        made = zotero(site)
        (second,) = send(made, parcel(1, changed, made, remote_id=first.remote_id))
        made = zotero(site)
        (same,) = send(made, parcel(1, changed, made, remote_id=second.remote_id))
        key = first.remote_id.split()[0]
        library.items[key] |= {"version": 99}
        made = zotero(site)
        (third,) = send(made, parcel(1, ONE, made, remote_id=second.remote_id))
    assert (first.state, second.state, same.state) == (DeliveryState.SENT, DeliveryState.SENT, DeliveryState.SENT)
    assert same.remote_id == second.remote_id == f"{key} 2"
    assert library.items[key]["data"]["title"] == "Tides, corrected"
    assert library.items[key]["data"]["extra"] == "PMID: 7\nOriginal title: Gezeiten"
    assert third.state is DeliveryState.REFUSED
    assert "changed in Zotero" in third.detail
    assert third.remote_id == second.remote_id


def test_a_delivery_that_broke_off_finds_its_items_again_and_makes_none_twice():
    library = Zotero()
    with receiving(library) as site:
        made = zotero(site)
        (first,) = send(made, parcel(1, ONE, made))
        made = zotero(site)
        (again,) = send(made, parcel(1, ONE, made))  # the same request: its token is used
        made = zotero(site)
        both = send(made, parcel(1, ONE, made), parcel(2, replace(TWO, doi=""), made))  # another request
    assert again == first
    assert [one.state for one in both] == [DeliveryState.SENT, DeliveryState.SENT]
    assert len(library.items) == 2


def test_an_item_under_our_key_that_says_otherwise_is_left():
    library = Zotero()
    with receiving(library) as site:
        made = zotero(site)
        send(made, parcel(1, ONE, made))
        made = zotero(site)
        (other,) = send(made, parcel(1, replace(ONE, title="Other"), made))
    assert other.state is DeliveryState.REFUSED
    assert "with other values" in other.detail


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"7"])
def test_an_answer_that_is_not_zoteros_is_a_failure(body):
    with receiving(lambda _: Reply(200, body)) as site:
        made = zotero(site)
        (got,) = send(made, parcel(1, ONE, made))
    assert got.state is DeliveryState.FAILED


@pytest.mark.parametrize("body", [b"<html>", b"[7]"])
def test_where_zotero_does_not_show_an_item_it_is_left(body):
    with receiving(lambda request: Reply(412 if request.method == "POST" else 200, body)) as site:
        made = zotero(site)
        (got,) = send(made, parcel(1, ONE, made))
    assert got.state is DeliveryState.REFUSED
    with receiving(lambda _: Reply(503)) as site:
        made = zotero(site)
        (got,) = send(made, parcel(1, ONE, made))
    assert got.state is DeliveryState.FAILED

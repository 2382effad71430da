"""What fails for a passing reason is tried again after a pause; all else is told at once."""

from __future__ import annotations

import pytest
from tests.deliver.records import ONE, RECORDS, parcel

from medharvest.deliver import Batch, DeliveryState, Receipt, RetryPolicy, send_parcels
from medharvest.deliver.parcels import batch_each_parcel, split_parcels


class Flaky:
    """A target that fails as a script says: for each article the receipts of its tries."""

    format = ""
    lists = False

    def __init__(self, script):
        self.script = {number: list(states) for number, states in script.items()}
        self.sent = []

    def pack(self, parcels):
        yield from (Batch("x", some, b"") for some in split_parcels(parcels, 2))

    def send(self, batch):
        self.sent.append([one.article for one in batch.parcels])
        return [self.script[one.article].pop(0) for one in batch.parcels]


def receipt(number, state=DeliveryState.SENT, **more):
    return Receipt(article=number, state=state, **more)


def deliver(target, numbers, **patience):
    kept: list[list[DeliveryState]] = []
    pauses: list[float] = []
    got = send_parcels(
        [parcel(number, ONE) for number in numbers],
        target,
        patience=RetryPolicy(sleep=pauses.append, **patience),
        keep=lambda _, receipts: kept.append([one.state for one in receipts]),
    )
    return list(got), kept, pauses


FAILED = receipt(1, DeliveryState.FAILED, again=True)


def test_all_go_at_once_where_nothing_fails():
    target = Flaky({1: [receipt(1)], 2: [receipt(2)], 3: [receipt(3)]})
    got, kept, pauses = deliver(target, [1, 2, 3])
    assert [one.article for one in got] == [1, 2, 3]
    assert (target.sent, pauses) == ([[1, 2], [3]], [])
    assert kept == [[DeliveryState.SENT, DeliveryState.SENT], [DeliveryState.SENT]]


def test_only_what_failed_is_sent_again_each_time_after_twice_the_pause():
    target = Flaky({1: [FAILED, FAILED, receipt(1)], 2: [receipt(2)]})
    got, kept, pauses = deliver(target, [1, 2], backoff=2.0)
    assert [(one.article, one.state) for one in got] == [(2, DeliveryState.SENT), (1, DeliveryState.SENT)]
    assert (target.sent, pauses) == ([[1, 2], [1], [1]], [2.0, 4.0])
    assert kept[0] == [DeliveryState.FAILED, DeliveryState.SENT]


def test_after_the_last_try_the_failure_is_told():
    got, _, pauses = deliver(Flaky({1: [FAILED] * 3}), [1], tries=3, backoff=40.0, max_backoff=60.0)
    assert got == [FAILED]
    assert pauses == [40.0, 60.0]


def test_a_refusal_is_not_tried_again():
    got, _, pauses = deliver(Flaky({1: [receipt(1, DeliveryState.REFUSED)]}), [1])
    assert ([one.state for one in got], pauses) == ([DeliveryState.REFUSED], [])


@pytest.mark.parametrize(("wished", "waited"), [(30.0, 30.0), (1e9, 3600.0), (0.0, 2.0)])
def test_a_target_that_wants_to_be_left_alone_is(wished, waited):
    again = receipt(1, DeliveryState.FAILED, again=True, wait=wished)
    _, _, pauses = deliver(Flaky({1: [again, receipt(1)]}), [1])
    assert pauses == [waited]


def test_nothing_to_send_sends_nothing():
    assert deliver(Flaky({}), []) == ([], [], [])


def test_parcels_one_by_one_keep_their_bodies():
    parcels = [parcel(number, record) for number, record in enumerate(RECORDS, 1)]
    assert [batch.body for batch in batch_each_parcel(parcels, "x")] == [one.body for one in parcels]

"""What a person sees while a run goes on."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from medharvest.cli.execution import RunTally, _live_display, show_progress
from medharvest.records import Arrived, Asked, Failed, Kind, Outcome, Reason, Wish

WISH = Wish(url="http://journal.example/content/23/3/226.full", kind=Kind.ABSTRACT)
EVENTS = (
    Asked(WISH),
    Arrived(Outcome(wish=WISH, kind=Kind.ABSTRACT), 8),
    Arrived(Outcome(wish=WISH, kind=Kind.ABSTRACT), 7),
    Failed(Outcome(wish=WISH, reason=Reason.LOGIN_WALL, detail="why"), 6),
)


def test_the_tally_tells_rate_queue_kinds_failures_and_time_left():
    times = iter((0.0, 2.0))
    tally = RunTally(clock=lambda: next(times))
    for event in EVENTS:
        tally.hear(event)
    assert tally.done == 3
    assert tally.text() == "1.5/s · 6 waiting · abstract 2 · failed: login_wall 1 · 4 s left"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_bar_and_the_count_stay_on_a_narrow_terminal(width):
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=width, color_system=None)
    with _live_display(console) as listen:
        for event in EVENTS:
            listen(event)
    lines = out.getvalue().replace("\x1b[2K", "").replace("\r", "\n").splitlines()
    last = [line for line in lines if "3/9" in line][-1]
    assert "━" in last
    assert len(last.rstrip()) <= width


def test_without_a_terminal_each_page_is_a_line(capsys):
    with show_progress() as listen:
        for event in EVENTS:
            listen(event)
    assert capsys.readouterr().err.splitlines() == [
        f"abstract  {WISH.url}",
        f"abstract  {WISH.url}",
        f"failed    {WISH.url} (login_wall: why)",
    ]


def test_quiet_is_quiet(capsys):
    with show_progress(quiet=True) as listen:
        for event in EVENTS:
            listen(event)
    assert capsys.readouterr() == ("", "")

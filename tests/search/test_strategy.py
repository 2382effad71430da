"""Strategies: written, edited, read back and searched as one query."""

from __future__ import annotations

import pytest

from medharvest.errors import InputError
from medharvest.search import (
    And,
    Or,
    Ref,
    Strategy,
    StrategyGroup,
    StrategyLine,
    Text,
    Without,
    parse_query,
    query_of_strategy,
    read_strategy,
    strategy_lines,
)

SLEEP = StrategyGroup(
    (
        StrategyLine(query=parse_query("bedwetting"), why="as typed", hits=8),
        StrategyLine(query=parse_query('"nocturnal enuresis"'), category="synonym", why="a name", hits=14),
    )
)
YOUNG = StrategyGroup((StrategyLine(query=parse_query("child OR children")),))
STRATEGY = Strategy(
    joined=parse_query("#1 AND #2 NOT author:smith", groups=2),
    groups=(SLEEP, YOUNG),
    query="bedwetting child",
    made="2026-01-31T12:00:00Z",
    vocabulary="small 1",
    reach="near",
    searched="3 citations and 0 pages",
    hits=5,
)
LINES = """# medharvest search strategy 1
# query: bedwetting child
# made: 2026-01-31T12:00:00Z
# vocabulary: small 1
# reach: near
# searched: 3 citations and 0 pages
# group\thits\tcategory\tquery\twhy
1\t8\town\tbedwetting\tas typed
1\t14\tsynonym\t"nocturnal enuresis"\ta name
2\t\town\tchild OR children
=\t5\t\t(#1 AND #2) NOT author:smith"""


def test_a_strategy_is_lines_that_can_be_read_back():
    assert "\n".join(strategy_lines(STRATEGY)) == LINES
    read = read_strategy(LINES, name="s.tsv")
    assert strategy_lines(read)[:7] == strategy_lines(STRATEGY)[:7]
    assert read.joined == STRATEGY.joined
    assert [line.query for group in read.groups for line in group.lines] == [
        line.query for group in STRATEGY.groups for line in group.lines
    ]
    assert read.hits is None  # those of another day


def test_a_strategy_is_one_query_whose_lines_weigh_by_their_category():
    found = query_of_strategy(STRATEGY)
    own = Text(text="bedwetting", weight=4)
    name = Text(text="nocturnal enuresis", phrase=True, weight=3)
    young = Or((Text(text="child", weight=4), Text(text="children", weight=4)))
    assert found == Without(And((Or((own, name)), young)), Text(text="smith", field="author"))


def test_lines_that_do_not_weigh_stay_as_they_are():
    group = StrategyGroup((StrategyLine(query=parse_query("year:2010")), StrategyLine(query=parse_query("a NOT b"))))
    assert query_of_strategy(Strategy(joined=Ref(1), groups=(group,))) == Or(
        (parse_query("year:2010"), parse_query("a NOT b"))
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("# medharvest", "# other", "not a search strategy: s.tsv"),
        ("=\t5\t\t(#1 AND #2) NOT author:smith", "", "no lines with = in s.tsv"),
        ("1\t8\town", "one\t8\town", "line 8 of s.tsv is not a strategy line"),
        ("synonym", "kin", "line 9 of s.tsv is not a strategy line"),
        ("2\t\town\tchild OR children", "4\t\town\tchild", "a group of s.tsv has no lines"),
        ("child OR children", "child OR", "line 10 of s.tsv: OR has nothing to join"),
        ("#1 AND #2", "#1 AND #7", "line 11 of s.tsv: no such group: #7"),
        ('\t"nocturnal enuresis"\ta name', "", "line 9 of s.tsv: nothing to search for"),
    ],
)
def test_a_damaged_file_is_reported_by_line(old, new, reason):
    assert old in LINES
    with pytest.raises(InputError) as caught:
        read_strategy(LINES.replace(old, new), name="s.tsv")
    assert caught.value.message.startswith(reason)
    assert caught.value.hint


def test_an_empty_file_is_not_a_strategy():
    with pytest.raises(InputError, match="not a search strategy"):
        read_strategy("", name="s.tsv")

from hypothesis import given
from hypothesis import strategies as st

from medharvest.pages import tree
from medharvest.pages.tree import HtmlDocument, visit_tags


class Recorder:
    """Records what it visits; skips the content of the tags in `unwanted`."""

    def __init__(self, unwanted: tuple[str, ...] = ()) -> None:
        self.steps: list[tuple[object, ...]] = []
        self.unwanted = unwanted

    def open(self, tag: str, level: int, attributes: dict[str, str | None]) -> bool:
        self.steps.append(("open", tag, level, attributes))
        return tag not in self.unwanted

    def close(self, tag: str, level: int) -> None:
        self.steps.append(("close", tag, level))

    def text(self, text: str) -> None:
        self.steps.append(("text", text))


def walk(html: str, *unwanted: str) -> list[tuple[object, ...]]:
    recorder = Recorder(unwanted)
    visit_tags(html, recorder)
    return recorder.steps


def test_a_page_is_walked_depth_first_with_levels():
    steps = walk("<body><p id=a>one<b>two</b></p><!-- no --><br>three")
    assert steps == [
        ("open", "html", 1, {}),
        ("open", "head", 2, {}),
        ("close", "head", 2),
        ("open", "body", 2, {}),
        ("open", "p", 3, {"id": "a"}),
        ("text", "one"),
        ("open", "b", 4, {}),
        ("text", "two"),
        ("close", "b", 4),
        ("close", "p", 3),
        ("open", "br", 3, {}),
        ("close", "br", 3),
        ("text", "three"),
        ("close", "body", 2),
        ("close", "html", 1),
    ]


def test_entities_are_decoded_in_texts_and_attributes():
    steps = walk("<p title='a &amp; b'>1 &lt; 2")
    assert ("open", "p", 3, {"title": "a & b"}) in steps
    assert ("text", "1 < 2") in steps


@given(st.text(alphabet="<>/ab p\"'=!-&;", max_size=120))
def test_whatever_opens_closes(html):
    opened: list[tuple[object, ...]] = []
    for what, *step in walk(html):
        if what == "open":
            opened.append(tuple(step[:2]))
        elif what == "close":
            assert opened.pop() == tuple(step)
    assert opened == []


def test_of_what_is_not_wanted_neither_inside_nor_end_is_shown():
    shown = walk("<p>one<svg><g>no</g></svg>two", "svg", "head")
    assert [step[:2] for step in shown if step[1] not in {"html", "body"}] == [
        ("open", "head"),
        ("open", "p"),
        ("text", "one"),
        ("open", "svg"),
        ("text", "two"),
        ("close", "p"),
    ]


def test_no_page_is_too_deep():
    assert ("open", "div", 10_002, {}) in walk("<div>" * 10_000)


def test_contents_give_attributes_and_whole_text():
    document = HtmlDocument("<p class=x>one <b>two</b></p><p>three")
    assert document.contents("p") == (({"class": "x"}, "one two"), ({}, "three"))


def test_tags_come_with_their_attributes():
    assert HtmlDocument("<p class=x>one<b class=y>two").tagged("[class]") == (
        ("p", {"class": "x"}),
        ("b", {"class": "y"}),
    )


def test_texts_are_lines_and_end_where_an_element_is_very_large():
    document = HtmlDocument("<h1> A\n <i>title</i>. </h1><h2></h2><h3>" + "<b>x</b>" * 1_000)
    title, empty, large = document.texts("h1, h2, h3")
    assert (title, empty) == ("A title.", "")
    assert 10 < len(large) < 1_000


def test_plain_text_is_what_a_reader_sees():
    document_html = "<style>p{}</style><p>one</p><script>var two</script><p>three<noscript>four</noscript>"
    document = HtmlDocument(document_html)
    assert document.plain_text(100) == "one three"
    assert document.texts("script") == ("var two",)
    assert "var two" in "".join(str(step[1]) for step in walk(document_html) if step[0] == "text")


def test_a_page_of_frames_has_no_text():
    assert HtmlDocument("<frameset><frame src=x></frameset>").plain_text(100) == ""


def test_the_text_of_a_long_page_is_its_beginning():
    assert HtmlDocument("<p>one<p>two<p>three").plain_text(5) == "one two"


def test_a_huge_page_is_walked_to_its_limit_and_all_is_closed(monkeypatch):
    monkeypatch.setattr(tree, "_MOST_TAGS", 6)
    steps = walk("<html><head></head><body><div><p>one<p>two<p>three")
    assert [step[1] for step in steps if step[0] == "text"] == ["one"]
    assert sum(step[0] == "open" for step in steps) == sum(step[0] == "close" for step in steps) == 6
    assert steps[-1] == ("close", "html", 1)


def test_a_huge_text_is_cut(monkeypatch):
    monkeypatch.setattr(tree, "_MAX_TEXT_NODE_CHARS", 5)
    assert ("text", "12345") in walk("<p>1234567")
    document = HtmlDocument("<p>12345 7")
    assert (document.plain_text(100), document.texts("p")) == ("12345", ("12345",))


def test_only_so_many_elements_are_looked_at(monkeypatch):
    monkeypatch.setattr(tree, "_MOST_TEXTS", 2)
    assert HtmlDocument("<p>a<p>b<p>c").texts("p") == ("a", "b")


def test_a_selector_matches_or_not():
    assert HtmlDocument("<p class=x>").has("p.x")
    assert not HtmlDocument("<p class=x>").has("p.y")

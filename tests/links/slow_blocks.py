"""Link blocks once more, slow and obvious: character by character, nothing shared with the code it checks."""

from __future__ import annotations

import functools
import html
import re
import unicodedata
from itertools import pairwise

from medharvest.links.scan import HtmlTag, attributes_of_tag

MONTHS = "January February March April May June July August September October November December".split()
CJK = (
    (0x1100, 0x11FF), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035), (0x3038, 0x303C), (0x3041, 0x3096),
    (0x309D, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x3105, 0x312F), (0x3131, 0x318E), (0x31A0, 0x31BF),
    (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA960, 0xA97C), (0xAC00, 0xD7FB), (0xF900, 0xFAFF),
    (0xFF66, 0xFFDC), (0x1B000, 0x1B16F), (0x20000, 0x3FFFF),
)  # fmt: skip


class Ends:
    """Where tags end: the first `>` outside quotes; once there is none, plainly the first `>` from then on."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lost = False

    def after(self, place: int) -> int:
        if ">" not in self.text[place:]:
            return len(self.text)
        plain = self.text.index(">", place) + 1
        while not self.lost and place < len(self.text):
            char = self.text[place]
            if char == ">":
                return place + 1
            if char in "\"'" and (self.text[place - 1] == "=" or self.text[place - 1].isspace()):
                close = self.text.find(char, place + 1)
                place = close if close >= 0 else place
            place += 1
        self.lost = True
        return plain


def name_at(text: str, place: int) -> str:
    """The name of the tag that begins here, in lower case and with its slash, if it is one that counts."""
    for name in ("a", "/a", "base", "script", "style"):
        end = place + 1 + len(name)
        if text[place] == "<" and text[place + 1 : end].lower() == name and ends_name(text, end):
            return name
    return ""


def ends_name(text: str, place: int) -> bool:
    return place < len(text) and (text[place].isspace() or text[place] in "/>")


def script_end(text: str, name: str, place: int) -> int:
    if text[:place].endswith("/>"):
        return place
    for at in range(place, len(text)):
        after = at + 2 + len(name)
        if text[at : at + 2] == "</" and text[at + 2 : after].lower() == name and ends_name(text, after):
            close = text.find(">", after)
            return close + 1 if close >= 0 else len(text)
    return len(text)


@functools.lru_cache(maxsize=1)
def slow_links(text: str) -> tuple[list[tuple[int, int]], set[int]]:
    """Start and end of each link, and every place that a comment, script or style hides."""
    links: list[tuple[int, int]] = []
    hidden: set[int] = set()
    ends, place, opened = Ends(text), 0, -1
    while place < len(text):
        if text.startswith("<!--", place):
            close = text.find("-->", place + 2)
            end = close + 3 if close >= 0 else len(text)
            hidden |= set(range(place, end))
            place = end
            continue
        name = name_at(text, place)
        if not name:
            place += 1
            continue
        end = ends.after(place + 1 + len(name))
        if name in ("script", "style"):
            end = script_end(text, name, end)
            hidden |= set(range(place, end))
        elif name != "base":
            if opened >= 0:
                links.append((opened, end if name == "/a" else place))
            inside = text[place + 1 + len(name) : end].removesuffix(">")
            opened = place if name == "a" and "href" in attributes_of_tag(HtmlTag("a", 0, 0, inside)) else -1
        place = end
    if opened >= 0:
        links.append((opened, len(text)))
    return links, hidden


@functools.lru_cache(maxsize=1)
def slow_gaps(text: str) -> list[tuple[str, str]]:
    """What stands between two links, by `slow_parts`."""
    links, hidden = slow_links(text)
    return [
        slow_parts("".join(text[at] for at in range(end, start) if at not in hidden))
        for (_, end), (start, _) in pairwise(links)
    ]


def slow_parts(code: str) -> tuple[str, str]:
    """A piece of HTML without attributes, and its text with a blank for every tag."""
    bare, shown, place, ends = "", "", 0, Ends(code)
    while place < len(code):
        if code[place] != "<" or not (code[place + 1 : place + 2] in {"/", "!", "?"} or is_letter(code, place + 1)):
            bare, shown, place = bare + code[place], shown + code[place], place + 1
            continue
        name = place + 1 + (code[place + 1] == "/" and is_letter(code, place + 2))
        while is_letter(code, place + 1 + (code[place + 1] == "/")) and name < len(code):
            if code[name].isspace() or code[name] in "/>":
                break
            name += 1
        named = is_letter(code, place + 1 + (code[place + 1] == "/"))
        end = ends.after(name if named else place + 2)
        closed = ">" if named and code[end - 1] == ">" and end > name else ""
        bare += code[place:name] + closed if named else code[place:end]
        shown, place = shown + " ", end
    return bare, html.unescape(shown)


def is_letter(code: str, place: int) -> bool:
    return place < len(code) and code[place].isascii() and code[place].isalpha()


def slow_units(text: str) -> int:
    text = "".join(char for char in text if unicodedata.category(char) not in JOINING)
    return count(list(slow_dates(" ".join(text.split()))))


JOINING = {"Mn", "Mc", "Me", "Cf"}
CHINESE = re.compile(r"(?<!\w)\d\d\d\d年\d\d?月\d\d?日")


def slow_dates(text: str) -> str:
    """Every date as ` 0 `."""
    names = "|".join(sorted({*MONTHS, *(month[:3] for month in MONTHS), "Sept"}, key=len, reverse=True))
    english = re.compile(rf"(?<!\w)(?:{names})\.?\s+[0-9]{{1,2}}(?:st|nd|rd|th)?,?\s+[0-9]{{4}}(?!\w)", re.IGNORECASE)
    for pattern in (english, re.compile(r"(?<!\w)[0-9]{4}([-/])[0-9]{1,2}\1[0-9]{1,2}(?!\w)"), CHINESE):
        text = pattern.sub(" 0 ", text)
    return text


def is_cjk(char: str) -> bool:
    return any(low <= ord(char) <= high for low, high in CJK)


def inner(char: str) -> bool:
    return char.isalnum() and not is_cjk(char)


def count(text: list[str]) -> int:
    units, place, size = 0, 0, len(text)
    while place < size:
        char, start = text[place], place
        place += 1
        if char.isspace() or ord(char) < 32 or 127 <= ord(char) < 160:
            continue
        units += 1
        if is_cjk(char):
            continue
        if char.isdecimal():
            while place < size and (
                text[place].isdecimal() or (text[place] in ".," and place + 1 < size and text[place + 1].isdecimal())
            ):
                place += 1
        elif char.isalnum():
            while place < size and (
                inner(text[place]) or (text[place] in "'-" and place + 1 < size and inner(text[place + 1]))
            ):
                place += 1
        else:
            while place < size and text[place] == text[start]:
                place += 1
    return units


def slow_distances(text: str, kind: str) -> list[int]:
    return [len(bare) if kind == "code" else slow_units(shown) for bare, shown in slow_gaps(text)]


def slow_blocks(text: str, kind: str, threshold: int, least: int) -> list[tuple[int, int, int, int]]:
    """Start, end, first link and number of links of each block."""
    links, _ = slow_links(text)
    distances = slow_distances(text, kind)
    found, first = [], 0
    for place in range(1, len(links) + 1):
        if place == len(links) or distances[place - 1] >= threshold:
            if place - first >= least:
                found.append((links[first][0], links[place - 1][1], first, place - first))
            first = place
    return found

"""Blocks of a PDF to HTML: one paragraph a block, with page, place, font size and weight."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable

from medharvest.pages.pdf_layout import Block, Line, is_lowered, is_raised
from medharvest.pages.pdf_text import ACCENTS, Run

_SPACE = 0.12  # of the font size; a smaller gap is no blank between two runs
# Accents that are drawn beside the letter they belong to, and what joins them to it.
_ACCENTS = dict(zip(ACCENTS, "\u0308\u0301\u0300\u0302\u0303\u030a\u0327\u030c\u0306\u0307\u030b", strict=True))
_ACCENT_ENDS = tuple(ACCENTS)
_ACCENTED = re.compile(rf"([A-Za-z\u0131]?)([{ACCENTS}])( ?)([A-Za-z\u0131]?)")
_LINE_END = "  "  # what the two characters of a line's end became
_EMPTY = re.compile(r"</(b|i|sup|sub)>(\s*)<\1>")


def document(blocks: Iterable[Block]) -> str:
    """The HTML document of all blocks."""
    body = "\n".join(map(_paragraph, blocks))
    return f"<!DOCTYPE html>\n<html><head><title></title></head><body>\n{body}\n</body></html>\n"


def _paragraph(block: Block) -> str:
    first = block.lines[0]
    text = ""
    for line in block.lines:
        text = join_lines(text, _line(line, bold=first.bold))
    text = _with_accents(text)
    weight = ";font-weight:700" if first.bold else ""
    box = f"{block.left:.0f} {block.bottom:.0f} {block.right:.0f} {block.top:.0f}"
    place = f'data-page="{block.page + 1}" data-box="{box}"'
    tag = "header" if block.running else "p"
    return f'<{tag} {place} style="font-size:{first.size:.1f}pt{weight}">{text}</{tag}>'


def join_lines(text: str, line: str) -> str:
    """Join two lines; a word cut by a hyphen at the line's end becomes whole, without it when the next begins small."""
    if text.endswith("-") and text[-2:-1].isalnum():
        return (text[:-1] if line[:1].islower() and text[-2].isalpha() else text) + line
    return f"{text} {line}" if text else line


def _line(line: Line, *, bold: bool) -> str:
    out, before = "", None
    for run in line.runs:
        raised = is_raised(run, line)
        if before is not None:
            if _touch(before, run, line):
                out = out.rstrip()
            gap = run.left - before.right > _SPACE * line.size and not raised
            if gap and not out.endswith(" ") and not _is_drawn_back(out, run):
                out += " "
        out += _tagged(run, line, bold=bold, raised=raised)
        before = run
    return " ".join((_EMPTY.sub(r"\2", out) if "</" in out else out).split())


def _is_drawn_back(text: str, run: Run) -> bool:
    """Whether a run goes on with a word behind an accent, which is drawn back over its letter."""
    return text.endswith(_ACCENT_ENDS) and run.text[:1].islower()


def _touch(before: Run, run: Run, line: Line) -> bool:
    """Whether a run begins where the one before ends, which pdfium takes for a line's end where the height changes."""
    return before.text.endswith(_LINE_END) and run.left - before.right < _SPACE * line.size and run.left > before.left


def _tagged(run: Run, line: Line, *, bold: bool, raised: bool) -> str:
    """The text of a run in the tags it needs, blanks outside them."""
    text = html.escape(run.text, quote=False)
    inner = text.strip()
    if run.italic:
        inner = f"<i>{inner}</i>"
    if run.bold and not bold:
        inner = f"<b>{inner}</b>"
    if raised:
        return f"<sup>{inner}</sup>"
    if is_lowered(run, line):
        inner = f"<sub>{inner}</sub>"
    return " " * text[:1].isspace() + inner + " " * text[-1:].isspace()


def _with_accents(text: str) -> str:
    """Put accents onto the letters they were drawn over."""
    return _ACCENTED.sub(_accented, text)


def _accented(found: re.Match[str]) -> str:
    before, accent, blank, after = found.groups()
    onto_before, onto_after = (_composed(letter, accent) for letter in (before, after))
    if onto_before:
        return onto_before + blank + after
    return before + onto_after if onto_after else found.group()


def _composed(letter: str, accent: str) -> str:
    """A letter with its accent as one character; empty where there is none."""
    joined = unicodedata.normalize("NFC", letter.replace("\u0131", "i") + _ACCENTS[accent])
    return joined if letter and len(joined) == 1 else ""

"""Headings that articles share, as patterns for the whole heading in lower case without number and colon."""

from __future__ import annotations

import re

# Structured abstracts have background, methods and results too; these stand over the body of an article alone.
BODY = re.compile(r"introduction|discussion|case (?:report|presentation)|(?:materials?|patients|subjects) and methods")
SHARED = re.compile(r"background|(?:materials? and |patients and )?methods|results|conclusions?")
# Words that announce the text behind them on their line: "Key words: snow; sleep".
RUN_IN = re.compile(r"(?P<word>[^\W\d_][^:.—–]{2,30}?)\s*[:.—–]\s*(?=\w)")

"""Takes the machine metadata out of a page, so that reading can be scored on what people see."""

from __future__ import annotations

import re


def strip_metadata(body: bytes) -> bytes:
    """Remove meta tags, JSON-LD, RDF in comments, COinS, metadata links and the head's inline scripts.

    The charset, the title, style sheets and all of the body's text and scripts stay.
    """
    body = _RDF.sub(b"", _JSON_LD.sub(b"", body))
    body = _LINK.sub(_keep_rendering_link, _META.sub(_keep_charset, body))
    body = _COINS.sub(b"<span>", body)
    edge = _HEAD_END.search(body)
    cut = edge.start() if edge else 0
    return _INLINE_SCRIPT.sub(b"", body[:cut]) + body[cut:]


# A `>` inside a quoted value does not end its tag; the limit keeps a lost quote from swallowing the page.
_REST_OF_TAG = rb"""(?:[^>"']|"[^"]{0,60000}?"|'[^']{0,60000}?')*>"""
_SCRIPT_END = rb".*?</script\s*>"
_FLAGS = re.IGNORECASE | re.DOTALL

_META = re.compile(rb"<meta\b" + _REST_OF_TAG, _FLAGS)
_LINK = re.compile(rb"<link\b" + _REST_OF_TAG, _FLAGS)
_COINS = re.compile(rb"<span\b(?=[^>]*Z3988)[^>]*>", _FLAGS)
_RDF = re.compile(rb"<!--(?:(?!-->).)*?<rdf:RDF.*?-->", _FLAGS)
_JSON_LD = re.compile(rb"""<script\b[^>]*type\s*=\s*["']?application/ld\+json""" + _SCRIPT_END, _FLAGS)
_INLINE_SCRIPT = re.compile(rb"<script\b(?![^>]*\bsrc\s*=)[^>]*>" + _SCRIPT_END, _FLAGS)
_HEAD_END = re.compile(rb"</head\s*>|<body\b", _FLAGS)
_CHARSET = re.compile(rb"charset\s*=", _FLAGS)
_RENDERING = re.compile(rb"""rel\s*=\s*["']?[^"'>]*(?:stylesheet|icon|pre|dns)""", _FLAGS)


def _keep_charset(tag: re.Match[bytes]) -> bytes:
    return tag[0] if _CHARSET.search(tag[0]) and b"citation" not in tag[0] else b""


def _keep_rendering_link(tag: re.Match[bytes]) -> bytes:
    return tag[0] if _RENDERING.search(tag[0]) else b""

"""Loopback services that answer as the real ones do; all identifiers and names are invented."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fetch.server import Asked, By, reply

KEY = "a-secret-key"
Table = dict[str, Any]


def as_json(data: Any) -> bytes:
    """An answer of a service."""
    return reply(200, json.dumps(data).encode(), Content_Type="application/json;charset=UTF-8")


class AnyPath(dict[str, Any]):
    """Answers to every path by one function of path and parameters; None is 404."""

    def __init__(self, answer: Callable[[str, dict[str, str]], Any]) -> None:
        super().__init__()
        self._answer = answer

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ARG002
        return By(self._choose)

    def _choose(self, asked: Asked) -> bytes:
        parts = urlsplit(asked.path)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        found = self._answer(parts.path, given)
        return found if isinstance(found, bytes) else reply(404, b"nothing") if found is None else as_json(found)


NOTHING = {"pageSize": 25, "pageNumber": 1, "result": {"results": [{"ui": "NONE", "name": "NO RESULTS"}]}}


def _found(*rows: tuple[str, str]) -> Table:
    return {"pageNumber": 1, "result": {"results": [{"ui": ui, "name": name} for ui, name in rows]}}


def _concept(ui: str, name: str) -> Table:
    return {"pageCount": 1, "result": {"classType": "Concept", "ui": ui, "name": name, "definitions": "NONE"}}


def _page(rows: list[Table], pages: int = 1) -> Table:
    return {"pageSize": 25, "pageNumber": 1, "pageCount": pages, "result": rows}


def _atom(name: str, **more: str) -> Table:
    return {"classType": "Atom", "ui": "A1", "name": name, "suppressible": "false", "obsolete": "false", **more}


def _tie(label: str, target: str, name: str) -> Table:
    return {"ui": "R1", "relationLabel": label, "relatedId": f"https://example.org/rest/content/2026AA/{target}",
            "relatedIdName": name}  # fmt: skip


TIES = [
    _tie("CHD", "source/MSH/D9002", "Ear Trouble"),
    _tie("PAR", "CUI/C9000003", "Night Buzz"),
    _tie("RO", "source/MDR/77", "Loud Music"),
    _tie("RQ", "CUI/C9000004", "Ear Ache"),
    _tie("QB", "CUI/C9000009", "A Qualifier"),
    _tie("RO", "CUI/C9000010", "NONE"),
]


def umls(path: str, given: dict[str, str]) -> Any:
    """A UMLS of four concepts."""
    if given.get("apiKey") != KEY:
        return reply(401, b"no key")
    where = path.removeprefix("/rest")
    if where == "/search/current":
        exact = given["searchType"] == "exact"
        known = {("ear noise", True): _found(("C9000001", "Ear Noise")),
                 ("ear noises", False): _found(("C9000001", "Ear Noise"), ("NONE", ""))}  # fmt: skip
        return known.get((given["string"], exact), NOTHING)
    atoms = {1: [_atom("Ear Noise"), _atom("Buzzing"), _atom("old", obsolete="true")], 2: [_atom("Ringing")]}
    table = {
        "/content/current/CUI/C9000001": _concept("C9000001", "Ear Noise"),
        "/content/current/CUI/C9000001/atoms": _page(atoms[int(given.get("pageNumber", 1))], pages=2),
        "/content/current/CUI/C9000001/relations": _page(TIES),
        "/content/current/CUI/C9000003": _concept("C9000003", "Night Buzz"),
        "/content/current/source/MSH/D9002/children": _page(
            [
                {"ui": "D9001", "rootSource": "MSH", "name": "Ear Noise"},
                {"ui": "D9005", "rootSource": "MSH", "name": "Ear Wax"},
            ]
        ),
    }
    return table.get(where)


RESOURCE = "http://id.nlm.nih.gov/mesh/"


def _rows(*pairs: tuple[str, str]) -> Table:
    cells = [{"d": {"value": RESOURCE + ui}, "label": {"value": name}} for ui, name in pairs]
    return {"head": {"vars": ["d", "label"]}, "results": {"bindings": cells}}


def mesh(path: str, given: dict[str, str]) -> Any:
    """A MeSH of four descriptors."""
    where = path.removeprefix("/mesh")
    if where == "/lookup/descriptor":
        return [{"resource": f"{RESOURCE}D900001", "label": "Ear Noise"}] if given["label"] == "Ear Noise" else []
    if where == "/lookup/details":
        return _details(given)
    query = given["query"]
    if '"Buzzing Ear"@en' in query:
        return _rows(("D900001", "Ear Noise"), ("T1", "a term"))
    if "mesh:D900001 meshv:broaderDescriptor" in query:
        return _rows(("D900002", "Ear Trouble"))
    if "meshv:broaderDescriptor mesh:D900002" in query:
        return _rows(("D900001", "Ear Noise"), ("D900003", "Ear Wax"))
    return _rows()


def _details(given: dict[str, str]) -> Any:
    if given["descriptor"] != "D900001":
        return None
    if given["includes"] == "seealso":
        return {"seealso": [{"resource": f"{RESOURCE}D900004", "label": "Hearing"}, {"resource": "odd"}]}
    terms = [("Buzzing Ear", False), ("Ear Noise", True), ("", False)]
    return {"terms": [{"resource": "T", "label": label, "preferred": preferred} for label, preferred in terms]}

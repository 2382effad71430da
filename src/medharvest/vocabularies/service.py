"""MeSH and the UMLS by their web services; requests are rate-limited and cached, and no message contains the key."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from medharvest.errors import FetchError
from medharvest.fetch import AnswerCache, HttpFetcher
from medharvest.records import Miss, Reason, Response
from medharvest.settings import Fetch, Topics
from medharvest.vocabularies import Concept, Kin, Relation
from medharvest.vocabularies.interface import find_relatives
from medharvest.vocabularies.spelling import list_spellings

_MAX_TRIES = 3  # of a request that failed for a passing reason
_MAX_ANSWER_BYTES = 20_000_000
MAX_EXPANDED_RELATIVES = 40  # relatives whose own relatives are requested, one request each
_MAX_QUESTIONS = 500  # requests per vocabulary
_PASSING_REASONS = frozenset({Reason.SERVER_ERROR, Reason.TIMEOUT, Reason.RATE_LIMITED, Reason.BROKEN_TRANSFER})
_BAD_KEY_REASONS = frozenset({Reason.LOGIN_WALL, Reason.FORBIDDEN})
_BAD_ADDRESS_REASONS = frozenset({Reason.MALFORMED_URL, Reason.NO_PROTOCOL})
_NO_HOST_REASONS = frozenset({Reason.UNKNOWN_HOST})
_EMPTY_REASONS = frozenset({Reason.NOT_FOUND})
Announce = Callable[[str], None]
_DESCRIPTOR_ID = re.compile(r"D\d{6,9}")
_SPARQL_PREFIXES = (
    "PREFIX meshv:<http://id.nlm.nih.gov/mesh/vocab#> PREFIX mesh:<http://id.nlm.nih.gov/mesh/> "
    "PREFIX rdfs:<http://www.w3.org/2000/01/rdf-schema#> "
)
_TERM_QUERY = (
    "SELECT DISTINCT ?d ?label FROM <http://id.nlm.nih.gov/mesh> WHERE {{ ?t meshv:prefLabel|meshv:altLabel {text} . "
    "?c meshv:preferredTerm|meshv:term ?t . ?d meshv:preferredConcept|meshv:concept ?c ; rdfs:label ?label }}"
)
_BROADER_QUERY = (
    "SELECT DISTINCT ?d ?label FROM <http://id.nlm.nih.gov/mesh> "
    "WHERE {{ mesh:{id} meshv:broaderDescriptor ?d . ?d rdfs:label ?label }}"
)
_NARROWER_QUERY = (
    "SELECT DISTINCT ?d ?label FROM <http://id.nlm.nih.gov/mesh> "
    "WHERE {{ ?d meshv:broaderDescriptor mesh:{id} ; rdfs:label ?label }}"
)
_MAX_SPARQL_ROWS = 1000
_MAX_SPELLINGS = 4  # tried per name; each costs requests
_MAX_UMLS_PAGES = 40  # of one answer; 25 rows each
_UMLS_NOTHING = "NONE"  # the service's text for an empty value
_SEARCH_TYPES = ("exact", "normalizedString")
# The label says what this concept is to the related one: PAR means it is the parent, so the related one is narrower.
_UMLS_KIN = {
    "PAR": Kin.NARROWER,
    "RB": Kin.NARROWER,
    "CHD": Kin.BROADER,
    "RN": Kin.BROADER,
    "RQ": Kin.RELATED,
    "SY": Kin.RELATED,
    "RL": Kin.RELATED,
    "RO": Kin.CONTEXT,
    "SIB": Kin.CONTEXT,
}
_UmlsRow = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAddress:
    """The address of a service, its rate and its key; `secret` parameters are sent with every request, never shown."""

    base: str
    name: str
    rate: float  # requests per second
    secret: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    key_hint: str = ""


class VocabularyService:
    """A service that answers in JSON; the first successful answer is announced."""

    def __init__(self, address: ServiceAddress, fetch: Fetch, *, answers: AnswerCache, announce: Announce) -> None:
        self.base = address.base.rstrip("/")
        self.name = address.name
        self._answers = answers
        self._secret = dict(address.secret)
        self._key_hint = address.key_hint
        self._announce: Announce | None = announce
        self._asked = 0
        # The user names the service, so robots.txt does not apply; a redirect could send the key elsewhere.
        delay = 1 / address.rate
        settings = replace(fetch, robots=False, delay=delay, per_host=1, max_redirects=0, max_bytes=_MAX_ANSWER_BYTES)
        self._runner = asyncio.Runner()
        self._fetcher = self._runner.run(HttpFetcher(settings).__aenter__())

    def ask(self, path: str, **parameters: str | int) -> Any:
        """Return the JSON answer; None if the service has nothing at this path."""
        public = f"{self.base}{path}" + (f"?{urlencode(parameters)}" if parameters else "")
        kept = self._answers.get(public)
        if kept is not None:
            with suppress(ValueError):  # a damaged cache file is requested again
                return json.loads(kept)
        answer = self._try(f"{self.base}{path}?{urlencode({**parameters, **self._secret})}".rstrip("?"))
        if isinstance(answer, Miss):
            if answer.reason in _EMPTY_REASONS:
                return None
            raise self._error(answer, public)
        data = self._read(answer, public)
        if self._announce:
            self._announce(f"{self.name}: connected to {self.base}")
            self._announce = None
        with suppress(OSError):  # a read-only cache is not an error
            self._answers.put(public, answer.body)
        return data

    def close(self) -> None:
        """Close the connections."""
        self._runner.run(self._fetcher.__aexit__(None, None, None))
        self._runner.close()

    def _try(self, url: str) -> Response | Miss:
        """Send a request; retry passing failures, after the pause of the fetcher."""
        self._asked += 1
        if self._asked > _MAX_QUESTIONS:
            return Miss(url, Reason.BUDGET, f"more than {_MAX_QUESTIONS} requests")
        answer: Response | Miss = Miss(url, Reason.TIMEOUT)
        for _ in range(_MAX_TRIES):
            answer = self._runner.run(self._fetcher(url))
            if isinstance(answer, Response) or answer.reason not in _PASSING_REASONS:
                break
        return answer

    def _read(self, answer: Response, public: str) -> Any:
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise FetchError(
                f"{self.name} did not answer with JSON ({answer.media_type}): {public}",
                url=public,
                reason=Reason.UNREADABLE,
                hint="check the address of the service",
            ) from error

    def _error(self, miss: Miss, public: str) -> FetchError:
        """Return an error by cause: a rejected key, a wrong address, an unknown host, or an unreachable service."""
        detail = miss.detail
        for value in self._secret.values():
            detail = detail.replace(value, "***")
        if miss.reason in _BAD_KEY_REASONS:
            message, hint = f"{self.name} rejects the key ({detail})", self._key_hint or "the service asks for a login"
        elif miss.reason in _BAD_ADDRESS_REASONS:
            message, hint = (
                f"address of {self.name} is wrong: {self.base}",
                "an address begins with http:// or https://",
            )
        elif miss.reason in _NO_HOST_REASONS:
            message, hint = f"host of {self.name} is unknown: {self.base}", "check the address and the network"
        else:
            message = f"{self.name} cannot be reached ({miss.reason}): {self.base}"
            hint = detail or "try again later, or use --vocabulary embedded"
        return FetchError(message, url=public, reason=miss.reason, hint=hint)


class MeshServiceVocabulary:
    """Descriptors of MeSH, with identifiers such as D053206."""

    name = "mesh"

    def __init__(self, service: VocabularyService) -> None:
        self._service = service
        self._labels: dict[str, str] = {}

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the descriptors with this heading or entry term; the capitalised form, as in MeSH, is tried first."""
        if _DESCRIPTOR_ID.fullmatch(text.upper()):
            return tuple(filter(None, [self.get(text.upper())]))
        forms = dict.fromkeys(
            form for typed in list_spellings(text)[:_MAX_SPELLINGS] for form in (typed.title(), typed)
        )
        for form in forms:
            found = self._exact(form) or self._select(_TERM_QUERY.format(text=f'"{_escape_sparql_text(form)}"@en'))
            if found:
                return tuple(filter(None, map(self.get, dict.fromkeys(found))))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return a descriptor with its terms."""
        if not _DESCRIPTOR_ID.fullmatch(concept):
            return None
        details = self._service.ask("/lookup/details", descriptor=concept, includes="terms")
        terms = [term for term in _list_details(details, "terms") if term.get("label")]
        if not terms:
            return None
        names = [str(term["label"]) for term in sorted(terms, key=lambda term: not term.get("preferred"))]
        preferred = self._labels.setdefault(concept, names[0])
        others = tuple(name for name in dict.fromkeys(names) if name != preferred)
        return Concept(id=concept, preferred=preferred, names=others, sources=("MeSH",))

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives in the tree and the see-also references, with their headings only."""
        if not _DESCRIPTOR_ID.fullmatch(concept):
            return
        found = [
            *find_relatives(
                concept, kinds, depth, parents=self._above, children=self._below, most=MAX_EXPANDED_RELATIVES
            )
        ]
        if Kin.RELATED in kinds:
            details = self._service.ask("/lookup/details", descriptor=concept, includes="seealso")
            also = [self._note(row.get("resource"), row.get("label")) for row in _list_details(details, "seealso")]
            found += [(Kin.RELATED, other, 1) for other in filter(None, also)]
        for kin, other, steps in found:
            yield Relation(kin, Concept(id=other, preferred=self._labels[other], sources=("MeSH",)), steps, self.name)

    def version(self) -> str:
        """Return the release: the service always has the current year."""
        return "MeSH, current year"

    def attribution(self) -> str:
        """Return the copyright holder."""
        return "MeSH: courtesy of the U.S. National Library of Medicine, who has not endorsed this"

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    def _exact(self, label: str) -> list[str]:
        rows = self._service.ask("/lookup/descriptor", label=label, match="exact", limit=10)
        found = [self._note(row.get("resource"), row.get("label")) for row in _keep_objects(rows)]
        return [identifier for identifier in found if identifier]

    def _above(self, concept: str) -> list[str]:
        return self._select(_BROADER_QUERY.format(id=concept))

    def _below(self, concept: str) -> list[str]:
        return self._select(_NARROWER_QUERY.format(id=concept))

    def _select(self, query: str) -> list[str]:
        answer = self._service.ask(
            "/sparql",
            query=_SPARQL_PREFIXES + query,
            format="JSON",
            inference="false",
            offset=0,
            limit=_MAX_SPARQL_ROWS,
        )
        results = answer.get("results") if isinstance(answer, dict) else None
        rows = _keep_objects(results.get("bindings")) if isinstance(results, dict) else []
        found = [self._note(_get_cell_value(row, "d"), _get_cell_value(row, "label")) for row in rows]
        return [identifier for identifier in found if identifier]

    def _note(self, address: object, label: object) -> str:
        """Return the identifier at the end of an address and remember its label; `""` if it is not a descriptor."""
        identifier = str(address or "").rpartition("/")[2]
        if not _DESCRIPTOR_ID.fullmatch(identifier) or not label:
            return ""
        self._labels[identifier] = str(label)
        return identifier


def _escape_sparql_text(text: str) -> str:
    """Escape a text for a query, so that no quote in it ends the string."""
    return re.sub(r'["\\]', lambda found: "\\" + found[0], " ".join(text.split()))


def _list_details(details: Any, key: str) -> list[dict[str, Any]]:
    return _keep_objects(details.get(key)) if isinstance(details, dict) else []


def _keep_objects(rows: Any) -> list[dict[str, Any]]:
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _get_cell_value(row: dict[str, Any], name: str) -> object:
    cell = row.get(name)
    return cell.get("value") if isinstance(cell, dict) else None


class UmlsVocabulary:
    """Concepts of the UMLS by CUI; relatives may have a code of their source instead, such as MSH/D053206."""

    name = "umls"

    def __init__(self, service: VocabularyService, settings: Topics) -> None:
        self._service = service
        self._settings = settings
        self._names: dict[str, str] = {}
        self._ties: dict[str, list[tuple[Kin, str]]] = {}

    def find(self, text: str) -> tuple[Concept, ...]:
        """Return the concepts with this exact name; if there are none, those with other word endings."""
        if by_identifier := self.get(text.upper()) if _is_cui(text.upper()) else None:
            return (by_identifier,)
        for search in _SEARCH_TYPES:
            rows = self._search(" ".join(text.split()), search)
            if rows:
                return tuple(filter(None, (self.get(row["ui"]) for row in rows[:5])))
        return ()

    def get(self, concept: str) -> Concept | None:
        """Return the concept with all its names in the chosen language and sources."""
        if not _is_cui(concept):
            name = self._names.get(concept)
            return Concept(id=concept, preferred=name, sources=(concept.partition("/")[0],)) if name else None
        answer = self._service.ask(f"/content/{self._release}/CUI/{concept}")
        if answer is None:
            return None
        preferred = str(_get_umls_result(answer).get("name", concept))
        self._names[concept] = preferred
        atoms = self._rows(
            f"/content/{self._release}/CUI/{concept}/atoms",
            language=self._settings.language,
            sabs=self._settings.umls_sources,
        )
        names = [str(row["name"]) for row in atoms if row.get("name") and "true" not in _read_atom_flags(row)]
        others = tuple(name for name in dict.fromkeys(names) if name != preferred)
        return Concept(id=concept, preferred=preferred, names=others, sources=("UMLS",))

    def relations(self, concept: str, kinds: Collection[Kin], depth: int = 1) -> Iterator[Relation]:
        """Yield the relatives of these kinds, each with the name that the service gives."""
        found = [
            *find_relatives(
                concept, kinds, depth, parents=self._parents, children=self._children, most=MAX_EXPANDED_RELATIVES
            ),
            *((kin, other, 1) for kin, other in self._beside(concept) if kin in kinds),
        ]
        for kin, other, steps in found:
            named = Concept(id=other, preferred=self._names[other], sources=(other.partition("/")[0],))
            yield Relation(kin, named, steps, self.name)

    def version(self) -> str:
        """Return the requested release and sources."""
        return f"UMLS {self._release}, sources {self._settings.umls_sources}"

    def attribution(self) -> str:
        """Return the notice that the licence requires."""
        return (
            "This product uses publicly available data from the U.S. National Library of Medicine (NLM), National "
            "Institutes of Health, Department of Health and Human Services; NLM is not responsible for the product "
            "and does not endorse or recommend this or any other product."
        )

    def close(self) -> None:
        """Close the connections."""
        self._service.close()

    @property
    def _release(self) -> str:
        return self._settings.umls_release

    def _search(self, text: str, search: str) -> list[_UmlsRow]:
        answer = self._service.ask(
            f"/search/{self._release}",
            string=text,
            searchType=search,
            inputType="atom",
            returnIdType="concept",
            sabs=self._settings.umls_sources,
        )
        rows = _get_umls_result(answer).get("results")
        found = rows if isinstance(rows, list) else []
        return [row for row in found if isinstance(row, dict) and row.get("ui", _UMLS_NOTHING) != _UMLS_NOTHING]

    def _rows(self, path: str, **parameters: str) -> Iterator[_UmlsRow]:
        """Yield the rows of all pages; each page states their number. There is no answer if there are no rows."""
        page, last = 1, 1
        while page <= min(last, _MAX_UMLS_PAGES):
            answer = self._service.ask(path, **parameters, pageNumber=page)
            result = answer.get("result") if isinstance(answer, dict) else None
            if not isinstance(result, list):
                return
            yield from (row for row in result if isinstance(row, dict) and row.get("ui") != _UMLS_NOTHING)
            last = int(answer.get("pageCount") or 1)
            page += 1

    def _parents(self, concept: str) -> list[str]:
        return self._kin(concept, Kin.BROADER, "parents")

    def _children(self, concept: str) -> list[str]:
        return self._kin(concept, Kin.NARROWER, "children")

    def _kin(self, concept: str, kin: Kin, place: str) -> list[str]:
        """Return relatives of a CUI by its relations; of a source's code by the tree of the source."""
        if _is_cui(concept):
            return [other for tie, other in self._tied(concept) if tie is kin]
        rows = self._rows(f"/content/{self._release}/source/{concept}/{place}")
        return [self._note(f"{row['rootSource']}/{row['ui']}", row["name"]) for row in rows if row.get("name")]

    def _beside(self, concept: str) -> list[tuple[Kin, str]]:
        ties = self._tied(concept) if _is_cui(concept) else []
        return [(kin, other) for kin, other in ties if kin in {Kin.RELATED, Kin.CONTEXT}]

    def _tied(self, concept: str) -> list[tuple[Kin, str]]:
        if concept not in self._ties:
            rows = self._rows(
                f"/content/{self._release}/CUI/{concept}/relations",
                includeRelationLabels=",".join(_UMLS_KIN),
                sabs=self._settings.umls_sources,
            )
            self._ties[concept] = list(dict.fromkeys(filter(None, map(self._tie, rows))))
        return self._ties[concept]

    def _tie(self, row: _UmlsRow) -> tuple[Kin, str] | None:
        kin = _UMLS_KIN.get(str(row.get("relationLabel")))
        name, address = str(row.get("relatedIdName", _UMLS_NOTHING)), str(row.get("relatedId", _UMLS_NOTHING))
        if kin is None or _UMLS_NOTHING in (name, address):
            return None
        *_, source, code = ("", *address.rstrip("/").split("/"))
        return kin, self._note(code if source == "CUI" else f"{source}/{code}", name)

    def _note(self, identifier: str, name: object) -> str:
        self._names.setdefault(identifier, str(name))
        return identifier


def _is_cui(text: str) -> bool:
    return text[:1] == "C" and text[1:].isdigit() and len(text) == len("C0000000")


def _get_umls_result(answer: Any) -> _UmlsRow:
    result = answer.get("result") if isinstance(answer, dict) else None
    return result if isinstance(result, dict) else {}


def _read_atom_flags(row: _UmlsRow) -> set[str]:
    """Return the flags `suppressible` and `obsolete`: the service sends them as text or as booleans."""
    return {str(row.get("suppressible", "")).lower(), str(row.get("obsolete", "")).lower()}

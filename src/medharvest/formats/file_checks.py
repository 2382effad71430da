"""Check a whole file: against its schema, the raw publisher XML, then each record by the rules; and propose repairs.

Publisher XML is checked by our RELAX NG schema, PubMed citation XML and JATS by their DTDs.
"""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from itertools import islice
from types import MappingProxyType
from typing import Any

from medharvest.citations.identifiers import find_orcid
from medharvest.errors import FormatError
from medharvest.formats.citation_rules import Finding, Level, check_demands, check_set
from medharvest.formats.medline_values import MONTH_ABBREVIATIONS
from medharvest.formats.record_files import (
    ENCODING_HINT,
    DecodedFile,
    ReadingNotes,
    decode_record_file,
    describe_decoding,
    read_all_records,
)
from medharvest.formats.registry import Format
from medharvest.formats.xml_elements import text_of_element
from medharvest.records import Citation

_MAX_FILE_FINDINGS = 1000  # more findings of one file are not reported
_ESCAPED_RETURN = re.compile(rb"&#(?:x0*[dD]|0*13);")
_INTERNAL_STATUSES = frozenset("pmc pmcr pubmed pubmedr premedline medline medliner".split())

_ElementProblems = Iterator[tuple[str, str, str]]
_PUBMED_SET_DTD, _JATS_DTD = "pubmed_250101.dtd", "JATS-archivearticle1-3-mathml3.dtd"
_MAX_SCHEMA_FINDINGS = 1000  # a file with more findings is of another kind
_RELAX_NG = "{http://relaxng.org/ns/structure/1.0}"
_MATHML = "{http://www.w3.org/1998/Math/MathML}"
_REPETITION_SIGNS = {"optional": "?", "zeroOrMore": "*", "oneOrMore": "+"}
_CHARACTER_DATA = "CDATA"
_MAX_REPAIRABLE_CHILDREN = 60  # a longer list is not searched for a one-step repair

_ELEMENT_REPLACEMENTS = {"em": "i", "italic": "i", "strong": "b", "bold": "b", "underline": "u", "subscript": "sub"}


def check_file(body: bytes, form: Format, *, encoding: str = "") -> tuple[Finding, ...]:
    """Return the problems of a file, errors first, then in the order of the file."""
    found = tuple(islice(_list_file_findings(body, form, encoding), _MAX_FILE_FINDINGS))
    return tuple(sorted(found, key=lambda finding: (finding.level, finding.line, finding.record)))


def _list_file_findings(raw: bytes, form: Format, encoding: str) -> Iterator[Finding]:
    if form.read is None:
        raise FormatError(f"format cannot be read: {form.name}", format=form.name, hint="it can only be written")
    decoded = decode_record_file(raw, encoding=encoding)
    yield from _check_decoding(decoded)
    body = decoded.body
    yield from check_schema(body, form.name)
    lines: tuple[int, ...] = ()
    if form.name == "pubmed" and not isinstance(root := parse_xml_file(body), Finding):
        lines = tuple(article.sourceline or 0 for article in root.iter("Article"))
        yield from _check_publisher_xml(body, root)
    notes = ReadingNotes()
    citations = read_all_records(form.read, body, notes)
    for one in notes.refused:
        yield _make_file_error("readable", one.reason, one.hint, record=one.record, line=one.line)
    lines = lines or tuple(notes.lines)
    for finding in _check_file_records(citations, form) if citations or not notes.refused else ():
        known = 0 < finding.record <= len(lines) == len(citations)
        yield replace(finding, line=lines[finding.record - 1]) if known else finding


def _make_file_error(rule: str, message: str, repair: str, *, record: int = 0, line: int = 0) -> Finding:
    return Finding(level=Level.ERROR, field="file", rule=rule, message=message, repair=repair, record=record, line=line)


def _check_decoding(decoded: DecodedFile) -> Iterator[Finding]:
    """Yield how a file was decoded, if that was a guess or lost text."""
    if decoded.is_certain:
        return
    spot = decoded.spots[0]
    finding = _make_file_error("encoding", describe_decoding(decoded), ENCODING_HINT, line=spot.line)
    yield finding if decoded.lost else replace(finding, level=Level.WARNING)


def _check_file_records(citations: tuple[Citation, ...], form: Format) -> Iterator[Finding]:
    if not citations:
        yield _make_file_error("readable", "no record in the file", "check that it is the right file")
    yield from check_set(citations)
    if form.name == "pubmed":
        for number, citation in enumerate(citations, 1):
            yield from check_demands(citation, record=number)


def _check_publisher_xml(body: bytes, root: Any) -> Iterator[Finding]:
    """Yield problems of the XML itself, with their lines."""
    found = _ESCAPED_RETURN.search(body)
    if found:
        line = body.count(b"\n", 0, found.start()) + 1
        yield _make_xml_error(
            "xml", "line ends", f"a line ends with {found.group().decode()}", "write plain line breaks", line
        )
    for element in root.iter("Month", "Season", "PubDate", "Identifier", "Year"):
        for rule, message, repair in _ELEMENT_CHECKS[element.tag](element):
            yield _make_xml_error(element.tag, rule, message, repair, element.sourceline or 0)


def _make_xml_error(field: str, rule: str, message: str, repair: str, line: int) -> Finding:
    return Finding(level=Level.ERROR, field=field, rule=rule, message=message, repair=repair, line=line)


def _check_month_element(element: Any) -> _ElementProblems:
    text = text_of_element(element)
    number = re.fullmatch(r"0?[1-9]|1[0-2]", text)
    if text and not number and text not in MONTH_ABBREVIATIONS:
        known = next((name for name in MONTH_ABBREVIATIONS if text[:3].title() == name), "")
        yield "months", f"not a month: {text}", known or "1 to 12, or Jan to Dec; a span such as Mar-Apr is a Season"


def _check_season_element(element: Any) -> _ElementProblems:
    if text_of_element(element) and element.getparent().find("Month") is not None:
        yield "months", "a season next to a month", "remove Season"


def _check_year_element(element: Any) -> _ElementProblems:
    if not re.fullmatch(r"[12][0-9]{3}", text_of_element(element)):
        yield "years", f"not a year: {text_of_element(element) or 'empty'}", "write four digits"


def _check_date_status(element: Any) -> _ElementProblems:
    if element.get("PubStatus") in _INTERNAL_STATUSES:
        yield "status", f"PubStatus is reserved for PubMed: {element.get('PubStatus')}", "remove the date"


def _check_identifier_element(element: Any) -> _ElementProblems:
    text = text_of_element(element)
    if element.get("Source", "").upper() == "ORCID" and find_orcid(text) != text:
        yield (
            "check digit",
            f"not a bare ORCID, or its check digit is wrong: {text}",
            find_orcid(text) or "ask the author",
        )


_ELEMENT_CHECKS = {
    "Month": _check_month_element,
    "Season": _check_season_element,
    "PubDate": _check_date_status,
    "Identifier": _check_identifier_element,
    "Year": _check_year_element,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentModel:
    """What an element may contain: children by a pattern, or text mixed with children; attributes and values."""

    name: str
    shown: str
    pattern: re.Pattern[str]
    mixed: bool
    children: frozenset[str]
    attributes: Mapping[str, tuple[str, ...]]
    required: frozenset[str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a schema refuses: the line, the element, the problem and a proposed repair."""

    line: int
    element: str
    message: str
    repair: str = ""


def check_schema(body: bytes, format: str) -> Iterator[Finding]:  # noqa: A002  (the word users know)
    """Yield what the schema of a format refuses in a file; nothing for a format without a schema."""
    check = SCHEMAS.get(format)
    if check is None:
        return
    root = parse_xml_file(body)
    yield from islice([root] if isinstance(root, Finding) else check(root), _MAX_SCHEMA_FINDINGS)


def parse_xml_file(body: bytes) -> Any:
    """Return the tree of a file, or a `Finding` if it is not XML; no entity, DTD or address is loaded."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        return _make_schema_finding(
            "xml", error.msg or "not XML", "the file is cut off or damaged", line=error.lineno or 0
        )


def _check_article_set(root: Any) -> Iterator[Finding]:
    """Yield what our schema refuses, explained by content models, else by the validator's own messages."""
    if root.tag != "ArticleSet":
        yield _make_schema_finding(
            root.tag, f"the root is {root.tag}, not ArticleSet", "write one ArticleSet per file", line=root.sourceline
        )
        return
    checked = load_article_set_schema()
    if checked.validate(root):
        return
    found = False
    for one in find_refusals(root):
        found = True
        yield _make_schema_finding(one.element, one.message, one.repair, line=one.line)
    if not found:
        yield from (_make_schema_finding("xml", entry.message, "", line=entry.line) for entry in checked.error_log)


def load_article_set_schema() -> Any:
    """Load our schema for publisher XML, ready to validate."""
    from lxml import etree

    return etree.RelaxNG(etree.fromstring(_read_schema_source()))


@functools.cache
def _read_schema_source() -> bytes:
    return (resources.files("medharvest.formats") / "data" / "articleset.rng").read_bytes()


def _check_pubmed_set(root: Any) -> Iterator[Finding]:
    yield from _check_by_dtd(root, _PUBMED_SET_DTD)


def _check_jats_articles(root: Any) -> Iterator[Finding]:
    """Check each article of a set by itself, because the DTD has no sets."""
    if root.tag == "article":
        yield from _check_by_dtd(root, _JATS_DTD)
        return
    for article in root.iterfind("article"):
        yield from _check_by_dtd(copy.deepcopy(article), _JATS_DTD)


def _check_by_dtd(root: Any, name: str) -> Iterator[Finding]:
    """Yield what a DTD refuses."""
    loaded = load_dtd(name)
    if not loaded.validate(root):
        for entry in loaded.error_log:
            yield _make_schema_finding(_element_in_message(entry.message), entry.message, "", line=entry.line)


@functools.cache
def load_dtd(name: str) -> Any:
    """Load a DTD of the package."""
    from lxml import etree

    with resources.as_file(resources.files("medharvest.formats") / "data" / "dtd") as folder:
        return etree.DTD(file=str(folder / name))


def _element_in_message(message: str) -> str:
    found = re.search(r"[Ee]lement (\S+)| of (\S+) is", message)
    return (found[1] or found[2]) if found else "xml"


def _make_schema_finding(element: str, message: str, repair: str, *, line: int) -> Finding:
    return Finding(level=Level.ERROR, field=element, rule="schema", message=message, repair=repair, line=line)


SCHEMAS: Mapping[str, Callable[[Any], Iterator[Finding]]] = MappingProxyType(
    {"pubmed": _check_article_set, "pubmedset": _check_pubmed_set, "jats": _check_jats_articles}
)


@functools.cache
def load_content_models() -> Mapping[str, ContentModel]:
    """Load the content model of every element that the schema defines, by name."""
    from lxml import etree

    defines = {
        one.get("name", ""): one for one in etree.fromstring(_read_schema_source()).iterfind(f"{_RELAX_NG}define")
    }
    elements = ((name, one.find(f"{_RELAX_NG}element")) for name, one in defines.items())
    return {
        name: _build_content_model(name, one, defines) for name, one in elements if one is not None and name != "math"
    }


def _build_content_model(name: str, element: Any, defines: Mapping[str, Any]) -> ContentModel:
    parts = [child for child in element if not _attribute_name_of(child)]
    mixed = any(_kind_of_pattern(child) in {"mixed", "text"} for child in parts)
    names = tuple(_list_child_names(parts, defines))
    attributes = [(_attribute_name_of(child), child) for child in element if _attribute_name_of(child)]
    return ContentModel(
        name=name,
        shown=_describe_content_model(parts, defines),
        pattern=re.compile(_build_children_pattern(parts, defines)),
        mixed=mixed,
        children=frozenset(names),
        attributes={key: tuple(value.text for value in child.iter(f"{_RELAX_NG}value")) for key, child in attributes},
        required=frozenset(key for key, child in attributes if _kind_of_pattern(child) == "attribute"),
    )


def _kind_of_pattern(node: Any) -> str:
    return str(node.tag).removeprefix(_RELAX_NG)


def _attribute_name_of(node: Any) -> str:
    """Return the name of the attribute that a node defines, optional or not; empty for other nodes."""
    found = node if _kind_of_pattern(node) == "attribute" else node.find(f"{_RELAX_NG}attribute")
    return "" if found is None else str(found.get("name"))


def _list_child_names(parts: Iterable[Any], defines: Mapping[str, Any]) -> Iterator[str]:
    """Yield the name of every child that an element may have."""
    for part in parts:
        if _kind_of_pattern(part) != "ref":
            yield from _list_child_names(part, defines)
        elif defines[part.get("name")].find(f"{_RELAX_NG}element") is not None:
            yield part.get("name")
        else:
            yield from _list_child_names(defines[part.get("name")], defines)


def _describe_content_model(parts: Iterable[Any], defines: Mapping[str, Any]) -> str:
    """Write the model in the syntax of a DTD, `(Year , Month? , Day?)` or `(Author)*`."""
    shown = [_describe_model_part(part, defines) for part in parts]
    if len(shown) == 1 and shown[0].endswith(("*", "+")):
        return f"({shown[0][:-1]}){shown[0][-1]}"
    return f"({' , '.join(shown)})"


def _describe_model_part(part: Any, defines: Mapping[str, Any]) -> str:
    kind = _kind_of_pattern(part)
    if kind == "ref":
        return str(part.get("name"))
    if kind in _REPETITION_SIGNS:
        return _describe_model_part(part[0], defines) + _REPETITION_SIGNS[kind]
    inner = [_describe_model_part(child, defines) for child in part]
    return f"({(' | ' if kind == 'choice' else ' , ').join(inner)})"


def _build_children_pattern(parts: Iterable[Any], defines: Mapping[str, Any]) -> str:
    """Build a pattern over child names, each followed by a comma."""
    return "".join(_build_part_pattern(part, defines) for part in parts)


def _build_part_pattern(part: Any, defines: Mapping[str, Any]) -> str:
    kind = _kind_of_pattern(part)
    if kind == "ref":
        own = defines[part.get("name")]
        named = own.find(f"{_RELAX_NG}element") is not None
        return f"(?:{re.escape(part.get('name'))},)" if named else f"(?:{_build_children_pattern(own, defines)})"
    if kind in _REPETITION_SIGNS:
        return f"(?:{_build_part_pattern(part[0], defines)}){_REPETITION_SIGNS[kind]}"
    between = "|" if kind == "choice" else ""
    return f"(?:{between.join(_build_part_pattern(child, defines) for child in part)})"


def find_refusals(root: Any) -> Iterator[Refusal]:
    """Yield what the content models refuse in a tree, in document order; MathML is skipped."""
    known = load_content_models()
    for element in root.iter():
        if not isinstance(element.tag, str) or element.tag.startswith(_MATHML):
            continue
        model = known.get(element.tag)
        if model is None:
            yield Refusal(
                element.sourceline or 0, element.tag, f"No declaration for element {element.tag}", "remove it"
            )
        else:
            yield from _check_element_content(element, model)
            yield from _check_element_attributes(element, model)


def _check_element_content(element: Any, model: ContentModel) -> Iterator[Refusal]:
    line, names = element.sourceline or 0, _list_child_tokens(element, mixed=model.mixed)
    if model.mixed:
        for name in dict.fromkeys(name for name in names if name not in model.children):
            message = f"Element {name} is not declared in {model.name} list of possible children"
            yield Refusal(line, model.name, message, _propose_replacement(name))
    elif not model.pattern.fullmatch("".join(f"{name}," for name in names)):
        got = "".join(f"{name} " for name in names)
        message = f"Element {model.name} content does not follow the schema, expecting {model.shown}, got ({got})"
        yield Refusal(line, model.name, message, _propose_content_repair(names, model))


def _list_child_tokens(element: Any, *, mixed: bool) -> list[str]:
    """List the names of the children, and text between them if only elements are allowed."""
    out = [] if mixed or not (element.text or "").strip() else [_CHARACTER_DATA]
    for child in element:
        if isinstance(child.tag, str):
            out.append("math" if child.tag == f"{_MATHML}math" else child.tag)
        if not mixed and (child.tail or "").strip():
            out.append(_CHARACTER_DATA)
    return out


def _propose_replacement(name: str) -> str:
    return (
        f"write {_ELEMENT_REPLACEMENTS[name]} instead of {name}" if name in _ELEMENT_REPLACEMENTS else f"remove {name}"
    )


def _propose_content_repair(names: list[str], model: ContentModel) -> str:
    """Propose the one step that repairs an element, if there is one: move, add or remove a child."""

    def fits(trial: list[str]) -> bool:
        return bool(model.pattern.fullmatch("".join(f"{name}," for name in trial)))

    if len(names) > _MAX_REPAIRABLE_CHILDREN:
        return f"the order is {model.shown}"
    places = range(len(names))
    for i in places:
        rest = names[:i] + names[i + 1 :]
        if any(fits([*rest[:j], names[i], *rest[j:]]) for j in range(len(rest) + 1)):
            return f"move {names[i]}: the order is {model.shown}"
    for i in range(len(names) + 1):
        for name in sorted(model.children):
            if fits([*names[:i], name, *names[i:]]):
                return f"add {name}" + (f" after {names[i - 1]}" if i else " as the first child")
    for i in places:
        if fits(names[:i] + names[i + 1 :]):
            return f"remove {names[i]}" if names[i] != _CHARACTER_DATA else "remove the text"
    return f"the order is {model.shown}"


def _check_element_attributes(element: Any, model: ContentModel) -> Iterator[Refusal]:
    line = element.sourceline or 0
    for name in element.attrib:
        allowed = model.attributes.get(name)
        if allowed is None:
            message = f"No declaration for attribute {name} of element {model.name}"
            yield Refusal(line, model.name, message, f"remove {name}")
        elif allowed and (value := element.get(name)) not in allowed:  # lxml searches all attributes for each value
            message = f'Value "{value}" for attribute {name} of {model.name} is not among the enumerated set'
            yield Refusal(line, model.name, message, f"one of {', '.join(allowed)}")
    for name in sorted(model.required - set(element.attrib)):
        yield Refusal(line, model.name, f"Element {model.name} does not carry attribute {name}", f"add {name}")

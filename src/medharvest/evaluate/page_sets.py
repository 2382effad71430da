"""Loaders of labelled pages, from the bundled journals and from a corpus folder.

There is a loader for each data set: articles, PDFs, contents pages, issues, zones, kinds and body texts.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from medharvest import demo
from medharvest.codec import to_json
from medharvest.errors import QualityError
from medharvest.evaluate.labelled_pages import (
    BlocksPage,
    BlockTruth,
    IssueTruth,
    KindPage,
    LabelledPage,
    LinkLabel,
    LinksPage,
    ZoneLabel,
    select_scored_truth,
)
from medharvest.records import ARTICLE_KINDS, Citation, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from medharvest.demo import DemoIssue, DemoPage
    from medharvest.evaluate.labelled_pages import IssuePage, ReadPage, ZonesPage

# Links are judged by their targets, so a page needs an address. This host cannot exist.
BUNDLED_HOST = "http://journals.invalid"
_Made = TypeVar("_Made")
BLOCK_PAGE_KINDS = ("index", "content")
# <root>/src/medharvest/evaluate/page_sets.py; an installed wheel has no such file, and then no page is set aside.
UNTOUCHED_FILE = Path(__file__).resolve().parents[3] / "quality" / "untouched.json"
_EXTRA_PART = "extra"  # pages whose truth comes from their own structure; there are many of a few layouts
_MAX_EXTRA_PAGES = 5  # of a layout that are scored
# The label of a section of an abstract; a page may print it on a line of its own.
_PRINTED_SECTION_LABEL = re.compile(r"^\w[\w ]{0,30}: ")


def load_bundled_articles() -> tuple[ReadPage, ...]:
    """Every article page and PDF, with its expected citation.

    The reader gets neither the address nor the encoding, as with files named on the command line.
    """
    return _load_articles_of_kinds(ARTICLE_KINDS)


def load_bundled_html_articles() -> tuple[ReadPage, ...]:
    """Every article page except the PDFs, which have no machine metadata to remove."""
    return _load_articles_of_kinds(ARTICLE_KINDS - {Kind.PDF})


def load_bundled_link_pages() -> tuple[LinksPage, ...]:
    """Every contents and article page, with the labels of its links, its address and its encoding."""
    labels: dict[str, list[LinkLabel]] = defaultdict(list)
    for link in demo.link_truth():
        kind = link.type.value if link.type else ""
        labels[link.file].append(LinkLabel(offset=link.offset, article=link.article, kind=kind))
    return tuple(
        _label_demo_page(page, tuple(labels[page.file]), url=BUNDLED_HOST + page.path, encoding=page.encoding)
        for page in _demo_pages_of_files(labels)
    )


def load_bundled_zone_pages() -> tuple[ZonesPage, ...]:
    """Every article page, with the labels of its zones."""
    labels: dict[str, list[ZoneLabel]] = defaultdict(list)
    for zone in demo.zone_truth():
        labels[zone.file].append(ZoneLabel(zone.text, zone.label))
    return tuple(
        _label_demo_page(page, tuple(labels[page.file]), url=BUNDLED_HOST + page.path, encoding=page.encoding)
        for page in _demo_pages_of_files(labels)
    )


def load_bundled_issues() -> tuple[IssuePage, ...]:
    """Every issue; its `url` is the path of its contents page, and its body is all its files."""
    kinds = {page.path: page.kind.value for page in demo.list_demo_pages()}
    article_of = {page.path: page.article for page in demo.list_demo_pages() if page.article}
    return tuple(
        LabelledPage(
            id=issue.id,
            body=b"".join(demo.read_demo_file(page.file) for page in _pages_of_demo_issue(issue) if page.file),
            truth=IssueTruth(
                articles={article.id: expected_fields_of(article.citation) for article in issue.articles},
                kinds=kinds,
                article_of=article_of,
                # A page of an issue that is not one of its articles is the target of the invisible link.
                traps=tuple(page.path for page in _pages_of_demo_issue(issue) if page.kind is Kind.OTHER),
            ),
            url=issue.path,
            layout=issue.template,
            platform=_journal_of_demo_path(issue.path),
        )
        for issue in demo.list_demo_issues()
    )


def expected_fields_of(citation: Citation) -> Mapping[str, Any]:
    """The fields of an expected citation that the scorer compares; a group counts as an author."""
    truth = select_scored_truth(to_json(citation))
    authors = [author["collective"] or author for author in truth["authors"]]
    return {**truth, "authors": authors}


def _load_articles_of_kinds(kinds: frozenset[Kind]) -> tuple[ReadPage, ...]:
    truths = {
        article.id: expected_fields_of(article.citation)
        for issue in demo.list_demo_issues()
        for article in issue.articles
    }
    return tuple(
        _label_demo_page(page, truths[page.article])
        for page in demo.list_demo_pages()
        if page.file and page.article and page.kind in kinds
    )


def _pages_of_demo_issue(issue: DemoIssue) -> tuple[DemoPage, ...]:
    return tuple(page for page in demo.list_demo_pages() if page.issue == issue.id)


def _journal_of_demo_path(path: str) -> str:
    return path.split("/")[1]


def _demo_pages_of_files(files: Iterable[str]) -> tuple[DemoPage, ...]:
    wanted = set(files)
    return tuple(page for page in demo.list_demo_pages() if page.file in wanted)


def _label_demo_page(page: DemoPage, truth: Any, *, url: str = "", encoding: str = "") -> LabelledPage[Any]:
    return LabelledPage(
        id=page.path,
        body=demo.read_demo_file(page.file),
        truth=truth,
        url=url,
        encoding=encoding,
        layout=page.template,
        platform=_journal_of_demo_path(page.path),
    )


def find_corpus(name: str) -> Path | None:
    """Return the corpus folder that a setting names, or None if it names none; a missing folder is an error."""
    if not name:
        return None
    folder = Path(name)
    if not folder.is_dir():
        raise QualityError(
            f"corpus folder is missing: {name}",
            stage="",
            hint="name an existing folder with --corpus or MEDHARVEST_CORPUS, or leave both out",
        )
    return folder


def load_corpus_articles(corpus: Path) -> tuple[ReadPage, ...]:
    """The article pages, with the fields printed on them.

    The reader gets neither the address nor the encoding, as with files named on the command line.
    """
    return _load_corpus_pages(corpus / "articles", "pages/{}.html")


def load_more_articles(corpus: Path) -> tuple[ReadPage, ...]:
    """The article pages of the folder `more` of a corpus, without those of untouched families; none without it."""
    return tuple(page for page in _load_more_pages(corpus) if not is_untouched(page.layout))


def load_all_articles(corpus: Path) -> tuple[ReadPage, ...]:
    """All article pages of a corpus that may be learnt from: those of `articles`, and of `more` if it is there."""
    return (*load_corpus_articles(corpus), *load_more_articles(corpus))


def load_untouched_articles(corpus: Path) -> tuple[ReadPage, ...]:
    """The article pages of untouched families: they are scored, and used for nothing else."""
    return tuple(page for page in _load_more_pages(corpus) if is_untouched(page.layout))


def _load_more_pages(corpus: Path) -> list[ReadPage]:
    folder = corpus / "more" / "articles"
    if not folder.is_dir():
        return []
    parts = dict(_read_corpus_rows(folder / "truth.jsonl", lambda row: (row["id"], row["part"])))
    taken: Counter[str] = Counter()
    kept = []
    for page in _load_corpus_pages(folder, "pages/{}.html"):
        taken[page.layout] += parts[page.id] == _EXTRA_PART
        if parts[page.id] != _EXTRA_PART or taken[page.layout] <= _MAX_EXTRA_PAGES:
            kept.append(page)
    return kept


def family_of_layout(layout: str) -> str:
    """The family of a layout: layouts whose names begin alike are related."""
    return layout.partition("_")[0]


def is_untouched(layout: str, kind: str = "families") -> bool:
    """Whether the family of a layout is set aside: its pages are only scored. PDFs have families of their own."""
    return hashlib.sha256(family_of_layout(layout).encode()).hexdigest() in _untouched_families(kind)


@functools.cache
def _untouched_families(kind: str) -> frozenset[str]:
    if not UNTOUCHED_FILE.is_file():
        return frozenset()
    return frozenset(json.loads(UNTOUCHED_FILE.read_text(encoding="utf-8"))[kind])


def load_corpus_pdfs(corpus: Path) -> tuple[ReadPage, ...]:
    """The article PDFs, with the fields printed in them."""
    return _load_corpus_pages(corpus / "pdfs", "pdfs/{}.pdf")


def load_more_pdfs(corpus: Path) -> tuple[ReadPage, ...]:
    """The PDFs of the folder `more` of a corpus, without those of untouched families; none without it."""
    return tuple(page for page in _load_pdfs_of_more(corpus) if not is_untouched(page.layout, "pdf_families"))


def load_untouched_pdfs(corpus: Path) -> tuple[ReadPage, ...]:
    """The PDFs of untouched families: they are scored, and used for nothing else."""
    return tuple(page for page in _load_pdfs_of_more(corpus) if is_untouched(page.layout, "pdf_families"))


def _load_pdfs_of_more(corpus: Path) -> tuple[ReadPage, ...]:
    folder = corpus / "more" / "pdfs"
    return _load_corpus_pages(folder, "pdfs/{}.pdf") if folder.is_dir() else ()


def load_all_pdfs(corpus: Path) -> tuple[ReadPage, ...]:
    """All PDFs of a corpus that may be learnt from: those of `pdfs`, and of `more` if it is there."""
    return (*load_corpus_pdfs(corpus), *load_more_pdfs(corpus))


def load_corpus_issues(corpus: Path) -> tuple[LinksPage, ...]:
    """The contents pages, with the label of every link; the layout of a page is its journal."""
    return _load_link_pages(corpus / "issues")


def load_all_issues(corpus: Path) -> tuple[LinksPage, ...]:
    """The contents pages and further ones in `more`, without the untouched families."""
    return (*load_corpus_issues(corpus), *(page for page in _load_more_issues(corpus) if not is_untouched(page.layout)))


def load_untouched_issues(corpus: Path) -> tuple[LinksPage, ...]:
    """The contents pages of the untouched families."""
    return tuple(page for page in _load_more_issues(corpus) if is_untouched(page.layout))


def _load_more_issues(corpus: Path) -> tuple[LinksPage, ...]:
    folder = corpus / "more" / "issues"
    return _load_link_pages(folder) if folder.is_dir() else ()


def _load_link_pages(folder: Path) -> tuple[LinksPage, ...]:
    labels: dict[str, list[LinkLabel]] = defaultdict(list)
    for file, label in _read_corpus_rows(folder / "labels.jsonl", _parse_link_label):
        labels[file].append(label)

    def make(row: dict[str, Any]) -> LinksPage:
        return LabelledPage(
            id=row["file"],
            body=_read_corpus_bytes(folder / row["file"]),
            truth=tuple(labels[row["file"]]),
            url=row["url"] or "",
            encoding=row["encoding"] or "",
            layout=row["journal"],
            platform=row["platform"],
        )

    return tuple(_read_corpus_rows(folder / "manifest.jsonl", make))


def _parse_link_label(row: dict[str, Any]) -> tuple[str, LinkLabel]:
    return row["file"], LinkLabel(offset=row["offset"], article=row["article"], kind=row["type"] or "")


def _load_corpus_pages(folder: Path, pattern: str) -> tuple[ReadPage, ...]:
    def make(row: dict[str, Any]) -> ReadPage:
        return LabelledPage(
            id=row["id"],
            body=_read_corpus_bytes(folder / pattern.format(row["id"])),
            truth=select_scored_truth(row),
            layout=row["layout"],
            platform=row["publisher"],
        )

    return tuple(_read_corpus_rows(folder / "truth.jsonl", make))


def _read_corpus_rows(file: Path, make: Callable[[dict[str, Any]], _Made]) -> Iterator[_Made]:
    """Parse each line of a JSON Lines file; an error names the line that cannot be parsed."""
    for number, line in enumerate(_read_corpus_bytes(file).splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield make(json.loads(line))
        except KeyError as error:
            raise _bad_corpus_line(file, number, f"the line lacks {error}") from error
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise _bad_corpus_line(file, number, "each line is a JSON object with the keys of its table") from error


def _bad_corpus_line(file: Path, number: int, hint: str) -> QualityError:
    return QualityError(f"corpus line cannot be read: {file}:{number}", stage="", hint=hint)


def _read_corpus_bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise QualityError(
            f"corpus file cannot be read: {file}",
            stage="",
            hint="the folder given as corpus holds articles/, pdfs/ and issues/ with their truth",
        ) from error


def load_bundled_block_pages() -> tuple[BlocksPage, ...]:
    """The bundled contents pages as index pages, and the article pages as content pages.

    The sentences of the abstract belong to the body text of an article page.
    """
    articles = load_bundled_html_articles()
    known = {page.id: page.truth.get("abstract") or "" for page in articles}
    return tuple(
        LabelledPage(
            id=page.id, body=page.body, url=page.url, encoding=page.encoding, truth=_bundled_block_truth(page.id, known)
        )
        for page in load_bundled_link_pages()
    )


def _bundled_block_truth(name: str, abstracts: Mapping[str, str]) -> BlockTruth:
    if name not in abstracts:
        return BlockTruth(kind="index")
    sentences = (_PRINTED_SECTION_LABEL.sub("", one).strip(" .") for one in abstracts[name].split(". "))
    return BlockTruth(kind="content", include=tuple(one for one in sentences if one))


def load_block_folder(folder: Path) -> tuple[BlocksPage, ...]:
    """The pages below `index/` and `content/` of a folder, or of its subfolder `blocks/`.

    A folder below these names a group of pages. The file `truth.jsonl` is optional; its key `file` names the page.
    """
    folder = folder / "blocks" if (folder / "blocks").is_dir() else folder
    truth = _read_block_truth(folder / "truth.jsonl")
    files = [file for kind in BLOCK_PAGE_KINDS for file in sorted((folder / kind).rglob("*.htm*"))]
    if not files:
        hint = "put pages into its folders index/ and content/, or into subfolders of these, one for each group"
        raise QualityError(f"no pages of blocks: {folder}", stage="blocks", hint=hint)
    return tuple(_load_block_page(file, folder, truth) for file in files)


def _read_block_truth(file: Path) -> dict[str, dict[str, Any]]:
    if not file.is_file():
        return {}
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
        return {row["file"]: row for row in rows}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        hint = "each line is a JSON object with `file`, and `body_text` or `must_include` and `must_exclude`"
        raise QualityError(f"corpus file cannot be read: {file}", stage="blocks", hint=hint) from error


def _load_block_page(file: Path, folder: Path, truth: Mapping[str, Mapping[str, Any]]) -> BlocksPage:
    name = file.relative_to(folder)
    row = truth.get(name.as_posix(), {})
    return LabelledPage(
        id=name.as_posix(),
        body=file.read_bytes(),
        url=row.get("url") or "",
        encoding=row.get("encoding") or "",
        layout=row.get("site") or name.parent.as_posix(),
        platform=row.get("language") or "",
        truth=BlockTruth(
            kind=name.parts[0],
            group=row.get("group") or "/".join(name.parts[1:-1]),
            body=row.get("body_text") or "",
            include=tuple(row.get("must_include") or ()),
            exclude=tuple(row.get("must_exclude") or ()),
        ),
    )


def load_bundled_kind_pages() -> tuple[KindPage, ...]:
    """Every file of the bundled journals that is a page, a PDF or a picture."""
    return tuple(
        LabelledPage(
            id=page.path,
            body=demo.read_demo_file(page.file),
            truth=page.kind.value,
            encoding=page.charset,
            layout=page.template,
            platform=page.path.split("/")[1],
        )
        for page in demo.list_demo_pages()
        if page.file and page.kind is not Kind.SUPPLEMENT
    )


def load_corpus_kind_pages(corpus: Path) -> tuple[KindPage, ...]:
    """The article pages whose kind is known, the contents pages and the PDFs."""
    articles = load_corpus_articles(corpus)  # raises the error for a broken line
    lines = (corpus / "articles" / "truth.jsonl").read_text(encoding="utf-8").split("\n")
    kinds = {row["id"]: row.get("kind") for row in map(json.loads, filter(str.strip, lines))}
    return (
        *(_label_known_kind(page, Kind(kinds[page.id])) for page in articles if kinds[page.id] in ARTICLE_KINDS),
        *(_label_known_kind(page, Kind.ISSUE) for page in load_corpus_issues(corpus)),
        *(_label_known_kind(page, Kind.PDF) for page in load_corpus_pdfs(corpus)),
    )


def _label_known_kind(page: LabelledPage[Any], kind: Kind) -> KindPage:
    return LabelledPage(
        id=page.id, body=page.body, truth=kind.value, encoding=page.encoding, layout=page.layout, platform=page.platform
    )


def load_bundled_contents_pages() -> tuple[LinksPage, ...]:
    """The contents pages of the bundled journals; the journal is their layout, as in a corpus."""
    paths = {issue.path for issue in demo.list_demo_issues()}
    return tuple(replace(page, layout=page.platform) for page in load_bundled_link_pages() if page.id in paths)

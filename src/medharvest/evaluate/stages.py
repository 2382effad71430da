"""The stages that can be scored, on which labelled data and by which methods; and the floors of their figures.

The floors file has for each stage and data set the digest of the labelled data and one floor per figure. A floor is
never lowered.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.errors import OutputError, QualityError
from medharvest.evaluate import page_scores, page_sets
from medharvest.evaluate.issue_scores import score_issues
from medharvest.evaluate.labelled_pages import includes_pages_of, includes_training_pages
from medharvest.evaluate.page_scores import score_blocks, score_links
from medharvest.evaluate.page_sets import load_block_folder, load_bundled_block_pages, load_bundled_contents_pages
from medharvest.evaluate.read_scores import read_labelled_page, read_stripped_page, score_read
from medharvest.evaluate.results import FOLDS
from medharvest.evaluate.taught_link_scores import score_taught_links
from medharvest.evaluate.zone_scores import LAYOUT_TEACHING, score_taught_zones, score_zones
from medharvest.links.body_text import shipped_body_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from medharvest.evaluate.labelled_pages import BlocksPage, Progress, ReadPage
    from medharvest.evaluate.results import Result, Table

_score_stripped_read = partial(score_read, read=read_stripped_page)
# <root>/src/medharvest/evaluate/stages.py; in an installed wheel this is the folder above site-packages.
_CHECKOUT_ROOT = Path(__file__).resolve().parents[3]
# Half a percentage point: enough for harmless changes, too little to hide a real loss.
FLOOR_MARGIN = 0.005
# Decimal places of a floor: more would be finer than the margin, and harder to read.
FLOOR_PLACES = 4
_EXTRA_OF_PACKAGE = {
    "matplotlib": "figures",
    "numpy": "train",
    "sklearn": "train",
    "threadpoolctl": "train",
}
CHECKOUT_HINT = "run medharvest from a checkout of the repository"


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """One set of labelled pages of a stage: how it is loaded, from the package or from a corpus, and scored."""

    name: str
    load: Callable[..., Sequence[Any]]
    score: Callable[..., Result]
    in_corpus: bool = False
    stripped: bool = False
    method: str = "default"
    slow: bool = False  # takes minutes: scored only when its method is given
    needs_checkout: bool = False  # the scorer trains models, which the wheel cannot do
    optional: bool = False  # a corpus may lack its folder; then it is not scored


def _score_corpus_read(
    pages: Sequence[ReadPage],
    *,
    data: str,
    progress: Progress,
    folds: str = "",
    stripped: bool = False,
    by_layout: bool = False,
) -> Result:
    """Score `read` on pages of a corpus.

    When the shipped models were trained on any of the pages, each page is read by models that saw none of its layout.
    """
    read = read_stripped_page if stripped else read_labelled_page
    if includes_training_pages(pages):
        read = load_from_checkout("training.read_folds", "make_unseen_reader", stage="read")(pages, stripped=stripped)
    return score_read(pages, data=data, progress=progress, folds=folds, read=read, by_layout=by_layout)


def _checkout_scorer(module: str, name: str, stage: str) -> Callable[..., Result]:
    """A scorer of `training` or `experiments`, loaded when it is called."""

    def score(pages: Sequence[Any], **options: Any) -> Result:
        result: Result = load_from_checkout(module, name, stage=stage)(pages, **options)
        return result

    return score


def _sweep_tables(pages: Sequence[BlocksPage], progress: Progress) -> Sequence[Table]:
    """The tables of the threshold sweeps; none without a checkout. No figure depends on them."""
    if not is_checkout():
        return ()
    tables: Sequence[Table] = load_from_checkout("experiments.block_sweeps", "tabulate_sweeps", stage="blocks")(
        pages, progress
    )
    return tables


_score_stripped_corpus_read = partial(_score_corpus_read, stripped=True)
_score_by_layout = partial(_score_corpus_read, by_layout=True)
_score_stripped_by_layout = partial(_score_corpus_read, by_layout=True, stripped=True)


def _score_swept_blocks(pages: Sequence[BlocksPage], *, data: str, progress: Progress, folds: str = "") -> Result:
    """Score body texts; pages that the shipped model learnt from are judged by models that did not see their sites."""
    read = None
    if includes_pages_of(shipped_body_model().card["pages"], pages):
        read = load_from_checkout("training.body_models", "make_unseen_body_reader", stage="blocks")(pages)
    return score_blocks(pages, data=data, progress=progress, folds=folds, extra_tables=_sweep_tables, read=read)


STAGES: Mapping[str, tuple[DataSet, ...]] = {
    "read": (
        DataSet(name="demo", load=page_sets.load_bundled_articles, score=score_read),
        *(
            DataSet(name=name, load=load, score=_score_corpus_read, in_corpus=True, optional=name != "pdfs")
            for name, load in (
                ("pdfs", page_sets.load_corpus_pdfs),
                ("pdfs-more", page_sets.load_more_pdfs),
                ("pdfs-untouched", page_sets.load_untouched_pdfs),
            )
        ),
        *(
            DataSet(
                name=f"{name}{suffix}", load=load, score=score, in_corpus=True, stripped=bool(suffix), optional=True
            )
            for name, load in (
                ("layouts", page_sets.load_all_articles),
                ("untouched", page_sets.load_untouched_articles),
            )
            for suffix, score in (("", _score_by_layout), ("-stripped", _score_stripped_by_layout))
        ),
        DataSet(
            name="demo-stripped", load=page_sets.load_bundled_html_articles, score=_score_stripped_read, stripped=True
        ),
        DataSet(
            name="articles-taught",
            load=page_sets.load_corpus_articles,
            score=_checkout_scorer("experiments.read_curve", "score_read_curve", "read"),
            in_corpus=True,
            method="taught",
            slow=True,
            needs_checkout=True,
        ),
    ),
    "links": (
        DataSet(name="demo", load=page_sets.load_bundled_link_pages, score=score_links, method="rules"),
        DataSet(name="issues", load=page_sets.load_corpus_issues, score=score_links, in_corpus=True, method="rules"),
        DataSet(
            name="issues-unseen",
            load=page_sets.load_corpus_issues,
            score=_checkout_scorer("training.link_folds", "score_unseen_links", "links"),
            in_corpus=True,
            method="zero-shot",
            needs_checkout=True,
        ),
        DataSet(
            name="issues-more-unseen",
            load=page_sets.load_all_issues,
            score=_checkout_scorer("training.link_folds", "score_unseen_links", "links"),
            in_corpus=True,
            method="unseen",
            slow=True,
            needs_checkout=True,
        ),
        DataSet(
            name="issues-untouched",
            load=page_sets.load_untouched_issues,
            score=_checkout_scorer("training.link_folds", "score_shipped_links", "links"),
            in_corpus=True,
            method="zero-shot",
            needs_checkout=True,
        ),
        DataSet(name="demo-paper", load=load_bundled_contents_pages, score=score_taught_links, method="paper"),
        DataSet(
            name="issues-paper",
            load=page_sets.load_corpus_issues,
            score=score_taught_links,
            in_corpus=True,
            method="paper",
        ),
        *(
            DataSet(
                name=f"issues-{method}",
                load=page_sets.load_corpus_issues,
                score=_checkout_scorer(module, name, "links"),
                in_corpus=True,
                method=method,
                slow=True,
                needs_checkout=True,
            )
            for method, module, name in (
                ("taught", "training.link_folds", "score_unseen_taught_links"),
                ("drift", "experiments.link_drift", "score_unseen_drift"),
                ("curve", "experiments.link_curve", "score_unseen_curve"),
            )
        ),
    ),
    "zones": (
        DataSet(name="demo", load=page_sets.load_bundled_zone_pages, score=score_zones),
        DataSet(name="demo-paper", load=page_sets.load_bundled_zone_pages, score=score_taught_zones, method="paper"),
        DataSet(
            name="demo-taught",
            load=page_sets.load_bundled_zone_pages,
            score=partial(score_taught_zones, method=LAYOUT_TEACHING),
            method="taught",
        ),
    ),
    "issue": (DataSet(name="demo", load=page_sets.load_bundled_issues, score=score_issues),),
    "kinds": (
        DataSet(name="demo", load=page_sets.load_bundled_kind_pages, score=page_scores.score_kinds),
        DataSet(name="corpus", load=page_sets.load_corpus_kind_pages, score=page_scores.score_kinds, in_corpus=True),
    ),
    "blocks": (
        DataSet(name="demo", load=load_bundled_block_pages, score=_score_swept_blocks),
        DataSet(name="pages", load=load_block_folder, score=_score_swept_blocks, in_corpus=True),
    ),
}


def evaluate_stage(
    stage: str,
    *,
    corpus: Path | None,
    progress: Progress,
    folds: str = "",
    strip_meta: bool = False,
    method: str = "",
) -> tuple[Result, ...]:
    """Score one stage on the bundled journals and, if a corpus is given, on its pages.

    `folds` ("layout" or "platform") adds the mean over groups of similar pages and lists the worst groups. With
    `strip_meta`, `read` is scored only on pages whose machine metadata is removed. `method` chooses one of several
    methods of a stage. Methods that take minutes are scored only when they are chosen.
    """
    chosen = [item for item in _data_sets_by_method(stage, method) if item.stripped == strip_meta]
    if not chosen:
        raise QualityError(f"stage has no stripped pages: {stage}", stage=stage, hint="only read has them")
    if folds not in ("", *FOLDS):
        raise QualityError(f"no such folds: {folds}", stage=stage, hint=f"one of {', '.join(FOLDS)}")
    return _evaluate_data_sets(chosen, stage=stage, corpus=corpus, progress=progress, folds=folds)


def evaluate_all(*, corpus: Path | None, progress: Progress) -> tuple[Result, ...]:
    """Score every stage on all its data sets, except the slow ones. The gate compares these scores with the floors."""
    everything = [item for data_sets in STAGES.values() for item in data_sets if not item.slow]
    return _evaluate_data_sets(everything, stage="", corpus=corpus, progress=progress)


def _data_sets_by_method(stage: str, method: str) -> list[DataSet]:
    methods = sorted({item.method for item in _data_sets_of_stage(stage)})
    if method and method not in methods:
        raise QualityError(f"no such method: {method}", stage=stage, hint=f"one of {', '.join(methods)}")
    return [item for item in _data_sets_of_stage(stage) if (item.method == method if method else not item.slow)]


def _data_sets_of_stage(stage: str) -> tuple[DataSet, ...]:
    if stage not in STAGES:
        raise QualityError(f"no such stage: {stage}", stage=stage, hint=f"one of {', '.join(STAGES)}")
    return STAGES[stage]


def _evaluate_data_sets(
    data_sets: Sequence[DataSet], *, stage: str, corpus: Path | None, progress: Progress, folds: str = ""
) -> tuple[Result, ...]:
    if corpus is not None:
        _require_checkout_of_data_sets(data_sets, stage)
    results = []
    for item in data_sets:
        if item.in_corpus and corpus is None:
            continue
        pages = item.load(corpus) if item.in_corpus else item.load()
        if item.optional and not pages:
            continue
        results.append(item.score(pages, data=item.name, folds=folds, progress=progress))
    return tuple(results)


def _require_checkout_of_data_sets(data_sets: Sequence[DataSet], stage: str) -> None:
    """Raise before anything is scored: skipping a data set could let the gate pass."""
    for item in data_sets:
        if item.needs_checkout:
            others = sorted({other.method for other in STAGES.get(stage, ()) if not other.needs_checkout})
            hint = "; ".join([CHECKOUT_HINT, *(f"or choose --method {method}" for method in others)])
            require_checkout(f"scores of {item.name}", stage=stage, hint=hint)


def is_checkout() -> bool:
    """Whether medharvest runs from a checkout of the repository."""
    return (_CHECKOUT_ROOT / "training" / "__init__.py").is_file() and (_CHECKOUT_ROOT / "pyproject.toml").is_file()


def require_checkout(what: str, *, stage: str, hint: str = CHECKOUT_HINT) -> None:
    """Raise an error that names what the installed package cannot do, unless medharvest runs from a checkout."""
    if not is_checkout():
        raise QualityError(f"not in the installed package: {what}", stage=stage, hint=hint)


def load_from_checkout(module: str, name: str, *, stage: str) -> Callable[..., Any]:
    """Return a function of a module of `training` or `experiments`.

    When the function needs a package that is not installed, it raises a `QualityError` that names the extra to install.
    """
    require_checkout(module, stage=stage)
    root = str(_CHECKOUT_ROOT)
    if sys.path[:1] != [root]:  # first, so that a folder `training` in the working directory is never loaded
        sys.path.insert(0, root)
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in _EXTRA_OF_PACKAGE:
                raise
            hint = f"pip install 'medharvest[{_EXTRA_OF_PACKAGE[package]}]'"
            raise QualityError(f"package is missing: {package}", stage=stage, hint=hint) from error

    return call


_CHANGED_DATA_HINT = "the labelled data changed: remove the entry {} from the floors file by hand, then update again"


@dataclass(frozen=True, slots=True)
class Floor:
    """The lowest allowed figures of one data set, and the digest of its data."""

    digest: str
    figures: Mapping[str, float]


def check_floors(results: Iterable[Result], floors: Mapping[str, Floor]) -> list[str]:
    """List what is wrong: a figure below its floor, a missing floor, changed data, or a missing result."""
    results = tuple(results)
    unmeasured = sorted(floors.keys() - {result.name for result in results})
    return [
        *(complaint for result in results for complaint in _floor_complaints(result, floors.get(result.name))),
        *(f"{name}: has a floor and is not measured any more" for name in unmeasured if _is_floor_due(name, results)),
    ]


def raise_floors(results: Iterable[Result], floors: Mapping[str, Floor]) -> dict[str, Floor]:
    """Create missing floors and raise those that were passed; raise an error instead of lowering one.

    A floor is not moved to changed data either.
    """
    raised = dict(floors)
    for result in results:
        raised[result.name] = _raise_floor(result, floors.get(result.name))
    return raised


def load_floors(file: Path) -> dict[str, Floor]:
    """Read the floors file; a missing file holds no floors."""
    try:
        entries = json.loads(file.read_text(encoding="utf-8"))
        return {
            name: Floor(str(entry["digest"]), {figure: float(value) for figure, value in entry["figures"].items()})
            for name, entry in entries.items()
        }
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise QualityError(
            f"floors cannot be read: {file}", stage="", hint="restore the file from the repository"
        ) from error


def save_floors(file: Path, floors: Mapping[str, Floor]) -> None:
    """Write the floors sorted by name, so that a diff shows only what changed."""
    entries = {name: {"digest": floor.digest, "figures": dict(floor.figures)} for name, floor in floors.items()}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(
            f"floors cannot be written: {file}", path=str(file), hint=error.strerror or str(error)
        ) from error


def _floor_complaints(result: Result, floor: Floor | None) -> Iterator[str]:
    if floor is None:
        yield f"{result.name}: no floor"
        return
    if floor.digest != result.digest:
        yield f"{result.name}: the labelled data changed since its floor was made"
    measured = dict(result.figures)
    for figure, value in measured.items():
        if figure not in floor.figures:
            yield f"{result.name}: no floor for {figure}"
        elif value < floor.figures[figure]:
            yield f"{result.name}: {figure} is {value:.4f}, below its floor {floor.figures[figure]:.4f}"
    for figure in floor.figures.keys() - measured.keys():
        yield f"{result.name}: {figure} has a floor and is not measured any more"


def _is_floor_due(name: str, results: Iterable[Result]) -> bool:
    """Whether a data set should be among the results.

    It should if its stage was scored, and if other data sets from a corpus, or stripped ones, were scored like it.
    """
    measured = {result.name for result in results}
    stages = {result.stage for result in results}
    known = {f"{stage}/{item.name}": (item.in_corpus, item.stripped) for stage in STAGES for item in STAGES[stage]}
    if name.partition("/")[0] not in stages and not stages >= STAGES.keys():
        return False
    return name not in known or known[name] in {known.get(other) for other in measured}


def _raise_floor(result: Result, floor: Floor | None) -> Floor:
    if floor and floor.digest != result.digest:
        raise QualityError(
            f"refused to move a floor to other data: {result.name}",
            stage=result.stage,
            hint=_CHANGED_DATA_HINT.format(result.name),
        )
    old = floor.figures if floor else {}
    measured = dict(result.figures)
    for figure, least in sorted(old.items()):
        if (value := measured.get(figure, 0.0)) < least:
            raise QualityError(
                f"refused to lower a floor: {result.name} {figure} from {least:.4f} to {value:.4f}",
                stage=result.stage,
                hint="fix the stage; a floor is never lowered",
            )
    raised = {figure: max(old.get(figure, 0.0), _floor_below(value)) for figure, value in measured.items()}
    return Floor(result.digest, raised)


def _floor_below(value: float) -> float:
    return max(0.0, round(value - FLOOR_MARGIN, FLOOR_PLACES))

"""How thresholds change the blocks of pages: the sweeps of the method's paper, and its figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.errors import OutputError, QualityError
from medharvest.evaluate.counts import mean_of
from medharvest.evaluate.labelled import try_each
from medharvest.evaluate.results import Table, number
from medharvest.links.blocks import LEAST, MEASURES, cover, near_runs
from medharvest.links.distance import link_spans
from medharvest.pages import parse_page

if TYPE_CHECKING:
    from medharvest.evaluate.block_pages import BlocksPage
    from medharvest.evaluate.labelled import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One figure: which distance, which pages, and the thresholds and least numbers of links gone through."""

    name: str
    distance: str
    kind: str
    settings: tuple[tuple[int, int], ...]
    varies: str

    @property
    def title(self) -> str:
        """What the figure shows, in words."""
        return f"{self.name}: {self.varies} by {self.distance} distance, {self.kind} pages"

    def value(self, setting: tuple[int, int]) -> int:
        """What varies, of a setting."""
        return setting[0] if self.varies == "d_t" else setting[1]


def _by_threshold(name: str, distance: str, kind: str) -> Sweep:
    step = 5 if distance == "text" else 10
    settings = tuple((step * times, LEAST) for times in range(1, 13))
    return Sweep(name=name, distance=distance, kind=kind, settings=settings, varies="d_t")


def _by_least(name: str, distance: str, kind: str) -> Sweep:
    settings = tuple((MEASURES[distance].fixed, least) for least in range(2, 13))
    return Sweep(name=name, distance=distance, kind=kind, settings=settings, varies="C_t")


# Figures 4 to 8 of the paper, and what it tells of without a figure.
SWEEPS = (
    _by_threshold("figure-4", "text", "index"),
    _by_threshold("figure-5", "text", "content"),
    _by_threshold("figure-6", "code", "index"),
    _by_threshold("code-content", "code", "content"),
    _by_least("figure-7", "text", "index"),
    _by_least("figure-8", "text", "content"),
    _by_least("code-links-index", "code", "index"),
    _by_least("code-links-content", "code", "content"),
)
_MOST = {
    distance: max(setting[0] for sweep in SWEEPS if sweep.distance == distance for setting in sweep.settings)
    for distance in MEASURES
}
ALL = "all"


@dataclass(frozen=True, slots=True)
class Point:
    """The means over some pages with one setting: number of blocks, and the shares of links and code they cover."""

    blocks: float
    lcr: float
    ccr: float


_Row = tuple[int, float | None, float]
_NOTHING: Mapping[str, Sequence[_Row]] = {}
# Group -> the points of a sweep in the order of its settings; `all` has every page.
Series = Mapping[str, Sequence[Point]]


def run_sweeps(pages: Sequence[BlocksPage], progress: Progress) -> dict[str, Series]:
    """The series of every sweep that has pages, by its name."""
    points, _ = try_each(pages, _points, nothing=_NOTHING, progress=progress)
    grouped: dict[str, dict[str, list[Sequence[_Row]]]] = defaultdict(lambda: defaultdict(list))
    for page, found in zip(pages, points, strict=True):
        for name, rows in found.items():
            for group in dict.fromkeys((page.truth.group or ALL, ALL)):
                grouped[name][group].append(rows)
    return {
        name: {group: [_mean(rows) for rows in zip(*several, strict=True)] for group, several in groups.items()}
        for name, groups in grouped.items()
    }


def _points(page: BlocksPage) -> Mapping[str, Sequence[_Row]]:
    """Blocks, LCR and CCR of one page for each setting of each sweep it belongs to."""
    text = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id).text
    spans = link_spans(text)
    distances = {name: one.distances(text, spans, most=_MOST[name]) for name, one in MEASURES.items()}

    def row(distance: str, threshold: int, least: int) -> _Row:
        found = cover(text, spans, near_runs(distances[distance], threshold, least), threshold)
        return len(found.blocks), found.lcr, found.ccr

    own = (sweep for sweep in SWEEPS if sweep.kind == page.truth.kind)
    return {sweep.name: [row(sweep.distance, *setting) for setting in sweep.settings] for sweep in own}


def _mean(rows: Iterable[_Row]) -> Point:
    blocks, lcrs, ccrs = zip(*rows, strict=True)
    return Point(mean_of(blocks), mean_of([lcr for lcr in lcrs if lcr is not None]), mean_of(ccrs))


def sweep_table(sweep: Sweep, series: Series) -> Table:
    """The points of a sweep, a row each."""
    rows = (
        (f"{sweep.varies} {sweep.value(setting)}", group, f"{point.blocks:.2f}", number(point.lcr), number(point.ccr))
        for group, points in series.items()
        for setting, point in zip(sweep.settings, points, strict=True)
    )
    return Table((sweep.title, "pages", "blocks", "LCR", "CCR"), tuple(rows))


def draw_sweeps(found: Mapping[str, Series], folder: Path) -> tuple[Path, ...]:
    """Draw each sweep as SVG and PNG, blocks on the left axis, LCR and CCR on the right, a line for each group."""
    figure = matplotlib_figure("blocks")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drawn = (_draw(figure, sweep, found[sweep.name], folder) for sweep in SWEEPS if sweep.name in found)
        return tuple(path for paths in drawn for path in paths)
    except OSError as error:
        hint = error.strerror or str(error)
        raise OutputError(f"figures cannot be written: {folder}", path=str(folder), hint=hint) from error


def matplotlib_figure(stage: str) -> Any:
    """What makes an empty figure; without matplotlib a stage cannot draw."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise QualityError("figures need matplotlib", stage=stage, hint="pip install 'medharvest[figures]'") from error
    return partial(Figure, figsize=(7, 4.5), layout="constrained")


_SHADES = ("#1a56db", "#b3261e", "#0a7d32", "#8a5a00", "#6b21a8")


def _draw(figure: Any, sweep: Sweep, series: Series, folder: Path) -> list[Path]:
    drawing = figure()
    left = drawing.add_subplot(title=sweep.title, xlabel=sweep.varies, ylabel="blocks")
    right = left.twinx()
    right.set(ylim=(0, 1.02), ylabel="LCR, CCR")
    values = [sweep.value(setting) for setting in sweep.settings]
    for place, (group, points) in enumerate(series.items()):
        shade, mark = _SHADES[place % len(_SHADES)], "a" if group == ALL else group
        left.plot(values, [point.blocks for point in points], color=shade, marker="o", label=f"blocks, {mark}")
        right.plot(values, [point.lcr for point in points], color=shade, linestyle="--", label=f"LCR, {mark}")
        right.plot(values, [point.ccr for point in points], color=shade, linestyle=":", label=f"CCR, {mark}")
    left.set_ylim(bottom=0)
    drawing.legend(loc="outside right upper", fontsize="small")
    paths = [folder / f"{sweep.name}.{suffix}" for suffix in ("svg", "png")]
    for path in paths:
        drawing.savefig(path)
    return paths

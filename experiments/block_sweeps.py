"""Sweeps over the thresholds of link blocks, with tables and with figures 4 to 8 of the paper."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medharvest.errors import OutputError, QualityError
from medharvest.evaluate.labelled_pages import try_each_page
from medharvest.evaluate.results import Table, format_share, mean_of
from medharvest.links.blocks import DISTANCE_MEASURES, MIN_BLOCK_LINKS, build_blocks, near_runs
from medharvest.links.distances import link_spans
from medharvest.pages import parse_page

if TYPE_CHECKING:
    from medharvest.evaluate.labelled_pages import BlocksPage, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One figure: the distance measure, the kind of pages, and the settings (threshold, least number of links)."""

    name: str
    distance: str
    kind: str
    settings: tuple[tuple[int, int], ...]
    varies: str

    @property
    def title(self) -> str:
        """The title of the figure."""
        return f"{self.name}: {self.varies} by {self.distance} distance, {self.kind} pages"

    def value(self, setting: tuple[int, int]) -> int:
        """The part of a setting that varies."""
        return setting[0] if self.varies == "d_t" else setting[1]


def _sweep_thresholds(name: str, distance: str, kind: str) -> Sweep:
    step = 5 if distance == "text" else 10
    settings = tuple((step * times, MIN_BLOCK_LINKS) for times in range(1, 13))
    return Sweep(name=name, distance=distance, kind=kind, settings=settings, varies="d_t")


def _sweep_least_links(name: str, distance: str, kind: str) -> Sweep:
    settings = tuple((DISTANCE_MEASURES[distance].fixed, least) for least in range(2, 13))
    return Sweep(name=name, distance=distance, kind=kind, settings=settings, varies="C_t")


# Figures 4 to 8 of the paper, and the sweeps that it describes without a figure.
SWEEPS = (
    _sweep_thresholds("figure-4", "text", "index"),
    _sweep_thresholds("figure-5", "text", "content"),
    _sweep_thresholds("figure-6", "code", "index"),
    _sweep_thresholds("code-content", "code", "content"),
    _sweep_least_links("figure-7", "text", "index"),
    _sweep_least_links("figure-8", "text", "content"),
    _sweep_least_links("code-links-index", "code", "index"),
    _sweep_least_links("code-links-content", "code", "content"),
)
_MAX_DISTANCES = {
    distance: max(setting[0] for sweep in SWEEPS if sweep.distance == distance for setting in sweep.settings)
    for distance in DISTANCE_MEASURES
}
ALL_PAGES = "all"


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Means over pages with one setting: the number of blocks, and the shares of links and code that they cover."""

    blocks: float
    lcr: float
    ccr: float


_SweepRow = tuple[int, float | None, float]
_NO_SWEEP_ROWS: Mapping[str, Sequence[_SweepRow]] = {}
# Group -> the points of a sweep in the order of its settings; the group `all` has every page.
SweepSeries = Mapping[str, Sequence[SweepPoint]]


def run_sweeps(pages: Sequence[BlocksPage], progress: Progress) -> dict[str, SweepSeries]:
    """Run every sweep that has pages; return its series by name."""
    points, _ = try_each_page(pages, _measure_page_sweeps, nothing=_NO_SWEEP_ROWS, progress=progress)
    grouped: dict[str, dict[str, list[Sequence[_SweepRow]]]] = defaultdict(lambda: defaultdict(list))
    for page, found in zip(pages, points, strict=True):
        for name, rows in found.items():
            for group in dict.fromkeys((page.truth.group or ALL_PAGES, ALL_PAGES)):
                grouped[name][group].append(rows)
    return {
        name: {
            group: [_mean_sweep_point(rows) for rows in zip(*several, strict=True)] for group, several in groups.items()
        }
        for name, groups in grouped.items()
    }


def _measure_page_sweeps(page: BlocksPage) -> Mapping[str, Sequence[_SweepRow]]:
    """The blocks, LCR and CCR of one page for each setting of each sweep over its kind of pages."""
    text = parse_page(page.body, url=page.url, charset=page.encoding, name=page.id).text
    spans = link_spans(text)
    distances = {name: one.distances(text, spans, most=_MAX_DISTANCES[name]) for name, one in DISTANCE_MEASURES.items()}

    def row(distance: str, threshold: int, least: int) -> _SweepRow:
        found = build_blocks(text, spans, near_runs(distances[distance], threshold, least), threshold)
        return len(found.blocks), found.lcr, found.ccr

    own = (sweep for sweep in SWEEPS if sweep.kind == page.truth.kind)
    return {sweep.name: [row(sweep.distance, *setting) for setting in sweep.settings] for sweep in own}


def _mean_sweep_point(rows: Iterable[_SweepRow]) -> SweepPoint:
    blocks, lcrs, ccrs = zip(*rows, strict=True)
    return SweepPoint(mean_of(blocks), mean_of([lcr for lcr in lcrs if lcr is not None]), mean_of(ccrs))


def sweep_table(sweep: Sweep, series: SweepSeries) -> Table:
    """The table of a sweep, with a row for each point."""
    rows = (
        (
            f"{sweep.varies} {sweep.value(setting)}",
            group,
            f"{point.blocks:.2f}",
            format_share(point.lcr),
            format_share(point.ccr),
        )
        for group, points in series.items()
        for setting, point in zip(sweep.settings, points, strict=True)
    )
    return Table((sweep.title, "pages", "blocks", "LCR", "CCR"), tuple(rows))


def tabulate_sweeps(pages: Sequence[BlocksPage], progress: Progress) -> tuple[Table, ...]:
    """Run every sweep over the pages and return its table."""
    found = run_sweeps(pages, progress)
    return tuple(sweep_table(sweep, found[sweep.name]) for sweep in SWEEPS if sweep.name in found)


def draw_sweeps(found: Mapping[str, SweepSeries], folder: Path) -> tuple[Path, ...]:
    """Draw each sweep as SVG and PNG: blocks on the left axis, LCR and CCR on the right, a line for each group."""
    figure = load_matplotlib_figure("blocks")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        drawn = (_draw_sweep(figure, sweep, found[sweep.name], folder) for sweep in SWEEPS if sweep.name in found)
        return tuple(path for paths in drawn for path in paths)
    except OSError as error:
        hint = error.strerror or str(error)
        raise OutputError(f"figures cannot be written: {folder}", path=str(folder), hint=hint) from error


def load_matplotlib_figure(stage: str) -> Any:
    """Return the function that makes an empty figure; raise an error if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise QualityError("figures need matplotlib", stage=stage, hint="pip install 'medharvest[figures]'") from error
    return partial(Figure, figsize=(7, 4.5), layout="constrained")


_LINE_COLOURS = ("#1a56db", "#b3261e", "#0a7d32", "#8a5a00", "#6b21a8")


def _draw_sweep(figure: Any, sweep: Sweep, series: SweepSeries, folder: Path) -> list[Path]:
    drawing = figure()
    left = drawing.add_subplot(title=sweep.title, xlabel=sweep.varies, ylabel="blocks")
    right = left.twinx()
    right.set(ylim=(0, 1.02), ylabel="LCR, CCR")
    values = [sweep.value(setting) for setting in sweep.settings]
    for place, (group, points) in enumerate(series.items()):
        shade, mark = _LINE_COLOURS[place % len(_LINE_COLOURS)], "a" if group == ALL_PAGES else group
        left.plot(values, [point.blocks for point in points], color=shade, marker="o", label=f"blocks, {mark}")
        right.plot(values, [point.lcr for point in points], color=shade, linestyle="--", label=f"LCR, {mark}")
        right.plot(values, [point.ccr for point in points], color=shade, linestyle=":", label=f"CCR, {mark}")
    left.set_ylim(bottom=0)
    drawing.legend(loc="outside right upper", fontsize="small")
    paths = [folder / f"{sweep.name}.{suffix}" for suffix in ("svg", "png")]
    for path in paths:
        drawing.savefig(path)
    return paths

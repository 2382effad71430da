"""A line chart as SVG text, with nothing but the standard library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT = 720, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 44, 36, 48
_COLOUR = "#1b6ca8"
_COLOURS = (_COLOUR, "#c2571a", "#2e7d32", "#7b3fa0")
_LEGEND = 150  # width of one entry
_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Chart:
    """What a chart says: its title, its axes, and the points of its line."""

    title: str
    x: str
    y: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart with several lines, by their names, on linear axes."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


def draw(chart: Chart) -> str:
    """The chart; the abscissa is logarithmic, the ordinate begins at 0."""
    low, high = (math.log10(pick(x for x, _ in chart.points)) for pick in (min, max))
    step, top = _scale(y for _, y in chart.points)
    plane = _Plane(
        x=lambda value: _LEFT + (math.log10(value) - low) / ((high - low) or 1) * (_WIDTH - _LEFT - _RIGHT),
        y=lambda value: _HEIGHT - _BOTTOM - value / top * (_HEIGHT - _TOP - _BOTTOM),
    )
    decades = [10**n for n in range(math.ceil(low - 1e-9), math.floor(high + 1e-9) + 1)]
    frame = _frame(chart, plane, (n * step for n in range(round(top / step) + 1)), decades)
    return "\n".join([*frame, *_line(plane, chart.points), "</svg>\n"])


def draw_lines(chart: LineChart) -> str:
    """The chart; both axes begin at 0."""
    points = [point for line in chart.lines.values() for point in line]
    step, top = _scale(y for _, y in points)
    along, far = _scale(x for x, _ in points)
    plane = _Plane(
        x=lambda value: _LEFT + value / far * (_WIDTH - _LEFT - _RIGHT),
        y=lambda value: _HEIGHT - _BOTTOM - value / top * (_HEIGHT - 2 * _TOP - _BOTTOM),
    )
    ticks = [n * along for n in range(round(far / along) + 1)]
    parts = _frame(chart, plane, (n * step for n in range(round(top / step) + 1)), ticks)
    for n, (name, line) in enumerate(chart.lines.items()):
        colour, left = _COLOURS[n % len(_COLOURS)], _LEFT + n * _LEGEND
        parts.append(f'<rect x="{left}" y="38" width="18" height="4" fill="{colour}"/>')
        parts.append(f'<text x="{left + 24}" y="44">{name}</text>')
        parts.append(_path(plane, line, colour))
    return "\n".join([*parts, "</svg>\n"])


def _scale(values: Iterable[float]) -> tuple[float, float]:
    """The step and the end of an axis."""
    most = max(values)
    step = _step(most)
    return step, step * math.ceil(most / step)


def _frame(chart: Chart | LineChart, plane: _Plane, rules: Iterable[float], ticks: Iterable[float]) -> list[str]:
    """Everything but the lines."""
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{chart.title}</title>',
        '<rect width="100%" height="100%" fill="#fff"/>',
        _text(_WIDTH / 2, 20, chart.title, size=14),
        _text((_WIDTH + _LEFT) / 2, _HEIGHT - 10, chart.x),
        f'<text transform="translate(16 {_HEIGHT / 2:g}) rotate(-90)" text-anchor="middle">{chart.y}</text>',
        *(_rule(plane, value) for value in rules),
        *(_text(plane.x(value), _HEIGHT - _BOTTOM + 18, f"{round(value):,}") for value in ticks),
    ]


@dataclass(frozen=True, slots=True)
class _Plane:
    x: Callable[[float], float]
    y: Callable[[float], float]


def _step(most: float) -> float:
    """A round step that parts the ordinate into five or so."""
    scale = 10.0 ** math.floor(math.log10(most / 5))
    return next(step * scale for step in _STEPS if step * scale * 6 >= most)


def _rule(plane: _Plane, value: float) -> str:
    y = plane.y(value)
    label = f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
    return f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>{label}'


def _line(plane: _Plane, points: Sequence[tuple[float, float]]) -> list[str]:
    dots = (f'<circle cx="{plane.x(x):.1f}" cy="{plane.y(y):.1f}" r="3" fill="{_COLOUR}"/>' for x, y in points)
    return [_path(plane, points, _COLOUR), *dots]


def _path(plane: _Plane, points: Sequence[tuple[float, float]], colour: str) -> str:
    path = " ".join(f"{plane.x(x):.1f},{plane.y(y):.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'


def _text(x: float, y: float, text: str, *, size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size}">{text}</text>'

"""Charts as SVG, without scripts and inline styles."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

_CHART_WIDTH, _CHART_HEIGHT, _CHART_MARGIN = 320, 140, 24
_HISTOGRAM_BINS = 10


def draw_bar(share: float, label: str) -> Markup:
    """Draw a bar filled to a share; `label` is its text for screen readers."""
    filled = max(0.0, min(1.0, share)) * 100
    return Markup(
        '<span class="bar" role="img" aria-label="{}"><svg viewBox="0 0 100 8" preserveAspectRatio="none" '
        'aria-hidden="true"><rect class="good" width="{:.1f}" height="8"/></svg></span>'
    ).format(label, filled)


def draw_histogram(values: Sequence[float], title: str) -> Markup:
    """Draw how many values are in each tenth from 0 to 1."""
    counts = [0] * _HISTOGRAM_BINS
    for value in values:
        counts[min(_HISTOGRAM_BINS - 1, int(value * _HISTOGRAM_BINS))] += 1
    most = max(counts, default=0) or 1
    step = (_CHART_WIDTH - _CHART_MARGIN) / _HISTOGRAM_BINS
    parts = []
    for n, count in enumerate(counts):
        height = (_CHART_HEIGHT - 2 * _CHART_MARGIN) * count / most
        left, top = _CHART_MARGIN + n * step, _CHART_HEIGHT - _CHART_MARGIN - height
        parts.append(
            f'<rect class="accent" x="{left + 1:.1f}" y="{top:.1f}" width="{step - 2:.1f}" height="{height:.1f}"/>'
        )
        if count:
            parts.append(f'<text x="{left + step / 2:.1f}" y="{top - 3:.1f}" text-anchor="middle">{count}</text>')
        parts.append(f'<text x="{left:.1f}" y="{_CHART_HEIGHT - 8}">{n * 10}</text>')
    return _wrap_figure("".join(parts), title)


def draw_bars(shares: Sequence[tuple[str, float]], title: str) -> Markup:
    """Draw one bar per name, from 0 to 1, with its share beside it."""
    step, left, right = 18, 130, 60
    parts = []
    for n, (name, share) in enumerate(shares):
        top, width = n * step + 2, (_CHART_WIDTH - right) * share
        parts.append(f'<text x="{left - 6}" y="{top + 11}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect class="accent" x="{left}" y="{top}" width="{width:.1f}" height="{step - 4}"/>')
        parts.append(f'<text x="{left + width + 4:.1f}" y="{top + 11}">{share:.0%}</text>')
    return _wrap_figure(
        "".join(parts), title, width=_CHART_WIDTH + left - right + 60, height=max(1, len(shares)) * step + 4
    )


def draw_curve(points: Sequence[tuple[float, float]], title: str) -> Markup:
    """Draw a line through points; each axis goes from 0 to its largest value."""
    right = max((x for x, _ in points), default=0) or 1
    top = max((y for _, y in points), default=0) or 1
    across, up = _CHART_WIDTH - 2 * _CHART_MARGIN, _CHART_HEIGHT - 2 * _CHART_MARGIN
    end, floor = _CHART_WIDTH - _CHART_MARGIN, _CHART_HEIGHT - _CHART_MARGIN
    line = " ".join(f"{_CHART_MARGIN + x / right * across:.1f},{floor - y / top * up:.1f}" for x, y in points)
    axes = (
        f'<line class="grid" x1="{_CHART_MARGIN}" y1="{floor}" x2="{end}" y2="{floor}"/>'
        f'<text x="{_CHART_MARGIN}" y="{_CHART_HEIGHT - 8}">0</text>'
        f'<text x="{end}" y="{_CHART_HEIGHT - 8}" text-anchor="end">{right:g}</text>'
        f'<text x="{_CHART_MARGIN}" y="{_CHART_MARGIN - 6}">{top:g}</text>'
    )
    return _wrap_figure(f'{axes}<polyline class="stroke" points="{line}"/>', title)


def _wrap_figure(inner: str, title: str, *, width: int = _CHART_WIDTH, height: int = _CHART_HEIGHT) -> Markup:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    picture = f'<svg role="img" aria-label="{escape(title)}" {size}>{inner}</svg>'
    return Markup(f"<figure>{picture}<figcaption>{escape(title)}</figcaption></figure>")  # noqa: S704  (its parts are escaped)

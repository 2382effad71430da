"""A rich console for tables and progress that passes the output gate; imported only where one is shown."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from medharvest.cli.output_gate import clean_output, ungated_stream


class GatedConsole(Console):
    """A console that cleans the texts it shows; its own codes for colours and cursor pass."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of what is shown, cleaned."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else clean_output(text), style, control)


def open_console(*, err: bool = False) -> GatedConsole:
    """Open a console as wide as the terminal, or 110 columns without one."""
    stream = ungated_stream(err=err)
    return GatedConsole(file=stream, width=None if stream.isatty() else 110, markup=False)

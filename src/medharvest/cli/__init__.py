"""The command line: one module per verb."""

from medharvest.cli.main import main

__all__ = ["main"]

"""The command line, one file a verb."""

from medharvest.cli.main import main

__all__ = ["main"]

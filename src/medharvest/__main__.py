"""Run the command line with `python -m medharvest`."""

from medharvest.cli import main

main()

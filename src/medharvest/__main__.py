"""`python -m medharvest` is the command line."""

from medharvest.cli import main

main()

"""Experiments: the papers' tables and figures, sweeps and comparisons; not part of the wheel."""

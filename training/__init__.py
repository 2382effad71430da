"""Trains the shipped models and scores stages out of fold; not part of the wheel."""

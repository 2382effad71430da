"""Numbered steps from an empty database to the schema of `tables.py`."""

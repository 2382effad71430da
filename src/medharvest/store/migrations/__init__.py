"""The way from an empty database to `tables.py`, in numbered steps."""

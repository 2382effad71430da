"""One file a step; the number at its start is its revision."""

"""Citations to files: one module a format, one table of them all."""

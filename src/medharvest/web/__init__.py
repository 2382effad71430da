"""The review app."""

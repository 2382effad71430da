"""Journals: their titles, policies, link examples and layout lessons, and the inputs to read and to teach from.

Import from its modules: reading a file must not load the database.
"""

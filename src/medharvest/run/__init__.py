"""Composes the stages: reads pages, carries out plans, writes files.

Import from its modules: reading a file must not load what a crawl needs.
"""

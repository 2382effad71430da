"""Carry out crawl plans: the engine, the run of an issue, topical crawls, and the workers that read pages.

Import from its modules: a worker must not load what a crawl needs.
"""

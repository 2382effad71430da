"""Carries out a plan: the crawl engine, an issue, a topic, and the worker processes that read pages.

Import from its modules: a worker must not load what a crawl needs.
"""

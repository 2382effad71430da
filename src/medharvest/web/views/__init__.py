"""The pages of the app."""

from medharvest.web.views import (
    deliver,
    editing,
    history,
    issues,
    journals,
    people,
    records,
    runs,
    search,
    settings,
    teaching,
)

ROUTES = (
    *issues.ROUTES,
    *records.ROUTES,
    *editing.ROUTES,
    *history.ROUTES,
    *teaching.ROUTES,
    *journals.ROUTES,
    *runs.ROUTES,
    *search.ROUTES,
    *deliver.ROUTES,
    *people.ROUTES,
    *settings.ROUTES,
)

__all__ = ["ROUTES"]

"""The pages of the app."""

from medharvest.web.views import deliver, edits, history, issues, journals, people, records, runs, search

ROUTES = (
    *issues.ROUTES,
    *records.ROUTES,
    *edits.ROUTES,
    *history.ROUTES,
    *edits.LESSON_ROUTES,
    *journals.ROUTES,
    *runs.ROUTES,
    *search.ROUTES,
    *deliver.ROUTES,
    *people.ROUTES,
    *people.PREFERENCE_ROUTES,
)

__all__ = ["ROUTES"]

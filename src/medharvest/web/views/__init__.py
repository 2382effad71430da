"""The pages of the app."""

from medharvest.web.views import editing, history, issues, journals, people, records, runs, settings, teaching

ROUTES = (
    *issues.ROUTES,
    *records.ROUTES,
    *editing.ROUTES,
    *history.ROUTES,
    *teaching.ROUTES,
    *journals.ROUTES,
    *runs.ROUTES,
    *people.ROUTES,
    *settings.ROUTES,
)

__all__ = ["ROUTES"]

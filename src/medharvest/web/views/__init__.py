"""The pages of the app: one module per subject, and all their routes."""

from medharvest.web.views import edits, history, issues, people, records, runs

ROUTES = (
    *issues.ROUTES,
    *records.ROUTES,
    *edits.ROUTES,
    *history.ROUTES,
    *runs.ROUTES,
    *people.ROUTES,
)

__all__ = ["ROUTES"]

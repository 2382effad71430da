"""The pages of journals: titles, policies, and what they were taught."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

from starlette.responses import Response

from medharvest.journals.article_reader import lessons_of
from medharvest.journals.catalogue import check_journal_name
from medharvest.journals.policy import set_policy
from medharvest.store import Journal
from medharvest.store.people import Role
from medharvest.web.context import ViewRequest, ViewRoute, post_route
from medharvest.web.responses import redirect_browser


def list_journals(ask: ViewRequest) -> Response:
    """Show every journal."""
    return ask.render("journals.html", journals=ask.desk.store.journals.all())


def show_journal(ask: ViewRequest) -> Response:
    """Show a journal: its names, its policy, and the pages that taught it."""
    store = ask.desk.store
    name = ask.request.path_params["name"]
    journal = store.journals.get(name)
    lessons = lessons_of(store, name)
    return ask.render("journal.html", journal=journal, lessons=lessons, links=store.journals.taught_pages(name))


def save_journal(ask: ViewRequest) -> Response:
    """Add a journal, or change one."""
    name = check_journal_name(ask.text("name").strip())
    known = next((one for one in ask.desk.store.journals.all() if one.name == name), Journal(name=name))
    issn, hosts = (tuple(ask.text(field).split()) for field in ("issn", "hosts"))
    ask.desk.store.journals.save(replace(known, title=ask.text("title").strip(), issn=issn, hosts=hosts))
    return redirect_browser(ask.request, f"/journals/{quote(name)}", say="Saved.")


def save_policy(ask: ViewRequest) -> Response:
    """Save the policy of a journal."""
    name = ask.request.path_params["name"]
    changes = {
        "permission": ask.text("permission").strip(),
        "embargo": ask.text("embargo").strip(),
        "abstracts": ask.text("abstracts") == "1",
        "download": ask.text("download") == "1",
    }
    ask.desk.store.journals.get(name)
    set_policy(ask.desk.store, name, changes)
    return redirect_browser(ask.request, f"/journals/{quote(name)}", say="Saved.")


ROUTES = (
    ViewRoute("/journals", list_journals),
    ViewRoute("/journals/{name:path}", show_journal),
    post_route("/journals", save_journal, Role.REVIEWER),
    post_route("/policies/{name:path}", save_policy, Role.REVIEWER),
)

"""How a person likes the app: keys and colours; and the help."""

from __future__ import annotations

from starlette.responses import Response

from medharvest.errors import InputError
from medharvest.web.asking import Ask, Page, act
from medharvest.web.keys import KEYS, checked
from medharvest.web.rendering import go

_THEMES = ("", "light", "dark")


def show_settings(ask: Ask) -> Response:
    """Keys and colours."""
    return ask.render("settings.html", settings=ask.desk.settings, store=ask.desk.store.url)


def save_keys(ask: Ask) -> Response:
    """Choose keys, or switch them off."""
    people, name = ask.desk.store.people, ask.person.name
    people.prefer(name, "keymap", checked({key.action: ask.text(key.action, key.key) for key in KEYS}))
    people.prefer(name, "keys", "off" if ask.text("off") else "on")
    return go(ask.request, "/settings", say="Keys kept.")


def save_theme(ask: Ask) -> Response:
    """Choose light, dark or what the system says."""
    theme = ask.text("theme")
    if theme not in _THEMES:
        raise InputError("no such theme", name="theme", hint="light, dark, or as the system has it")
    ask.desk.store.people.prefer(ask.person.name, "theme", theme)
    return go(ask.request, "/settings", say="Kept.")


def show_help(ask: Ask) -> Response:
    """What the app does, and its keys."""
    return ask.render("help.html")


ROUTES = (
    Page("/settings", show_settings),
    act("/settings/keys", save_keys),
    act("/settings/theme", save_theme),
    Page("/help", show_help),
)

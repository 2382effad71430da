"""Commands that messages print run as printed."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.waiting import LONG

import medharvest as package
from medharvest.cli.main import VERBS, command_group
from medharvest.cli.output_gate import STORE_VERBS
from medharvest.demo import list_demo_issues, serve

SOURCE = Path(package.__file__).parent
ISSUE = next(issue for issue in list_demo_issues() if issue.id == "a3")
COMMAND = re.compile(r"(?:^ *|`|: )medharvest ([a-z]+\b[^`]*)")
MADE = ("journals set 1 1",)  # its options are written where it is filled in
ENDS = re.compile(r"; (?:or )?|, ")  # text after a command that is not in backticks


def printed_texts() -> Iterator[tuple[str, str]]:
    """Every text in the code that names a verb, with `1` for what is filled in."""
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            if id(node) in inner | bare:
                continue
            if isinstance(node, ast.JoinedStr):
                yield (
                    path.stem,
                    "".join(
                        str(getattr(part, "value", 1)) if isinstance(part, ast.Constant) else "1"
                        for part in node.values
                    ),
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path.stem, re.sub(r"\{\w+\}", "1", node.value)


def printed_commands() -> list[tuple[str, str]]:
    """Every command in the messages of the package, with the module that prints it."""
    found = {
        (module, match[1].splitlines()[0] if match[0].startswith("`") else ENDS.split(match[1])[0])
        for module, text in printed_texts()
        for match in COMMAND.finditer(text)
    }
    return sorted((module, command) for module, command in found if command.split()[0] in VERBS and command not in MADE)


def check_usage(command: click.Command, arguments: list[str], parent: click.Context) -> None:
    """Parse the arguments of a command, without carrying it out."""
    context = command.make_context(command.name, arguments, parent=parent)
    if isinstance(command, click.Group) and context._protected_args:
        rest = [*context._protected_args, *context.args]
        _, inner, left = command.resolve_command(context, rest)
        assert inner is not None
        check_usage(inner, left, context)


@pytest.mark.parametrize(("module", "printed"), printed_commands())
def test_every_command_that_a_message_prints_is_one(module, printed):
    with click.Context(command_group, info_name="medharvest") as context:
        try:
            check_usage(command_group, shlex.split(printed.replace("RUN", "1")), context)
        except click.MissingParameter:  # a command that is only mentioned: its help says what it needs
            assert len(printed.split()) <= 2, module


def test_commands_are_found_in_the_code():
    assert {"runs 1 resume", "review", "journals set", "runs 1 supply 1 SAVED.html"} <= {
        command for _, command in printed_commands()
    }


def test_the_store_is_named_for_each_verb_that_has_the_option():
    def has_store(command: click.Command | None) -> bool:
        inner = command.commands.values() if isinstance(command, click.Group) else ()
        own = command.params if command is not None else ()
        return any(parameter.name == "store" for parameter in own) or any(map(has_store, inner))

    with click.Context(command_group) as context:
        assert {verb for verb in VERBS if has_store(command_group.get_command(context, verb))} == STORE_VERBS


def run(program: str, arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"MEDHARVEST_FETCH_ALLOW_PRIVATE": "1", "MEDHARVEST_FETCH_DELAY": "0"}
    environment |= {"XDG_DATA_HOME": str(folder / "empty"), "XDG_CONFIG_HOME": str(folder / "empty")}
    environment["PATH"] = f"{folder / 'bin'}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        ["/bin/sh", "-c", f"{program} {shlex.join(arguments)}" if arguments else program],
        env=environment,
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=LONG,
        check=False,
    )


@pytest.fixture
def programs(tmp_path):
    """Three ways to call the command line: from a checkout, as a module, installed."""
    (tmp_path / "bin").mkdir()
    python = shlex.quote(sys.executable)
    module = "python" if shutil.which("python") == sys.executable else python
    launcher, installed = tmp_path / "medharvest", tmp_path / "bin" / "medharvest"
    launcher.write_text(f'#!/bin/sh\nMEDHARVEST_COMMAND=$0 exec {python} -m medharvest "$@"\n', encoding="utf-8")
    installed.write_text(f"#!{sys.executable}\nfrom medharvest.cli import main\nmain()\n", encoding="utf-8")
    for file in (launcher, installed):
        file.chmod(0o755)
    return ("./medharvest", f"{module} -m medharvest", "medharvest")


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("sh"), reason="not run: no POSIX shell")
def test_commands_run_as_printed_however_medharvest_was_called(programs, tmp_path):
    """The store has a space in its name, which the shell would split."""
    with serve() as server:
        url, store = server.url + ISSUE.path, "my store.sqlite"
        for number, program in enumerate(programs, 1):
            first = run(program, ["issue", url, "--store", store, "--into", f"run{number}"], tmp_path)
            assert first.returncode == 0, first.stderr
            supply = next(line for line in first.stderr.splitlines() if " supply " in line).split("then: ")[1]
            assert supply.startswith(f"{program} runs --store 'my store.sqlite' {number} supply http://")
            (tmp_path / "SAVED.html").write_text("<p>no page", encoding="utf-8")
            supplied = run(supply, [], tmp_path)
            assert "no such" not in supplied.stderr
            assert "usage" not in supplied.stderr.lower()
            wrong = run(program, ["runs", "--store", store, "1", "forget"], tmp_path)
            asked = re.search(r"Try '(.*)' for help", wrong.stderr)
            assert asked is not None
            assert run(asked[1], [], tmp_path).returncode == 0, wrong.stderr
    assert not (tmp_path / "empty" / "medharvest" / "medharvest.sqlite").exists()


def test_the_text_of_a_page_cannot_add_to_a_command(medharvest, monkeypatch, tmp_path):
    monkeypatch.setenv("MEDHARVEST_FETCH_ALLOW_PRIVATE", "1")
    saved = tmp_path / "it's; rm -rf $HOME.html"
    saved.write_text("<p>no contents", encoding="utf-8")
    ran = medharvest("issue", saved, "--store", tmp_path / "s.sqlite")
    assert f"medharvest issue --store {tmp_path}/s.sqlite {shlex.quote(str(saved))} --url https://…" in ran.err


def test_the_launcher_says_how_it_was_called(root):
    assert "MEDHARVEST_COMMAND=$0" in (root / "medharvest").read_text(encoding="utf-8")


def test_a_password_in_the_address_of_a_store_is_not_printed(medharvest):
    ran = medharvest("runs", "--store", "nosuch://ada:secret@host/db")
    assert "secret" not in ran.err

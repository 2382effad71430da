"""Print the shape of Python packages side by side: modules, their length, their names and their imports.

    python -m experiments.package_shape medharvest httpx scrapy
    python -m experiments.package_shape src/medharvest ../other-checkout/src/medharvest

A package is named by its import name or by the path of its folder. Nothing of it is imported or run.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

_LONG_MODULE, _LONG_FUNCTION = 500, 40  # lines; where the style guide says stop and split


@dataclass(frozen=True, slots=True)
class Module:
    """A module and what is counted of it.

    `imported` are the dotted names that it imports anywhere, `loaded` those that it imports when it is loaded.
    """

    name: str
    folder: str
    lines: int
    function_lines: tuple[int, ...]
    function_names: tuple[str, ...]
    imported: frozenset[str]
    loaded: frozenset[str]


def main(packages: Sequence[str]) -> None:
    """Print a Markdown table with a column for each package."""
    columns = [describe_shape(read_modules(find_package(package))) for package in packages]
    print(f"| | {' | '.join(packages)} |")
    print(f"|---|{'---:|' * len(packages)}")
    for row in columns[0]:
        print(f"| {row} | {' | '.join(column[row] for column in columns)} |")


def find_package(package: str) -> Path:
    """Find the folder of a package by its path or its import name, without importing it."""
    if Path(package).is_dir():
        return Path(package)
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        sys.exit(f"not a package: {package}; hint: install it, or give the path of its folder")
    return Path(found.origin).parent


def read_modules(folder: Path) -> list[Module]:
    """Read every module below a folder; those named test or tests do not count."""
    paths = [
        path for path in sorted(folder.rglob("*.py")) if not {"test", "tests"} & set(path.parts[len(folder.parts) :])
    ]
    return [_read_module(path, folder) for path in paths]


def _read_module(path: Path, folder: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    package = ".".join((folder.name, *path.relative_to(folder).parent.parts))
    name = package if path.stem == "__init__" else f"{package}.{path.stem}"
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return Module(
        name=name,
        folder=package,
        lines=text.count("\n"),
        function_lines=tuple((node.end_lineno or node.lineno) - node.lineno + 1 for node in functions),
        function_names=tuple(
            node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ),
        imported=frozenset(_find_imports(ast.walk(tree), package)),
        loaded=frozenset(_find_imports(tree.body, package)),
    )


def _find_imports(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    """Yield every dotted name that the nodes import; `from a import b` gives `a` and `a.b`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            source = ".".join(filter(None, (above, node.module)))
            yield source
            yield from (f"{source}.{alias.name}" for alias in node.names)


def describe_shape(modules: Sequence[Module]) -> dict[str, str]:
    """The rows of the table for one package."""
    sizes = [module.lines for module in modules]
    functions = [lines for module in modules for lines in module.function_lines]
    names = [name for module in modules for name in module.function_names if not name.startswith("__")]
    counts = Counter(names)
    folders = Counter(module.folder for module in modules)
    largest, most = folders.most_common(1)[0]
    return {
        "modules": f"{len(modules):,}",
        "lines": f"{sum(sizes):,}",
        "median module, lines": f"{median(sizes):.0f}",
        f"modules above {_LONG_MODULE} lines": str(sum(size > _LONG_MODULE for size in sizes)),
        "functions and methods": f"{len(functions):,}",
        "median function, lines": f"{median(functions):.0f}",
        "nine in ten functions, lines": f"{quantiles(functions, n=10)[-1]:.0f}",
        f"functions above {_LONG_FUNCTION} lines": str(sum(lines > _LONG_FUNCTION for lines in functions)),
        "modules with at most one importer": str(count_single_importers(modules)),
        "modules in import cycles": str(len(find_cycles(modules))),
        "module-level functions": f"{len(names):,}",
        "one-word names": _percent(sum(len(name.strip("_").split("_")) == 1 for name in names), len(names)),
        "shared names": _percent(sum(counts[name] > 1 for name in names), len(names)),
        "module names that recur": str(count_recurring_modules(modules)),
        "most modules in a folder": f"{most} ({largest.partition('.')[2] or largest})",
    }


def count_single_importers(modules: Sequence[Module]) -> int:
    """How many modules, packages' own files aside, are imported by no more than one other module."""
    importers = Counter(name for module in modules for name in module.imported if name != module.name)
    packages = {module.folder for module in modules}
    return sum(importers[module.name] <= 1 for module in modules if module.name not in packages)


def find_cycles(modules: Sequence[Module]) -> set[str]:
    """The modules that load themselves again by way of others.

    That a module names the packages it lies in closes no cycle: they are being loaded already.
    """
    names = {module.name for module in modules}
    loads = {
        module.name: {name for name in module.loaded & names if not f"{module.name}.".startswith(f"{name}.")}
        for module in modules
    }
    return {name for name in names if name in _reach(loads, name)}


def _reach(loads: Mapping[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    waiting = list(loads[start])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += loads[name]
    return reached


def count_recurring_modules(modules: Sequence[Module]) -> int:
    """How many names of modules stand in more than one folder."""
    packages = {module.folder for module in modules}
    counts = Counter(module.name.rpartition(".")[2] for module in modules if module.name not in packages)
    return sum(count > 1 for count in counts.values())


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


if __name__ == "__main__":
    main(sys.argv[1:] or ["medharvest"])

"""Loads functions of `training` and `experiments`, which are part of a checkout and not of the wheel.

This is the only module that knows where the two packages are. Nothing else in `medharvest` imports them.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medharvest.errors import QualityError

# <root>/src/medharvest/evaluate/checkout.py; in an installed wheel this is the folder above site-packages.
_CHECKOUT_ROOT = Path(__file__).resolve().parents[3]
_EXTRA_OF_PACKAGE = {"matplotlib": "figures", "numpy": "train", "pycrfsuite": "train", "sklearn": "train"}
CHECKOUT_HINT = "run medharvest from a checkout of the repository"


def is_checkout() -> bool:
    """Whether medharvest runs from a checkout of the repository."""
    return (_CHECKOUT_ROOT / "training" / "__init__.py").is_file() and (_CHECKOUT_ROOT / "pyproject.toml").is_file()


def require_checkout(what: str, *, stage: str, hint: str = CHECKOUT_HINT) -> None:
    """Raise an error that names what the installed package cannot do, unless medharvest runs from a checkout."""
    if not is_checkout():
        raise QualityError(f"not in the installed package: {what}", stage=stage, hint=hint)


def load_from_checkout(module: str, name: str, *, stage: str) -> Callable[..., Any]:
    """Return a function of a module of `training` or `experiments`.

    When the function needs a package that is not installed, it raises a `QualityError` that names the extra to install.
    """
    require_checkout(module, stage=stage)
    root = str(_CHECKOUT_ROOT)
    if sys.path[:1] != [root]:  # first, so that a folder `training` in the working directory is never loaded
        sys.path.insert(0, root)
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except ModuleNotFoundError as error:
            package = (error.name or "").partition(".")[0]
            if package not in _EXTRA_OF_PACKAGE:
                raise
            hint = f"pip install 'medharvest[{_EXTRA_OF_PACKAGE[package]}]'"
            raise QualityError(f"package is missing: {package}", stage=stage, hint=hint) from error

    return call

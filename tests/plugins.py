"""What pytest does differently here, before it loads anything else.

It leaves the browser's plugin out where no test opens a browser: importing it takes as long as starting pytest does.
Hypothesis makes up the same input in every run and judges no duration, as it does on a build server; `make fuzz` asks
for other input each time.
"""

import os
from itertools import pairwise
from pathlib import Path

import pytest

PLUGIN = "playwright"
LEFT_OUT = ("--ignore", "--deselect")  # the path behind these names what is not run
IN_A_BROWSER = [Path(__file__).parent / folder for folder in ("attack", "bench", "e2e")]

if not any(name.startswith("FUZZ_") for name in os.environ):
    os.environ.setdefault("CI", "true")  # Hypothesis reads it when it is imported


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Decide while installed plugins are not loaded yet; without a file or folder on the command line all tests run."""
    config = pluginmanager.get_plugin("pytestconfig")
    params = config.invocation_params  # type: ignore[union-attr]
    words = [str(argument) for argument in params.args]
    named = [params.dir / word.partition("::")[0] for last, word in pairwise(["", *words]) if last not in LEFT_OUT]
    paths = [path.resolve() for path in named if path.exists()]
    if paths and not any(_meet(path, folder) for path in paths for folder in IN_A_BROWSER):
        pluginmanager.set_blocked(PLUGIN)


def _meet(path: Path, folder: Path) -> bool:
    """Say whether one of them lies in the other."""
    return path.is_relative_to(folder) or folder.is_relative_to(path)

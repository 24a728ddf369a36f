"""Placeholders: what programs write where they know nothing, loaded from placeholders.toml."""

import tomllib
from functools import cache
from importlib import resources

from app.core import text

_LONGEST = 40


@cache
def _known() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    table = tomllib.loads(resources.files(__package__).joinpath("placeholders.toml").read_text("utf-8"))
    any_case, exact, names = table["any"], table["exact"], table["names"]
    return frozenset(map(str.casefold, any_case)), frozenset(exact), frozenset(map(str.casefold, names))


def filled(cell: str) -> str:
    """Return what a cell says, without spaces and invisible characters around it; '' for a placeholder."""
    cell = text.trimmed(cell)
    if len(cell) > _LONGEST:
        return cell
    any_case, exact, names = _known()
    folded = cell.casefold()
    is_nothing = folded in any_case or cell in exact or folded in names or not any(map(str.isalnum, cell))
    return "" if is_nothing else cell


def is_no_name(name: str) -> bool:
    """Return whether this is what stands in place of a person's whole name."""
    return text.squeeze(name).casefold() in _known()[2]

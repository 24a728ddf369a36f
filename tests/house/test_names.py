"""A module is found by the word of its trade: names carry the words of docs/glossary.md, and folders stay small."""

import re
from collections import Counter
from pathlib import Path

from tests.house.ours import ROOT, files, name
from tests.house.words import words_of

SAY_NOTHING = {"manager", "helper", "helpers", "util", "utils", "misc"}
MOST_MODULES = 25
TERM = re.compile(r"^- \*\*(.+?)\*\*: (.+)$", re.MULTILINE)
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text()


def glossary() -> set[str]:
    """Return the words of all terms, in the singular."""
    return {word for terms, _ in TERM.findall(GLOSSARY) for word in words_of(terms)}


def own_words(path: Path) -> list[str]:
    """Return the words that find a module: its own, and those of its packages, but for the floor it stands on."""
    parts = path.relative_to(ROOT / "app").with_suffix("").parts
    return words_of(" ".join(parts[1:] if len(parts) > 1 else parts))


def modules() -> list[Path]:
    """Return the modules of the product, without the files that only make a folder a package."""
    return [path for path in files("app") if path.stem != "__init__"]


def test_no_module_has_a_name_that_says_nothing() -> None:
    """Words that fit anything find nothing."""
    assert [str(path.relative_to(ROOT)) for path in modules() if SAY_NOTHING & {*words_of(path.stem)}] == []


def test_a_folder_holds_at_most_25_modules() -> None:
    """A package of the product counts as one."""
    held = Counter(path.parent for path in [*modules()])
    held.update(path.parent.parent for path in files("app") if path.stem == "__init__" and path.parent != ROOT / "app")
    assert {str(folder.relative_to(ROOT)): many for folder, many in held.items() if many > MOST_MODULES} == {}


def test_a_module_or_its_package_carries_a_word_of_the_glossary() -> None:
    """A new feature brings its word along, with a meaning."""
    known = glossary()
    unknown = [name(path) for path in modules() if not known & {*own_words(path)}]
    assert unknown == []


def test_every_term_of_the_glossary_has_a_meaning_and_one_place() -> None:
    """A line of the glossary that is no entry, or a term that is explained twice, helps no reader."""
    entries = [line for line in GLOSSARY.splitlines() if line.startswith("- ")]
    assert len(entries) == len(TERM.findall(GLOSSARY)) > 100
    terms = Counter(term.strip().lower() for found, _ in TERM.findall(GLOSSARY) for term in found.split(","))
    assert [term for term, many in terms.items() if many > 1] == []
    assert [terms for terms, meaning in TERM.findall(GLOSSARY) if len(meaning) < 12] == []


def test_every_path_of_the_glossary_exists() -> None:
    """A path that moved is corrected here, too."""
    paths = [
        part for _, meaning in TERM.findall(GLOSSARY) for part in re.findall(r"`([a-z]\w*/[\w/]+(?:\.py)?)`", meaning)
    ]
    assert len(paths) > 15
    assert [one for one in paths if not (ROOT / "app" / one).exists()] == []

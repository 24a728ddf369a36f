"""Words as a file finder compares them: small letters, in the singular."""

import re

WORD = re.compile(r"[a-z0-9]+")


def words_of(text: str) -> list[str]:
    """Return the words of a name, a path or a term; `_`, `/`, `-` and spaces separate them."""
    return [singular(word) for word in WORD.findall(text.lower())]


def singular(word: str) -> str:
    """Return the singular: `entries` is `entry`, `searches` is `search`, `leads` is `lead`."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word

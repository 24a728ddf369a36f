"""Message templates: variables with fallbacks, and messages of several parts. Values are inserted as plain text,
once.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}(\.[A-Za-z0-9_][A-Za-z0-9_ -]{0,59})?")
_CUT = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)

VARIABLES: dict[str, str] = {
    "first_name": "First name",
    "last_name": "Last name",
    "full_name": "First and last name",
    "headline": "Headline",
    "position": "Position",
    "company_name": "Company",
    "location": "Location",
    "sender_name": "Sender name",
    "sender_first_name": "Sender first name",
}
CUSTOM = "custom."
WAY_OUT = "unsubscribe_link"  # of an email: it stays in the text, and becomes the recipient's own link on its way


class Filled(NamedTuple):
    """A text as one person gets it. `missing` names variables that have neither value nor fallback."""

    parts: tuple[str, ...]
    missing: tuple[str, ...]


def split(text: str) -> list[str]:
    """Split a text into messages at lines of three hyphens; leave empty ones out."""
    return [part for part in (part.strip() for part in _CUT.split(text.replace("\r\n", "\n"))) if part]


def problems(text: str, *, mail: bool = False) -> list[str]:
    """Return a sentence for each variable in `text` (of an email with `mail`) that can never be filled in."""
    found = []
    for match in VARIABLE.finditer(text):
        name = match[1].partition("|")[0].strip()
        if name == WAY_OUT:
            if not mail:
                found.append(f"{{{{{WAY_OUT}}}}} only works in the text of an email.")
            continue
        if not _NAME.fullmatch(name) or (name not in VARIABLES and not name.startswith(CUSTOM)):
            found.append(f"Unknown variable {{{{{name}}}}}. Use one of {', '.join(VARIABLES)} or custom.<field>.")
    rest = VARIABLE.sub("", text)
    if "{{" in rest or "}}" in rest:
        found.append("A variable is not closed. Write it as {{first_name}}.")
    return found


def values(lead: Any, sender_name: str) -> dict[str, str]:
    """Return the variables' values for one lead and one sender."""
    known = {
        "first_name": lead.first_name,
        "last_name": lead.last_name,
        "full_name": f"{lead.first_name} {lead.last_name}".strip(),
        "headline": lead.headline,
        "position": lead.position,
        "company_name": lead.company_name,
        "location": lead.location,
        "sender_name": sender_name,
        "sender_first_name": sender_name.split(" ")[0],
        WAY_OUT: f"{{{{{WAY_OUT}}}}}",
    }
    for name, value in (lead.custom_fields or {}).items():
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            known[CUSTOM + name] = str(value)
    return known


def fill(text: str, known: Mapping[str, str]) -> Filled:
    """Fill in every variable of `text` in one pass: a value's own content is never read as a variable."""
    missing: list[str] = []

    def replace(match: re.Match[str]) -> str:
        name, _, fallback = match[1].partition("|")
        value = known.get(name.strip(), "").strip() or fallback.strip()
        if not value:
            missing.append(name.strip())
        return value

    parts = tuple(VARIABLE.sub(replace, part).strip() for part in split(text))
    return Filled(parts, tuple(dict.fromkeys(missing)))


def fill_line(text: str, known: Mapping[str, str]) -> Filled:
    """Fill in the variables of a one-line text, such as a subject."""
    filled = fill(text.replace("\n", " "), known)
    return Filled((" ".join(" ".join(filled.parts).split()),), filled.missing)

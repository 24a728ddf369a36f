"""Which people of a list a page is about: the filters of its address, or of the form that was posted on it."""

from collections.abc import Mapping
from typing import Any

from werkzeug.datastructures import MultiDict

from app.core import text
from app.domain.leads import lists

REACH = {
    "campaign": "In a campaign",
    "out": "Not in a campaign",
    "no-campaign": "Never in a campaign",
    "replied": "Replied",
    "email": "With email",
    "no-email": "Without email",
    "risky": "Risky email",
    "phone": "With phone",
    "no-phone": "Without phone",
}
MOST_PICKED = 1000


def picked(args: MultiDict[str, str]) -> list[int]:
    """Return the ids of the selected people; none where everyone whom the filter finds is meant."""
    return [] if args.get("all") else [one for one in map(text.number, args.getlist("lead")[:MOST_PICKED]) if one]


def read(args: Mapping[str, str]) -> dict[str, Any]:
    """Return the known filters."""
    q, way, tag = args.get("q", "").strip()[:200], args.get("reach", ""), text.squeeze(args.get("tagged", ""))[:50]
    parts = {"q": q, "reach": way if way in REACH else "", "tagged": tag}
    parts |= {name: text.squeeze(args.get(name, ""))[:200] for name in lists.PARTS}
    return {name: value for name, value in parts.items() if value}


def narrow(filters: Mapping[str, str]) -> dict[str, Any]:
    """Return the filters as the verbs call them."""
    names = {"q": "q", "way": "reach", "tag": "tagged"} | {name: name for name in lists.PARTS}
    return {name: filters.get(here, "") for name, here in names.items()}

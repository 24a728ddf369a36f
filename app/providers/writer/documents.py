"""Write the first documents: ideal customer and writing style."""

from collections.abc import Mapping

from app.ports.writer import Brief
from app.providers.writer.customers import types
from app.providers.writer.reading.profile import of_kind

STYLE = """# How we write

- Length: at most 90 words per message.
- Tone: plain and respectful.
- At most one question in each message, at its end.
- No praise that we cannot mean, and no number that we cannot show.

## Words to avoid

{avoid}

## How we begin and end

- We begin with the first name.
- The first message does not sell. It asks.
- The last message says that it is the last one.
"""
AVOID = ("synergy", "game changer", "revolutionary", "touch base", "circle back", "just checking in", "cutting-edge")


def first(brief: Brief) -> Mapping[str, str]:
    """Return the first version of both documents."""
    return {"icp": _customer(brief), "style": STYLE.format(avoid="\n".join(f"- {word}" for word in AVOID))}


def _customer(brief: Brief) -> str:
    profile = brief.profile
    lines = ["# Our ideal customer", "", "## What we offer", "", profile.business]
    if brief.customer:
        lines += ["", "## Who we write to", "", f"**{brief.customer.title}.** {brief.customer.detail}"]
    else:
        lines += ["", "## Who may buy", "", *(f"- **{one.title}.** {one.detail}" for one in types(profile))]
    if brief.targeting:
        lines += ["", brief.targeting.summary]
    prices = of_kind(tuple(profile.facts), "price")
    if profile.facts:
        lines += ["", "## What we may say", "", "Each of these has a source. Nothing else is claimed.", ""]
        lines += [f"- {fact.text} ({_source(fact.page)})" for fact in profile.facts]
    if not prices:
        lines += ["", "We found no prices, so messages name none."]
    return "\n".join(lines) + "\n"


def _source(page: str) -> str:
    return "your description" if page == "description" else page

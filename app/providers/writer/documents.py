"""Write the first documents: ideal customer and writing style."""

from collections.abc import Mapping

from app.ports.writer import Brief
from app.providers.writer.customers import types

STYLE = """# How we write

- Length: at most 60 words per message, at most 75 words per email.
- Plain words, short sentences, no praise.
- One question in each message.
- No number that we cannot show.
- The first message does not sell. The last one says that it is the last.

## Words to avoid

{avoid}
"""
AVOID = ("synergy", "game changer", "revolutionary", "touch base", "circle back", "just checking in", "cutting-edge")


def first(brief: Brief) -> Mapping[str, str]:
    """Return the first version of both documents."""
    return {"icp": _customer(brief), "style": STYLE.format(avoid="\n".join(f"- {word}" for word in AVOID))}


def _customer(brief: Brief) -> str:
    profile = brief.profile
    lines = ["# Our ideal customer", "", "## What we do", "", profile.pitch or profile.business]
    if brief.customer:
        lines += ["", "## Who we write to", "", f"**{brief.customer.title}.** {brief.customer.detail}"]
        lines += ["", brief.targeting.summary] if brief.targeting else []
    elif several := types(profile):
        lines += ["", "## Who may buy", "", *(f"- **{one.title}.** {one.detail}" for one in several)]
    return "\n".join(lines) + "\n"

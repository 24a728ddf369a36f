"""Write the first documents: ideal customer and writing style."""

from collections.abc import Mapping
from pathlib import Path

from app.ports.writer import Brief
from app.providers.writer.customers import types

STYLE = Path(__file__).with_name("style.md").read_text(encoding="utf-8")


def first(brief: Brief) -> Mapping[str, str]:
    """Return the first version of both documents."""
    return {"icp": _customer(brief), "style": STYLE}


def _customer(brief: Brief) -> str:
    profile = brief.profile
    lines = ["# Our ideal customer", "", "## What we do", "", profile.pitch or profile.business]
    if brief.customer:
        lines += ["", "## Who we write to", "", f"**{brief.customer.title}.** {brief.customer.detail}"]
        lines += ["", brief.targeting.summary] if brief.targeting else []
    elif several := types(profile):
        lines += ["", "## Who may buy", "", *(f"- **{one.title}.** {one.detail}" for one in several)]
    return "\n".join(lines) + "\n"

"""The form of the targeting step: chips that are on, chips that were offered, words that were added."""

from collections.abc import Mapping
from typing import Any

from app.core import text
from app.ports.writer import ROWS

LABELS = {"titles": "Titles", "companyType": "Company type", "size": "Size", "location": "Location"}


def targets_of(form: Any, do: str) -> Mapping[str, Any]:
    """What the form says, as setup.save takes it. `do` may be better:N, which takes a suggestion into the summary."""
    better, summary = form.getlist("better"), form.get("summary", "").strip()
    at = text.number(do.removeprefix("better:"), len(better))
    if do.startswith("better:") and at < len(better):
        chosen = better.pop(at)
        summary = f"{summary} {chosen.rstrip('.')}.".strip()
    rows = []
    for key in ROWS:
        on = set(form.getlist(key))
        labels = [*form.getlist(f"all.{key}")]
        added = [word.strip() for word in form.get(f"add.{key}", "").split(",") if word.strip()]
        on.update(added)
        known = {label.casefold() for label in labels}
        labels += [word for word in dict.fromkeys(added) if word.casefold() not in known]
        rows.append({"key": key, "chips": [{"label": label, "on": label in on} for label in labels]})
    return {"summary": summary, "rows": rows, "evenBetter": better}

"""The form of the targeting step: selected, suggested and added values."""

from collections.abc import Mapping
from typing import Any

from app.core import countries, text
from app.pages.framework.forms import Form, Text, Texts, Words
from app.ports.writer import ROWS

LABELS = {"titles": "Titles", "companyType": "Company type", "size": "Size", "location": "Location"}


class TargetsForm(Form):
    """A summary and, for each row, the chips: those that are on, all, and words to add."""

    do = Text()
    summary = Text(strip=True)
    better = Texts()


for _key in ROWS:
    setattr(TargetsForm, f"on_{_key}", Texts(name=_key))
    setattr(TargetsForm, f"all_{_key}", Texts(name=f"all.{_key}"))
    setattr(TargetsForm, f"add_{_key}", Words(name=f"add.{_key}"))


def targets_of(form: TargetsForm) -> Mapping[str, Any]:
    """Return the targets of the form, as setup.save takes them; `better:N` adds a suggestion to the summary."""
    do, better, summary = form.do.data, list(form.better.data), form.summary.data
    at = text.number(do.removeprefix("better:"), len(better))
    if do.startswith("better:") and at < len(better):
        chosen = better.pop(at)
        summary = f"{summary} {chosen.rstrip('.')}.".strip()
    rows = []
    for key in ROWS:
        on, labels = set(form[f"on_{key}"].data), list(form[f"all_{key}"].data)
        added = [word.strip() for word in form[f"add_{key}"].data if word.strip()]
        added = countries.labels(added) if key == "location" else added
        on.update(added)
        known = {label.casefold() for label in labels}
        labels += [word for word in dict.fromkeys(added) if word.casefold() not in known]
        rows.append({"key": key, "chips": [{"label": label, "on": label in on} for label in labels]})
    return {"summary": summary, "rows": rows, "evenBetter": better}

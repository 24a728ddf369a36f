"""Whether events are what the published contract says of them."""

import json
from collections import Counter
from typing import Any

import sqlalchemy as sa

from app.api.framework.openapi_events import models
from app.api.framework.schema_notes import CASES, IN_PART
from app.core.db import session
from app.models.webhooks import Event


def check_events() -> Counter[str]:
    """Every recorded event fits the shape that is published for its kind; how many there are of each."""
    session().rollback()  # what a test left undone has told no one anything
    bodies = list(session().scalars(sa.select(Event.body)))
    session().rollback()
    kinds: Counter[str] = Counter()
    for body in bodies:
        kind = json.loads(body)["type"]
        models()[kind].model_validate_json(body)
        kinds[kind] += 1
    return kinds


def strict(part: Any) -> Any:
    """The document as its extensions mean it: combinations of fields are an `anyOf`, and some objects hold anything."""
    if isinstance(part, list):
        return [strict(one) for one in part]
    if not isinstance(part, dict):
        return part
    if IN_PART in part:
        return {"type": "object", "properties": {name: {} for name in part["properties"]}}
    return {"anyOf" if name == CASES else name: strict(value) for name, value in part.items()}

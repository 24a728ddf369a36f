"""Examples of the published contract: the same person, company and campaign everywhere."""

import re
from typing import Any

Json = dict[str, Any]
REF = "#/components/schemas/"
MOMENT, MOMENTS = "2026-03-02T09:00:00Z", ("date-time", "date")

# What a field of that name holds, where it fits the field's type.
VALUES: Json = {
    "name": "Founders in Berlin",
    "campaignName": "Founders in Berlin",
    "publicId": "ada-lovelace",
    "profileUrl": "https://network.example/in/ada-lovelace",
    "socialUrl": "https://network.example/in/ada-lovelace",
    "firstName": "Ada",
    "lastName": "Lovelace",
    "fullName": "Ada Lovelace",
    "headline": "Founder at Analytical Engines",
    "position": "Founder",
    "title": "Founder",
    "jobTitle": "Founder",
    "companyName": "Analytical Engines",
    "company": "Analytical Engines",
    "companyUrl": "https://analytical.example",
    "website": "https://analytical.example",
    "domain": "analytical.example",
    "location": "Berlin, Germany",
    "country": "DE",
    "industry": "Software",
    "imageUrl": "https://network.example/ada.jpg",
    "email": "ada@analytical.example",
    "phone": "+49 30 1234567",
    "tags": ["warm"],
    "customFields": {"tier": "A"},
    "timezone": "Europe/Berlin",
    "days": [1, 2, 3, 4, 5],
    "startTime": "09:00",
    "endTime": "17:30",
    "start": "09:00",
    "end": "17:30",
    "url": "https://example.com/hooks/overture",
    "event": "message_reply",
    "secret": "whsec_C2FVsBQIhrscChlQIMV…",
    "cursor": "",
    "error": "",
    "reason": "",
    "fileName": "people.csv",
    "markdown": "# Who we write to\n\nFounders of small software companies.",
    "text": "Hello {{first_name}}, may I ask how you plan your week?",
    "message": "Hello {{first_name}}, may I ask how you plan your week?",
    "subject": "A question",
    "type": "connection_request",
    "unit": "days",
    "value": "ada@analytical.example",
    "label": "ada@analytical.example",
    "summary": "Planning software for small teams.",
    "business": "Analytical Engines",
    "description": "Planning software for small teams.",
    "sender": "Grace Hopper",
    "what": "email",
    "target": "team@analytical.example",
    "startDate": None,
    "endDate": None,
    "startedAt": MOMENT,
    "finishedAt": None,
    "listId": 12,
    "accountIds": [3],
    "campaignIds": [],
    "campaignId": 31,
    "leadId": 420,
    "accountId": 3,
    "conversationId": 77,
    "leadCount": 1,
    "sentence": "Waits for the account's working hours.",
    "content": "profileUrl,firstName\nhttps://network.example/in/ada-lovelace,Ada\n",
    "profiles": [{"profileUrl": "https://network.example/in/ada-lovelace", "firstName": "Ada"}],
    "entries": ["ada@analytical.example", "analytical.example"],
    "leadIds": [420],
    "feedback": "Confirm cancellation",
}
# What a schema or one of its fields holds, where the names alone would say something else.
FIELDS: Json = {
    "ApprovalResult.message": "",
    "Condition": {"is": "custom_field", "name": "tier", "equals": "A"},
    "ConversationNote.text": "She asked for a call in May.",
    "ErrorField.message": "Use a string.",
    "ForecastChange.label": "One more sender",
    "Missing.message": "Connect a mailbox.",
    "MonitorsLeftOut.message": "On the do-not-contact list",
    "PersonIdentity.kind": "email",
    "PlayBuild.label": "Finding people",
    "ProfileFact.text": "We plan 400 kitchens a year.",
    "ProfileProblem.field": "email",
    "ProfileProblem.message": 'Invalid email "ada@"',
    "RefusedEntry.entry": "ada@",
    "RefusedEntry.message": "ada@ is not an email address.",
    "Reminder.text": "Ask about the budget.",
    "ReplyRule.value": "hot",
    "ResearchFact.label": "Company website, March 2026",
    "Step": {
        "type": "message",
        "delay": {"value": 2, "unit": "days"},
        "message": "Thanks for connecting, {{first_name|there}}! How do you plan your week?",
        "when": {"is": "custom_field", "name": "tier", "equals": "A"},
    },
    "RewriteResult.message": "Shorter: 41 words instead of 68.",
    "SampleLead.summary": "Founder of a small software company in Berlin.",
    "Targets.summary": "Founders of small software companies in Berlin.",
    "Task.text": "Call about the offer.",
}
_KINDS = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


class Examples:
    """Values that fit the schemas of one document."""

    def __init__(self, schemas: Json) -> None:
        self._schemas = schemas

    def of(self, schema: Json, name: str = "", depth: int = 0, within: str = "") -> Any:
        """Return one valid example value of a field called `name`; `within` is the name of the schema itself."""
        if "$ref" in schema:
            named = schema["$ref"].removeprefix(REF)
            if named in FIELDS:
                return FIELDS[named]
            return self.of(self._schemas[named], name, depth + 1, named)
        for known in (schema.get("examples"), [schema["const"]] if "const" in schema else None, schema.get("enum")):
            if known:
                return VALUES[name] if VALUES.get(name, ...) in known else known[0]
        if "x-default" in schema:
            return schema["x-default"]
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema and "type" not in schema:
                return self._first(schema[several], name, depth)
        return self._plain(schema, name, depth, within)

    def _first(self, choices: list[Json], name: str, depth: int) -> Any:
        if name in VALUES and VALUES[name] is None and {"type": "null"} in choices:
            return None
        real = [choice for choice in choices if choice != {"type": "null"}]
        return self.of(real[0], name, depth) if real and depth < 12 else None

    def _plain(self, schema: Json, name: str, depth: int, within: str) -> Any:
        if "type" not in schema and name in VALUES:
            return VALUES[name]
        kind = schema.get("type", "object")
        if name in VALUES and _fits(VALUES[name], kind, schema):
            return VALUES[name]
        if kind == "object":
            fields = schema.get("properties", {})
            own = {field: FIELDS.get(f"{within}.{field}") for field in fields}
            return {
                field: self.of(part, field, depth + 1) if own[field] is None else own[field]
                for field, part in fields.items()
            }
        if kind == "array":
            return [self.of(schema["items"], name, depth + 1)] if schema.get("items") and depth < 12 else []
        if kind in ("integer", "number"):
            return max(int(schema.get("minimum", 1)), 42 if name == "id" else 1)
        return {"boolean": True, "null": None}.get(kind, self._text(schema))

    def _text(self, schema: Json) -> Any:
        if schema.get("format") in MOMENTS:
            return MOMENT if schema["format"] == "date-time" else MOMENT[:10]
        if schema.get("format") in ("uri", "url"):
            return VALUES["url"]
        return "x" * max(schema.get("minLength", 0), 1) if schema.get("minLength", 0) > 4 else "text"


def _fits(value: Any, kind: str, schema: Json) -> bool:
    """Return whether the table's value fits this field; a list of things must have things of that kind."""
    wanted: Any = _KINDS.get(kind, ())
    if isinstance(value, bool) != (kind == "boolean") or not isinstance(value, wanted):
        return False
    if kind == "string":
        return schema.get("format") not in MOMENTS and re.search(schema.get("pattern", ""), value) is not None
    if kind == "array" and value:
        items = schema.get("items", {})
        return "$ref" not in items and _fits(value[0], items.get("type", ""), items)
    return not (kind == "object" and schema.get("properties"))

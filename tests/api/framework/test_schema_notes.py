"""What the document says of a body is what is taken: rules between fields, each from both sides."""

from typing import Any

import jsonschema_rs
import pytest

from tests.api.framework.test_openapi import DOCUMENT, fits
from tests.support.clients import Api

NIGHT = {"start": "22:00", "end": "07:00"}
MAIL = {"kind": "email", "target": "ada@example.com"}
ROW = {"key": "titles", "chips": [{"label": "Founder", "on": True}]}
WHOM = {"summary": "", "rows": [ROW], "evenBetter": []}
# Method, address, a body that fits, and fields that make it one that does not.
ROWS: list[tuple[str, str, dict[str, Any], list[dict[str, Any]]]] = [
    ("POST", "/v1/lists", {"name": "Ours"}, [{"name": " "}, {"name": "x" * 201}, {"type": "planets"}]),
    ("POST", "/v1/signals", {"kind": "hiring", "domain": "known-engine.example"}, [{"kind": "jobChange"}]),
    ("POST", "/v1/signals", {"kind": "jobChange", "fullName": "Ada L.", "companyName": "Engine"}, [{"fullName": ""}]),
    ("POST", "/v1/autopilot/analyze", {"description": "We teach sailing."}, [{"description": ""}]),
    ("PATCH", "/v1/autopilot", {"offer": {"kind": "other", "text": "A trial"}}, [{"offer": {"kind": "other"}}]),
    ("PATCH", "/v1/autopilot", {"targets": WHOM}, [{"targets": WHOM | {"rows": [ROW | {"key": "shoes"}]}}]),
    ("PUT", "/v1/autopilot/alerts", MAIL | {"quietHours": NIGHT}, [{"target": "ada"}, {"kind": "chat"}]),
    ("PUT", "/v1/autopilot/alerts", MAIL, [{"quietHours": NIGHT | {"end": "7 am"}}, {"digest": "weekly"}]),
    ("PUT", "/v1/autopilot/rules", {"rules": ["Be brief."]}, [{"rules": [""]}, {"rules": ["x"] * 51}]),
    ("POST", "/v1/autopilot/sources/analytics", {"apiKey": "phx_a"}, [{"apiKey": "a b"}, {"region": "mars"}]),
    ("POST", "/v1/webhooks", {"name": "n", "url": "https://crm.example.com/x", "event": "every_reply"}, [{"url": "x"}]),
    ("POST", "/v1/approvals/bulk", {"ids": [1], "action": "skip"}, [{"ids": []}, {"action": "keep"}]),
    ("POST", "/v1/approvals/bulk", {"ids": [1], "action": "approve"}, [{"reason": "Later"}]),
]


def test_the_schema_and_the_answer_refuse_the_same_bodies(api: Api) -> None:
    for method, path, body, changes in ROWS:
        operation = DOCUMENT["paths"][path][method.lower()]
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        assert fits(schema, body), body
        assert api.call(method, path.removeprefix("/v1"), json=body).status_code != 400, body
        for change in changes:
            with pytest.raises(jsonschema_rs.ValidationError):
                fits(schema, body | change)
            assert api.call(method, path.removeprefix("/v1"), json=body | change).status_code == 400, change

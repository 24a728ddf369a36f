"""The published document: whole, valid, and true to its own examples."""

import json
import re
from typing import Any

import jsonschema_rs
import sqlalchemy as sa
from openapi_spec_validator import OpenAPIV31SpecValidator

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.openapi import document
from app.api.framework.openapi_events import models
from app.core.db import session
from app.core.errors import ERROR_CODES
from app.domain.tasks.meetings import meetings
from app.domain.webhooks import events
from app.domain.webhooks.events import EVENTS
from app.domain.workspace import api_keys
from app.models.conversations import Conversation
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, email, forward, message
from tests.domain.webhooks.test_events import SPECIFIED
from tests.support.clients import Client
from tests.support.contract import PLACE, placed
from tests.support.movable import Movable
from tests.support.published import check_events, strict

Json = dict[str, Any]
DOCUMENT = document(ENDPOINTS, "https://overture.example")
STRICT = strict(DOCUMENT)
EVERY = [(method, path, operation) for path, found in DOCUMENT["paths"].items() for method, operation in found.items()]
BY_NAME = {one.name: one for one in ENDPOINTS}


COMPONENTS = jsonschema_rs.Registry([(PLACE, placed({"components": STRICT["components"]}))])


def fits(schema: Json, value: Any) -> bool:
    """Whether the value is valid; an error says why not."""
    jsonschema_rs.validator_for(placed(schema), validate_formats=True, registry=COMPONENTS).validate(value)
    return True


def test_the_document_is_public_and_sent_once_per_version(client: Client) -> None:
    answer = client.get("/v1/openapi.json")
    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json["openapi"] == "3.1.0"
    assert answer.json["servers"] == [{"url": "http://localhost"}]
    again = client.get("/v1/openapi.json", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.get_data()) == (304, b"")
    made = client.application.extensions["openapi"]
    assert made() is made()  # made once
    assert made.text() is made.text()


def test_the_document_is_valid_openapi() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    refs = set(re.findall(r'"\$ref": "#/components/([^"]+)"', json.dumps(DOCUMENT)))
    for kind, _, name in (ref.partition("/") for ref in refs):
        assert name in DOCUMENT["components"][kind], name
    assert all(re.fullmatch(r"\w+", name) and "__" not in name for name in DOCUMENT["components"]["schemas"])


def test_every_endpoint_is_published_with_its_scope_parameters_and_statuses() -> None:
    assert sorted(operation["operationId"] for _, _, operation in EVERY) == sorted(BY_NAME)
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for method, path, operation in EVERY:
        one = BY_NAME[operation["operationId"]]
        assert operation["x-scopes"] == (api_keys.opening(one.scope) if one.scope else []), one.name
        assert one.scope is None or one.scope in operation["description"], one.name
        names = {given.get("name") or given["$ref"].rpartition("/")[2] for given in operation["parameters"]}
        assert {"Limit", "Cursor"} <= names or one.page_of is None, one.name
        assert ("IdempotencyKey" in names) == (method != "get"), one.name
        assert {*one.filters, *re.findall(r"\{(\w+)\}", path)} <= names, one.name
        transport = {"413", "415"} if one.body is not None or one.csv else set()
        errors = {str(status) for status in one.statuses}
        assert set(operation["responses"]) == errors | transport, one.name
        assert operation["summary"], one.name
        assert operation["tags"][0] in tags, one.name


def test_every_field_and_every_parameter_is_described() -> None:
    missing = [
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, about in schema.get("properties", {}).items()
        if not about.get("description")
    ]
    for _, path, operation in EVERY:
        missing += [
            f"{path} {given['name']}"
            for given in operation["parameters"]
            if "$ref" not in given and not given.get("description")
        ]
    assert missing == []


def test_every_field_of_an_answer_that_can_be_null_says_what_null_means() -> None:
    """The field itself or its object; of requests, the document says it once."""
    null = {"type": "null"}
    schemas = DOCUMENT["components"]["schemas"]
    silent = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        if "additionalProperties" not in schema
        for field, about in schema.get("properties", {}).items()
        if null in about.get("anyOf", ()) and "null" not in about["description"] + schema.get("description", "")
    ]
    assert silent == []
    assert "null means the same as leaving the field out" in " ".join(DOCUMENT["info"]["description"].split())


def test_the_examples_fit_their_schemas() -> None:
    for _, _, operation in EVERY:
        (success,) = [one for status, one in operation["responses"].items() if status.startswith("2")]
        contents = [success.get("content", {}), operation.get("requestBody", {}).get("content", {})]
        for found in (content["application/json"] for content in contents if "application/json" in content):
            assert fits(found["schema"], found["example"]), operation["operationId"]


def test_the_example_of_an_answer_follows_from_that_of_the_request() -> None:
    """A webhook whose events are changed answers with these, the first of them as its event."""
    for method, path in (("patch", "/v1/webhooks/{webhookId}"), ("post", "/v1/webhooks")):
        operation = DOCUMENT["paths"][path][method]
        sent = operation["requestBody"]["content"]["application/json"]["example"]
        (success,) = [one for status, one in operation["responses"].items() if status.startswith("2")]
        shown = success["content"]["application/json"]["example"]
        assert {name: shown[name] for name in sent} == sent
        assert shown["event"] == sent["events"][0]


def test_every_refusal_has_an_example_of_every_code() -> None:
    shown = set()
    for response in DOCUMENT["components"]["responses"].values():
        content = response["content"]["application/json"]
        for code, example in content["examples"].items():
            assert fits(content["schema"], example["value"])
            assert example["value"]["error"]["code"] == code
            shown.add(code)
    assert shown == set(ERROR_CODES)


def test_scopes_are_explained_and_answers_may_grow_while_requests_may_not() -> None:
    """A field that is new in v1 disturbs no client; a field that does not exist is refused."""
    explained = DOCUMENT["components"]["securitySchemes"]["apiKey"]["description"]
    assert [scope for scope in api_keys.SCOPES if f"`{scope}`" not in explained] == []
    assert "additionalProperties" not in DOCUMENT["components"]["schemas"]["Campaign"]
    assert DOCUMENT["components"]["schemas"]["NewCampaign"]["additionalProperties"] is False


def test_every_event_has_a_webhook_of_its_own(acme: Workspace, clock: Movable) -> None:
    """Each kind that really happens fits its schema, to the field; so do the example and what a test sends."""
    steps = [{"type": kind} for kind in ("view_profile", "follow", "like_post")]
    steps += [{**INVITE, "message": "Hi"}, message(), {"type": "inmail", "message": "Hello", "subject": "Hi"}, email()]
    people = ["accepts-ada", "replies-positive-bo", "replies-negative-cy", "replies-neutral-di"]
    a_campaign(acme, people, steps)
    a_campaign(acme, ["replies-positive-eve"], [{"type": "inmail", "message": "Hello", "subject": "Hi"}])
    forward(acme, days=20)
    talk = sa.select(Conversation.id).where(Conversation.workspace_id == acme.id).order_by(Conversation.id)
    meetings.mark(acme, session().scalars(talk).first() or 0, booked=True)
    assert set(check_events()) == {*SPECIFIED, "campaign_started", "meeting_booked"}
    assert set(EVENTS) == set(DOCUMENT["webhooks"])
    for kind, found in DOCUMENT["webhooks"].items():
        content = found["post"]["requestBody"]["content"]["application/json"]
        assert fits(content["schema"], content["example"])
        invented = events.body("evt_1", kind, acme.now(), acme.id, events.sample(kind), test=True)
        assert models()[kind].model_validate_json(invented)
        assert {"email", "phone"} <= set(DOCUMENT["components"]["schemas"]["EventLead"]["properties"])
    told: dict[str, set[str]] = {}
    for row in session().scalars(sa.select(Event)):
        content = DOCUMENT["webhooks"][row.kind]["post"]["requestBody"]["content"]["application/json"]
        body = json.loads(row.body)
        assert fits(content["schema"], body)
        if "message" in body["data"]:
            told.setdefault(row.kind, set()).add(body["data"]["message"]["kind"])
    samples = {kind: events.sample(kind)["message"]["kind"] for kind in told}
    assert "invite_sent" in told
    assert {kind: one for kind, one in samples.items() if one not in told[kind]} == {}


def test_events_say_which_parts_are_absent_and_when() -> None:
    """The same words in the description of the event and of the part, for each part that may be absent."""
    for kind, about in events.EVENTS.items():
        said = DOCUMENT["webhooks"][kind]["post"]["description"]
        for part in about.parts:
            assert f"`{part}`" in said
        assert ("Absent if" in said) == (set(about.parts) > set(about.always)), kind
    assert "corrected" in DOCUMENT["webhooks"]["lead_auto_tagged_positive"]["post"]["description"]
    (tag,) = (one["description"] for one in DOCUMENT["tags"] if one["name"] == "Events we send")
    assert "version 1" in tag
    assert "erase a person" in tag


def test_an_operation_says_when_its_state_conflicts_or_only_its_key_can() -> None:
    """Every answer of the tests is held against it: a KeyConflict never has another cause."""
    for path in DOCUMENT["paths"].values():
        for operation in path.values():
            if (named := operation["responses"].get("409", {}).get("$ref", "")).endswith("/Conflict"):
                assert "409" in operation["description"], operation["operationId"]
            else:
                assert named in ("", "#/components/responses/KeyConflict")

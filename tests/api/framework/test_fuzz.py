"""Whatever is sent, `/v1` answers as published: requests made up from the document, fitting ones and broken ones.

`make verify ARGS=fuzz` sends many more of them.
"""

import contextvars
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, settings
from pydantic.alias_generators import to_camel, to_snake
from schemathesis.checks import load_all_checks
from schemathesis.core.failures import FailureGroup
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.specs.openapi.checks import positive_data_acceptance

from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.core.db import MAX_ID, end_read
from tests.api.fitting import fit, know_formats, make_ready
from tests.api.stock import BARE_IDS, KINDS, MAKERS, SEARCH, Stock, entered, options_of, path_of, script
from tests.support.clients import Api, Client
from tests.support.published import strict

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "2"))
MANY = "FUZZ_EXAMPLES" in os.environ
SHARES = 8 if MANY else 1  # each core takes one after the other
# What a fitting request may be answered where the document says so: it was understood, and refused for what is there.
UNDERSTOOD = ("402", "403", "404", "409")
REMOVES = {"leads.erase", "people.merge_other", "campaigns.cancel", "billing.cancel"}
# What JSON lets through in every text and number, and no schema rules out.
ILL_FORMED = ("a character that can", "Use a whole number.", "Use a finite 64-bit number.")
load_all_checks()
know_formats()
HOW = settings(
    max_examples=EXAMPLES, deadline=None, derandomize=not MANY, database=None, suppress_health_check=list(HealthCheck)
)


class OnItsOwn:
    """The application as a server runs it: each request in a context of its own."""

    def __init__(self, app: Flask) -> None:
        self.app, self.statuses = app, Counter[str]()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """One answer, made whole before it is given."""
        end_read()

        def started(status: str, headers: Any, *more: Any) -> Any:
            self.statuses[status[:3]] += 1
            return start(status, headers, *more)

        return contextvars.Context().run(self._whole, environ, started)

    def _whole(self, environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        answer = self.app(environ, start)
        try:
            return list(answer)
        finally:
            answer.close()  # type: ignore[attr-defined]


def kinds_of(one: Endpoint) -> set[str]:
    fields = one.body.model_fields if one.body else ()
    named = {*one.ids, *map(to_snake, one.filters), *(name.removesuffix("s") for name in fields), *fields}
    return named & set(KINDS)


def is_ill_formed(message: str) -> bool:
    """Whether a text that is none, or a number written with a point or too large, was refused with that message."""
    return any(words in message for words in ILL_FORMED)


def no_value(answer: Any) -> bool:
    """Whether a refusal names nothing else, or says that the sandbox does not do it."""
    error = answer.json()["error"]
    told = [field["message"] for field in error.get("fields", ())]
    return error["code"] == "not_supported" or (bool(told) and all(map(is_ill_formed, told)))


@cache
def without_keys(openapi: Callable[[], Any]) -> dict[str, Any]:
    """The document; keys are the subject of other tests, and here every request has one, so that it comes further."""
    return {name: part for name, part in strict(openapi()).items() if name != "security"}


def published(one: Endpoint, app: Flask, stock: Stock) -> Any:
    """The published document; half of the ids in what is made up are those of things that exist."""
    document = without_keys(app.extensions["openapi"])
    paths = {
        path: {method: operation | {"security": []} for method, operation in operations.items()}
        for path, operations in document["paths"].items()
        if any(operation["operationId"] == one.name for operation in operations.values())
    }
    schema = schemathesis.openapi.from_dict(document | {"paths": paths})
    schema.app = OnItsOwn(app)
    schema.config.generation.update(modes=list(schemathesis.GenerationMode))
    schema.config.phases.coverage.enabled = MANY
    # To look for examples takes longer than all else; that ours fit their schemas, test_openapi.py says.
    schema.config.phases.examples.enabled = MANY
    operation = schema.find_operation_by_id(one.name)
    allowed = ["2xx", *sorted({*operation.definition.raw["responses"]} & {*UNDERSTOOD})]
    schema.config.checks.positive_data_acceptance.expected_statuses = allowed
    known, in_body = ids_known(one, stock)
    if one.body and "customer_type_id" in one.body.model_fields:
        assert stock.customer_type  # found before anything else happens to the setup

    def by(ids: Mapping[str, int], place: str) -> Callable[[Any, Any], Any]:
        def with_real_ids(context: Any, given: Any) -> Any:
            return with_ids(given, ids, lambda value: value % 2 == 1)

        with_real_ids.__name__ = f"map_{place}"
        return with_real_ids

    for place, ids in (("path_parameters", known), ("query", known), ("body", in_body)):
        schema.hook(f"map_{place}")(by(ids, place))
    return schema


def ids_known(one: Endpoint, stock: Stock) -> tuple[dict[str, int], dict[str, int]]:
    """What its requests may name in the address, and in the body, where the same word can mean another thing."""
    known = {name: stock.of(one, name) for name in kinds_of(one)}
    own = {name: stock.id_of(f"{one.name}.body.{name}") for name in known if f"{one.name}.body.{name}" in MAKERS}
    return tuple({to_camel(name): value for name, value in ids.items()} for ids in (known, known | own))


def with_ids(given: Any, known: Mapping[str, int], meant: Callable[[int], bool]) -> Any:
    """What is given, with the ids of things that exist where an id is `meant`."""
    if not isinstance(given, dict):
        return given

    def real(value: Any, name: str) -> Any:
        if type(value) is list and to_snake(name).endswith("_ids"):
            return [real(one, name.removesuffix("s")) for one in value]
        if name == "messageId" and type(value) is str and value.isdigit():
            return str(real(int(value), name))
        is_id = type(value) in (int, float) and value == value // 1 and 0 < value <= MAX_ID
        return known[name] if is_id and name in known and meant(int(value)) else value

    return {name: real(value, name) for name, value in given.items()}


def make_fit(one: Endpoint, case: Any, known: Mapping[str, int], stock: Stock) -> None:
    """What the tool holds to be a fitting request is one: it names what is there."""
    make_ready(one, stock)
    fit(case)
    if isinstance(case.body, dict):
        body = with_ids(case.body, known, lambda value: True)
        if body.get("customerTypeId") is not None:
            body["customerTypeId"] = stock.customer_type
        for name in [name for name in body if to_snake(name).endswith("_ids") and type(body[name]) is list]:
            body[name] = list(dict.fromkeys(body[name]))
        body |= {field: [stock.id_of(kind)] for field, kind, _ in BARE_IDS.get(one.name, ()) if field in body}
        case.body = body


def send_made_up(one: Endpoint, app: Flask, stock: Stock, api: Api) -> Counter[str]:
    """Send requests to it, of which every check of the tool holds; how often each status was answered."""
    sent = {"Authorization": f"Bearer {api.key}"}
    schema, known = published(one, app, stock), ids_known(one, stock)[1]

    def ask(case: Any) -> None:
        if case.meta.generation.mode.is_positive:
            make_fit(one, case, known, stock)
        answer = case.call(headers=sent)
        refused = answer.status_code == 400 and no_value(answer)
        excluded = [positive_data_acceptance] if refused else []
        case.validate_response(answer, headers=sent, excluded_checks=excluded)

    run = build_operation_test(
        config=schema.config,
        operation=schema.find_operation_by_id(one.name),
        test_func=ask,
        given_kwargs={},
        feedback=FeedbackSources(),
        explicit_settings=HOW,
    )
    run()
    statuses: Counter[str] = schema.app.statuses
    return statuses


def wears_out(one: Endpoint) -> tuple[bool, bool]:
    """How late it is asked: what removes things after the rest, and a CRM, which turns a workspace live, last."""
    return "crm_list_id" in kinds_of(one) or one.name.startswith("crm."), one.method == "DELETE" or one.name in REMOVES


@pytest.mark.parametrize("share", range(SHARES))
def test_every_operation_answers_as_published(app: Flask, client: Client, share: int) -> None:
    """Whatever is sent, and nothing breaks. With many examples, each operation has a workspace of its own."""
    wrong, shared = [], Stock(entered("all"))
    shared_api = script(client, shared.workspace)
    for kind in MAKERS if not MANY else ():
        if kind != "crm_list_id":
            shared.id_of(kind)
    for one in sorted(ENDPOINTS, key=wears_out)[share::SHARES]:
        stock = Stock(entered(one.name)) if MANY else shared
        api = script(client, stock.workspace) if MANY else shared_api
        try:
            statuses = send_made_up(one, app, stock, api)
        except (AssertionError, FailureGroup) as failure:
            wrong.append(f"{one.name}: {failure}")
        else:
            wrong += [f"{one.name}: {dict(statuses)}"] if "500" in statuses or not statuses else []
    assert not wrong, "\n\n".join(wrong)


# What an example names that is another's in this workspace; what only a live workspace has.
OF_THIS_WORKSPACE: dict[str, Callable[[Stock], dict[str, Any]]] = {
    "conversations.assign": lambda stock: {"email": "ada@all.example"},
    "imports.start_search": lambda stock: {"address": f"{SEARCH}-in-berlin"},
    "campaign_statistics.choose_variant": lambda stock: {"step": 0},
    "test_send.send": lambda stock: {"to": "ada@all.example", "step": 1},
    "lists.find_people": lambda stock: {"companyIds": [stock.id_of("company_id")]},
}
LIVE = ("senders.", "services.", "crm.")


def test_every_example_of_a_request_is_taken(app: Flask, client: Client) -> None:
    """Sent with ids of things that exist, each is understood: done, or refused for the state of these things."""
    stock = Stock(entered("all"))
    api, refused = script(client, stock.workspace), []
    assert stock.customer_type
    for kind in MAKERS:
        if kind != "crm_list_id":
            stock.id_of(kind)
    for one in sorted((one for one in ENDPOINTS if one.body is not None), key=wears_out):
        make_ready(one, stock)
        known, in_body = ids_known(one, stock)
        body = with_ids(options_of(one)["json"], in_body, lambda value: True)
        if "customerTypeId" in body:
            body["customerTypeId"] = stock.customer_type
        body |= {field: [stock.id_of(kind)] for field, kind, _ in BARE_IDS.get(one.name, ()) if field in body}
        body |= OF_THIS_WORKSPACE.get(one.name, lambda stock: {})(stock)
        ids = {to_snake(name): value for name, value in known.items()}
        answer = api.call(one.method, path_of(one, ids), json=body)
        if answer.status_code < 400 or answer.status_code in (402, 409):
            continue
        if not one.name.startswith(LIVE) or "fields" in answer.json["error"]:
            refused.append(f"{one.name} {answer.status_code} {answer.json['error']}")
    assert not refused, "\n".join(refused)

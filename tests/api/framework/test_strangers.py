"""What belongs to another workspace does not exist: every id of every endpoint, in paths, bodies, queries, cursors."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from pydantic.alias_generators import to_snake

from app import ports
from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.core.db import transaction
from app.core.paging import Window
from app.models.campaigns import Campaign, CampaignStatus
from app.models.workspaces import Workspace
from app.providers.http import HttpClient
from tests.api.stock import BARE_IDS, MAKERS, UNKNOWN_ID, Stock, ids_in_body, options_of, path_of
from tests.support.clients import Api
from tests.support.crms import TameCrm
from tests.support.finders import Finder

# Their cursors hold a place of several numbers.
OF_SEVERAL_NUMBERS = {"leads.story"}
CALL_OUT = {"crm.show_lists"}  # each reading counts as a use of the service
# In these an id is a word of a foreign system, or of the program that asks.
NO_ID_OF_OURS = {"public_id", "project_id", "customer_type_id", "client_id", "step_id"}
READS = [one for one in ENDPOINTS if one.method == "GET" and one.name not in CALL_OUT]


def told(answer: Any) -> tuple[int, Any]:
    """The status and what the answer says, apart from its own name and the ids that were asked about."""
    said = answer.json
    if answer.status_code >= 400:
        said = {name: value for name, value in said["error"].items() if name != "requestId"}
    return answer.status_code, json.loads(re.sub(r"\b\d{2,}\b", "0", json.dumps(said)))


def ask(api: Api, one: Endpoint, ids: Mapping[str, int], **more: Any) -> tuple[int, Any]:
    return told(api.call(one.method, path_of(one, ids), **{**options_of(one), **more}))


def stocked(workspace: Workspace) -> Stock:
    stock = Stock(workspace)
    for name in MAKERS:
        stock.id_of(name)
    with transaction() as current:  # for its conversations days have passed; people can join it as before
        current.get_one(Campaign, stock.campaign.id).status = CampaignStatus.RUNNING
    ports.connect_services([TameCrm(HttpClient(), "https://api.hubapi.com"), Finder("unipile")])
    return stock


def told_apart_in_paths(api: Api, ours: Stock, theirs: Stock) -> Iterator[str]:
    """The endpoints that do not answer 404 in the same words as for an id that no one has, at each place of a path."""
    for one in ENDPOINTS:
        own, foreign = ({name: stock.of(one, name) for name in one.ids} for stock in (ours, theirs))
        for mixed in (foreign, *(own | {name: foreign[name]} for name in one.ids)) if one.ids else ():
            missing = {name: UNKNOWN_ID if mixed[name] == foreign[name] else mixed[name] for name in one.ids}
            answer = ask(api, one, mixed)
            if answer[0] != 404 or answer != ask(api, one, missing):
                yield f"{one.name}: {answer}"


def told_apart_in_bodies(api: Api, ours: Stock, theirs: Stock) -> Iterator[str]:
    """The fields whose refusal is not the same as for an id that no one has, or does not name them."""
    for one in ENDPOINTS:
        own, fields = {name: ours.of(one, name) for name in one.ids}, ids_in_body(one)
        for field, kind, many in fields:
            answers = []
            for wrong in (theirs.id_of(kind), UNKNOWN_ID):
                body = dict(options_of(one)["json"])
                body |= {name: [ours.id_of(of)] if several else ours.id_of(of) for name, of, several in fields}
                body[field] = [wrong] if many else wrong
                status, said = ask(api, one, own, json=body)
                answers.append((status, json.loads(re.sub(rf"\b{wrong}\b", "0", json.dumps(said)))))
            status, said = answers[0]
            named = status == 404 or (status == 400 and any(one["path"].startswith(field) for one in said["fields"]))
            # The bare ones say of each id what became of it.
            if answers[0] != answers[1] or not (named or one.name in BARE_IDS):
                yield f"{one.name} {field}: {answers}"


def told_apart_in_queries(api: Api, ours: Stock, theirs: Stock) -> Iterator[str]:
    """The filters that do not answer the same as for an id that no one has."""
    for one in ENDPOINTS:
        own = {place: ours.id_of(place) for place in one.ids}
        for name in (name for name in one.filters if to_snake(name) in MAKERS):
            wrong = (theirs.id_of(to_snake(name)), UNKNOWN_ID)
            foreign, missing = (ask(api, one, own, query_string={name: each}) for each in wrong)
            if foreign != missing:
                yield f"{one.name} {name}: {foreign}"


def open_to_cursors(api: Api, ours: Stock, theirs: Stock) -> Iterator[str]:
    """The lists that take a cursor of another workspace or of another list, or refuse their own."""
    for one in (one for one in ENDPOINTS if one.page_of is not None):
        path = path_of(one, {name: ours.of(one, name) for name in one.ids})
        own, foreign, elsewhere = (
            Window.of({}, scope).after(1)
            for scope in (
                (ours.workspace.id, f"/v1{path}"),
                (theirs.workspace.id, f"/v1{path}"),
                (ours.workspace.id, "/v1/elsewhere"),
            )
        )
        if api.get(path, cursor=own).status_code != 200 and one.name not in OF_SEVERAL_NUMBERS:
            yield f"{one.name} refuses its own"
        refused = told(api.get(path, cursor="made up"))
        for cursor in (foreign, elsewhere, "x", own[:-1]):
            if refused[0] != 400 or told(api.get(path, cursor=cursor)) != refused:
                yield f"{one.name} takes {cursor}"


def in_both_answers(api: Api, rival_api: Api) -> Iterator[str]:
    """The lists and other answers without an id in their address in which both workspaces see the same thing."""
    for one in (one for one in READS if not one.ids):
        answers = [who.get(path_of(one, {}), **{"limit": 100} if one.page_of else {}) for who in (api, rival_api)]
        if one.page_of:  # rows of several tables may have the same id, so only those that are listed are compared
            rows = [answer.json["data"] for answer in answers]
            own, foreign = ({row["id"] for row in listed if "id" in row} for listed in rows)
            same_page = rows[0] == rows[1] != []
        else:
            own, foreign = (set(re.findall(r'"((?:id|\w+Id)":\s*\d+)', answer.text)) for answer in answers)
            same_page = False
        if own & foreign or same_page:
            yield f"{one.name}: {own & foreign}"


@pytest.mark.usefixtures("clock")
def test_what_belongs_to_another_workspace_does_not_exist_and_stays_as_it_is(
    api: Api, rival_api: Api, acme: Workspace, rival: Workspace
) -> None:
    ours, theirs = stocked(acme), stocked(rival)
    before = [ask(rival_api, one, {name: theirs.of(one, name) for name in one.ids}) for one in READS]
    own = {one.name: api.get(path_of(one, {name: ours.of(one, name) for name in one.ids})) for one in READS}
    assert [name for name, answer in own.items() if answer.status_code != 200] == []
    assert list(told_apart_in_paths(api, ours, theirs)) == []
    assert list(told_apart_in_bodies(api, ours, theirs)) == []
    assert list(told_apart_in_queries(api, ours, theirs)) == []
    assert list(open_to_cursors(api, ours, theirs)) == []
    assert list(in_both_answers(api, rival_api)) == []
    after = [ask(rival_api, one, {name: theirs.of(one, name) for name in one.ids}) for one in READS]
    changed = [one.name for one, was, now in zip(READS, before, after, strict=True) if was != now]
    assert changed == []


def test_every_kind_of_id_is_in_the_matrix() -> None:
    """A new one needs a maker in `stock.py`."""
    named = {name for one in ENDPOINTS for name in one.ids}
    named |= {to_snake(name) for one in ENDPOINTS for name in one.filters if to_snake(name).endswith("_id")}
    for one in ENDPOINTS:
        for name in one.body.model_fields if one.body else ():
            kind = name.removesuffix("s") if name.endswith("_ids") else name
            named |= {kind} if kind.endswith("_id") else set()
    assert named - NO_ID_OF_OURS <= set(MAKERS)

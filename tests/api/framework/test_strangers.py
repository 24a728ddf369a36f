"""What belongs to another workspace does not exist: every id of every endpoint, in paths, bodies, queries, cursors."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic.alias_generators import to_snake

from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.core.paging import Window
from app.core.shown_ids import FIRST
from app.models.workspaces import Workspace
from tests.api.stock import BARE_IDS, KINDS, MAKERS, UNKNOWN_ID, Stock, ids_in_body, options_of, path_of
from tests.support.clients import Api
from tests.support.crms import tame

WITH_IDS = [one for one in ENDPOINTS if one.ids]
KINDS_OF_PATHS = sorted({one.ids for one in WITH_IDS})
LISTS = [one for one in ENDPOINTS if one.page_of is not None]
IN_BODIES = [(one, *found) for one in ENDPOINTS for found in ids_in_body(one)]
IN_QUERIES = [(one, name) for one in ENDPOINTS for name in one.filters if to_snake(name) in MAKERS]
# Their cursors hold a place of several numbers.
OF_SEVERAL_NUMBERS = {"leads.story"}
# In these an id is a word of a foreign system, or of the program that asks.
CALL_OUT = {"crm.show_lists"}  # each reading counts as a use of the service
NO_ID_OF_OURS = {"public_id", "project_id", "customer_type_id", "client_id"}


@pytest.fixture
def ours(acme: Workspace) -> Stock:
    """What we have."""
    return Stock(acme)


@pytest.fixture
def theirs(rival: Workspace) -> Stock:
    """What they have."""
    return Stock(rival)


def told(answer: Any) -> tuple[int, Any]:
    """The status and what the answer says, apart from its own name and the ids that were asked about."""
    said = answer.json
    if answer.status_code >= 400:
        said = {name: value for name, value in said["error"].items() if name != "requestId"}
    return answer.status_code, json.loads(re.sub(r"\b\d{2,}\b", "0", json.dumps(said)))


def ask(api: Api, one: Endpoint, ids: Mapping[str, int], **more: Any) -> tuple[int, Any]:
    """What the endpoint says about these ids."""
    return told(api.call(one.method, path_of(one, ids), **{**options_of(one), **more}))


@pytest.mark.parametrize("kinds", KINDS_OF_PATHS, ids="-".join)
def test_a_strangers_thing_looks_like_nothing(kinds: tuple[str, ...], api: Api, ours: Stock, theirs: Stock) -> None:
    """404, and the same words as for an id that no one has; at every place of the path. One's own things are there."""
    told_apart = []
    for one in (one for one in WITH_IDS if one.ids == kinds):
        own = {name: ours.of(one, name) for name in kinds}
        foreign = {name: theirs.of(one, name) for name in kinds}
        for mixed in (foreign, *(own | {name: foreign[name]} for name in kinds)):
            missing = {name: UNKNOWN_ID if mixed[name] == foreign[name] else mixed[name] for name in kinds}
            answer = ask(api, one, mixed)
            if answer[0] != 404 or answer != ask(api, one, missing):
                told_apart.append((one.name, answer))
        if one.method == "GET":
            assert api.get(path_of(one, own)).status_code == 200
    assert told_apart == []


def test_no_answer_tells_how_many_rows_there_are(api: Api, ours: Stock) -> None:
    """Every id in it is one that others may see."""
    seen = set()
    for one in ENDPOINTS:
        if one.method == "GET" and one.name not in CALL_OUT:
            answer = api.get(path_of(one, {name: ours.of(one, name) for name in one.ids}))
            seen |= {(one.name, int(id)) for id in re.findall(r'"(?:id|\w+Id|handOverTo)":\s*(\d+)', answer.text)}
    assert len(seen) > 100
    assert [(name, id) for name, id in sorted(seen) if id < FIRST] == []


@pytest.mark.parametrize(
    ("one", "field", "kind", "many"), IN_BODIES, ids=lambda given: str(getattr(given, "name", given))
)
def test_a_strangers_id_in_a_body_looks_like_nothing(
    one: Endpoint, field: str, kind: str, many: bool, api: Api, ours: Stock, theirs: Stock
) -> None:
    """The same refusal, which names the field, as for an id that no one has."""
    own = {name: ours.of(one, name) for name in one.ids}
    answers = []
    for wrong in (theirs.id_of(kind), UNKNOWN_ID):
        body = dict(options_of(one)["json"])
        for name, other, several in ids_in_body(one):
            body[name] = [ours.id_of(other)] if several else ours.id_of(other)
        body[field] = [wrong] if many else wrong
        status, said = ask(api, one, own, json=body)
        answers.append((status, json.loads(re.sub(rf"\b{wrong}\b", "0", json.dumps(said)))))
    assert answers[0] == answers[1]
    if one.name in BARE_IDS:
        return  # says of each id what became of it
    assert answers[0][0] in (400, 404)
    assert answers[0][0] == 404 or any(one["path"].startswith(field) for one in answers[0][1]["fields"])


@pytest.mark.parametrize(("one", "name"), IN_QUERIES, ids=lambda given: str(getattr(given, "name", given)))
def test_a_strangers_id_in_a_query_looks_like_nothing(
    one: Endpoint, name: str, api: Api, ours: Stock, theirs: Stock
) -> None:
    """The same answer as for an id that no one has."""
    own = {place: ours.id_of(place) for place in one.ids}
    foreign, missing = (
        ask(api, one, own, query_string={name: wrong}) for wrong in (theirs.id_of(to_snake(name)), UNKNOWN_ID)
    )
    assert foreign == missing


@pytest.mark.parametrize("kinds", sorted({one.ids for one in LISTS}), ids="-".join)
def test_a_strangers_cursor_opens_nothing(kinds: tuple[str, ...], api: Api, ours: Stock, rival: Workspace) -> None:
    """Nor does one of another list; one's own does."""
    if any(one.name.startswith("crm.") for one in LISTS if one.ids == kinds):
        tame(ours.workspace)
    for one in (one for one in LISTS if one.ids == kinds):
        path = path_of(one, {name: ours.of(one, name) for name in kinds})
        address = f"/v1{path}"
        own, foreign, elsewhere = (
            Window.of({}, scope).after(1)
            for scope in ((ours.workspace.id, address), (rival.id, address), (ours.workspace.id, "/v1/elsewhere"))
        )
        assert api.get(path, cursor=own).status_code == 200 or one.name in OF_SEVERAL_NUMBERS
        refused = told(api.get(path, cursor="made up"))
        assert refused[0] == 400
        for cursor in (foreign, elsewhere, "x", own[:-1]):
            assert told(api.get(path, cursor=cursor)) == refused


def test_no_list_holds_anything_of_a_stranger(api: Api, rival_api: Api, ours: Stock, theirs: Stock) -> None:
    """Each sees their own."""
    for name in KINDS:
        ours.id_of(name)
        theirs.id_of(name)
    mixed = []
    for one in LISTS:
        if not one.ids:
            pages = [who.get(path_of(one, {}), limit=100).json["data"] for who in (api, rival_api)]
            own, foreign = ({json.dumps(item.get("id", item)) for item in page} for page in pages)
            mixed += [one.name] if own & foreign else []
    assert mixed == []


def test_every_kind_of_id_is_in_the_matrix() -> None:
    """A new one needs a maker in `stock.py`."""
    named = {name for one in ENDPOINTS for name in one.ids}
    named |= {to_snake(name) for one in ENDPOINTS for name in one.filters if to_snake(name).endswith("_id")}
    for one in ENDPOINTS:
        for name in one.body.model_fields if one.body else ():
            kind = name.removesuffix("s") if name.endswith("_ids") else name
            named |= {kind} if kind.endswith("_id") else set()
    assert named - NO_ID_OF_OURS <= set(MAKERS)


@pytest.mark.usefixtures("clock")
def test_nothing_of_a_stranger_changes(api: Api, theirs: Stock, rival_api: Api) -> None:
    """After every one of those requests their things are as they were."""
    lists = [one for one in ENDPOINTS if one.method == "GET" and one.answer is not None and one.name not in CALL_OUT]
    ids = {name: theirs.id_of(name) for name in KINDS}
    before = [ask(rival_api, one, ids) for one in lists]
    for one in WITH_IDS:
        if one.method != "GET":
            ask(api, one, ids)
    assert [ask(rival_api, one, ids) for one in lists] == before

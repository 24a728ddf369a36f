"""What belongs to another workspace does not exist: for every id of every endpoint, to the byte."""

import io
from typing import Any

from app.api.endpoint import ENDPOINTS, Endpoint
from app.core.db import session
from app.domain import imports, leads, suppression, webhooks
from app.models.webhooks import Delivery
from app.models.workspaces import Workspace
from tests.clients import Api
from tests.domain.outreach import INVITE, a_campaign, everyone

NOBODY = 987_654_321
WITH_IDS = [one for one in ENDPOINTS if one.ids]
BODIES: dict[str, Any] = {
    "campaign_leads.enrol": {"leadIds": [1]},
    "campaigns.change": {"name": "Ours now", "sequence": [INVITE]},
    "lists.rename": {"name": "Ours now"},
    "lists.add_leads": {"profiles": [{"publicId": "somebody"}]},
    "lists.set_tags": {"tags": ["ours"]},
    "lists.start_import": {"content": "publicId\nsomebody\n"},
    "webhooks.update": {"name": "Ours now"},
}


def things(workspace: Workspace) -> dict[str, int]:
    """The id of one thing of each kind, by the name it has in paths."""
    campaign = a_campaign(workspace, ["accepts-ada", "never-bob"])
    assert campaign.list_id is not None
    (person, *_) = everyone(campaign).values()
    webhook, _ = webhooks.create(workspace, name="n", url="https://example.com/x", event="every_reply")
    delivery = webhooks.send_test(workspace, webhook.id)
    csv = imports.create(workspace, campaign.list_id, "people.csv", io.BytesIO(b"First Name,publicId\nEve,eve\n"))
    suppression.add(workspace, ["nobody@example.com"])
    assert isinstance(delivery, Delivery)
    return {
        "campaign_id": campaign.id,
        "campaign_lead_id": person.id,
        "list_id": campaign.list_id,
        "lead_id": person.lead_id,
        "webhook_id": webhook.id,
        "delivery_id": delivery.id,
        "import_id": csv.id,
        "entry_id": session().scalars(suppression.page(workspace)).first().id,  # type: ignore[union-attr]
    }


def ask(api: Api, one: Endpoint, ids: dict[str, int]) -> tuple[int, Any]:
    """The status and the error of a request to it, apart from its id."""
    path = one.path
    for name in one.ids:
        path = path.replace(f"<id:{name}>", str(ids[name]))
    answer = api.call(one.method, path, json=BODIES.get(one.name))
    error = answer.json["error"] if answer.status_code >= 400 else {}
    return answer.status_code, {name: value for name, value in error.items() if name != "requestId"}


def test_it_works(api: Api, acme: Workspace) -> None:
    """One's own things are there."""
    ours = things(acme)
    shown = {one.name: ask(api, one, ours)[0] for one in WITH_IDS if one.method == "GET"}
    assert set(shown.values()) == {200}


def test_a_strangers_thing_looks_like_nothing(api: Api, acme: Workspace, rival: Workspace) -> None:
    """404, and the same words as for an id that nobody has; at every place of every path."""
    leads.create_list(acme, "So that ids differ")
    ours, theirs = things(acme), things(rival)
    nothing = dict.fromkeys(theirs, NOBODY)
    told = []
    for one in WITH_IDS:
        for mixed in (theirs, *(ours | {name: theirs[name]} for name in one.ids)):
            missing = {name: NOBODY if value == theirs[name] else value for name, value in mixed.items()}
            foreign = ask(api, one, mixed)
            if foreign[0] != 404 or foreign != ask(api, one, missing) or foreign != ask(api, one, nothing):
                told.append((one.name, foreign))
    assert told == []


def test_every_body_is_known_here() -> None:
    """A new endpoint with an id and a body says in BODIES what fits, or the test above would see only 400."""
    assert {one.name for one in WITH_IDS if one.body} == set(BODIES)

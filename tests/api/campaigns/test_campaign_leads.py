"""The people of a campaign over `/v1`: where they stand, why they wait, and their switches."""

from typing import Any

import pytest

from app.domain.engine import lifecycle
from app.domain.platform import jobs
from app.domain.rules.reasons import REASONS
from app.domain.senders import accounts
from app.models.campaigns import Campaign, LeadState
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, a_list, email, everyone, forward
from tests.support.clients import Api
from tests.support.movable import Movable


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    return a_campaign(acme, ["accepts-ada", "never-bob"])


@pytest.fixture
def path(campaign: Campaign) -> str:
    return f"campaigns/{campaign.id}/leads"


def people(api: Api, path: str, **query: Any) -> dict[str, dict[str, Any]]:
    return {one["lead"]["publicId"]: one for one in api.get(path, **query).json["data"]}


def test_to_a_new_campaign_lead_nothing_has_happened(api: Api, path: str, campaign: Campaign) -> None:
    ada, bob = people(api, path).values()
    assert (ada["lead"]["firstName"], ada["lead"]["headline"]) == ("Ada", "")
    assert {key: bob[key] for key in ("state", "connection", "replied", "messagesSent", "error")} == {
        "state": "pending",
        "connection": "none",
        "replied": False,
        "messagesSent": 0,
        "error": "",
    }
    assert (bob["lastActionAt"], bob["finishedAt"]) == (None, None)


def test_a_person_of_an_email_campaign_has_the_mailbox_as_sender(api: Api, acme: Workspace, clock: Movable) -> None:
    """In the list and alone; with a LinkedIn account, this is the sender."""
    mailbox = next(one.id for one in accounts.every(acme) if one.channel == "email")
    mail = a_campaign(acme, ["an-ada"], [email()], senders=[mailbox])
    both = a_campaign(acme, ["an-bob"], [VIEW, email()], senders=2)
    for campaign, senders in ((mail, [mailbox]), (both, both.account_ids)):
        person = everyone(campaign).popitem()[1].id
        (shown,) = api.get(f"campaigns/{campaign.id}/leads").json["data"]
        assert shown["accountId"] in senders
        assert api.get(f"campaigns/{campaign.id}/leads/{person}").json["accountId"] == shown["accountId"]


def test_people_are_found_by_state(api: Api, path: str, acme: Workspace) -> None:
    forward(acme, hours=6)
    found = {state: set(people(api, path, state=str(state))) for state in LeadState}
    assert sorted(name for names in found.values() for name in names) == ["accepts-ada", "never-bob"]
    assert found[LeadState.PENDING] == set()
    refused = api.get(path, state="asleep")
    assert refused.json["error"]["fields"] == [{"path": "state", "message": f"Use one of {', '.join(LeadState)}."}]


def test_one_person_says_why_they_wait(api: Api, path: str, campaign: Campaign, acme: Workspace) -> None:
    forward(acme, hours=6)
    person = everyone(campaign)["never-bob"]
    answer = api.get(f"{path}/{person.id}")
    waiting = answer.json["waiting"]
    waiting = answer.json["waiting"]
    assert (waiting["code"], waiting["who"]) == ("awaiting_accept", "them")
    assert waiting["sentence"] == REASONS["awaiting_accept"][0]
    assert waiting["until"].endswith("Z")


def test_a_person_is_paused_resumed_and_stopped(api: Api, path: str, campaign: Campaign) -> None:
    one = f"{path}/{everyone(campaign)['never-bob'].id}"
    seen = [api.post(f"{one}/{verb}").json for verb in ("pause", "resume", "stop")]
    assert [answer["state"] for answer in seen] == ["paused", "pending", "stopped"]
    assert [answer["waiting"]["code"] for answer in seen][::2] == ["paused_by_you", "stopped_by_you"]
    assert seen[2]["finishedAt"] is not None
    again = [api.post(f"{one}/{verb}") for verb in ("pause", "resume", "stop")]
    assert {answer.status_code for answer in again} == {409}
    assert api.get(f"campaigns/{campaign.id}").json["stats"]["stopped"] == 1


def test_more_people_join_a_running_campaign(api: Api, path: str, acme: Workspace) -> None:
    listed = a_list(acme, ["new-eve", "new-fay"], "More")
    more = [one["id"] for one in api.get(f"lists/{listed}/leads").json["data"]]
    assert api.post(path, {"leadIds": more[:1]}).json == {"added": 1, "skipped": 0, "excluded": 0}
    assert api.post(path, {"leadIds": more}).json == {"added": 1, "skipped": 1, "excluded": 0}
    assert set(people(api, path)) == {"accepts-ada", "never-bob", "new-eve", "new-fay"}


def test_a_person_is_found_below_their_own_campaign_only(api: Api, acme: Workspace, campaign: Campaign) -> None:
    other = a_campaign(acme, ["else-gil"], name="Other")
    wrong = f"campaigns/{other.id}/leads/{everyone(campaign)['never-bob'].id}"
    assert api.get(wrong).status_code == 404
    assert api.post(f"{wrong}/stop").status_code == 404


def test_a_campaign_is_opened_for_new_people_of_its_lists(api: Api, campaign: Campaign, acme: Workspace) -> None:
    """Only by a key that may start campaigns, and not without approval by one that may not."""
    path = f"campaigns/{campaign.id}/joiners"
    closed = {"perDay": None, "joinedToday": 0, "leftOutToday": [], "waiting": 0, "joinsAt": None}
    assert api.get(path).json == closed
    assert api.put(path, {"perDay": 0}).json["error"]["fields"][0]["path"] == "perDay"
    assert api.put(path, {"perDay": 1}).json == {**closed, "perDay": 1}
    other = a_campaign(acme, ["ignores-eve"], name="Other")
    api.post(
        f"lists/{campaign.list_id}/leads", {"profiles": [{"publicId": one} for one in ("ignores-eve", "a-b", "c-d")]}
    )
    for _ in range(3):
        lifecycle.run(acme)
    found = api.get(path).json
    out = [{"code": "active_elsewhere", "sentence": REASONS["active_elsewhere"][0], "people": 1}]
    assert found == {
        **closed,
        "perDay": 1,
        "joinedToday": 1,
        "leftOutToday": out,
        "waiting": 1,
        "joinsAt": found["joinsAt"],
    }
    assert found["joinsAt"]
    assert api.put(path, {"perDay": None}).json["waiting"] == 0
    api.post(f"campaigns/{other.id}/cancel")
    assert api.put(f"campaigns/{other.id}/joiners", {"perDay": 5}).status_code == 409


def test_a_test_of_a_step_is_sent_and_looked_up(api: Api, campaign: Campaign, acme: Workspace) -> None:
    path = f"campaigns/{campaign.id}/tests"
    mailbox = next(one.id for one in accounts.every(acme) if one.channel == "email")
    given = {"step": 1, "leadId": everyone(campaign)["accepts-ada"].lead_id, "accountId": mailbox}
    assert api.post(path, {**given, "to": "stranger@far.example"}).status_code == 409
    made = api.post(path, {**given, "to": "ada@acme.example"})
    assert (made.status_code, made.json["state"], made.json["arrival"]) == (202, "waiting", None)
    jobs.run_due()
    found = api.get(f"{path}/{made.json['id']}").json
    assert (found["state"], found["subject"], found["looking"]) == ("sent", "[Test] Message to Ada", False)
    assert api.get(f"{path}/{made.json['id'] + 1}").status_code == 404

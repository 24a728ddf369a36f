"""Campaigns over `/v1`: as the specification has them, and the switches that were added."""

from typing import Any

import pytest

from app.core.db import session, transaction
from app.domain.senders import accounts
from app.models.accounts import Channel
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, email, message
from tests.support.clients import Api, fields
from tests.support.growth import growth

STATES = "pending active paused finished failed stopped excluded".split()


@pytest.fixture
def new(acme: Workspace) -> dict[str, Any]:
    return {
        "name": "Founders",
        "listId": a_list(acme, ["accepts-ada", "ignores-bob"]),
        "accountIds": [accounts.every(acme)[0].id],
        "sequence": [INVITE, message("Hello {{first_name|there}}", days=2)],
        "schedule": {"timezone": "Europe/Berlin", "days": [1, 3], "startTime": "08:30"},
    }


def the_mailbox(workspace: Workspace) -> int:
    (found,) = (one.id for one in accounts.every(workspace) if one.channel == Channel.EMAIL)
    return found


def put(campaign_id: int, status: str) -> None:
    with transaction():
        found = session().get(Campaign, campaign_id)
        assert found is not None
        found.status = status


def test_a_new_campaign_is_a_draft_with_the_usual_schedule(api: Api, new: dict[str, Any]) -> None:
    answer = api.post("campaigns", new)
    assert answer.status_code == 201
    assert set(answer.json["stats"].values()) == {0}
    assert answer.json["status"] == "draft"
    assert answer.json["startedAt"] is None
    assert answer.json["sequence"] == new["sequence"]
    assert answer.json["schedule"] == {
        "timezone": "Europe/Berlin",
        "days": [1, 3],
        "startTime": "08:30",
        "endTime": "17:30",
        "startDate": None,
        "endDate": None,
        "windows": [{"days": [1, 3], "start": "08:30", "end": "17:30"}],
        "recipientTime": False,
        "holidays": True,
        "blackouts": [],
        "newPeoplePerDay": None,
    }
    assert api.get(f"campaigns/{answer.json['id']}").json == answer.json
    assert api.get("campaigns").json == {"data": [answer.json], "nextCursor": ""}
    del new["schedule"]
    schedule = api.post("campaigns", new).json["schedule"]
    assert (schedule["timezone"], schedule["days"], schedule["startTime"]) == ("UTC", [1, 2, 3, 4, 5], "09:00")


def test_every_problem_of_the_form_is_named_at_once(api: Api) -> None:
    body = {
        "listId": "one",
        "accountIds": [1, True, 2.5, None],
        "sequence": [{"type": "call"}, {"type": "message", "delay": {"value": "1", "unit": "weeks"}, "text": "x"}, 7],
        "schedule": {"days": "weekdays", "start": "09:00"},
        "colour": "red",
    }
    assert fields(api.post("campaigns", body)) == {
        "name": "Required.",
        "listId": "Use a whole number.",
        "accountIds[1]": "Use a whole number.",
        "accountIds[2]": "Use a whole number.",
        "accountIds[3]": "Use a whole number.",
        "sequence[1].delay.value": "Use a number.",
        "sequence[1].text": "Unknown field. Remove it.",
        "sequence[2]": "Use an object.",
        "schedule.days": "Use a list.",
        "schedule.start": "Unknown field. Remove it.",
        "colour": "Unknown field. Remove it.",
    }


def test_a_number_that_is_whole_is_an_id(api: Api, new: dict[str, Any]) -> None:
    """Programs without integers send 241.0; a replay may write it otherwise."""
    ids = {"listId": float(new["listId"]), "accountIds": [float(one) for one in new["accountIds"]]}
    made = api.post("campaigns", new | ids, idempotency_key="one")
    assert made.status_code == 201
    assert (made.json["listId"], made.json["accountIds"]) == (new["listId"], new["accountIds"])
    assert api.post("campaigns", new, idempotency_key="one").headers["Idempotent-Replayed"] == "true"
    assert set(fields(api.post("campaigns", new | {"listId": new["listId"] + 0.5}))) == {"listId"}


def test_senders_may_be_of_either_kind(api: Api, new: dict[str, Any], acme: Workspace, rival: Workspace) -> None:
    social, mailbox = accounts.every(acme)[0].id, the_mailbox(acme)
    both = new | {"sequence": [*new["sequence"], email()]}
    for chosen in ([social, mailbox], [mailbox, social]):
        made = api.post("campaigns", both | {"accountIds": chosen})
        assert (made.status_code, made.json["accountIds"]) == (201, chosen)
        changed = api.patch(f"campaigns/{made.json['id']}", {"accountIds": chosen[::-1]})
        assert changed.json["accountIds"] == chosen[::-1]
    alone = api.post("campaigns", new | {"accountIds": [mailbox], "sequence": [email()]})
    assert alone.json["accountIds"] == [mailbox]
    assert list(fields(api.post("campaigns", new | {"accountIds": [mailbox]}))) == ["accountIds"]
    assert list(fields(api.post("campaigns", both | {"accountIds": [social, the_mailbox(rival)]}))) == ["accountIds[1]"]


def test_a_draft_is_changed_in_part_and_deleted(api: Api, new: dict[str, Any]) -> None:
    before = api.post("campaigns", new).json
    after = api.patch(f"campaigns/{before['id']}", {"name": "New", "schedule": {"days": [5]}})
    assert after.status_code == 200
    one = before["schedule"]["windows"][0] | {"days": [5]}
    assert after.json == before | {"name": "New", "schedule": before["schedule"] | {"days": [5], "windows": [one]}}
    steps = [INVITE, message("Shorter")]
    assert api.patch(f"campaigns/{before['id']}", {"sequence": steps}).json["sequence"] == steps
    assert "accountIds[0]" in fields(api.patch(f"campaigns/{before['id']}", {"accountIds": [987654321]}))
    path = f"campaigns/{before['id']}"
    assert api.delete(path).status_code == 204
    assert [api.get(path).status_code, api.delete(path).status_code] == [404, 404]


def test_a_campaign_is_started_paused_resumed_and_canceled(api: Api, new: dict[str, Any]) -> None:
    path = f"campaigns/{api.post('campaigns', new).json['id']}"
    seen = []
    for verb in ("start", "pause", "resume", "cancel"):
        answer = api.post(f"{path}/{verb}")
        assert answer.status_code == 200
        assert sum(answer.json["stats"][state] for state in STATES) == answer.json["stats"]["leads"] == 2
        seen.append(answer.json["status"])
    assert seen == ["running", "paused", "running", "canceled"]
    assert answer.json["stats"]["stopped"] == 2
    assert answer.json["startedAt"] is not None


def test_campaigns_are_found_by_status_name_and_list(api: Api, rival_api: Api, acme: Workspace) -> None:
    names = ("Founders in Berlin", "Gründer in Köln", "Founders 100%")
    one, two, three = (a_campaign(acme, name=name) for name in names)
    put(two.id, "paused")

    def found(who: Api = api, **query: object) -> list[int]:
        return [row["id"] for row in who.get("campaigns", **query).json["data"]]

    assert found(status="paused") == [two.id]
    assert found(status="draft") == []
    assert found(name="founders") == [three.id, one.id]
    assert found(name=" berlin  FOUND ") == [one.id]
    assert found(name="GRÜNDER") == [two.id]
    assert found(name="%") == [three.id]
    assert found(name="_") == []
    assert found(listId=two.list_id) == [two.id]
    assert found(listId=two.list_id, status="running") == []
    assert found(name="in", status="running", listId=one.list_id) == [one.id]
    for query in ({"status": "paused"}, {"name": "founders"}, {"listId": one.list_id}):
        assert found(rival_api, **query) == []


VARIED = {"type": "message", "variants": [{"message": "Alpha"}, {"key": "B", "message": "Beta"}, {"message": "Gamma"}]}


def test_a_step_with_variants_is_made_changed_and_read(api: Api, acme: Workspace) -> None:
    """Old readers find the first text where it always was."""
    new = {"name": "Two texts", "listId": a_list(acme, ["ada"]), "accountIds": [accounts.every(acme)[0].id]}
    made = api.post("campaigns", {**new, "sequence": [INVITE, VARIED], "pickWinner": True})
    assert made.status_code == 201
    step = made.json["sequence"][1]
    assert step["message"] == "Alpha"
    assert step["variants"] == [
        {"key": key, "message": text, "subject": "", "share": share}
        for key, text, share in (("A", "Alpha", 34), ("B", "Beta", 33), ("C", "Gamma", 33))
    ]
    assert "variants" not in made.json["sequence"][0]
    assert made.json["pickWinner"] is True
    address = f"campaigns/{made.json['id']}"
    assert api.patch(address, {"pickWinner": False}).json["pickWinner"] is False
    assert api.patch(address, {"sequence": made.json["sequence"]}).json["sequence"] == made.json["sequence"]
    step["variants"][2]["message"] = "{{frist_name}}"
    assert [*fields(api.patch(address, {"sequence": [INVITE, step]}))] == ["sequence[1].variants[2].message"]
    del step["variants"][2]
    assert len(api.patch(address, {"sequence": [INVITE, step]}).json["sequence"][1]["variants"]) == 2
    single = api.patch(address, {"sequence": [INVITE, {"type": "message", "message": "One"}]}).json["sequence"][1]
    assert "variants" not in single


def test_a_message_that_opens_a_tag_and_never_ends_it_is_checked_as_fast_as_any(api: Api, new: dict[str, Any]) -> None:
    """A tag of another tool before thousands of spaces once held the whole process for minutes."""

    def post(spaces: int) -> int:
        new["sequence"][1]["message"] = "{%-" + " " * spaces + "there"
        return api.post("campaigns", new).status_code

    assert growth(post, 400) < 3
    assert post(3_900) == 201

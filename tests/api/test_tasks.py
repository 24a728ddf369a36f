"""Tasks in `/v1`: read, finished, moved, deleted; and referrals."""

from datetime import timedelta

from app.domain.leads import lists
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from tests.domain.outreach import ALWAYS, a_list, forward
from tests.domain.tasks.test_referrals import TALK_TO_ANNA
from tests.domain.tasks.test_tasks import says
from tests.domain.tasks.test_tasks import talk as talk  # a fixture
from tests.support.clients import Api, paths
from tests.support.movable import Movable

LATER = "Not now, please ask again in three months."


def states(api: Api) -> dict[str, list[str]]:
    return {
        state: [one["kind"] for one in api.get("tasks", state=state).json["data"]]
        for state in ("due", "coming", "done")
    }


def test_tasks_are_listed_by_state_and_person(api: Api, acme: Workspace, talk: Conversation) -> None:
    says(acme, talk, TALK_TO_ANNA)
    says(acme, talk, LATER)
    assert states(api) == {"due": ["referral"], "coming": ["come_back"], "done": []}
    newest, oldest = api.get("tasks").json["data"]
    assert (newest["kind"], newest["personId"], newest["personName"]) == ("come_back", talk.person_id, talk.person.name)
    assert (newest["conversationId"], newest["referral"], newest["doneAt"]) == (talk.id, None, None)
    assert oldest["referral"] | {"id": 0} == {
        "id": 0,
        "name": "Anna Schmidt",
        "email": "anna@wool.example",
        "phone": "",
        "position": "Head of Sales",
        "personId": None,
    }
    assert api.get("tasks", personId=str(talk.person_id)).json["data"] == [newest, oldest]
    assert api.get("tasks", personId=str(talk.person_id + 1)).json["data"] == []
    assert api.get(f"tasks/{newest['id']}").json == newest


def test_a_task_is_finished_reopened_and_deleted(api: Api, acme: Workspace, talk: Conversation) -> None:
    says(acme, talk, TALK_TO_ANNA)
    here = f"tasks/{api.get('tasks').json['data'][0]['id']}"
    done = api.post(f"{here}/finish").json
    assert (bool(done["doneAt"]), bool(done["doneBy"])) == (True, True)
    assert states(api)["done"] == ["referral"]
    assert api.post(f"{here}/finish").json == done
    assert api.post(f"{here}/reopen").json["doneAt"] is None
    assert [api.delete(here).status_code for _ in range(2)] == [204, 404]


def test_a_task_moves_to_a_day_to_come(api: Api, acme: Workspace, clock: Movable, talk: Conversation) -> None:
    """And the person is left alone until then; a day that is past is refused."""
    says(acme, talk, LATER)
    here, until = f"tasks/{api.get('tasks').json['data'][0]['id']}", f"{clock.at.year + 1}-02-02"
    assert api.get(here).json["guessed"] is False
    assert api.patch(here, {"until": until}).json["dueAt"].startswith(until)
    assert paths(api.patch(here, {"until": "2000-01-01"})) == ["until"]


def test_a_referral_joins_a_list_once(api: Api, acme: Workspace, talk: Conversation) -> None:
    """Their task is done; without a way to reach them they are refused."""
    says(acme, talk, TALK_TO_ANNA)
    (task,) = api.get("tasks").json["data"]
    here, founders = f"referrals/{task['referral']['id']}/add", lists.create_list(acme, "Named").id
    anna = {"listId": founders, "firstName": "Anna", "lastName": "Schmidt", "email": "anna@wool.example"}
    assert paths(api.post(here, anna | {"email": ""})) == ["email"]
    added = api.post(here, anna).json
    assert api.get(f"tasks/{task['id']}").json["referral"]["personId"] == added["id"]
    assert [one["email"] for one in api.get(f"lists/{founders}/leads").json["data"]] == ["anna@wool.example"]
    assert states(api)["done"] == ["referral"]


def test_what_may_be_an_opt_out_is_decided_once(api: Api, acme: Workspace, talk: Conversation) -> None:
    """It is neither finished nor deleted; the do-not-contact list keeps what they wrote."""
    says(acme, talk, "Where did you get my address?")
    (task,) = api.get("tasks").json["data"]
    here = f"tasks/{task['id']}"
    assert (task["kind"], task["text"]) == ("opt_out", "Where did you get my address?")
    assert [api.post(f"{here}/finish").status_code, api.delete(here).status_code] == [409, 409]
    assert api.post(f"{here}/decide", {}).status_code == 400
    assert api.post(f"{here}/decide", {"contact": False}).json["doneAt"]
    again = [api.post(f"{here}/decide", {"contact": True}), api.post(f"{here}/reopen")]
    assert [one.status_code for one in again] == [409, 409]
    (entry,) = api.get("never-contact").json["data"]
    assert "Where did you get my address?" in entry["reason"]


def test_a_task_is_made_by_hand(api: Api, clock: Movable, talk: Conversation) -> None:
    """Due today or on its day; neither another workspace's person nor a day that is past."""
    made = api.post("tasks", {"personId": talk.person_id, "text": " Call about the offer. "})
    assert (made.status_code, made.json["kind"], made.json["text"]) == (201, "to_do", "Call about the offer.")
    until = f"{clock.at.year + 1}-02-02"
    later = api.post("tasks", {"personId": talk.person_id, "text": "Call again.", "until": until}).json
    assert later["dueAt"].startswith(until)
    assert states(api) == {"due": ["to_do"], "coming": ["to_do"], "done": []}
    wrong = api.post("tasks", {"personId": talk.person_id, "text": " ", "until": "2020-01-01"}).json["error"]["fields"]
    assert {one["path"] for one in wrong} == {"text", "until"}


def test_a_campaign_makes_tasks_and_goes_on_when_they_are_closed(api: Api, acme: Workspace) -> None:
    """Its steps come back as they were sent; a task is done with an outcome and a day, or skipped."""
    mailbox = api.get("mailboxes").json["data"][0]["id"]
    wait = {"value": 5, "unit": "days"}
    step = {"type": "task", "taskType": "whatsapp", "message": "Hi {{first_name|there}}", "continueAfter": wait}
    draft = {
        "name": "By hand",
        "listId": a_list(acme, ["ignores-ada", "ignores-bob"]),
        "accountIds": [mailbox],
        "sequence": [step, {"type": "task", "taskType": "call", "message": "Call them."}],
        "schedule": ALWAYS,
    }
    wrong = api.post("campaigns", {**draft, "sequence": [{"type": "task", "message": "Hello"}]})
    assert [one["path"] for one in wrong.json["error"]["fields"]] == ["sequence[0].taskType"]
    made = api.post("campaigns", draft).json
    assert made["sequence"] == draft["sequence"]
    assert api.post(f"campaigns/{made['id']}/start").status_code == 200
    forward(acme, days=3)
    first, second = api.get("tasks", state="due").json["data"]
    assert (first["kind"], first["taskType"], first["text"]) == ("to_do", "whatsapp", "Hi Bob")
    assert first["campaignLeadId"] != second["campaignLeadId"]
    assert first["continuesAt"] > first["dueAt"]
    until = f"{acme.now() + timedelta(days=60):%Y-%m-%d}"
    said = {"outcome": "Reached, call again in May.", "until": until}
    assert api.post(f"tasks/{first['id']}/outcome", said).json["outcome"] == said["outcome"]
    assert api.post(f"tasks/{first['id']}/reopen").status_code == 409
    assert api.delete(f"tasks/{second['id']}").status_code == 409
    assert api.post(f"tasks/{second['id']}/skip").json["doneAt"]
    assert [one["taskType"] for one in api.get("tasks", state="coming").json["data"]] == ["whatsapp"]
    forward(acme, days=3)
    assert [one["taskType"] for one in api.get("tasks", state="due").json["data"]] == ["call"]
    by_hand = api.post("tasks", {"personId": first["personId"], "text": "Send the book", "taskType": "post"})
    assert (by_hand.json["taskType"], by_hand.json["campaignLeadId"]) == ("post", None)

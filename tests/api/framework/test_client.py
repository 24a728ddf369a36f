"""The job from a list to a finished campaign, by a client that knows nothing but the published document."""

from collections.abc import Mapping
from typing import Any

import pytest

from app.api.framework.declarations import ENDPOINTS
from app.domain.operations import sandbox_clock
from app.domain.senders import accounts
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.overture import Answer, Overture, Refused
from tests.support.clients import Client

ALWAYS = {"timezone": "UTC", "days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59"}


def sender(client: Client) -> Any:
    """Sends requests of the client into the application of this test."""

    def send(method: str, path: str, query: Mapping[str, Any], headers: Mapping[str, str], raw: bytes | None) -> Answer:
        found = client.open(path, method=method, query_string=dict(query), headers=dict(headers), data=raw)
        return Answer(found.status_code, dict(found.headers), found.get_data())

    return send


@pytest.fixture
def overture(client: Client, acme: Workspace) -> Overture:
    """The client with a key of acme's."""
    return Overture(sender(client), api_keys.create(acme, "Program", "all")[1])


def test_a_campaign_runs_over_a_list_and_its_numbers_are_read_back(overture: Overture, acme: Workspace) -> None:
    """A list is filled, a campaign runs over it, and what became of it is read back."""
    made = overture.call("lists.create", body={"name": "Founders"})
    people = [{"publicId": f"accepts-{number}", "firstName": f"P{number}"} for number in range(30)]
    added = overture.call("lists.add_leads", listId=made["id"], body={"profiles": people})
    assert added["added"] == 30
    assert len(list(overture.walk("lists.leads_page", listId=made["id"], limit=7))) == 30
    campaign = overture.call(
        "campaigns.create",
        body={
            "name": "First",
            "listId": made["id"],
            "accountIds": [accounts.every(acme)[0].id],
            "sequence": [{"type": "connection_request"}],
            "schedule": ALWAYS,
        },
    )
    assert campaign["status"] == "draft"
    overture.call("campaigns.start", campaignId=campaign["id"])
    sandbox_clock.advance(acme, 72)  # two of them may be a weekend
    shown = overture.call("campaigns.show", campaignId=campaign["id"])
    assert shown["stats"]["leads"] == 30
    assert shown["stats"]["invitesSent"] > 0
    assert overture.call("lists.delete", listId=overture.call("lists.create", body={"name": "x"})["id"]) is None


def test_a_refusal_says_everything(overture: Overture) -> None:
    """What was wrong, where, and what to do next."""
    with pytest.raises(Refused) as refusal:
        overture.call("lists.create", body={"nam": "Founders"})
    assert (refusal.value.status, refusal.value.code) == (400, "invalid_request")
    assert [problem["path"] for problem in refusal.value.fields] == ["name", "nam"]
    assert refusal.value.recovery
    assert refusal.value.request_id.startswith("req_")


def test_a_repetition_has_one_effect(overture: Overture) -> None:
    """The same key, the same answer."""
    first, again = (overture.call("lists.create", body={"name": "Founders"}, key="once") for _ in range(2))
    assert first == again
    assert len(list(overture.walk("lists.page"))) == 1


def test_a_busy_service_is_asked_again(client: Client, acme: Workspace) -> None:
    """After the seconds that it named."""
    waited: list[float] = []
    send, busy = sender(client), [503, 429]

    def sometimes(method: str, path: str, *more: Any) -> Answer:
        if busy and path == "/v1/me":
            return Answer(busy.pop(), {"Retry-After": "3"}, b"{}")
        found: Answer = send(method, path, *more)
        return found

    overture = Overture(sometimes, api_keys.create(acme, "Program", "all")[1], wait=waited.append)
    assert overture.call("me.show")["workspace"]["id"] == acme.id
    assert waited == [3.0, 3.0]


def test_the_client_knows_every_operation(overture: Overture) -> None:
    """And refuses by itself what no operation takes."""
    assert set(overture.operations) == {one.name for one in ENDPOINTS}
    with pytest.raises(TypeError, match=r"lists\.show takes listId\."):
        overture.call("lists.show", id=5)

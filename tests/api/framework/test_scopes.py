"""Which key may do what: the matrix is made from the declarations themselves."""

from collections.abc import Callable

from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.domain.approvals import bulk
from app.domain.campaigns import campaigns
from app.domain.engine import joiners
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.api.stock import UNKNOWN_ID, options_of, path_of
from tests.domain.outreach import a_campaign, a_list, person_id, the_account
from tests.support.clients import Api, Client
from tests.support.members import owner


def refused(api: Api, one: Endpoint) -> bool:
    """Whether a request to it, with ids of nothing and a body that fits, is refused for the key's scopes."""
    answer = api.call(one.method, path_of(one, dict.fromkeys(one.ids, UNKNOWN_ID)), **options_of(one))
    return answer.status_code == 403 and answer.json["error"]["code"] == "forbidden"


def that_cover(scope: str | None) -> set[str]:
    """The scopes that include it; a route without one opens with any, such as this one."""
    if scope is None:
        return {"webhooks:read"}
    areas = {name.removesuffix(":read") for name in api_keys.opening(scope)}
    wide = {f"{area}:{right}" for area in areas for right in ("read", "write")}
    return wide & set(api_keys.SCOPES) if scope.endswith(":read") else {scope}


def test_a_route_opens_with_its_scope_and_with_no_other(acme: Workspace, with_scopes: Callable[..., Api]) -> None:
    """Each scope that covers it is enough alone; all others together are not, whether or not the thing exists."""
    wrong = []
    for scope in dict.fromkeys(one.scope for one in ENDPOINTS):
        covering = that_cover(scope)
        enough = {name: with_scopes(name) for name in covering}
        others = with_scopes(*set(api_keys.SCOPES) - covering)
        for one in (one for one in ENDPOINTS if one.scope == scope):
            wrong += [f"{one.name} stays closed with {name}" for name, key in enough.items() if refused(key, one)]
            wrong += [f"{one.name} opens without {scope}"] if scope and not refused(others, one) else []
        api_keys.revoke_all(acme, owner(acme).id)
    assert wrong == []


def test_nothing_opens_without_a_key(client: Client) -> None:
    opened = []
    for one in ENDPOINTS:
        path = "/v1" + path_of(one, dict.fromkeys(one.ids, UNKNOWN_ID))
        for headers in ({}, {"Authorization": "Bearer ovt_live_00000000_" + "0" * 49}):
            answer = client.open(path, method=one.method, headers=headers, **options_of(one))
            if (answer.status_code, answer.json["error"]["code"]) != (401, "unauthorized"):
                opened.append(one.name)
    assert opened == []


def test_the_refusal_names_the_scope_and_a_key_may_always_ask_who_it_is(with_scopes: Callable[..., Api]) -> None:
    answer = with_scopes("campaigns:read").post("campaigns/1/resume")
    assert (answer.status_code, answer.json["error"]["code"]) == (403, "forbidden")
    assert "campaigns:run" in answer.json["error"]["recovery"]
    assert answer.headers["WWW-Authenticate"] == (
        'Bearer realm="api", error="insufficient_scope", scope="campaigns:run"'
    )
    told = with_scopes("webhooks:write").get("me").json["key"]["scopes"]
    assert told == ["events:read", "webhooks:read", "webhooks:write"]


def test_what_contacts_people_spends_or_takes_secrets_needs_more_than_writing() -> None:
    needed = {
        "approvals.decide": "approvals:write",
        "autopilot.pause": "campaigns:run",
        "billing.cancel": "billing:write",
        "campaigns.create": "campaigns:write",
        "campaigns.resume": "campaigns:run",
        "conversations.send": "conversations:write",
        "enrichment.start": "enrichment:write",
        "lists.add_leads": "lists:write",
        "plays.launch": "campaigns:run",
        "senders.connect_account": "accounts:connect",
        "senders.connect_mailbox": "accounts:connect",
        "settings.change": "settings:write",
        "signals.look_up": "signals:write",
        "sources.connect_analytics": "sources:write",
        "sources.connect_payments": "sources:write",
        "webhooks.create": "webhooks:write",
    }
    assert {one.name: one.scope for one in ENDPOINTS if one.name in needed} == needed


def test_people_are_contacted_without_approval_only_by_who_may_approve(
    acme: Workspace, with_scopes: Callable[..., Api]
) -> None:
    """Through whatever door: approval is not switched off, and nothing starts, goes on or grows that has none."""
    weak = with_scopes("campaigns:write", "campaigns:run", "autopilot:write", "lists:write")
    held, free = (a_campaign(acme, name=name, start=False) for name in ("held", "free"))
    bulk.switch(acme, held.id, True)
    paused = a_campaign(acme, name="paused")
    campaigns.pause(acme, paused.id)
    running = a_campaign(acme, name="running")
    other = a_list(acme, ["new-one"])
    opened = a_campaign(acme, name="opened")
    joiners.choose(acme, opened.id, 5)
    into, rule = f"lists/{opened.list_id}", {"sentiment": "positive", "do": "list", "listId": opened.list_id}
    acts: list[tuple[str, str, object]] = [
        ("PATCH", f"campaigns/{held.id}", {"approval": False}),
        ("POST", f"campaigns/{free.id}/start", None),
        ("POST", f"campaigns/{paused.id}/resume", None),
        ("POST", f"campaigns/{running.id}/leads", {"listId": other}),
        ("PATCH", f"campaigns/{running.id}", {"listIds": [running.list_id, other]}),
        ("PUT", f"campaigns/{running.id}/joiners", {"perDay": 5}),
        ("POST", f"{into}/leads", {"profiles": [{"publicId": "one-more"}]}),
        ("PATCH", f"campaigns/{paused.id}", {"onReply": [rule]}),
    ]
    strong = with_scopes("campaigns:write", "campaigns:run", "lists:write", "approvals:write")
    for method, path, body in acts:
        refusal = weak.call(method, path, json=body)
        assert (refusal.status_code, refusal.json["error"]["code"]) == (403, "forbidden"), path
        assert "approvals:write" in refusal.json["error"]["recovery"]
        assert strong.call(method, path, json=body).status_code in (200, 201), path
    assert weak.patch(f"campaigns/{free.id}", {"approval": True}).status_code == 200


def test_a_first_message_needs_the_right_to_contact_people_without_approval_and_a_reply_does_not(
    acme: Workspace, with_scopes: Callable[..., Api]
) -> None:
    weak, strong = with_scopes("conversations:write"), with_scopes("conversations:write", "approvals:write")
    account, person = the_account(acme).id, person_id(acme, "stranger")
    first = {"accountId": account, "personId": person, "text": "Hello"}
    for suffix in ("", "?dryRun=true"):
        refusal = weak.post(f"conversations{suffix}", first)
        assert (refusal.status_code, refusal.json["error"]["code"]) == (403, "forbidden")
        assert "approvals:write" in refusal.json["error"]["recovery"]
    begun = strong.post("conversations", first)
    assert begun.status_code == 202
    reply = weak.post(f"conversations/{begun.json['conversationId']}/messages", {"text": "And one more thing."})
    assert reply.status_code == 202

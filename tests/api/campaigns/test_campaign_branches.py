"""Conditions, branches and reply rules in `/v1`."""

from typing import Any

import pytest

from app.domain.leads import lists
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list, forward
from tests.support.clients import Api, paths
from tests.support.movable import Movable

ACCEPTED = {"is": "accepted", "within": {"value": 4, "unit": "days"}}
STEPS: list[dict[str, Any]] = [
    {"type": "connection_request", "withdrawAfter": {"value": 14, "unit": "days"}},
    {"type": "message", "message": "Thanks!"},
    {"type": "email", "subject": "Hello", "message": "No luck", "when": {"is": "has_email"}},
    {"type": "view_profile", "when": {"all": [{"is": "tag", "value": "vip", "not": True}, {"is": "has_profile"}]}},
]
SPLIT = [{"at": 1, "otherwise": 2, "join": 3, "when": ACCEPTED}]
RULES = [{"sentiment": "positive", "do": "tag", "value": "hot"}]


@pytest.fixture
def new(acme: Workspace) -> dict[str, Any]:
    return {
        "name": "Split",
        "listId": a_list(acme, ["ignores-ada"]),
        "accountIds": [accounts.every(acme)[0].id],
        "sequence": STEPS,
        "schedule": {"timezone": "UTC", "days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59"},
        "branches": SPLIT,
        "onReply": RULES,
    }


def test_what_was_given_is_given_back_and_nothing_where_nothing_was_given(api: Api, new: dict[str, Any]) -> None:
    made = api.post("campaigns", new).json
    for found in (made, api.get(f"campaigns/{made['id']}").json, api.get("campaigns").json["data"][0]):
        assert (found["sequence"], found["branches"], found["onReply"]) == (STEPS, SPLIT, RULES)
    copy = api.post(f"campaigns/{made['id']}/duplicate").json
    assert (copy["sequence"], copy["branches"], copy["onReply"]) == (STEPS, SPLIT, RULES)
    plain = {name: value for name, value in new.items() if name not in ("branches", "onReply")}
    made = api.post("campaigns", plain | {"sequence": STEPS[:2]}).json
    assert (made["branches"], made["onReply"]) == ([], [])
    assert made["sequence"][1] == {"type": "message", "message": "Thanks!"}


WITHIN = [
    {"at": 1, "otherwise": 3, "join": 6, "when": ACCEPTED},
    {"at": 1, "otherwise": 2, "join": 3, "when": {"is": "tag", "value": "vip"}},
    {"at": 3, "otherwise": 5, "join": 6, "when": {"is": "has_email"}},
    {"at": 3, "otherwise": 3, "join": 4, "when": {"is": "custom_field", "name": "tier", "equals": "gold", "not": True}},
]
ALL_KINDS: list[dict[str, Any]] = [
    {**STEPS[0], "message": "Hi {{first_name|there}}"},
    {
        **{"type": "message", "message": "Thanks!", "subject": "", "delay": {"value": 1.5, "unit": "days"}},
        "variants": [
            {"key": "A", "message": "Thanks!", "subject": "", "share": 70},
            {"key": "B", "message": "Thank you!", "subject": "", "share": 30},
        ],
    },
    {"type": "task", "message": "Call", "taskType": "call", "continueAfter": {"value": 5, "unit": "days"}},
    {"type": "email", "subject": "Hello", "message": "No luck"},
    {"type": "email", "message": "Still none", "subject": "Again"},
    {"type": "like_post", "when": STEPS[3]["when"]},
    STEPS[3],
]


def test_what_get_hands_out_is_taken_by_previews_changes_and_a_new_campaign(
    clock: Movable, api: Api, acme: Workspace, new: dict[str, Any]
) -> None:
    """Every kind of step, in branches inside branches."""
    made = api.post("campaigns", new | {"sequence": ALL_KINDS, "branches": WITHIN}).json
    path = f"campaigns/{made['id']}"
    assert made["branches"] == WITHIN
    given = {"sequence": made["sequence"], "branches": made["branches"]}
    again = api.post("campaigns", new | given).json
    assert (again["sequence"], again["branches"]) == (made["sequence"], WITHIN)
    assert api.patch(path, given).json["branches"] == WITHIN
    [lead] = api.get(f"lists/{new['listId']}/leads").json["data"]
    said = api.post(f"{path}/preview", {"leadId": lead["id"], **given}).json
    assert len(said["steps"]) == len(ALL_KINDS)
    api.post(f"{path}/start")
    given = {name: api.get(path).json[name] for name in ("sequence", "branches")}
    effect = api.post(f"{path}/sequence/preview", given | {"applyTo": "all"})
    assert (effect.status_code, effect.json["steps"]) == (200, [])
    given["sequence"][3]["message"] = "Better luck"
    assert api.post(f"{path}/sequence/preview", given | {"applyTo": "all"}).json["steps"][0]["change"] == "text"
    assert api.patch(path, given | {"applyTo": "all"}).json["sequence"] == given["sequence"]


def split(when: dict[str, Any], **places: int) -> dict[str, Any]:
    return {"branches": [{**SPLIT[0], "when": when, **places}]}


def step(number: int, **fields: Any) -> dict[str, Any]:
    return {"sequence": [{**one, **fields} if at == number else one for at, one in enumerate(STEPS)]}


def days(number: int) -> dict[str, Any]:
    return {"value": number, "unit": "days"}


def test_each_problem_is_named_at_its_path(api: Api, new: dict[str, Any]) -> None:
    for change, path in [
        (split({"is": "rich"}), "branches[0].when.is"),
        (split({}), "branches[0].when.is"),
        (split({"is": "tag"}), "branches[0].when.value"),
        (split({"is": "country", "value": "Germny"}), "branches[0].when.value"),
        (split({"is": "has_email", "value": "x"}), "branches[0].when.value"),
        (split({**ACCEPTED, "within": days(15)}), "branches[0].when"),
        (split({**ACCEPTED, "within": days(0)}), "branches[0].when.within.value"),
        (split({"all": [{"is": "signal", "kind": "love"}]}), "branches[0].when.all[0].kind"),
        (split({"is": "has_email", "all": [{"is": "connected"}]}), "branches[0].when"),
        (split(ACCEPTED, join=9), "branches[0]"),
        (split(ACCEPTED, otherwise=1, join=2), "sequence[1].type"),
        (step(0, withdrawAfter=days(0)), "sequence[0].withdrawAfter.value"),
        (step(3, withdrawAfter=days(9)), "sequence[3].withdrawAfter"),
        (step(3, when={"is": "sender", "value": "me"}), "sequence[3].when.value"),
        ({"onReply": [{"sentiment": "positive", "do": "list", "listId": 2**40}]}, "onReply[0].listId"),
        ({"onReply": [{"sentiment": "sad", "do": "tag", "value": "x"}]}, "onReply[0].sentiment"),
    ]:
        assert path in paths(api.post("campaigns", new | change))
        assert api.get("campaigns").json["data"] == []


def test_a_draft_is_changed_part_by_part(api: Api, new: dict[str, Any]) -> None:
    """Branches stay with their steps: they go when the steps are others, unless new ones are given."""
    made = api.post("campaigns", new).json
    assert api.patch(f"campaigns/{made['id']}", {"name": "Renamed"}).json["branches"] == SPLIT
    vip = [{"at": 3, "otherwise": 4, "join": 4, "when": {"is": "tag", "value": "vip"}}]
    assert api.patch(f"campaigns/{made['id']}", {"branches": vip}).status_code == 200
    changed = api.patch(f"campaigns/{made['id']}", {"sequence": STEPS[:2]}).json
    assert (changed["branches"], len(changed["sequence"])) == ([], 2)
    assert changed["onReply"] == RULES


def test_reply_rules_change_at_any_time_and_branches_do_not(api: Api, acme: Workspace, new: dict[str, Any]) -> None:
    made = api.post("campaigns", new).json
    assert api.post(f"campaigns/{made['id']}/start").json["status"] == "running"
    forward(acme, days=1)
    warm = lists.create_list(acme, "Warm").id
    rules = [
        {"sentiment": "not_now", "do": "list", "listId": warm},
        {"sentiment": "generic", "do": "alert", "value": ""},
    ]
    assert api.patch(f"campaigns/{made['id']}", {"onReply": rules}).json["onReply"] == rules
    for other in ([], [{**SPLIT[0], "join": 4}]):
        refused = api.patch(f"campaigns/{made['id']}", {"sequence": STEPS, "branches": other, "applyTo": "new"})
        assert paths(refused) == ["branches"]
    assert paths(api.patch(f"campaigns/{made['id']}", {"sequence": STEPS[:3], "applyTo": "new"})) == ["sequence"]
    reworded = [*STEPS[:2], {**STEPS[2], "message": "Better luck"}, STEPS[3]]
    assert api.patch(f"campaigns/{made['id']}", {"sequence": reworded, "applyTo": "all"}).json["sequence"] == reworded

"""Connected accounts over `/v1`."""

from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, forward
from tests.support.clients import Api, paths
from tests.support.movable import Movable


def test_accounts_are_listed_newest_first_and_without_mailboxes(api: Api, acme: Workspace) -> None:
    first, second = api.get("accounts").json["data"]
    assert first["id"] > second["id"]
    assert (second["name"], second["status"], second["active"]) == ("Ada", "connected", True)
    assert second["workingHours"] == {"start": "09:00", "end": "17:30", "days": [1, 2, 3, 4, 5]}
    assert set(second["dailyLimits"]) == {"invite", "message", "inmail", "visit", "follow", "like"}
    assert second["createdAt"].endswith("Z")


def test_an_account_is_changed_within_the_hard_caps(api: Api, acme: Workspace) -> None:
    ours = api.get("accounts").json["data"][0]
    path = f"accounts/{ours['id']}"
    body = {
        "active": False,
        "paced": False,
        "workingHours": {"start": "08:00", "days": [2, 1, 1]},
        "dailyLimits": {"invite": 35},
    }
    changed = api.patch(path, body).json
    assert changed == api.get(path).json
    assert changed["workingHours"] == {"start": "08:00", "end": "17:30", "days": [1, 2]}
    assert changed["dailyLimits"] == {**ours["dailyLimits"], "invite": 35}
    assert (changed["active"], changed["paced"], changed["monthlyNotes"]) == (False, False, None)
    assert api.patch(path, {"monthlyNotes": 4}).json["monthlyNotes"] == 4
    assert api.patch(path, {"active": False}).json["monthlyNotes"] == 4
    assert api.patch(path, {"monthlyNotes": None}).json["monthlyNotes"] is None
    wrong = {
        "active": True,
        "timezone": "Mars/Olympus",
        "workingHours": {"start": "18:00", "end": "9", "days": []},
        "dailyLimits": {"invite": 36, "message": -1},
    }
    refused = api.patch(path, wrong)
    assert {field["path"] for field in refused.json["error"]["fields"]} == {
        "timezone",
        "workingHours.end",
        "workingHours.days",
        "dailyLimits.invite",
        "dailyLimits.message",
    }
    assert api.get(path).json == changed


def test_use_is_counted_by_kind(api: Api, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "never-bob"])
    forward(acme, days=1)
    answer = api.get(f"accounts/{campaign.account_ids[0]}/usage").json
    kinds = {one["kind"]: one for one in answer["kinds"]}
    assert list(kinds) == ["invite", "message", "inmail", "visit", "follow", "like"]
    assert (kinds["invite"]["used7d"], kinds["invite"]["limit"]) == (2, 15)
    assert 0 < kinds["invite"]["targetToday"] <= 15
    assert answer["health"]["status"] == "connected"
    assert answer["health"]["pendingInvites"] + answer["health"]["acceptedInvites"] >= 0
    accounts.switch(acme, campaign.account_ids[0], False)
    why = api.get(f"accounts/{campaign.account_ids[0]}/usage").json["kinds"][0]["why"]
    assert (why["code"], why["who"]) == ("account_inactive", "you")


def test_mailboxes_have_the_same_in_their_own_place(api: Api, acme: Workspace) -> None:
    (box,) = api.get("mailboxes").json["data"]
    assert (box["address"], box["dailyLimits"]) == ("hello@sandbox.example", {"email": 50})
    changed = api.patch(f"mailboxes/{box['id']}", {"dailyLimits": {"email": 20}, "timezone": "Europe/Berlin"}).json
    assert (changed["dailyLimits"], changed["timezone"]) == ({"email": 20}, "Europe/Berlin")
    assert [one["kind"] for one in api.get(f"mailboxes/{box['id']}/usage").json["kinds"]] == ["email"]
    (account, *_) = api.get("accounts").json["data"]
    for path in (f"accounts/{box['id']}", f"mailboxes/{account['id']}"):
        assert api.get(path).status_code == 404
        right = f"/v1/{'mailboxes' if path.startswith('accounts') else 'accounts'}/{path.rpartition('/')[2]}"
        assert right in api.get(path).json["error"]["recovery"]
        assert api.get(f"{path}/usage").status_code == 404
        assert api.patch(path, {"active": False}).status_code == 404
    assert api.patch(f"mailboxes/{box['id']}", {"dailyLimits": {"invite": 1}}).status_code == 400
    signed = api.patch(
        f"mailboxes/{box['id']}", {"signature": "*Ines*\r\nAcme\n", "replyTo": " Desk@Acme.example "}
    ).json
    assert (signed["signature"], signed["replyTo"]) == ("*Ines*\nAcme", "desk@acme.example")
    for wrong in (
        {"signature": "{{first_name}}"},
        {"signature": "x" * 2001},
        {"replyTo": "desk@"},
        {"replyTo": "ü@x.de"},
    ):
        assert paths(api.patch(f"mailboxes/{box['id']}", wrong)) == list(wrong)
    assert api.patch(f"mailboxes/{box['id']}", {"signature": "", "replyTo": box["address"]}).json["replyTo"] == ""
    assert api.patch(f"accounts/{account['id']}", {"signature": "Ines"}).status_code == 400

"""The plan, the ledger and the end of a subscription over `/v1`."""

from app.domain.billing import credits
from app.models.workspaces import Workspace
from tests.support.clients import Api

CANCEL = {"reason": "too_expensive", "feedback": "It costs more than it brings in."}


def test_a_canceled_trial_says_when_it_ends_and_can_be_resumed(api: Api, acme: Workspace) -> None:
    shown = api.get("billing").json
    assert (shown["plan"], shown["status"], shown["cancelAt"], shown["canExtend"]) == ("trial", "trialing", None, True)
    assert shown["quotas"]["accounts"] == {"used": 3, "limit": 50}
    answer = api.post("billing/cancel", CANCEL)
    assert answer.status_code == 200
    assert answer.json == {
        "trialing": True,
        "canExtend": True,
        "endsAt": shown["trialEndsAt"],
        "cancelAt": shown["trialEndsAt"],
    }
    assert api.get("billing").json["cancelAt"] == shown["trialEndsAt"]
    again = api.post("billing/cancel", CANCEL)
    assert (again.status_code, again.json["error"]["code"]) == (409, "conflict")
    assert api.post("billing/cancel/undo").json["cancelAt"] is None
    assert api.post("billing/cancel/undo").status_code == 409
    assert api.post("billing/trial/extend").json["canExtend"] is False
    assert api.post("billing/trial/extend").status_code == 409
    assert api.post("billing/renew").status_code == 409


def test_the_ledger_has_every_movement(api: Api, acme: Workspace, rival_api: Api) -> None:
    credits.hold(acme, 10, ref="work", purpose="signals", note="Hiring: acme.com")
    credits.capture(acme, "work", 4, part="one")
    credits.release_rest(acme, "work")
    page = api.get("billing/credits", limit=3).json
    assert [(one["kind"], one["amount"], one["held"]) for one in page["data"]] == [
        ("release", 0, -6),
        ("capture", -4, -4),
        ("hold", 0, 10),
    ]
    assert page["data"][0]["note"] == "Hiring: acme.com"
    rest = api.get("billing/credits", cursor=page["nextCursor"]).json
    assert ([one["kind"] for one in rest["data"]], rest["nextCursor"]) == (["grant"], "")
    assert [one["kind"] for one in api.get("billing/credits", kind="capture").json["data"]] == ["capture"]
    assert api.get("billing/credits", kind="gift").status_code == 400
    assert len(rival_api.get("billing/credits").json["data"]) == 1
    assert api.get("billing").json["credits"] == {"balance": 996, "held": 0, "available": 996}

"""Corrections of the profile by API alone: made, and the plays that are older written again, used and taken back."""

from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched, understood
from tests.support.clients import Api


def test_an_outdated_play_is_written_again_used_and_taken_back(api: Api, acme: Workspace) -> None:
    play = launched(acme)
    address, campaign = f"autopilot/plays/{play.id}", f"campaigns/{play.campaign_id}"
    assert api.get(address).json["outdated"] is False
    api.patch("autopilot", {"profile": {"pitch": "We make rubber ducks."}})
    assert [one["outdated"] for one in api.get("autopilot/plays").json["data"]] == [True]
    seen = api.post(f"{address}/write-again/preview").json
    assert seen["writtenBy"] == "built-in"
    assert "rubber ducks" in str([one["after"] for one in seen["texts"]])
    assert "rubber ducks" not in str(api.get(campaign).json["sequence"])
    assert api.post(f"{address}/write-again", {"stepIds": ["no"]}).status_code == 400
    assert api.post(f"{address}/write-again", {}).json["outdated"] is False
    assert "rubber ducks" in str(api.get(campaign).json["sequence"])
    assert api.post(f"{address}/write-again", {}).status_code == 409
    assert api.post(f"{address}/change/undo").json["outdated"] is True
    assert "rubber ducks" not in str(api.get(campaign).json["sequence"])
    assert api.post(f"{address}/change/undo").status_code == 409


def test_customer_types_are_suggested_again(api: Api, acme: Workspace) -> None:
    assert api.post("autopilot/customer-types").status_code == 409
    understood(acme)
    api.patch("autopilot", {"profile": {"examples": ["Hotel Post", "Hotel Krone"]}})
    assert "hotels" in str(api.post("autopilot/customer-types").json["customerTypes"])


def test_a_quotation_is_ticked_by_the_owner(api: Api, acme: Workspace) -> None:
    understood(acme)
    facts = api.get("autopilot").json["profile"]["facts"]
    assert {fact["quotable"] for fact in facts} == {False}
    given = [{"text": fact["text"], "quotable": True} for fact in facts[:1]]
    given += [{"text": fact["text"]} for fact in facts[1:]]
    answer = api.patch("autopilot", {"profile": {"facts": given}})
    assert answer.status_code == 200, answer.json
    found = answer.json["profile"]["facts"]
    assert [fact["quotable"] for fact in found] == [True, *(False for _ in facts[1:])]
    assert found[0]["quote"] == facts[0]["quote"]

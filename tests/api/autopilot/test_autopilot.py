"""The autopilot by API alone: from a website or a description to a campaign that sends."""

from app import ports
from app.domain.installation.sandbox import sandbox_clock
from app.models.workspaces import Workspace
from app.ports import Unreachable
from tests.domain.autopilot.steering import ANSWERS, understood, work
from tests.domain.autopilot.writers import Pages, writer_at
from tests.support.clients import Api, paths


def test_a_website_becomes_a_launched_campaign(api: Api, acme: Workspace) -> None:
    ports.site_reader.connect(Pages())
    started = api.post("autopilot/analyze", {"website": "tidemark.example"}).json
    assert (started["profileState"], started["progress"]["phase"]) == ("reading", "profile")
    work()
    found = api.get("autopilot").json
    assert (found["profileState"], found["progress"], found["error"]) == ("done", None, None)
    assert len({one["id"] for one in found["customerTypes"]}) == 5
    aiming = api.patch("autopilot", {"customerTypeId": found["customerTypes"][0]["id"]}).json
    assert aiming["progress"]["phase"] == "targets"
    work()
    rows = api.get("autopilot").json["targets"]["rows"]
    assert [row["key"] for row in rows] == ["titles", "companyType", "size", "location"]
    assert api.get("autopilot/audience").json["audience"] > 0
    assert api.patch("autopilot", ANSWERS).json["progress"]["phase"] == "plays"
    work()
    setup = api.get("autopilot").json
    assert (setup["progress"], setup["error"]) == (None, None)
    assert len(setup["plays"]) >= 3
    assert {play["status"] for play in setup["plays"]} == {"review"}
    launches(api, acme, setup["plays"][0]["id"])


def launches(api: Api, workspace: Workspace, play_id: int) -> None:
    play = api.get(f"autopilot/plays/{play_id}").json
    assert play["sample"]
    assert all(person["messages"] and person["summary"] for person in play["sample"])
    launched = api.post(f"autopilot/plays/{play_id}/launch", {"approval": False}).json
    assert (launched["status"], launched["build"]["label"]) == ("scheduled", "Adding people")
    work()
    running = api.get(f"autopilot/plays/{play_id}").json
    assert (running["status"], running["build"]) == ("running", None)
    setup = api.get("autopilot").json
    assert setup["status"] == "active"
    assert setup["startedAt"]
    sandbox_clock.advance(workspace, 24 * 5)
    assert api.get(f"campaigns/{running['campaignId']}").json["stats"]["invitesSent"] > 0


def test_a_setup_that_no_one_has_begun_has_every_field(api: Api) -> None:
    found = api.get("autopilot").json
    assert found == {
        "status": "setup",
        "step": 1,
        "website": "",
        "profile": None,
        "profileState": None,
        "customerTypes": [],
        "customerTypeId": "",
        "targets": None,
        "channel": None,
        "country": "",
        "offer": None,
        "alerts": None,
        "rules": [],
        "error": None,
        "progress": None,
        "plays": [],
        "senders": {"social": 2, "email": 1},
        "neverContact": 0,
        "startedAt": None,
        "pausedAt": None,
    }


def test_every_state_of_the_profile_has_its_shape(api: Api) -> None:
    seen: list[str] = []
    for method in ("profile", "customer_types", "documents"):
        writer_at(method, lambda: seen.append(api.get("autopilot").json["profileState"]))
    ports.site_reader.connect(Pages())
    seen.append(api.post("autopilot/analyze", {"website": "tidemark.example"}).json["profileState"])
    work()
    seen.append(api.get("autopilot").json["profileState"])
    ports.site_reader.connect(Pages(Unreachable("It is down.")))
    api.post("autopilot/analyze", {"website": "tidemark.example"})
    work()
    failed = api.get("autopilot").json
    seen.append(failed["profileState"])
    assert seen == ["reading", "understanding", "understanding", "writing", "done", "failed"]
    assert (failed["error"], bool(failed["profile"])) == ("It is down.", True)


def test_every_phase_of_progress_has_its_shape(api: Api, acme: Workspace) -> None:
    seen: list[str] = []

    def look() -> None:
        seen.append(api.get("autopilot").json["progress"]["phase"])

    for method in ("profile", "targeting", "plays", "sequence", "judge"):
        writer_at(method, look)
    kinds = understood(acme).customer_types
    api.patch("autopilot", {"customerTypeId": kinds[0]["id"]})
    work()
    api.patch("autopilot", ANSWERS)
    work()
    assert seen == ["profile", "targets", "plays", "sequence", "build"]


def test_rules(api: Api) -> None:
    """All at once, each once."""
    assert api.get("autopilot/rules").json == {"rules": []}
    assert api.put("autopilot/rules", {"rules": ["Never mention AI.", "Be brief"]}).json["rules"][1] == "Be brief"
    assert paths(api.put("autopilot/rules", {"rules": ["ok", ""]})) == ["rules[1]"]
    assert api.get("autopilot").json["rules"] == ["Never mention AI.", "Be brief"]

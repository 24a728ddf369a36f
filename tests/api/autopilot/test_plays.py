"""Plays, documents, templates, sources and alerts over the API: shapes, refusals, and what strangers see."""

from typing import Any

import pytest

from app import ports
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import designed, work
from tests.domain.autopilot.writers import NoOne, search_at
from tests.support.clients import Api, paths

STEPS: list[dict[str, Any]] = [
    {"kind": "invite", "delay": {"count": 0, "unit": "days"}, "after": "previous", "text": "Hi {{first_name}}"},
    {"kind": "social", "delay": {"count": 90, "unit": "minutes"}, "after": "accept", "text": "Thanks!"},
]


@pytest.fixture
def address(api: Api, acme: Workspace) -> str:
    designed(acme)
    return f"autopilot/plays/{api.get('autopilot').json['plays'][0]['id']}"


def test_a_play_is_read_edited_judged_and_approved(api: Api, address: str) -> None:
    listed = api.get("autopilot/plays").json["data"]
    assert {play["id"] for play in listed} == {play["id"] for play in api.get("autopilot").json["plays"]}
    edited = api.patch(address, {"steps": STEPS}).json
    assert [step["kind"] for step in edited["steps"]] == ["invite", "social"]
    assert [(one["day"], one["kind"]) for one in edited["sequence"]] == [(1, "invite"), (1, "social")]
    assert edited["sample"][0]["messages"][0]["text"].startswith("Hi ")
    lead = edited["sample"][0]["leadId"]
    voted = api.post(f"{address}/samples/{lead}/vote", {"fit": "good"}).json
    assert [one["fit"] for one in voted["sample"] if one["leadId"] == lead] == ["good"]
    work()
    assert api.post(f"{address}/approve").status_code == 200
    assert api.post(f"{address}/skip").json["status"] == "review"


def test_a_change_is_named_previewed_used_and_taken_back(api: Api, address: str) -> None:
    """With its sentences before and after; words that name none are answered, and change nothing without a model."""
    play = api.get(address).json
    assert {"Shorter", "No email", "Without this sentence"} <= set(play["choices"])
    seen = api.post(f"{address}/messages", {"text": "no_email", "preview": True}).json
    assert (seen["steps"], seen["working"], seen["canUndo"]) == (play["steps"], "", False)
    assert seen["proposed"]["wish"] == "no_email"
    assert [one["says"] for one in seen["proposed"]["changes"]] == ["dropped", "dropped"]
    assert {one["side"] for one in seen["proposed"]["changes"][0]["sentences"]} == {"old"}
    assert api.post(f"{address}/change/leave").json["proposed"] is None
    assert api.post(f"{address}/change/use").status_code == 409
    api.post(f"{address}/messages", {"text": "No email", "preview": True})
    used = api.post(f"{address}/change/use").json
    assert (used["channel"], used["canUndo"], used["proposed"]) == ("social", True, None)
    assert used["log"][-1]["text"] == seen["proposed"]["says"]
    back = api.post(f"{address}/change/undo").json
    assert (back["steps"], back["canUndo"]) == (play["steps"], False)
    assert api.post(f"{address}/change/undo").status_code == 409
    done = api.post(f"{address}/messages", {"text": "Wait longer"}, idempotency_key="longer").json
    assert [entry["role"] for entry in done["log"][-2:]] == ["user", "agent"]
    assert api.post(f"{address}/messages", {"text": "Wait longer"}, idempotency_key="longer").json == done
    told = api.post(f"{address}/messages", {"text": "As a limerick"}).json
    assert (told["steps"], told["working"]) == (done["steps"], "")
    assert "need an AI model" in told["log"][-1]["text"]


def test_every_status_of_a_play_has_its_shape(api: Api, acme: Workspace) -> None:
    seen: list[str] = []

    def look() -> None:
        seen.extend(play["status"] for play in api.get("autopilot").json["plays"])
        seen.extend(
            api.get(f"autopilot/plays/{play['id']}").json["status"] for play in api.get("autopilot").json["plays"]
        )

    search_at("find", look)
    designed(acme)
    address = f"autopilot/plays/{api.get('autopilot').json['plays'][0]['id']}"
    look()
    api.post(f"{address}/launch", {"startAt": "2199-01-01T00:00:00Z"})
    work()
    look()
    assert api.post(f"{address}/stop").json["status"] == "stopped"
    assert api.post(f"{address}/build").json["build"] == {"label": "Finding people", "step": 0, "of": 8}
    ports.sandbox_people.connect(NoOne())
    work()
    failed = api.get(address).json
    assert (failed["status"], failed["log"][-1]["role"]) == ("failed", "agent")
    assert {"finding", "review", "scheduled"} <= set(seen)
    assert api.post(f"{address}/retry").json["status"] == "finding"


def test_templates(api: Api, address: str) -> None:
    """Saved, listed, applied, deleted."""
    api.post(f"{address}/templates", {"name": "Plain"})
    (kept,) = api.get("autopilot/templates").json["data"]
    other = f"autopilot/plays/{api.get('autopilot').json['plays'][1]['id']}"
    applied = api.post(f"{other}/apply-template", {"templateId": kept["id"]}).json
    assert [step["kind"] for step in applied["steps"]] == [step["kind"] for step in kept["steps"]]
    assert paths(api.post(f"{address}/templates", {"name": " "})) == ["name"]
    assert paths(api.post(f"{other}/apply-template", {"templateId": kept["id"] + 1})) == ["templateId"]
    assert api.delete(f"autopilot/templates/{kept['id']}").status_code == 204


def test_documents(api: Api) -> None:
    """Versions, restore, and words that are no document."""
    assert api.get("autopilot/docs").json["data"] == []
    assert api.get("autopilot/docs/style").status_code == 404
    saved = api.put("autopilot/docs/style", {"markdown": "Short."}).json
    assert set(saved) == {"kind", "version", "markdown", "at"}
    assert (saved["kind"], saved["version"]) == ("style", 1)
    api.put("autopilot/docs/style", {"markdown": "Long."})
    assert [one["version"] for one in api.get("autopilot/docs/style/versions").json["data"]] == [2, 1]
    assert api.post("autopilot/docs/style/versions/1/restore").json["version"] == 3
    assert api.get("autopilot/docs/style").json["markdown"] == "Short."
    assert api.post("autopilot/docs/style/versions/9/restore").status_code == 404
    assert api.put("autopilot/docs/diary", {"markdown": "x"}).status_code == 404
    assert paths(api.put("autopilot/docs/icp", {"markdown": ""})) == ["markdown"]
    assert [one["version"] for one in api.get("autopilot/docs").json["data"]] == [3]


def test_sources(api: Api) -> None:
    """Connected, shown without their secrets, refused, disconnected."""
    nothing = {"site": None, "analytics": None, "payments": None}
    assert api.get("autopilot/sources").json == nothing
    answer = api.post("autopilot/sources/analytics", {"apiKey": "phx_secret", "region": "eu"})
    read = {"reading": True, "readAt": None}
    assert answer.json["analytics"] == {"region": "eu", "projectId": "10001"} | read
    paid = api.post("autopilot/sources/payments", {"restrictedKey": "rk_test_secret"})
    assert paid.json["payments"]["formerCustomers"] > 0
    assert "secret" not in answer.text + paid.text
    assert api.get("lists").json["data"][0]["name"] == "Former customers"
    assert paths(api.post("autopilot/sources/analytics", {"apiKey": "invalid"})) == ["apiKey"]
    assert paths(api.post("autopilot/sources/payments", {"restrictedKey": "invalid"})) == ["restrictedKey"]
    assert paths(api.post("autopilot/sources/analytics", {"apiKey": "k", "region": "mars"})) == ["region"]
    assert api.post("autopilot/sources/site/verify").status_code == 409
    for kind in ("analytics", "payments"):
        assert api.delete(f"autopilot/sources/{kind}").status_code == 204
    assert api.get("autopilot/sources").json == nothing


def test_the_site_source_shows_its_snippet(api: Api) -> None:
    api.post("autopilot/analyze", {"website": "www.tidemark.example/welcome"})
    site = api.get("autopilot/sources").json["site"]
    assert (site["domain"], site["verifiedAt"]) == ("tidemark.example", None)
    assert site["key"] in site["snippet"]


def test_alerts(api: Api) -> None:
    """By e-mail or chat; a chat is shown masked; sms is for later."""
    assert api.post("autopilot/alerts/test").status_code == 409
    saved = api.put("autopilot/alerts", {"kind": "email", "target": "ada@example.com"}).json
    assert saved["alerts"] == {"kind": "email", "target": "ada@example.com", "replies": False}
    url = "https://hooks.slack.com/services/T000/B000/tokentoken1234"
    chat = api.put("autopilot/alerts", {"kind": "chat", "target": url, "replies": True})
    assert chat.json["alerts"] == {"kind": "chat", "target": "https://hooks.slack.com/…1234", "replies": True}
    assert "tokentoken" not in chat.text + api.get("autopilot").text
    refused = api.put("autopilot/alerts", {"kind": "sms", "target": "+49301234"})
    assert (refused.status_code, refused.json["error"]["code"]) == (400, "not_supported")
    assert paths(api.put("autopilot/alerts", {"kind": "email", "target": "nobody"})) == ["target"]


def test_when_alerts_are_sent(api: Api) -> None:
    """Fields beside those of every setup: they stay when they are left out, and null takes quiet hours back."""
    empty = {"alerts": None, "chat": None, "digest": "immediately", "quietHours": None, "problem": None}
    assert api.get("autopilot/alerts").json == empty | {"brokenAt": None}
    url = "https://hooks.slack.com/services/T000/B000/tokentoken1234"
    place = {"kind": "chat", "target": url}
    quiet = {"start": "22:00", "end": "07:00"}
    api.put("autopilot/alerts", place | {"digest": "daily", "quietHours": quiet})
    api.put("autopilot/alerts", place)
    shown = api.get("autopilot/alerts").json
    assert (shown["chat"], shown["digest"], shown["quietHours"]) == ("Slack", "daily", quiet)
    api.put("autopilot/alerts", place | {"quietHours": None})
    assert api.get("autopilot/alerts").json["quietHours"] is None
    assert paths(api.put("autopilot/alerts", place | {"digest": "weekly"})) == ["digest"]


def test_alerts_change_where_they_are(api: Api) -> None:
    """Their place is not named again, which for a chat no one could: its address is never shown."""
    assert api.patch("autopilot/alerts", {"replies": True}).status_code == 409
    url = "https://hooks.slack.com/services/T000/B000/tokentoken1234"
    api.put("autopilot/alerts", {"kind": "chat", "target": url, "digest": "daily"})
    quiet = {"start": "22:00", "end": "07:00"}
    shown = api.patch("autopilot/alerts", {"replies": True, "quietHours": quiet}).json
    assert (shown["alerts"]["replies"], shown["digest"], shown["quietHours"], shown["chat"]) == (
        True,
        "daily",
        quiet,
        "Slack",
    )
    assert paths(api.patch("autopilot/alerts", {"digest": "weekly"})) == ["digest"]
    assert api.patch("autopilot/alerts", {"quietHours": None}).json == shown | {"quietHours": None}

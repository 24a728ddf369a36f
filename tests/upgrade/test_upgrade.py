"""Nothing of an installation is lost by an upgrade: its rows are there, and what was under way goes on.

A table that gets another name is written down in RENAMED, one that is dropped in GONE, with its reason.
"""

import json
from functools import cache
from typing import Any

import sqlalchemy as sa

from tests.upgrade.conftest import KNOWN, Installation, every, in_database, schema

RENAMED: dict[str, str] = {}  # old name of a table: its name today
GONE: dict[str, str] = {"alembic_version": "It says at which revision the schema is, in one row."}  # table: reason


def test_every_row_is_still_there(kind: str, upgraded: str) -> None:
    """In the table it was in, or in the one that took its place."""
    before = {RENAMED.get(name, name): rows for name, rows in KNOWN[kind]["counts"].items() if name not in GONE}

    def count(connection: sa.Connection) -> dict[str, int]:
        there = sa.inspect(connection).get_table_names()
        return {name: connection.scalar(sa.text(f'SELECT count(*) FROM "{name}"')) or 0 for name in there}

    now = in_database(upgraded, count)
    assert before.keys() <= now.keys()
    assert {name: (rows, now[name]) for name, rows in before.items() if now[name] < rows} == {}


def test_the_filled_database_has_something_in_every_table(kind: str) -> None:
    """What no row stands for would not be missed. Buckets that are full again are thrown away at once."""
    assert {name for name, rows in KNOWN[kind]["counts"].items() if not rows} <= {"rate_bucket"}


def test_an_upgraded_database_has_the_schema_of_a_new_one(upgraded: str, new: str) -> None:
    """Old installations are no second kind of installation."""
    assert in_database(upgraded, schema) == in_database(new, schema)


SINCE = {"meetings": 0}  # numbers that the former version did not know


def test_a_running_campaign_goes_on(old: Installation) -> None:
    """From where each of its people was, to its end; and what was done before is not done again."""
    number, api = old.known["campaigns"]["running"], old.api()
    before = old.known["stats"]["running"]
    let_companies_be(old)
    assert api.get(f"campaigns/{number}/stats").json["totals"] == before | SINCE
    old.advance(days=40)
    after = api.get(f"campaigns/{number}/stats").json["totals"]
    assert after["messagesSent"] > before["messagesSent"]
    assert after["replies"] >= before["replies"]
    assert before["invitesSent"] <= after["invitesSent"] <= after["leads"] == before["leads"]
    assert not twice(every(api, "events"), number)


def let_companies_be(old: Installation) -> None:
    """All its people have an address at one host: the company stop, on since, would hold them after the first reply."""
    engine = sa.create_engine(old.env["DATABASE_URL"], poolclass=sa.NullPool)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE campaign SET stop_company_on_reply = false"))
        connection.execute(sa.text("UPDATE workspace SET contact_caps = '{\"company_people\": 0}'"))


def twice(events: list[dict[str, Any]], campaign: int) -> list[Any]:
    """What the campaign has sent to the same lead more than once."""
    sent = [
        (one["type"], one["data"]["lead"]["id"], (one["data"].get("message") or {}).get("text"))
        for one in events
        if one["type"] in ("invite_sent", "message_sent") and (one["data"]["campaign"] or {}).get("id") == campaign
    ]
    return [each for each in set(sent) if sent.count(each) > 1]


def test_every_campaign_is_in_the_state_it_was_in(old: Installation) -> None:
    for name, number in old.known["campaigns"].items():
        found = old.api().get(f"campaigns/{number}").json
        assert found["status"] == ("running" if name == "held" else name)
        assert old.api().get(f"campaigns/{number}/stats").json["totals"] == old.known["stats"][name] | SINCE


def test_other_campaigns_can_be_moved_on(old: Installation) -> None:
    """A scheduled one begins on its day, a paused one goes on when it is told to, a draft can be started."""
    api, numbers = old.api(), old.known["campaigns"]
    let_companies_be(old)
    assert api.post(f"campaigns/{numbers['paused']}/resume").status_code == 200
    assert api.post(f"campaigns/{numbers['draft']}/start").status_code == 200
    old.advance(days=20)
    for name in ("paused", "draft", "scheduled"):
        assert api.get(f"campaigns/{numbers[name]}").json["status"] in ("running", "finished")
    assert api.get(f"campaigns/{numbers['scheduled']}/stats").json["totals"]["contacted"] > 0


def test_drafts_wait_as_they_did_and_go_out_once_approved(old: Installation) -> None:
    """One that was approved before the upgrade is sent after it."""
    api, known = old.api(), old.known["approvals"]
    assert api.get(f"approvals/{known['released']}").json["status"] == "approved"
    assert api.get(f"approvals/{known['skipped']}").json["status"] == "skipped"
    waiting = api.get(f"approvals/{known['waiting']}").json
    assert waiting["status"] == "pending"
    decided = api.patch(f"approvals/{known['waiting']}", {"text": waiting["text"], "approve": True})
    assert decided.status_code == 200
    old.advance(days=3)
    for name in ("released", "waiting"):
        assert api.get(f"approvals/{known[name]}").json["status"] == "done"


def test_an_answer_by_hand_that_waited_is_sent(old: Installation) -> None:
    queued = old.known["queued"]
    path = f"conversations/{queued['conversation']}/messages/{queued['message']}"
    assert old.api().get(path).json["status"] == "queued"
    old.advance(days=1)
    assert old.api().get(path).json["status"] == "sent"


def test_what_was_said_is_still_found(old: Installation) -> None:
    """By the index that full-text search has on each database."""
    found = old.api().get("conversations", query="frances").json["data"]
    assert [int(talk["id"]) for talk in found] == [old.known["queued"]["conversation"]]


def test_what_was_typed_and_not_sent_is_still_there(old: Installation) -> None:
    typed = old.known["typed"]
    assert typed["text"] in old.web().get(f"/conversations/{typed['conversation']}").text


def test_a_search_for_addresses_that_was_begun_is_finished(old: Installation) -> None:
    """And the credits held for it are settled."""
    path = f"enrichments/{old.known['enrichment']}"
    assert old.api().get(path).json["state"] == "queued"
    for _ in range(5):
        old.look("job")
    assert old.api().get(path).json["state"] == "finished"


def test_a_stored_answer_is_still_given_again(old: Installation) -> None:
    """To the same request under the same key, and another request is refused."""
    stored, api = old.known["stored"], old.api()
    before = len(every(api, "lists"))
    again = api.post(stored["path"], stored["body"], idempotency_key=stored["key"])
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.json == stored["answer"]
    assert len(every(api, "lists")) == before
    assert api.post(stored["path"], {"name": "Another"}, idempotency_key=stored["key"]).status_code == 409


def test_the_audit_log_is_unbroken(old: Installation) -> None:
    """Before anything new is noted and after; `overture doctor` also recounts statistics, credits and lists."""
    old.web()
    for days in (0, 1):
        if days:
            old.advance(days)
        told = json.loads(old.command("doctor", "--json", "--offline").stdout)
        assert "audit" in {finding["check"] for finding in told}
        assert {finding["check"] for finding in told if not finding["well"]} <= {"alerts"}  # whose chat is invented


def test_people_who_must_not_be_contacted_still_are_not(old: Installation) -> None:
    """By address, by domain, by profile; and who was erased is left out though only a hash is kept."""
    api, lists = old.api(), old.known["lists"]
    people = [
        {"publicId": "one", "email": "nobody@blocked.example"},
        {"publicId": "two", "email": "two@rival.example"},
        {"publicId": "never-nora"},
        {"publicId": old.known["erased"]},
        {"publicId": "accepts-anew"},
    ]
    added = api.post(f"lists/{lists['few']}/leads", {"profiles": people})
    listed = {lead["publicId"] for lead in every(api, f"lists/{lists['few']}/leads")}
    assert added.status_code == 200
    assert old.known["erased"] not in listed
    assert "accepts-anew" in listed
    kinds = {entry["kind"] for entry in every(api, "never-contact")}
    assert {"email", "domain", "person"} <= kinds


def test_people_keep_their_tags_and_fields(old: Installation) -> None:
    lead = old.api().get(f"leads/{old.known['tagged_lead']}").json
    assert sorted(lead["tags"]) == ["harbour", "vip"]
    assert lead["customFields"] | {"tier": "B", "note": "Sailed once."} == lead["customFields"]


def test_the_autopilot_remembers(old: Installation) -> None:
    """Its plays with their people, its documents with their versions, rules, templates, sources and alerts."""
    api = old.api()
    play = api.get(f"autopilot/plays/{old.known['play']}").json
    assert play["status"] == "running"
    assert [person["fit"] for person in play["sample"]].count("good") == 1
    assert api.get("autopilot/rules").json["rules"] == ["Never mention prices.", "Be brief."]
    assert "more than one boat" in api.get("autopilot/docs/icp").json["markdown"]
    assert [one["version"] for one in api.get("autopilot/docs/icp/versions").json["data"]] == [3, 2, 1]
    assert [template["name"] for template in api.get("autopilot/templates").json["data"]] == ["Our opening"]
    assert api.get("autopilot/alerts").json["alerts"]["kind"] == "chat"


@cache
def pages() -> tuple[str, ...]:
    """What an owner of Harbour opens."""
    known = KNOWN["sqlite"]
    campaigns, lists = known["campaigns"], known["lists"]
    return (
        *("/", "/lists", "/campaigns", "/approvals", "/conversations", "/senders", "/plays", "/documents", "/signals"),
        *("/never-contact", "/templates", "/settings", "/settings/profile", "/settings/team", "/settings/audit"),
        *("/developers", "/developers/keys", "/developers/requests", "/developers/webhooks"),
        *(f"/campaigns/{number}" for number in campaigns.values()),
        *(f"/lists/{number}" for number in lists.values()),
        *(f"/developers/webhooks/{hook['id']}" for hook in known["webhooks"].values()),
        f"/campaigns/{campaigns['running']}/people",
        f"/conversations/{known['queued']['conversation']}",
        f"/plays/{known['play']}",
    )


def test_old_things_are_shown_on_every_page(old: Installation) -> None:
    """None is missing or fails."""
    web = old.web()
    assert {path: web.get(path).status_code for path in pages()} == dict.fromkeys(pages(), 200)


def test_owners_of_campaigns_under_way_are_told_of_the_company_stop(upgraded: str) -> None:
    """Once, on Home; no one else is."""

    def told(connection: sa.Connection) -> tuple[set[int], set[int]]:
        live = "('scheduled', 'starting', 'running', 'paused', 'locked')"
        under_way = connection.scalars(sa.text(f"SELECT workspace_id FROM campaign WHERE status IN {live}"))
        noted = connection.scalars(sa.text("SELECT id FROM workspace WHERE notices IS NOT NULL"))
        return set(under_way), set(noted)

    under_way, noted = in_database(upgraded, told)
    assert under_way
    assert noted == under_way

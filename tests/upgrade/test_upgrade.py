"""Nothing of an installation is lost by an upgrade: its rows are there, and what was under way goes on.

A table that is dropped is written down in GONE, a column whose values change in CHANGED.
"""

import json
from functools import cache
from typing import Any

import sqlalchemy as sa

from app.core import migrations
from tests.upgrade.conftest import KNOWN, Installation, every, in_database, load

# Tables, and columns of tables that stay, with the reason.
GONE = {
    "shown_ids": "rows are shown by their ids",
    "contact_proof": "what was seen before a contact stands in the action",
    "learnt_rule": "nothing is learnt from edits",
    "ranking_change": "nothing is learnt from edits",
    "column_choice": "the columns of each file are read anew",
    "approval": "who edited a draft, and their wishes, were for learning",
    "autopilot_setup": "when plays were ranked was for learning",
    "model_choice": "models are neither priced nor measured",
    "bulk_part": "what a batch did stands with other undos",
    "person_merge": "a merge is known by its two people",
    "play": "what a play was before a change stands with other undos",
    "company_hold": "the senders before a decision stand with other undos",
}
# Columns in which a migration changes values: 0064 puts ids in the place of the numbers under which rows were shown.
CHANGED = set(
    """
    account.absences alembic_version.version_num audit_entry.after audit_entry.before audit_entry.digest
    audit_entry.subject campaign.account_ids campaign.contact_rules campaign.mailbox_ids campaign.on_reply
    campaign_revision.after campaign_revision.before
    conversation_words.names delivery.test_body event.body idempotency_key.answer job.payload marked_answer.before
    second_factor.secret service_login.sealed webhook.campaign_ids webhook.secret
    """.split()
)


def schema(connection: sa.Connection) -> dict[str, Any]:
    """Every table with its columns, indices and keys, as the database tells of them."""
    inspector = sa.inspect(connection)
    tables = [name for name in inspector.get_table_names() if migrations.described(name, "table", {})]
    return {
        name: {
            "columns": {each["name"]: (str(each["type"]), each["nullable"]) for each in inspector.get_columns(name)},
            "indexes": sorted((str(each["name"]), each["column_names"]) for each in inspector.get_indexes(name)),
            "unique": sorted(each["column_names"] for each in inspector.get_unique_constraints(name)),
            "foreign": sorted(
                (each["constrained_columns"], each["referred_table"]) for each in inspector.get_foreign_keys(name)
            ),
        }
        for name in tables
    }


def values(connection: sa.Connection) -> dict[str, list[Any]]:
    """Every value of every table by its column, the rows in the order of their keys."""
    found = sa.MetaData()
    found.reflect(connection, only=lambda name, _: migrations.described(name, "table", {}))
    return {
        str(column): list(connection.scalars(sa.select(column).order_by(*table.primary_key)))
        for table in found.tables.values()
        for column in table.columns
    }


def test_every_row_and_value_is_still_there(kind: str, empty: str, upgraded: str, new: str) -> None:
    """And the schema is that of a new installation."""
    load(kind, empty)
    before, now = in_database(empty, values), in_database(upgraded, values)
    assert {name.partition(".")[0] for name in before.keys() - now.keys()} == GONE.keys()
    assert {name for name, were in before.items() if name in now and now[name] != were} == CHANGED
    assert in_database(upgraded, schema) == in_database(new, schema)


def test_a_running_campaign_goes_on(old: Installation) -> None:
    """From where each of its people was, to its end; and what was done before is not done again."""
    number, api = old.known["campaigns"]["running"], old.api()
    before = old.known["stats"]["running"]
    let_companies_be(old)
    assert before.items() <= api.get(f"campaigns/{number}/stats").json["totals"].items()
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
        assert {finding["check"] for finding in told if not finding["well"]} <= {
            "alerts",
            "links",
        }  # both invented


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


def test_everything_is_shown_as_it_was(old: Installation) -> None:
    """Campaigns, people, what was said and typed, and the autopilot's memory; no page is missing or fails."""
    api, known = old.api(), old.known
    for name, number in known["campaigns"].items():
        assert api.get(f"campaigns/{number}").json["status"] == ("running" if name == "held" else name)
        totals = api.get(f"campaigns/{number}/stats").json["totals"]
        assert known["stats"][name].items() <= totals.items(), name
    found = api.get("conversations", query="frances").json["data"]  # by the index of full-text search
    assert [int(talk["id"]) for talk in found] == [known["queued"]["conversation"]]
    lead = api.get(f"leads/{known['tagged_lead']}").json
    assert sorted(lead["tags"]) == ["harbour", "vip"]
    assert lead["customFields"] | {"tier": "B", "note": "Sailed once."} == lead["customFields"]
    play = api.get(f"autopilot/plays/{known['play']}").json
    assert (play["status"], play["outdated"]) == ("running", False)
    assert [person["fit"] for person in play["sample"]].count("good") == 1
    assert api.get("autopilot/rules").json["rules"] == ["Never mention prices.", "Be brief."]
    assert "more than one boat" in api.get("autopilot/docs/icp").json["markdown"]
    assert [one["version"] for one in api.get("autopilot/docs/icp/versions").json["data"]] == [3, 2, 1]
    assert [template["name"] for template in api.get("autopilot/templates").json["data"]] == ["Our opening"]
    assert api.get("autopilot/alerts").json["alerts"]["kind"] == "chat"
    web = old.web()
    assert {path: web.get(path).status_code for path in pages()} == dict.fromkeys(pages(), 200)
    assert known["typed"]["text"] in web.get(f"/conversations/{known['typed']['conversation']}").text


def test_what_waited_is_done(old: Installation) -> None:
    """Drafts go out once approved, an answer by hand is sent, and a search for addresses settles its credits."""
    api, known = old.api(), old.known
    drafts, queued = known["approvals"], known["queued"]
    answer = f"conversations/{queued['conversation']}/messages/{queued['message']}"
    search = f"enrichments/{known['enrichment']}"
    states = {name: api.get(f"approvals/{number}").json["status"] for name, number in drafts.items()}
    assert states | {"released": "approved", "skipped": "skipped", "waiting": "pending"} == states
    assert api.get(answer).json["status"] == "queued"
    assert api.get(search).json["state"] == "queued"
    text = api.get(f"approvals/{drafts['waiting']}").json["text"]
    assert api.patch(f"approvals/{drafts['waiting']}", {"text": text, "approve": True}).status_code == 200
    for _ in range(5):
        old.look("job")
    assert api.get(search).json["state"] == "finished"
    old.advance(days=3)
    assert api.get(answer).json["status"] == "sent"
    assert [api.get(f"approvals/{drafts[name]}").json["status"] for name in ("released", "waiting")] == ["done"] * 2


@cache
def pages() -> tuple[str, ...]:
    """What an owner of Harbour opens."""
    known = KNOWN["sqlite"]
    campaigns, lists = known["campaigns"], known["lists"]
    return (
        *("/", "/lists", "/campaigns", "/approvals", "/conversations", "/senders", "/plays", "/documents", "/signals"),
        *("/never-contact", "/templates", "/settings/you", "/settings/team", "/settings/audit"),
        *("/developers", "/developers/keys", "/developers/requests", "/developers/webhooks"),
        *(f"/campaigns/{number}" for number in campaigns.values()),
        *(f"/lists/{number}" for number in lists.values()),
        *(f"/developers/webhooks/{hook['id']}" for hook in known["webhooks"].values()),
        f"/campaigns/{campaigns['running']}/people",
        f"/conversations/{known['queued']['conversation']}",
        f"/plays/{known['play']}",
    )

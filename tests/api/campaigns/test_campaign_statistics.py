"""Numbers, previews, forecasts and changes of steps over `/v1`."""

import csv
import io

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.domain.campaigns import campaigns, statistics
from app.domain.engine.manual import compose
from app.domain.leads.campaign_leads import campaign_leads, filters
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.models.campaigns import Campaign
from app.models.conversations import Conversation
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, acts, email, everyone, forward, ledger, message, only
from tests.support.clients import Api, paths
from tests.support.movable import Movable

PEOPLE = [*(f"accepts-{n}" for n in range(4)), "replies-positive-cleo", "ignores-bob"]
STEPS = [INVITE, message("Hello {{first_name}}\n---\nAgain"), message("More", days=3)]
COUNTS = "invitesSent accepted messagesSent replies".split()


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    campaign = a_campaign(acme, PEOPLE, STEPS, senders=2)
    forward(acme, days=5)
    return campaign


@pytest.mark.postgres
def test_a_reply_belongs_to_the_sender_whose_message_was_answered(api: Api, acme: Workspace, clock: Movable) -> None:
    """Of a campaign with both channels, to the mailbox that wrote the email."""
    campaign = a_campaign(acme, ["replies-positive-cleo"], [{"type": "view_profile"}, email()], senders=3)
    forward(acme, days=5)
    (answered,) = [talk.sender_id for talk in session().scalars(sa.select(Conversation)) if talk.sentiment]
    assert answered in campaign.mailbox_ids
    parts = api.get(f"campaigns/{campaign.id}/stats", by="account").json["parts"]
    everything = api.get("stats").json["byAccount"]
    assert {one["accountId"]: one["replies"] for one in parts if one["replies"]} == {answered: 1}
    assert {one["accountId"]: one["replied"] for one in everything if one["replied"]} == {answered: 1}


def test_people_are_a_csv_and_a_forecast_says_what_it_assumes(api: Api, acme: Workspace, campaign: Campaign) -> None:
    """All people or those of a state, with why they wait; day by day to the end, and nothing happens because of it."""
    path, before = f"campaigns/{campaign.id}", acts(acme)
    rows = list(csv.DictReader(io.StringIO(api.get(f"{path}/leads.csv").text.lstrip("\ufeff"))))
    assert {row["publicId"] for row in rows} == set(PEOPLE)
    (cleo,) = [row for row in rows if row["publicId"] == "replies-positive-cleo"]
    assert (cleo["state"], cleo["replied"], cleo["waiting"]) == ("finished", "yes", "Replied")
    assert len(api.get(f"{path}/leads.csv", state="finished").text.splitlines()) == 2
    answer = api.post(f"{path}/forecast").json
    assert (answer["people"], answer["finishesAt"][-1]) == (5, "Z")
    assert answer["assumptions"]["acceptanceRate"] == {"share": 0.3, "source": "usual"}
    assert answer["days"][-1]["date"] == answer["finishesAt"][:10]
    assert acts(acme) == before


MIXED = [
    *("accepts-ada", "replies-positive-cleo", "replies-negative-dora", "ignores-bob", "ignores-stopped", "away-ann"),
    *("bounces-eve", "cannot-tell-cy", "refuses-dan", "lost-answer-fay", "lost-request-gil", "never-reachable-hal"),
]


@pytest.fixture
def mixed(acme: Workspace, clock: Movable) -> Campaign:
    """Six weeks into a campaign in which all sorts of things went wrong, and people were written to by hand."""
    steps = [{"type": "view_profile"}, INVITE, email(), message("One\n---\nTwo", days=1), message("More", days=2)]
    campaign = a_campaign(acme, MIXED, steps, senders=3)
    forward(acme, days=2)
    campaign_leads.stop(acme, campaign.id, everyone(campaign)["ignores-stopped"].id)
    for talk in session().scalars(sa.select(Conversation).where(Conversation.workspace_id == acme.id)).all():
        if talk.person.handle == "replies-positive-cleo":
            compose.write(acme, talk.id, "Gladly, on Monday.")
    forward(acme, days=40)
    return campaign


@pytest.mark.postgres
def test_page_and_api_show_the_same_numbers(api: Api, acme: Workspace, mixed: Campaign) -> None:
    states = {(action.state, action.campaign_id is None) for action in ledger(acme)}
    assert {("sent", False), ("failed", False), ("unknown", False), ("sent", True)} <= states
    assert any(action.withdrawn_at for action in ledger(acme))
    path = f"campaigns/{mixed.id}"
    own, whole = api.get(path).json["stats"], api.get(f"{path}/stats").json
    totals = whole["totals"]
    assert (whole["by"], whole["parts"]) == (None, [])
    assert {name: totals[name] for name in ("leads", *COUNTS)} == {name: own[name] for name in ("leads", *COUNTS)}
    assert totals["acceptanceRate"] == round(totals["accepted"] / totals["invitesSent"], 4)
    assert totals["replyRate"] == round(totals["replies"] / totals["contacted"], 4)
    assert paths(api.get(f"{path}/stats", by="week")) == ["by"]
    parts = {}
    for by, name in (("day", "date"), ("step", "step"), ("account", "accountId")):
        answer = api.get(f"{path}/stats", by=by).json
        assert answer["totals"] == totals
        assert answer["parts"][-1][name] is not None
        parts[by] = answer["parts"]
        assert {one: sum(part[one] for part in parts[by]) for one in COUNTS} == {one: totals[one] for one in COUNTS}, by
    kept = campaigns.stats(acme, [mixed.id])[mixed.id]
    everything = api.get("stats", days=365).json
    (alone,) = everything["byCampaign"]
    assert (alone.pop("campaignId"), alone.pop("name")) == (mixed.id, mixed.name)
    assert alone == everything["totals"]
    assert [alone[name] for name in ("replied", "positive", "unsubscribed")] == [kept.replies, kept.positive, 0]
    for by in ("byAccount", "byWeek"):
        assert sum(one["sent"] for one in everything[by]) == alone["sent"] > alone["bounced"] == 1
    assert [paths(api.get("stats", days=days)) for days in ("0", "366", "many")] == [["days"]] * 3
    shown, _ = statistics.totals(acme, mixed, kept, None)
    same = "contacted accepted positive neutral negative bounced failed unsubscribed".split()
    assert totals["bounced"] == 1
    assert shown == {
        **{name: totals[name] for name in same},
        "invited": totals["invitesSent"],
        "replied": totals["replies"],
        **{name: filters.count(acme, mixed, LeadFilter(name)) for name in ("messaged", "uncontacted")},
        "meeting": totals["meetings"],
    }
    assert shown == {name: filters.count(acme, mixed, LeadFilter(name)) for name in shown}
    chart = statistics.chart(acme, mixed, None)
    assert chart.sums == [totals[name] for name in ("invitesSent", "accepted", "replies")]
    drawn = {bar.date.isoformat(): list(bar.values) for bar in chart.bars if any(bar.values)}
    told = {part["date"]: [part[name] for name in ("invitesSent", "accepted", "replies")] for part in parts["day"]}
    assert drawn == {day: values for day, values in told.items() if any(values)}
    assert [
        (row.type, row.sent, row.messages, row.waiting, row.answered, row.accepted, row.failed)
        for row in statistics.steps(acme, mixed)
    ] == [
        tuple(part[name] for name in ("type", "done", "messagesSent", "waiting", "replies", "accepted", "failed"))
        for part in parts["step"]
    ]


def test_a_sequence_is_rendered_for_a_real_lead(
    api: Api, acme: Workspace, rival: Workspace, campaign: Campaign
) -> None:
    lead = everyone(campaign)["accepts-0"].lead_id
    path = f"campaigns/{campaign.id}/preview"
    steps = api.post(path, {"leadId": lead}).json["steps"]
    assert steps[1]["messages"] == ["Hello 0", "Again"]
    assert [step["problems"] for step in steps] == [[], [], []]
    other = [
        {"type": "connection_request", "message": "{{first_name}} " + "x" * 299},
        {"type": "message", "message": "In {{location}}"},
    ]
    first, second = api.post(path, {"leadId": lead, "sequence": other}).json["steps"]
    assert first["problems"] == ["The text has 301 characters with variables filled in; the maximum is 300."]
    assert second["problems"] == ["No value for location and no fallback. This message would be held."]
    theirs = only(a_campaign(rival, ["x"])).lead_id
    for no_one in (theirs, 987654321):
        refused = api.post(path, {"leadId": no_one, "sequence": [{"type": "dance"}]})
        assert paths(refused) == ["leadId", "sequence[0].type"]


def test_people_whom_no_step_can_reach_are_left_out_and_alone_they_start_nothing(
    api: Api, acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    campaign = a_campaign(acme, [{"publicId": "ignores-ada"}], [email()], senders=3, start=False)
    path = f"campaigns/{campaign.id}"
    [lead] = api.get(f"lists/{campaign.list_id}/leads").json["data"]
    told = api.post(f"{path}/preview", {"leadId": lead["id"]}).json["leftOut"]
    assert [(one["code"], one["people"]) for one in told["reasons"]] == [("no_email", 1)]
    refused = api.post(f"{path}/start")
    assert (refused.status_code, paths(refused)) == (400, ["listId"])
    theirs = a_campaign(rival, ["ignores-ada"], [email()], senders=3, start=False)
    assert api.post(f"campaigns/{theirs.id}/start").status_code == 404
    api.post(f"lists/{campaign.list_id}/leads", {"profiles": [{"publicId": "bob", "email": "bob@engine.example"}]})
    assert api.post(f"{path}/start", {}).json["stats"]["excluded"] == 1


def test_a_forecast_has_ranges_and_names_what_holds_people_up(api: Api, acme: Workspace, clock: Movable) -> None:
    """As on the page; what would change it is asked at an address of its own."""
    people = [f"person-{number}" for number in range(150)]
    campaign = a_campaign(acme, people, STEPS[:1], name="Long")
    answer = api.post(f"campaigns/{campaign.id}/forecast").json
    assert answer["finishesBetween"]["earliest"] < answer["finishesAt"] < answer["finishesBetween"]["latest"]
    assert answer["repliesBetween"]["low"] <= sum(day["replies"] for day in answer["days"])
    assert answer["limitedBy"]["code"] == "daily_limit"
    assert answer["limitedBy"]["action"] == "invites"
    changes = api.get(f"campaigns/{campaign.id}/forecast/changes").json["changes"]
    assert {change["change"] for change in changes} == {"sender", "limit"}
    assert all(change["daysEarlier"] > 0 for change in changes)


def test_the_calendar_says_who_does_what_and_who_does_nothing(api: Api, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, PEOPLE, STEPS[:1], name="Spring")
    answer = api.get("calendar").json
    assert len(answer["days"]) == 14
    busy, *others = answer["days"][0]["accounts"]
    assert busy["work"] == [
        {"campaignId": campaign.id, "campaignName": "Spring", "action": "invites", "count": len(PEOPLE)}
    ]
    assert busy["idle"] is None
    assert {one["idle"]["code"] for one in others} == {"no_campaign"}


def test_what_cannot_be_mapped_is_refused(api: Api, campaign: Campaign) -> None:
    for body, expected in [
        ({"applyTo": "all"}, ["sequence"]),
        ({"applyTo": "all", "sequence": STEPS, "listId": 1}, ["listId"]),
        ({"applyTo": "some", "sequence": STEPS}, ["applyTo"]),
        ({"applyTo": "all", "sequence": [INVITE, message(" "), message()]}, ["sequence[1].message"]),
        ({"applyTo": "chosen", "sequence": STEPS}, ["campaignLeadIds"]),
        ({"applyTo": "all", "sequence": STEPS, "campaignLeadIds": [999]}, ["campaignLeadIds[0]"]),
    ]:
        assert paths(api.patch(f"campaigns/{campaign.id}", {**body, "name": "Other"})) == expected
        assert api.get(f"campaigns/{campaign.id}").json["name"] == "First"


def test_a_person_has_a_dated_plan(api: Api, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["never-bob"], STEPS)
    one = f"campaigns/{campaign.id}/leads/{only(campaign).id}"
    plan = api.get(one).json["plan"]
    assert [(step["step"], step["type"], step["after"]) for step in plan] == [
        (0, "connection_request", ""),
        (1, "message", "accepted"),
        (2, "message", "accepted"),
    ]
    assert plan[1]["messages"] == ["Hello Bob", "Again"]
    assert [step["earliest"][:10] for step in plan] == ["2026-03-02", "2026-03-02", "2026-03-05"]
    forward(acme, days=1)
    assert [step["step"] for step in api.get(one).json["plan"]] == [1, 2]
    api.post(f"{one}/pause")
    held = api.get(one).json["plan"]
    assert {(step["earliest"], step["after"]) for step in held} == {(None, "resumed")}
    answer = api.post(f"{one}/exclude").json
    assert (answer["state"], answer["plan"], answer["waiting"]["code"]) == ("excluded", [], "excluded_by_you")
    assert api.post(f"{one}/exclude").status_code == 409


def test_a_whole_list_joins(api: Api, acme: Workspace, rival: Workspace, campaign: Campaign) -> None:
    more = a_list(acme, ["new-eve", "accepts-0", "ignores-bob"], "More")
    path = f"campaigns/{campaign.id}/leads"
    assert api.post(path, {"listId": more}).json == {"added": 1, "skipped": 2, "excluded": 0}
    theirs = a_list(rival, ["x"])
    for no_one in (theirs, 987654321):
        refused = api.post(path, {"listId": no_one}).json["error"]
        assert refused["fields"] == [{"path": "listId", "message": "List not found in this workspace."}]
    assert [field["path"] for field in api.post(path, {}).json["error"]["fields"]] == ["leadIds"]


def test_variants_are_compared_chosen_and_taken_back(api: Api, acme: Workspace) -> None:
    two = {"type": "message", "variants": [{"message": "Alpha"}, {"message": "Beta"}]}
    campaign = a_campaign(acme, [f"accepts-{n}" for n in range(12)], [INVITE, two], senders=2)
    forward(acme, days=5)
    address = f"campaigns/{campaign.id}"
    invite, step = api.get(f"{address}/stats", by="step").json["parts"]
    assert invite["variants"] is None
    found = step["variants"]
    assert (found["goal"], found["winner"], found["missing"], found["chosen"]) == ("replies", None, "people", None)
    assert sum(one["sent"] for one in found["variants"]) == step["done"] > 5
    assert found["morePeople"] > 100
    assert sum(one["chance"] for one in found["variants"]) == pytest.approx(1, abs=0.001)
    before = {action.campaign_lead_id: action.variant for action in ledger(acme) if action.variant}
    chosen = api.post(f"{address}/variants/choose", {"step": 1, "variant": "B"})
    assert [one["share"] for one in chosen.json["sequence"][1]["variants"]] == [0, 100]
    after = api.get(f"{address}/stats", by="step").json["parts"][1]["variants"]
    assert (after["chosen"]["variant"], after["chosen"]["automatic"]) == ("B", False)
    assert {action.campaign_lead_id: action.variant for action in ledger(acme) if action.variant} == before
    assert api.post(f"{address}/variants/choose", {"step": 1, "variant": "B"}).status_code == 409
    refused = api.post(f"{address}/variants/choose", {"step": 0, "variant": "B"}).json["error"]
    assert [one["path"] for one in refused["fields"]] == ["step"]
    back = api.post(f"{address}/variants/undo", {"step": 1})
    assert [one["share"] for one in back.json["sequence"][1]["variants"]] == [50, 50]
    assert api.post(f"{address}/variants/undo", {"step": 1}).status_code == 409

"""The numbers of a campaign, and that each is a list of exactly so many people."""

from datetime import date, timedelta
from typing import Any

import pytest

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns import campaigns, preview, statistics
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads.campaign_leads import campaign_leads, filters
from app.domain.leads.campaign_leads.filters import FILTERS, PERIODS, STATES, LeadFilter
from app.domain.ledger import activity
from app.domain.ledger.activity import Cursor, Filter
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, email, forward, fresh, message, person_id

PEOPLE = [f"person-{number}" for number in range(20)]
STEPS = [VIEW, INVITE, message(days=1), message("And?", days=3)]


def totals(workspace: Workspace, campaign: Campaign, days: int | None) -> statistics.Totals:
    kept = campaigns.stats(workspace, [campaign.id])[campaign.id]
    return statistics.totals(workspace, campaign, kept, days)[1]


def since_start(workspace: Workspace, campaign: Campaign) -> dict[str, int]:
    kept = campaigns.stats(workspace, [campaign.id])[campaign.id]
    return statistics.totals(workspace, campaign, kept, None)[0]


def test_every_number_of_a_campaign_is_a_list_of_exactly_so_many_people(
    acme: Workspace, rival: Workspace, clock: Any
) -> None:
    for sender in accounts.every(acme)[:2]:
        accounts.edit(acme, sender.id, limits={"invite": 4})
    campaign = a_campaign(acme, PEOPLE, STEPS, senders=2)
    forward(acme, days=6)
    campaign = fresh(campaign)
    stats = campaigns.stats(acme, [campaign.id])[campaign.id]
    chart = statistics.chart(acme, campaign, 30)
    assert chart.names == ["Connection requests", "Accepted", "Replies"]
    assert chart.sums == [stats.invites_sent, stats.accepted, stats.replies]
    assert stats.invites_sent > 15
    assert stats.accepted > 1
    assert (chart.bars[0].date, chart.bars[-1].date) == (date(2026, 3, 2), date(2026, 3, 8))
    assert chart.bars[-1].today
    funnel = statistics.funnel(campaign, len(PEOPLE), since_start(acme, campaign))
    assert {stage[0]: stage[2] for stage in funnel} | {"Messaged": 0} == {
        "In campaign": len(PEOPLE),
        "Request sent": stats.invites_sent,
        "Accepted": stats.accepted,
        "Messaged": 0,
        "Replied": stats.replies,
        "Positive": stats.positive,
        "Meeting": 0,
    }

    for days in (PERIODS["7"], 5, None):
        since = filters.period_start(acme, days)
        choices = {name: LeadFilter(name, since, step=1, key=1) for name in FILTERS}
        counted = filters.counts(acme, campaign, choices)
        for name, choice in choices.items():
            assert length(acme, campaign, choice) == counted[name] == filters.count(acme, campaign, choice), name
        now = totals(acme, campaign, days).now
        assert {name: now[name] for name in statistics.TILES} == {name: counted[name] for name in statistics.TILES}
        assert counted["accepted"] > 0
    assert [totals(acme, campaign, days).before for days in (None, 30, 4)] == [None] * 3
    before = totals(acme, campaign, 3).before
    between = LeadFilter("invited", filters.period_start(acme, 6), filters.period_start(acme, 3))
    assert before is not None
    assert before["invited"] == filters.count(acme, campaign, between) > 0

    standings = filters.position_counts(acme, campaign)
    assert {standing.state: standing.people for standing in standings} == {
        state: getattr(stats, state) for state in STATES if getattr(stats, state)
    }
    for standing in standings:
        assert length(acme, campaign, LeadFilter(standing.state)) == standing.people
        assert sum(number for _, number in standing.whys) == standing.people
        for why, number in standing.whys:
            assert length(acme, campaign, LeadFilter(standing.state, why=why.code)) == number, why

    rows = statistics.steps(acme, campaign)
    assert [row.type for row in rows] == ["view_profile", "connection_request", "message", "message"]
    assert rows[1].accepted == filters.count(acme, campaign, LeadFilter("accepted"))
    for row in rows:
        told = {"sent": row.sent, "at": row.waiting, "answered": row.answered, "refused": row.failed}
        for name, number in told.items():
            assert filters.count(acme, campaign, LeadFilter(name, step=row.index)) == number, (row, name)
    waiting = sum(row.waiting for row in rows) + statistics.finished_sequence(campaign)
    assert waiting == sum(filters.count(acme, campaign, LeadFilter(state)) for state in filters.WAITING)
    assert sum(row.answered for row in rows) == filters.count(acme, campaign, LeadFilter("replied"))

    whole, cursor = activity.page(acme, campaign, Filter(limit=10_000))
    assert cursor == ""
    assert [entry.at for entry in whole] == sorted((entry.at for entry in whole), reverse=True)
    assert {entry.kind for entry in whole} >= {"view_profile", "connection_request", "accepted", "message"}
    walked, cursor = activity.page(acme, campaign, Filter(limit=7))
    while cursor:
        some, cursor = activity.page(acme, campaign, Filter(place=Cursor.of(cursor), limit=7))
        walked += some
    assert walked == whole
    invites, _ = activity.page(acme, campaign, Filter("invites", limit=1000))
    assert [(one.kind, one.state) for one in invites].count(("connection_request", "sent")) == stats.invites_sent
    assert len(activity.page(acme, campaign, Filter("accepted", limit=1000))[0]) == stats.accepted
    first = accounts.every(acme)[0].id
    mine, _ = activity.page(acme, campaign, Filter(sender_id=first, limit=1000))
    assert {entry.sender_id for entry in mine} == {first}
    theirs, _ = activity.page(acme, campaign, Filter(person_id=mine[0].person_id, limit=1000))
    assert {entry.person_id for entry in theirs} == {mine[0].person_id}
    for kind in activity.KINDS:
        assert {entry.kind for entry in activity.page(acme, campaign, Filter(kind))[0]} <= {one.kind for one in whole}

    other = a_campaign(rival, PEOPLE[:3], STEPS)
    assert filters.counts(rival, campaign, {"invited": LeadFilter("invited")}) == {"invited": 0}
    assert activity.page(rival, campaign, Filter())[0] == []
    assert filters.wait_groups(rival, campaign) == []
    assert filters.count(rival, other, LeadFilter()) == 3


def length(workspace: Workspace, campaign: Campaign, choice: LeadFilter) -> int:
    found, cursor = [], ""
    while True:
        page = filters.page(workspace, campaign, choice, {"limit": "17", "cursor": cursor})
        found += [row[0].id for row in page.rows]
        cursor = page.next_cursor
        if not cursor:
            assert len(set(found)) == len(found)
            return len(found)


def test_a_day_is_one_of_the_workspace(clock: Any, acme: Workspace) -> None:
    with transaction() as current:
        current.get_one(Workspace, acme.id).timezone = "Pacific/Auckland"
    session().refresh(acme)
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE])
    forward(acme, hours=5)
    [bar] = [bar for bar in statistics.chart(acme, fresh(campaign), None).bars if bar.values[0]]
    invited = campaign_leads.campaigns_of(acme, person_id(acme, "accepts-ada"))[0][0].invited_at
    assert invited.date() == date(2026, 3, 2)
    assert invited.hour < 11
    assert bar.date == date(2026, 3, 2) + timedelta(days=invited.hour >= 11)


def test_a_long_time_is_drawn_by_weeks(acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "person-1"], STEPS)
    forward(acme, days=60)
    days = statistics.chart(acme, fresh(campaign), None)
    clock.forward(days=60)
    campaign = fresh(campaign)
    campaign.status, campaign.ended_at = "running", None
    weeks = statistics.chart(acme, campaign, None)
    assert not days.bars[0].week
    assert weeks.bars[0].week
    assert all(bar.date.isoweekday() == 1 for bar in weeks.bars)
    assert weeks.sums == days.sums


def test_without_invitations_messages_are_drawn(clock: Any, acme: Workspace) -> None:
    campaign = a_campaign(acme, PEOPLE[:5], [email()], senders=3)
    forward(acme, days=3)
    chart = statistics.chart(acme, fresh(campaign), None)
    assert chart.names == ["Messages", "Replies"]
    assert chart.sums[0] == campaigns.stats(acme, [campaign.id])[campaign.id].messages_sent > 0
    assert [stage[0] for stage in statistics.funnel(campaign, 5, since_start(acme, campaign))] == [
        "In campaign",
        "Contacted",
        "Replied",
        "Positive",
        "Meeting",
    ]


def test_people_are_found_by_name_and_company(acme: Workspace, clock: Any) -> None:
    given = [
        {"publicId": "ada", "firstName": "Ada", "lastName": "Löwe", "companyName": "Quillstack"},
        {"publicId": "bob", "firstName": "Bob", "lastName": "100%", "companyName": "Parcelwise"},
    ]
    campaign = a_campaign(acme, given, [INVITE])
    for words, number in (("ada", 1), ("LÖWE", 1), ("quill ada", 1), ("quill bob", 0), ("%", 1), ("", 2)):
        assert length(acme, campaign, LeadFilter(q=words)) == number, words


def test_a_cursor_that_is_none_is_refused() -> None:
    for cursor in ("x", "2026-03-02T09:00:00+00:00_9_1", "2026-03-02_0_1", "_0_1"):
        with pytest.raises(InvalidRequest):
            Cursor.of(cursor)


def test_skipping_ahead_is_work_that_can_be_watched(acme: Workspace, rival: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, PEOPLE[:5], [INVITE])
    before = acme.now()
    for hours in (0, -1, 24 * 90 + 1):
        with pytest.raises(InvalidRequest):
            sandbox_clock.start_skip(acme, hours)
    sandbox_clock.start_skip(acme, 48)
    end_read()
    skip = sandbox_clock.latest_skip(acme)
    assert skip is not None
    assert (skip.running, skip.percent(acme.now())) == (True, 0)
    with pytest.raises(Conflict):
        sandbox_clock.start_skip(acme, 24)
    jobs.run_due()
    session().refresh(acme)
    assert acme.now() - before >= timedelta(hours=48)
    skip = sandbox_clock.latest_skip(acme)
    assert skip is not None
    assert not skip.running
    assert sandbox_clock.latest_skip(rival) is None
    assert campaigns.stats(acme, [campaign.id])[campaign.id].invites_sent == 5


def test_a_skip_that_broke_off_goes_on_where_it_was(acme: Workspace, clock: Any) -> None:
    sandbox_clock.start_skip(acme, 48)
    end_read()
    sandbox_clock.advance(acme, 40)
    session().refresh(acme)
    between = acme.now()
    jobs.run_due()
    session().refresh(acme)
    assert timedelta(hours=7) < acme.now() - between < timedelta(hours=9)


def test_a_preview_says_what_would_hold_a_message_back(acme: Workspace) -> None:
    list_id = a_list(acme, [{"publicId": "nn", "companyName": "Quillstack"}, {"publicId": "ada", "firstName": "Ada"}])
    no_one, ada = preview.preview_people(acme, list_id)
    sequence = [message("Hi {{first_name}} of {{company_name|somewhere}}\n---\nBye"), message("{{nickname}}")]
    plain, unknown = preview.preview(sequence, ada, accounts.every(acme))
    assert plain.parts == ("Hi Ada of somewhere", "Bye")
    assert plain.problems == []
    assert "Unknown variable {{nickname}}" in unknown.problems[0]
    assert "No value for first_name" in preview.preview(sequence, no_one, [])[0].problems[0]
    assert preview.gaps(acme, list_id, sequence) == {"first_name": 1}


def test_a_preview_follows_the_path_of_the_person(acme: Workspace) -> None:
    """Of a split that can't be known in advance, both sides are shown, each with its condition."""
    phone, accepted = {"when": {"is": "has_phone"}}, {"is": "accepted", "within": {"value": 7, "unit": "days"}}
    steps = [INVITE, message("Thanks"), email("Hi"), email("I rang"), email("No number"), email("Chef")]
    steps[5]["when"] = {"is": "title", "value": "chef"}
    split = [{"at": 1, "otherwise": 2, "join": 3, "when": accepted}, {"at": 3, "otherwise": 4, "join": 5, **phone}]
    people = [{"publicId": "ada", "email": "a@x.example", "phone": "1"}, {"email": "bo@x.example", "position": "Chef"}]
    campaign = a_campaign(acme, people, steps, start=False, branches=split)
    ada, bo = (
        [(one.gets, one.only_if) for one in preview.preview_for(acme, campaign.id, lead.id)]
        for lead in preview.preview_people(acme, campaign.list_id or 0)
    )
    both = [(True, "accepted within 7 days"), (True, "did not accept within 7 days")]
    number = [(True, ""), (False, "has no phone number"), (False, "has a job title containing “chef”")]
    assert ada == [(True, ""), *both, *number]
    no_number = [(False, "has a phone number"), (True, ""), (True, "")]
    assert bo == [(False, "has a profile"), (False, "has a profile"), (True, ""), *no_number]


def test_a_preview_says_which_steps_cannot_reach_the_person(acme: Workspace) -> None:
    """An email without an address, a LinkedIn step without a profile; a task is for everyone."""
    call = {"type": "task", "taskType": "call", "message": "Call them."}
    people = [{"publicId": "ada"}, {"email": "bo@x.example"}]
    campaign = a_campaign(acme, people, [VIEW, email("Hi"), call], start=False)
    found = preview.preview_people(acme, campaign.list_id or 0)
    ada, bo = ([(one.gets, one.only_if) for one in preview.preview_for(acme, campaign.id, one.id)] for one in found)
    assert ada == [(True, ""), (False, "has an email address"), (True, "")]
    assert bo == [(False, "has a profile"), (True, ""), (True, "")]


def test_moves_are_what_the_machines_allow(acme: Workspace, clock: Any) -> None:
    campaign = a_campaign(acme, ["person-1"], start=False)
    assert filters.campaign_moves(campaign) == {"start", "edit", "delete", "cancel"}
    campaigns.start(acme, campaign.id)
    assert filters.campaign_moves(fresh(campaign)) == {"pause", "cancel", "enrol", "revise"}
    assert filters.allowed_moves(CampaignLead(state=LeadState.PENDING)) == {"pause", "stop", "exclude"}
    assert filters.allowed_moves(CampaignLead(state=LeadState.PAUSED)) == {"resume", "stop", "exclude"}
    assert filters.allowed_moves(CampaignLead(state=LeadState.FINISHED)) == set()

"""The planner: may it be done now, and if not, not before when and why."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from app.domain.rules import planner
from app.domain.rules.limits import Usage, WindowUsage
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules.places import Place
from app.domain.rules.schedules.working_hours import Window

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday
WEEK = Window("UTC", (1, 2, 3, 4, 5), "09:00", "17:30")
SENDER = SenderView(
    id=1,
    status="connected",
    active=True,
    window=WEEK,
    limits={"invite": 15, "message": 30, "visit": 40},
    ramp_from=None,
    rests={},
    health={},
)
CAMPAIGN = CampaignView(id=1, status="running", window=WEEK, start_date=None, end_date=None)


def used(**counts: int) -> Usage:
    """A usage of so many actions per budget, the first of them 20 hours ago."""
    return Usage({budget: WindowUsage(count, 0, NOW - timedelta(hours=20)) for budget, count in counts.items()})


def waits(*asked: Any, **more: Any) -> tuple[str, datetime | None] | None:
    """Why it may not be done now, and until when."""
    why = planner.decide(*asked, **more)
    return (why.code, why.until) if why else None


def why_not(*asked: Any, **more: Any) -> str:
    """Why it may not be done now; nothing when it may."""
    why = planner.decide(*asked, **more)
    return why.code if why else ""


def test_a_sender_or_campaign_that_cannot_act_says_why() -> None:
    for status, active, code in [
        ("disconnected", True, "account_disconnected"),
        ("challenged", True, "account_challenged"),
        ("connecting", True, "account_connecting"),
        ("connected", False, "account_inactive"),
    ]:
        sender = replace(SENDER, status=status, active=active)
        assert waits(sender, CAMPAIGN, "invite", NOW, NOW) == (code, None)
    for status in ("draft", "scheduled", "starting", "paused", "locked", "finished", "failed"):
        assert why_not(SENDER, replace(CAMPAIGN, status=status), "invite", NOW, NOW).startswith("campaign_"), status


def test_waits_end_within_the_open_hours_of_sender_and_campaign() -> None:
    """After hours it is the next working day; hours that never meet need someone."""
    tuesday = datetime(2026, 3, 3, 9, tzinfo=UTC)
    assert waits(SENDER, CAMPAIGN, "message", NOW + timedelta(hours=12), NOW) == ("not_due", tuesday)
    friday, monday = datetime(2026, 3, 6, 18, tzinfo=UTC), datetime(2026, 3, 9, 9, tzinfo=UTC)
    assert waits(SENDER, CAMPAIGN, "invite", friday, friday) == ("sender_hours", monday)
    narrow = replace(CAMPAIGN, window=Window("UTC", (2,), "14:00", "15:00"))
    assert waits(SENDER, narrow, "invite", NOW, NOW) == ("campaign_hours", tuesday.replace(hour=14))
    saturday = replace(CAMPAIGN, window=Window("UTC", (6,), "09:00", "10:00"))
    why = planner.decide(SENDER, saturday, "invite", NOW, NOW)
    assert why is not None
    assert (why.code, why.until, why.who) == ("never_open", None, "you")
    assert planner.decide(SENDER, CAMPAIGN, "invite", NOW, NOW) is None


def test_a_spent_budget_frees_when_the_window_rolls_and_leaves_the_others_open() -> None:
    spent = replace(SENDER, usage=used(invite=15))
    assert waits(spent, CAMPAIGN, "invite", NOW, NOW) == ("daily_limit", NOW + timedelta(hours=4))
    assert planner.decide(spent, CAMPAIGN, "visit", NOW, NOW) is None


def test_limits_of_all_actions_of_a_week_and_for_openers_hold() -> None:
    """A text of several parts fits into the day or waits. The rules of limits have tests of their own."""
    full = replace(SENDER, usage=used(visit=35, message=25, like=15, follow=15), limits={**SENDER.limits, "visit": 80})
    assert why_not(full, CAMPAIGN, "invite", NOW, NOW) == "all_limit"
    week = replace(SENDER, usage=Usage({}, WindowUsage(80, 0, NOW - timedelta(days=6))))
    assert waits(week, CAMPAIGN, "invite", NOW, NOW) == ("weekly_limit", NOW + timedelta(days=1))
    target = SENDER.target("message", NOW)
    followed = Usage({"message": WindowUsage(target - 5, target - 5, NOW - timedelta(hours=20))})
    followed_up = replace(SENDER, usage=followed)
    assert planner.decide(followed_up, CAMPAIGN, "message", NOW, NOW) is None
    assert why_not(followed_up, CAMPAIGN, "message", NOW, NOW, keep_for_openers=True) == "kept_for_openers"
    nearly = replace(SENDER, usage=used(message=target - 1))
    assert planner.decide(nearly, CAMPAIGN, "message", NOW, NOW) is None
    assert planner.decide(nearly, CAMPAIGN, "message", NOW, NOW, parts=2) is not None


def test_the_network_is_obeyed() -> None:
    for budget in ("invite", "withdraw"):
        rests = replace(SENDER, rests={budget: NOW + timedelta(days=7)})
        why = planner.decide(rests, CAMPAIGN, budget, NOW, NOW)
        assert why is not None
        assert (why.code, why.until, why.who) == ("network_limit", NOW + timedelta(days=7), "network")


def test_low_acceptance_halves_invitations_and_then_stops_them() -> None:
    """What was measured is so until the next day. Too many open invitations wait for withdrawals."""
    half = replace(SENDER, health={"decided": 20, "accepted": 5})
    assert half.target("invite", NOW) <= 8
    few = replace(SENDER, health={"decided": 19, "accepted": 0})
    assert few.target("invite", NOW) > 8
    tomorrow = datetime(2026, 3, 3, 9, tzinfo=UTC)
    none, pending = (replace(SENDER, health=one) for one in ({"decided": 20, "accepted": 2}, {"pending": 500}))
    assert waits(none, CAMPAIGN, "invite", NOW, NOW) == ("low_acceptance", tomorrow)
    assert waits(pending, CAMPAIGN, "invite", NOW, NOW) == ("pending_invites", tomorrow)
    assert planner.decide(pending, CAMPAIGN, "withdraw", NOW, NOW) is None


def test_nothing_begins_at_the_end_date_or_later() -> None:
    ended = planner.decide(SENDER, replace(CAMPAIGN, end_date=NOW), "invite", NOW, NOW)
    assert ended is not None
    assert ended.code == "campaign_ended"
    ends = NOW + timedelta(hours=3)
    for due in (ends, ends + timedelta(days=1)):
        assert waits(SENDER, replace(CAMPAIGN, end_date=ends), "invite", due, NOW) == ("ends_before", ends)
    assert planner.decide(SENDER, replace(CAMPAIGN, end_date=ends), "invite", NOW, NOW) is None


def test_what_was_done_long_ago_by_then_does_not_forbid_it() -> None:
    """Asked about the day after tomorrow, today's actions have left the window."""
    due = NOW + timedelta(days=2)
    assert waits(replace(SENDER, usage=used(invite=15)), CAMPAIGN, "invite", due, NOW) == ("not_due", due)


def test_daily_targets_vary_below_the_limit_and_are_the_same_when_asked_again() -> None:
    targets = [SENDER.target("invite", NOW + timedelta(days=day)) for day in range(60)]
    assert max(targets) <= 15
    assert min(targets) >= 10
    assert len(set(targets)) > 3
    assert targets == [replace(SENDER).target("invite", NOW + timedelta(days=day)) for day in range(60)]


def test_pauses_are_minutes_apart_and_parts_of_one_text_close() -> None:
    moments = [NOW + timedelta(seconds=number) for number in range(500)]
    invites = [planner.gap_after(1, "social", "invite", False, at) - at for at in moments]
    views = [planner.gap_after(1, "social", "visit", False, at) - at for at in moments]
    parts = [planner.gap_after(1, "social", "message", True, at) - at for at in moments]
    assert timedelta(minutes=3) <= min(invites)
    assert max(invites) <= timedelta(minutes=8)
    assert timedelta(minutes=2) <= min(views) < timedelta(minutes=3)
    assert max(parts) <= timedelta(minutes=1)


PACED = replace(SENDER, paced=True)


def acted_until_the_end_of(day: datetime) -> list[datetime]:
    """The moments at which the paced sender invites on that day, when someone is always due."""
    at, acts = day, list[datetime]()
    while at < day + timedelta(days=1):
        today = {(at.date(), "invite"): sum(one.date() == at.date() for one in acts)}
        lately = [one for one in acts if one > at - timedelta(hours=24)]
        window = WindowUsage(len(lately), 0, lately[0]) if lately else WindowUsage()
        usage = Usage({"invite": window}, today=today)
        why = planner.decide(replace(PACED, usage=usage), CAMPAIGN, "invite", day, at)
        if why is None:
            acts.append(at)
            at = planner.gap_after(PACED.id, "social", "invite", False, at)
        else:
            assert why.until is not None
            assert why.until > at
            at = why.until
    return [act for act in acts if act < day + timedelta(days=1)]


def test_a_paced_sender_uses_its_target_up_by_the_end_of_the_day() -> None:
    lasts = []
    for number in (0, 1, 2, 3, 7, 8, 9):
        day = datetime(2026, 3, 2, tzinfo=UTC) + timedelta(days=number)
        acts = acted_until_the_end_of(day)
        assert PACED.target("invite", day) - 1 <= len(acts) <= PACED.target("invite", day)
        lasts.append(acts[-1].hour)
    assert sorted(lasts)[len(lasts) // 2] >= 16


def test_a_paced_sender_catches_up_and_finishes_a_text_begun() -> None:
    """At three in the afternoon most of the day's moments have passed, so that only the gap keeps it."""
    afternoon = NOW.replace(hour=15)
    assert planner.decide(PACED, CAMPAIGN, "invite", NOW, afternoon) is None
    early = NOW.replace(hour=9, minute=0, second=1)
    assert why_not(PACED, CAMPAIGN, "message", early, early) == "pace"
    assert planner.decide(PACED, CAMPAIGN, "message", early, early, continues=True) is None


LONDON = Place("GB", "Europe/London", 1.0)
AT_LUNCH = replace(
    CAMPAIGN, window=Window("UTC", (1, 2, 3, 4, 5), "12:00", "14:00"), recipient_time=True, holidays=False
)


def first_moment(sender: SenderView, at: datetime) -> datetime:
    """When the sender may write to someone in London, asked at `at`."""
    why = planner.recipient_wait(sender, AT_LUNCH, LONDON, at)
    return why.until or at if why else at


def test_no_one_is_written_to_in_the_first_second_of_their_own_hours() -> None:
    """Whether that is asked before their hours, as they open, or a little later; and each sender begins at its own."""
    noon = NOW.replace(hour=12)
    first = first_moment(PACED, NOW)
    assert noon < first <= noon + timedelta(minutes=12)
    assert {first_moment(PACED, at) for at in (noon, first - timedelta(microseconds=1))} == {first}
    assert first_moment(PACED, first) == first
    assert first_moment(replace(PACED, id=2), noon) != first
    assert first_moment(SENDER, noon) == noon


def test_no_two_senders_begin_with_the_new_people_of_a_day_in_one_second() -> None:
    """A campaign's day may begin within the hours of its senders, who all wait for it."""
    everyday = Window("Pacific/Auckland", (1, 2, 3, 4, 5, 6, 7), "00:00", "23:59")
    full = replace(CAMPAIGN, window=everyday, new_per_day=1, begun=(NOW.date(), 1))
    midnight = NOW.replace(hour=11)
    moments = []
    for sender in (SENDER, PACED, replace(PACED, id=2)):
        why = planner.decide(sender, full, "invite", NOW, NOW, begins=True)
        assert why
        assert why.until
        moments.append(why.until)
    assert moments[0] == midnight
    assert min(moments[1:]) > midnight
    assert moments[1] != moments[2]
    why = planner.decide(PACED, full, "invite", midnight, midnight, begins=True)
    assert why
    assert why.until == moments[1]


def test_a_sender_who_begins_the_day_then_is_late_only_once() -> None:
    """The day itself begins late, for everyone."""
    starts_at_noon = replace(PACED, window=replace(WEEK, start="12:00"))
    assert first_moment(starts_at_noon, NOW.replace(hour=12)) == NOW.replace(hour=12)

"""Limits: how much a sender may do in a day and a week, however much it is allowed to."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from app.domain.rules import limits
from app.domain.rules.limits import (
    ALL_SOCIAL,
    DAY,
    HARD_CAPS,
    SEARCH_LIMITS,
    SEARCH_PAGE,
    WEEK,
    Throttle,
    Usage,
    WindowUsage,
    search_target,
    search_throttle,
)
from app.models.accounts import Account

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
DAYS = [date(2026, 1, 1) + timedelta(days=number) for number in range(100)]
HOUR = timedelta(hours=1)


def target(budget: str, limit: int, day: date = DAYS[0], health: Mapping[str, int] | None = None) -> int:
    """Return what a grown sender does on that day."""
    return limits.target(budget, limit, account_id=1, day=day, ramp_from=None, at=NOW, health=health or {})


def closed(budget: str, usage: Usage, *, limit: int = 15, today: int = 15, **more: Any) -> tuple[str, Any] | None:
    """Return why and until when the budget is closed."""
    found = limits.throttle(
        budget, today, usage, limit=limit, health=more.pop("health", {}), rests_until=None, at=NOW, **more
    )
    return (found.code, found.until) if found else None


def test_new_accounts_and_mailboxes_grow_into_their_limits() -> None:
    at = [limits.ramp("invite", 15, NOW, NOW + timedelta(days=day)) for day in range(16)]
    assert at[0] == pytest.approx(3)
    assert at == sorted(at)
    assert at[14] == at[15] == 15
    assert [limits.ramp("email", 50, NOW, NOW + timedelta(days=day)) for day in (0, 1, 8, 30)] == [10, 15, 50, 50]
    assert limits.ramp("invite", 15, NOW + DAY, NOW) == pytest.approx(3)
    young, grown = (Account(limits={"email": 50}, ramp_from=since) for since in (NOW, None))
    for senders, days, said in (
        ([young], 0, f"10 emails a day for now, 50 from {(NOW + 8 * DAY).day} {NOW + 8 * DAY:%B}"),
        ([young, grown], 1, f"65 emails a day for now, 100 from {(NOW + 8 * DAY).day} {NOW + 8 * DAY:%B}"),
        ([young, grown], 8, "100 emails a day"),
    ):
        assert limits.pace("email", senders, NOW + days * DAY).said("emails") == said


def test_limits_that_are_too_high_one_or_zero_and_few_acceptances() -> None:
    """A limit is cut to what is safe; the day's target stays within 70 to 100 % of that, a tenth less on Fridays."""
    for budget in HARD_CAPS:
        targets = [target(budget, 10_000, day) for day in DAYS]
        assert max(targets) <= HARD_CAPS[budget], budget
        assert min(targets) >= round(HARD_CAPS[budget] * 0.7 * 0.9), budget
    assert {target("invite", 1, day) for day in DAYS} == {1}
    assert {target("invite", 0, day) for day in DAYS} == {0}
    assert closed("invite", Usage(), limit=0, today=0) == ("limit_zero", None)
    poor = {"decided": 100, "accepted": 10}
    assert target("invite", 15, health=poor) == 0
    assert target("message", 30, health=poor) == target("message", 30)


def test_the_week_grows_with_the_daily_limit_up_to_what_is_safe() -> None:
    for limit, most in [(5, 80), (15, 80), (20, 106), (35, 150)]:
        first = NOW - 6 * DAY
        assert closed("invite", Usage({}, WindowUsage(most - 1, 0, first)), limit=limit) is None, limit
        assert closed("invite", Usage({}, WindowUsage(most, 0, first)), limit=limit) == (
            "weekly_limit",
            first + WEEK,
        ), limit


def test_all_actions_on_the_network_are_counted_together_and_no_emails() -> None:
    """They free when the first of any kind is a day old."""
    busy = Usage({"visit": WindowUsage(ALL_SOCIAL, 0, NOW - HOUR)}, WindowUsage(500, 0, NOW - DAY))
    assert closed("email", busy) is None
    assert closed("like", busy) == ("all_limit", NOW - HOUR + DAY)
    usage = Usage({"visit": WindowUsage(40, 0, NOW - 3 * HOUR), "message": WindowUsage(50, 0, NOW - 9 * HOUR)})
    assert usage.all_day == WindowUsage(90, 0, NOW - 9 * HOUR)
    assert closed("invite", usage) == ("all_limit", NOW + 15 * HOUR)


def test_long_texts_and_follow_ups_are_not_stuck_for_ever() -> None:
    """They go out on a day with nothing else; a quarter of one is not the whole of it."""
    assert closed("message", Usage(), today=2, parts=5) is None
    assert closed("message", Usage({"message": WindowUsage(1, 0, NOW - HOUR)}), today=2, parts=5) == (
        "daily_limit",
        NOW + 23 * HOUR,
    )
    assert closed("message", Usage(), today=1, keep_for_openers=True) is None
    followed = Usage({"message": WindowUsage(3, 3, NOW - HOUR)})
    assert closed("message", followed, today=4, keep_for_openers=True) == ("kept_for_openers", NOW + 23 * HOUR)


def test_searches_have_a_limit_a_pause_and_a_rest_of_their_own() -> None:
    """The target of a day stays below the limit; what blocks says until when."""
    at = NOW
    for product, limit in SEARCH_LIMITS.items():
        drawn = [search_target(product, account_id=one, day=at.date(), ramp_from=None, at=at) for one in range(50)]
        assert 0.69 * limit <= min(drawn) < max(drawn) <= limit
        young = search_target(product, account_id=1, day=at.date(), ramp_from=at, at=at)
        assert SEARCH_PAGE[product] <= young <= 0.2 * limit

    def asked(used: WindowUsage, last_at: datetime | None = None, rests: str = "") -> Throttle | None:
        return search_throttle(400, used, 10, last_at=last_at, account_id=1, rests=rests, at=at)

    first = at - timedelta(hours=20)
    assert asked(WindowUsage(390, 0, first)) is None
    assert asked(WindowUsage(391, 0, first)) == Throttle("daily_limit", first + timedelta(hours=24))
    until = at + timedelta(hours=1)
    assert asked(WindowUsage(), rests=until.isoformat()) == Throttle("network_limit", until)
    assert asked(WindowUsage(), rests=at.isoformat()) is None
    paused = asked(WindowUsage(), at - timedelta(seconds=14))
    assert paused
    assert paused.code == "gap"
    assert asked(WindowUsage(), at - timedelta(seconds=41)) is None

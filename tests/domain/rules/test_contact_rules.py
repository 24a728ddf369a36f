"""Contact rules: each reason by itself, their order, and that a later answer is never looser by itself."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from app.domain.rules.contact_rules import DAY, Answer, Caps, ContactRules, Facts, Verdict, verdict

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
OURS, CAPS, FREE = ContactRules(), Caps(), Caps(0, 0, 0, 0)


def days(number: float) -> datetime:
    """So many days ago."""
    return NOW - timedelta(days=number)


@dataclass(frozen=True)
class Case:
    """What is known, the rule that asks for it, and the rule switched off."""

    code: str
    facts: Facts
    on: ContactRules = OURS
    off: ContactRules | None = None
    effect: str = "exclude"


CASES = [
    Case("never_contact", Facts(never="ada@quill.example")),
    Case("said_no", Facts(answer=Answer.NEGATIVE, replied_at=days(400)), off=OURS._replace(said_no=False)),
    Case("asked_to_wait", Facts(come_back_at=days(-60)), off=OURS._replace(said_no=False)),
    Case("replied_before", Facts(replied_at=days(400), answer=Answer.POSITIVE), off=OURS._replace(replied=False)),
    Case("other_conversation", Facts(colleague="Ben"), off=OURS._replace(colleague_talks=False)),
    Case("active_elsewhere", Facts(busy_in="Spring")),
    Case("contacted_lately", Facts(contacted_at=days(89)), off=OURS._replace(contacted_days=0)),
    Case("in_excluded_list", Facts(listed="Customers")),
    Case("in_excluded_campaign", Facts(enrolled="Spring")),
    Case("has_excluded_tag", Facts(tagged="Customer")),
    Case("company_contacted", Facts(company_contacted_at=days(29)), OURS._replace(company_days=30), OURS),
    Case("company_held", Facts(held="Quillstack"), effect="hold"),
]


def test_each_reason_by_itself_and_set_aside() -> None:
    """What an owner set aside counts no more, but for the do-not-contact list."""
    for case in CASES:
        found = verdict(case.facts, case.on, CAPS, NOW)
        assert found is not None, case
        assert (found.code, found.effect) == (case.code, case.effect), case
        if case.off:
            rest = verdict(case.facts, case.off, CAPS, NOW)
            assert rest is None or (rest.code == "replied_before" and case.facts.replied_at), case
    for case in CASES:
        found = verdict(
            case.facts, case.on._replace(replied=case.code == "replied_before"), CAPS, NOW, let_in=[case.code]
        )
        assert (found.code if found else "") == ("never_contact" if case.code == "never_contact" else ""), case


def test_the_days_end_to_the_moment() -> None:
    for number, code in ((90, ""), (89.99, "contacted_lately")):
        found = verdict(Facts(contacted_at=days(number)), OURS, CAPS, NOW)
        assert (found.code if found else "") == code
    found = verdict(Facts(come_back_at=NOW), OURS, CAPS, NOW)
    assert found is None


def test_a_campaign_that_contacted_them_goes_on_but_an_answer_counts() -> None:
    """Whatever lists and other campaigns say."""
    later = Facts(contacted_at=days(1), listed="Customers", enrolled="Spring", tagged="vip", company_contacted_at=NOW)
    rules = OURS._replace(company_days=30)
    assert verdict(later, rules, CAPS, NOW) is not None
    assert verdict(later, rules, CAPS, NOW, first=False) is None
    for facts in (Facts(replied_at=days(1)), Facts(held="Quillstack"), Facts(never="x"), Facts(come_back_at=days(-1))):
        assert verdict(facts, OURS, CAPS, NOW, first=False) is not None


def test_the_first_reason_in_the_order_of_the_rules_is_given() -> None:
    merged: dict[str, Any] = {}
    for case in CASES:
        merged |= {name: value for name, value in case.facts._asdict().items() if value}
    facts, rules = Facts(**merged)._replace(answer=Answer.NEGATIVE), OURS._replace(company_days=30)
    order, aside = [], []
    facts = facts._replace(never="")
    while found := verdict(facts, rules, CAPS, NOW, let_in=aside):
        order.append(found.code)
        aside.append(found.code)
    assert order == [case.code for case in CASES if case.code != "never_contact"]


def test_a_person_is_contacted_once_a_day_and_four_times_in_fourteen_days() -> None:
    found = verdict(Facts(touches=(NOW - timedelta(hours=5),)), OURS, CAPS, NOW)
    assert found == Verdict("touch_cap_day", "wait", "1", NOW - timedelta(hours=5) + DAY)
    assert verdict(Facts(touches=(NOW - DAY,)), OURS, CAPS, NOW) is None
    touches = (days(13), days(9), days(6), days(3))
    found = verdict(Facts(touches=touches), OURS, CAPS, NOW)
    assert found == Verdict("touch_cap", "wait", "4", days(13) + timedelta(days=14))
    assert verdict(Facts(touches=touches[1:]), OURS, CAPS, NOW) is None
    assert verdict(Facts(touches=touches), OURS, FREE, NOW) is None


def test_a_company_has_room_for_five_at_once_but_takes_no_one_off() -> None:
    full = Facts(company_people=5)
    found = verdict(full, OURS, CAPS, NOW)
    assert found is not None
    assert (found.code, found.effect) == ("company_full", "wait")
    assert verdict(full, OURS, CAPS, NOW, first=False) is None
    assert verdict(Facts(company_people=4), OURS, CAPS, NOW) is None


def test_what_is_kept_by_older_versions_is_read_and_what_is_unknown_passed_over() -> None:
    kept = {"contacted_days": 30, "tags": ["vip"], "company_stop": False, "gone": 1}
    assert ContactRules.of(kept) == ContactRules(contacted_days=30, tags=("vip",))
    assert ContactRules.of(None) == ContactRules()
    assert Caps.of({"touches": 2, "gone": 1}) == Caps(touches=2)


unhurried = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
STRICTNESS = {"": 0, "wait": 1, "hold": 2, "exclude": 3}
moments = st.integers(-200, 200).map(lambda hours: NOW + timedelta(hours=hours * 12))
past = st.integers(0, 300).map(lambda half_days: NOW - timedelta(hours=half_days * 12))
names = st.sampled_from(["", "one", "two"])
histories = st.builds(
    Facts,
    never=st.sampled_from(["", "", "", "entry"]),
    answer=st.sampled_from(list(Answer)),
    replied_at=st.none() | past,
    come_back_at=st.none() | moments,
    colleague=names,
    busy_in=names,
    contacted_at=st.none() | past,
    listed=names,
    enrolled=names,
    tagged=names,
    company_contacted_at=st.none() | past,
    held=names,
    touches=st.lists(past, max_size=6).map(lambda found: tuple(sorted(found))),
    company_people=st.integers(0, 7),
)
all_rules = st.builds(
    ContactRules,
    contacted_days=st.integers(0, 120),
    replied=st.booleans(),
    said_no=st.booleans(),
    colleague_talks=st.booleans(),
    company_days=st.integers(0, 60),
)
all_caps = st.builds(Caps, st.integers(0, 5), st.integers(1, 30), st.integers(0, 3), st.integers(0, 6))


def strictness(found: Verdict | None) -> int:
    """How much an answer forbids."""
    return STRICTNESS[found.effect if found else ""]


def happens(facts: Facts, more: Facts, at: datetime) -> Facts:
    """What is known after something happened: nothing that was known goes away."""
    known = {name: value or new for (name, value), new in zip(facts._asdict().items(), more, strict=True)}
    for name in ("replied_at", "come_back_at", "contacted_at", "company_contacted_at"):
        known[name] = max(filter(None, (getattr(facts, name), getattr(more, name))), default=None)
    touches = {*facts.touches, *(touch for touch in more.touches if touch <= at)}
    known |= {"answer": more.answer or facts.answer, "touches": tuple(sorted(touches))}
    return Facts(**known | {"company_people": max(facts.company_people, more.company_people)})


@unhurried
@given(histories, histories, all_rules, all_caps)
def test_what_happens_in_between_makes_the_later_answer_stricter_or_leaves_it(
    facts: Facts, more: Facts, rules: ContactRules, caps: Caps
) -> None:
    later = happens(facts, more, NOW)
    assume(later.answer == Answer.NEGATIVE or facts.answer != Answer.NEGATIVE)  # a yes after a no is their own word
    before, after = verdict(facts, rules, caps, NOW), verdict(later, rules, caps, NOW)
    assert strictness(after) >= strictness(before)
    if before and after and before.effect == after.effect == "wait" and before.code == after.code:
        assert before.until is not None
        assert after.until is not None
        assert after.until >= before.until


@unhurried
@given(histories, all_rules, all_caps, st.integers(1, 400))
def test_only_what_has_a_term_ends_by_itself(facts: Facts, rules: ContactRules, caps: Caps, half_days: int) -> None:
    later = NOW + timedelta(hours=12 * half_days)
    before, after = verdict(facts, rules, caps, NOW), verdict(facts, rules, caps, later)
    assert strictness(after) <= strictness(before)
    if strictness(after) < strictness(before):
        assert before is not None
        assert before.code in {"asked_to_wait", "contacted_lately", "company_contacted", "touch_cap", "touch_cap_day"}


@unhurried
@given(histories, all_rules, all_caps)
def test_at_the_end_of_a_wait_that_cap_is_free(facts: Facts, rules: ContactRules, caps: Caps) -> None:
    found = verdict(facts, rules, caps, NOW)
    if found and found.until and found.code.startswith("touch_cap"):
        after = verdict(facts, rules, caps, found.until)
        assert after is None or after.code != found.code


@unhurried
@given(histories, all_rules, all_caps, st.sampled_from([case.code for case in CASES]))
def test_a_reason_set_aside_never_makes_an_answer_stricter(
    facts: Facts, rules: ContactRules, caps: Caps, code: str
) -> None:
    before, after = verdict(facts, rules, caps, NOW), verdict(facts, rules, caps, NOW, let_in=[code])
    assert strictness(after) <= strictness(before)
    if facts.never:
        assert after is not None
        assert after.code == "never_contact"

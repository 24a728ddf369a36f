"""What was asked before a contact, in words: the same questions, in the same order, with the same answers."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.domain.privacy import contact_words
from app.domain.rules.contact_rules import BY_HAND, DAY, Answer, Caps, ContactRules, Facts, by_hand, verdict
from app.domain.rules.reasons import REASONS
from tests.domain.rules.test_contact_rules import NOW as AT
from tests.domain.rules.test_contact_rules import histories

ALL = ContactRules(company_days=30, list_ids=(1,), campaign_ids=(1,), tags=("vip",))
rules = st.sampled_from([ContactRules(), ALL, ContactRules(0, replied=False, said_no=False, colleague_talks=False)])
caps = st.sampled_from([Caps(), Caps(0, 14, 0, 0), Caps(2, 7, 2, 1)])
EVERYTHING = Facts(
    *("never", Answer.NEGATIVE, AT, AT + DAY, "colleague", "busy", "customer", "deal", AT, "list", "campaign", "tag"),
    *(AT, "held", "opt-out", (AT,) * 9, 9),
)


def told(seen: Facts, asked: ContactRules, capped: Caps, first: bool) -> list[contact_words.Line]:
    """The lines of a contact record."""
    kept = {"rules": asked._asdict() | capped._asdict(), "saw": seen.told(), "first": first, "let_in": []}
    return contact_words.lines(kept, AT)


@given(histories, rules, caps, st.booleans())
def test_the_first_yes_is_the_reason_of_the_verdict(
    seen: Facts, asked: ContactRules, capped: Caps, first: bool
) -> None:
    listed, enrolled = seen.listed if asked.list_ids else "", seen.enrolled if asked.campaign_ids else ""
    seen = seen._replace(listed=listed, enrolled=enrolled, tagged=seen.tagged if asked.tags else "")  # as gathered
    found = verdict(seen, asked, capped, AT, first=first)
    hits = [line.code for line in told(seen, asked, capped, first) if line.hit]
    assert hits[:1] == ([found.code] if found else [])


def test_whatever_keeps_from_a_contact_has_its_words_by_campaign_and_by_hand() -> None:
    """A reason without them would end in an error in the person's export, which every fact must survive."""
    assert all(EVERYTHING), "a fact is missing here"
    for name, value in EVERYTHING._asdict().items():
        seen = Facts()._replace(**{name: value})
        found = verdict(seen, ALL, Caps(), AT)
        assert found is not None, name
        assert found.code in {line.code for line in told(seen, ALL, Caps(), True) if line.hit}, name
    never, warnings = by_hand(EVERYTHING, AT)
    kept = {"rules": {"by_hand": True}, "saw": EVERYTHING.told(), "first": True, "let_in": []}
    lines = contact_words.lines(kept, AT)
    assert tuple(line.code for line in lines if line.hit) == BY_HAND
    assert {one.code for one in (never, *warnings) if one} == {*BY_HAND}
    every = [*told(EVERYTHING, ALL, Caps(), True), *lines]
    assert {line.code for line in every} <= REASONS.keys()
    assert all(line.hit for line in every)


def test_a_line_says_what_was_seen() -> None:
    for seen, code, answer in [
        (Facts(), "replied_before", "No"),
        (Facts(replied_at=AT - timedelta(days=1)), "replied_before", "Yes: 2026-03-01"),
        (Facts(never="wool.example"), "never_contact", "Yes: wool.example"),
        (Facts(touches=(AT - timedelta(hours=2),)), "touch_cap_day", "Yes: once"),
        (Facts(company_people=7), "company_full", "Yes: 7"),
    ]:
        assert {line.code: line.answer for line in told(seen, ContactRules(), Caps(), True)}[code] == answer, seen


def test_what_an_owner_set_aside_is_said() -> None:
    kept = {
        "rules": ALL._asdict() | Caps()._asdict(),
        "saw": Facts(listed="VIP").told(),
        "let_in": ["in_excluded_list"],
    }
    (line,) = [one for one in contact_words.lines(kept, AT) if one.hit]
    assert (line.code, line.answer, line.set_aside) == ("in_excluded_list", "Yes: VIP", True)

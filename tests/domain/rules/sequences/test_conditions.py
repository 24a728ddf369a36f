"""What conditions ask, and how they are told."""

from datetime import UTC, datetime, timedelta

from app.domain.autopilot.monitors.watched_signals import SIGNALS as WATCHED
from app.domain.billing.credits import SIGNAL_PRICES
from app.domain.rules.next_step import LeadStatus
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.conditions import SIGNALS, PersonFacts

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
WEEK = {"value": 7, "unit": "days"}
UNKNOWN = LeadStatus(1, 2, "none", None, None, False, False, None)
INVITED = UNKNOWN._replace(connection="sent", invited_at=NOW)
ACCEPTED = INVITED._replace(connection="accepted", accepted_at=NOW)
WITHDRAWN = INVITED._replace(connection="none")
KNOWN = UNKNOWN._replace(
    has_email=True,
    facts=PersonFacts(
        True,
        frozenset({"vip"}),
        {"tier": "Gold", "seats": 40, "empty": " "},
        frozenset({"hiring"}),
        frozenset({"sales_navigator", "mailbox"}),
        True,
        "Head of HR, Christian Brothers",
        "Kaffeerösterei Hartmann GmbH",
        "Leipzig",
    ),
)


def test_what_is_known_of_a_person_answers_at_once() -> None:
    for condition, known, unknown in [
        ({"is": "has_email"}, True, False),
        ({"is": "has_profile"}, True, False),
        ({"is": "connected"}, False, False),
        ({"is": "has_phone"}, True, False),
        ({"is": "title", "value": "hr"}, True, False),
        ({"is": "title", "value": "head  of HR"}, True, False),
        ({"is": "title", "value": "Christ"}, False, False),
        ({"is": "title", "value": "?"}, False, False),
        ({"is": "company", "value": "kaffeerosterei"}, True, False),
        ({"is": "company", "value": "Hart"}, False, False),
        ({"is": "country", "value": "Deutschland"}, True, False),
        ({"is": "country", "value": "Austria"}, False, False),
        ({"is": "tag", "value": "VIP"}, True, False),
        ({"is": "tag", "value": "vi"}, False, False),
        ({"is": "custom_field", "name": "tier"}, True, False),
        ({"is": "custom_field", "name": "tier", "equals": "gold "}, True, False),
        ({"is": "custom_field", "name": "tier", "equals": "silver"}, False, False),
        ({"is": "custom_field", "name": "seats", "equals": "40"}, True, False),
        ({"is": "custom_field", "name": "empty"}, False, False),
        ({"is": "signal", "kind": "hiring"}, True, False),
        ({"is": "signal", "kind": "funding"}, False, False),
        ({"is": "sender", "value": "sales_navigator"}, True, False),
        ({"is": "sender", "value": "basic"}, False, False),
        ({"is": "sender", "value": "mailbox"}, True, False),
    ]:
        for standing, holds in ((KNOWN, known), (UNKNOWN, unknown)):
            assert conditions.ask(condition, standing, NOW) == (holds, None), condition
            assert conditions.ask({**condition, "not": True}, standing, NOW) == (not holds, None), condition


def test_an_acceptance_is_waited_for_while_the_invitation_is_young() -> None:
    for standing, after, holds, waits in [
        (UNKNOWN, 0, False, False),
        (INVITED, 0, False, True),
        (INVITED, 6.9, False, True),
        (INVITED, 7, False, False),
        (INVITED, 30, False, False),
        (WITHDRAWN, 1, False, False),
        (ACCEPTED, 1, True, False),
        (ACCEPTED, 30, True, False),  # who accepted before they were asked is on the side of those who did
    ]:
        condition = {"is": "accepted", "within": WEEK}
        until = NOW + timedelta(days=7) if waits else None
        at = NOW + timedelta(days=after)
        assert conditions.ask(condition, standing, at) == (holds, until), standing
        assert conditions.ask({**condition, "not": True}, standing, at) == (not holds and not waits, until), standing


def test_connected_is_who_accepted_and_all_conditions_must_hold() -> None:
    """One that fails ends the wait."""
    assert conditions.ask({"is": "connected"}, ACCEPTED, NOW).holds
    assert conditions.ask({"is": "connected"}, ACCEPTED._replace(invited_at=None), NOW).holds
    assert not conditions.ask({"is": "connected"}, INVITED, NOW).holds
    accepted, vip = {"is": "accepted", "within": WEEK}, {"is": "tag", "value": "vip"}
    assert conditions.ask({"all": [accepted, vip]}, INVITED, NOW) == (False, None)
    tagged = INVITED._replace(facts=PersonFacts(tags=frozenset({"vip"})))
    assert conditions.ask({"all": [accepted, vip]}, tagged, NOW) == (False, NOW + timedelta(days=7))
    assert conditions.ask({"all": [accepted, vip]}, tagged._replace(connection="accepted"), NOW).holds


def test_a_condition_is_told_for_those_it_holds_for_and_for_the_others() -> None:
    for condition, yes, no in [
        ({"is": "has_email"}, "has an email address", "has no email address"),
        ({"is": "has_phone"}, "has a phone number", "has no phone number"),
        ({"is": "title", "value": "HR"}, "has a job title containing “HR”", "has no job title containing “HR”"),
        (
            {"is": "company", "value": "AG"},
            "works at a company with “AG” in its name",
            "does not work at a company with “AG” in its name",
        ),
        ({"is": "country", "value": "Spain"}, "is in Spain", "is not in Spain"),
        ({"is": "connected"}, "is connected", "is not connected"),
        ({"is": "accepted", "within": WEEK}, "accepted within 7 days", "did not accept within 7 days"),
        (
            {"is": "accepted", "within": {"value": 1, "unit": "hours"}},
            "accepted within 1 hour",
            "did not accept within 1 hour",
        ),
        ({"is": "tag", "value": "vip"}, "has the tag vip", "does not have the tag vip"),
        ({"is": "custom_field", "name": "tier"}, "has a value for tier", "has no value for tier"),
        ({"is": "custom_field", "name": "tier", "equals": "gold"}, "has gold as tier", "does not have gold as tier"),
        ({"is": "signal", "kind": "jobChange"}, "has the signal job change", "has no signal job change"),
        (
            {"is": "sender", "value": "basic"},
            "has a sender without Sales Navigator",
            "does not have a sender without Sales Navigator",
        ),
    ]:
        assert (conditions.in_words(condition), conditions.in_words(condition, holds=False)) == (yes, no), condition
        opposite = {**condition, "not": True}
        assert (conditions.in_words(opposite), conditions.in_words(opposite, holds=False)) == (no, yes), condition


def test_several_conditions_are_told_together_and_signals_are_those_that_can_be_found() -> None:
    several = {"all": [{"is": "has_email"}, {"is": "connected"}]}
    assert conditions.in_words(several) == "has an email address and is connected"
    assert conditions.in_words(several, holds=False) == "everyone else"
    assert {*SIGNALS} == {*SIGNAL_PRICES} | {*WATCHED}

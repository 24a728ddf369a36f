"""The gate before every action: what may still be done, and the text as one person gets it."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import transaction
from app.domain.campaigns import campaigns
from app.domain.engine.outbound import begin, selection
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.ledger import usage
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import CampaignLead, LeadState
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    begun,
    email,
    everyone,
    forward,
    ledger,
    message,
    only,
    put,
    takes_in,
    the_account,
    the_intent,
)
from tests.support.movable import Movable

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]


def test_an_action_is_in_the_ledger_before_it_is_sent(acme: Workspace, rival: Workspace) -> None:
    a_campaign(rival, ["ignores-ada"])
    campaign = a_campaign(acme, ["ignores-ada"], [{**INVITE, "message": "Hello {{first_name}}"}])
    intent = the_intent(begun(acme))
    (action,) = ledger(acme)
    assert (action.state, action.text, action.token, action.attempts) == (
        "sending",
        "Hello Ada",
        intent.action.token,
        1,
    )
    assert action.check_at is not None
    assert (only(campaign).due_at, only(campaign).reason) == (None, "in_flight")
    assert acts(acme) == []
    assert ledger(rival) == []


def test_a_token_names_one_action_of_one_workspace(acme: Workspace) -> None:
    tokens = {
        begin.idempotency_token(workspace, person, step, part)
        for workspace in (1, 2)
        for person in (1, 2)
        for step in (-1, 0, 1)
        for part in (0, 1)
    }
    assert len(tokens) == 24
    assert begin.idempotency_token(1, 1, 0, 0) in tokens


@pytest.mark.parametrize("verb", ["pause", "stop", "exclude", "answer", "campaign", "wait"])
def test_what_happened_between_choosing_and_intending_is_seen(acme: Workspace, verb: str) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [VIEW])
    at = acme.now()
    with transaction() as current:
        account = current.scalars(
            sa.select(Account).where(Account.workspace_id == acme.id).order_by(Account.id)
        ).first()
        assert account is not None
        choice = selection.pick_next(usage.views([account], at), at)[account.id]
        assert choice.candidate is not None
    person = only(campaign)
    happens: dict[str, Any] = {
        "pause": lambda: campaign_leads.pause(acme, campaign.id, person.id),
        "stop": lambda: campaign_leads.stop(acme, campaign.id, person.id),
        "exclude": lambda: never_contact.add(acme, [("person", "ignores-ada")]),
        "answer": lambda: takes_in(acme, account, Received("ignores-ada", "message", "Hello", at, "hello")),
        "campaign": lambda: campaigns.pause(acme, campaign.id),
        "wait": lambda: put(campaign, due_at=at.replace(hour=23)),
    }
    happens[verb]()
    with transaction():
        assert begin.record_intents([(account, choice.candidate)], at, {"sandbox": 0}, {"sandbox": 5}) == []
    assert ledger(acme) == []
    if verb == "exclude":
        assert only(campaign).state == LeadState.EXCLUDED
    assert_counters_hold(campaign)


def test_a_note_or_subject_that_grew_too_long_waits(acme: Workspace) -> None:
    """A basic account writes 200 signs in a note."""
    with transaction() as current:
        current.execute(sa.update(Account).values(has_sales_navigator=False))
    wide = {"companyName": "x" * 190}
    note = [{**INVITE, "message": "Hello from {{company_name}}"}]
    noted = a_campaign(acme, [{"publicId": "accepts-ada"} | wide], note)
    bob = {"publicId": "accepts-bob", "email": "bob@example.com"} | wide
    mailed = a_campaign(acme, [bob], [email(subject="A question for {{company_name}}")], senders=3, name="Mailed")
    forward(acme, hours=1)
    assert (acts(acme), only(noted).reason, only(mailed).reason) == ([], "too_long", "too_long")
    assert "200" in only(noted).error
    assert "subject" in only(mailed).error


def test_an_e_mail_without_a_subject_follows_up_on_the_one_before(acme: Workspace) -> None:
    steps = [email(subject="A question, {{first_name}}"), VIEW, email("More", subject="", days=1)]
    a_campaign(acme, ["ignores-ada"], steps, senders=3)
    forward(acme, days=3)
    subjects = [action.subject for action in ledger(acme) if action.kind == "email"]
    assert subjects == ["A question, Ada", "Re: A question, Ada"]


def test_those_whose_call_comes_later_hold_their_sender_longer(acme: Workspace, clock: Movable) -> None:
    for number in range(4):
        accounts.connect(acme, provider="sandbox", name=f"Sender {number}")
    draft: Any = [account for account in accounts.every(acme) if account.channel == "social"]
    a_campaign(acme, [f"ignores-{number}" for number in range(len(draft))], [VIEW], senders=len(draft) + 1)
    found = begun(acme)
    ends = [intent.until for intent in found.intended]
    assert len(ends) == 6
    assert sorted(set(ends)) == ends  # type: ignore[type-var]
    for intent in found.intended:
        assert intent.until is not None
        assert intent.latest is not None
        assert clock.at < intent.latest < intent.until
    assert {row.check_at for row in ledger(acme)} == set(ends)


def test_no_one_is_begun_twice_in_one_round(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message()], senders=2)
    found = begun(acme)
    assert len({intent.campaign_lead_id for intent in found.intended}) == len(found.intended) == 2
    assert begun(acme).intended == []
    with transaction() as current:
        waiting = sa.select(sa.func.count()).where(CampaignLead.due_at.is_not(None))
        assert current.scalar(waiting) == 0
    assert set(everyone(campaign)) == {"accepts-ada", "accepts-bob"}
    assert the_account(acme).claimed_until is not None


def test_who_replied_and_is_on_their_way_all_the_same_ends(acme: Workspace) -> None:
    """They would stand before everyone else of their sender, who would look at them again and again."""
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW])
    first = everyone(campaign)["ignores-ada"].id
    with transaction() as current:
        ada = current.get_one(CampaignLead, first)
        ada.replied, ada.replied_at, ada.sentiment = True, acme.now(), "positive"
    forward(acme, days=2)
    people = everyone(campaign)
    assert (people["ignores-ada"].state, people["ignores-ada"].reason) == ("finished", "replied")
    assert people["ignores-bob"].last_action_at is not None
    assert [one.person.handle for one in ledger(acme)] == ["ignores-bob"]

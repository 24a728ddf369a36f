"""The company stop: who is held after a reply, and what a decision about them does."""

import re
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict
from app.core.paging import Window
from app.domain.leads.campaign_leads import campaign_leads, company_decisions, why_waiting
from app.domain.people.exclusions import company_holds
from app.domain.people.exclusions.company_holds import Found, ShownHold
from app.domain.platform import audit_log
from app.domain.senders import accounts
from app.models.accounts import Account, Channel
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.exclusions import CompanyHold
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Bounced, Received
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    email,
    everyone,
    forward,
    message,
    takes_in,
    told,
)
from tests.support.movable import Movable
from tests.support.unruled import RULES

pytestmark = pytest.mark.usefixtures("clock")

WOOL = ("ignores-ann", "ignores-bea", "ignores-cy")
LATER: dict[str, Any] = {**VIEW, "delay": {"value": 3, "unit": "days"}}


@pytest.fixture(autouse=True)
def stop(acme: Workspace, clock: Movable) -> None:
    with transaction() as current:
        current.merge(acme).contact_rules = {**RULES, "company_stop": True}


def at(host: str, *names: str, **fields: str) -> list[dict[str, str]]:
    return [{"publicId": one, "firstName": one, "email": f"{one}@{host}", **fields} for one in names]


def senders(workspace: Workspace, channel: str) -> list[Account]:
    return [one for one in accounts.every(workspace) if one.channel == channel]


def on_the_network(workspace: Workspace, people: list[dict[str, str]], name: str = "Network") -> Campaign:
    return a_campaign(workspace, people, [VIEW, LATER], name=name)


def by_email(workspace: Workspace, people: list[dict[str, str]], name: str = "Email") -> Campaign:
    mailbox = senders(workspace, Channel.EMAIL)[0].id
    steps = [email(), email("Once more", "Again", days=3)]
    return a_campaign(workspace, people, steps, senders=[mailbox], name=name)


def replies(workspace: Workspace, person: str, text: str = "Sounds great.", **more: Any) -> None:
    kind = more.pop("kind", "message")
    sender = more.pop("sender", None) or senders(workspace, Channel.SOCIAL)[0]
    takes_in(workspace, sender, Received(person, kind, text, workspace.now(), f"{person}|{text}", **more))


def states(campaign: Campaign) -> dict[str, tuple[str, str]]:
    return {name: (one.state, one.reason) for name, one in everyone(campaign).items()}


def held(campaign: Campaign) -> set[str]:
    return {name for name, stands in states(campaign).items() if stands == (LeadState.PAUSED, "company_held")}


def waiting(workspace: Workspace) -> list[ShownHold]:
    found = Found(workspace, decided=False).page(Window()).rows
    end_read()
    return list(found)


def the_hold(workspace: Workspace) -> CompanyHold:
    (found,) = waiting(workspace)
    return found.hold


def test_a_reply_holds_everyone_else_at_the_company_in_every_campaign_on_both_channels(acme: Workspace) -> None:
    network = on_the_network(acme, at("wool.example", *WOOL) + at("iron.example", "ignores-ira"))
    mail = by_email(acme, at("wool.example", "ignores-dan"))
    forward(acme, hours=1)
    replies(acme, "ignores-ann")
    assert held(network) == {"ignores-bea", "ignores-cy"}
    assert held(mail) == {"ignores-dan"}
    news = told(acme, "person_held")
    assert sorted(one["lead"]["publicId"] for one in news) == ["ignores-bea", "ignores-cy", "ignores-dan"]
    assert {one["campaign"]["id"] for one in news} == {network.id, mail.id}
    assert {one["progress"]["state"] for one in news} == {"paused"}
    kinds = session().scalars(sa.select(Event.kind).where(Event.workspace_id == acme.id).order_by(Event.sequence)).all()
    assert kinds.index("every_reply") < kinds.index("person_held")  # the cause comes first
    before = len(acts(acme))
    forward(acme, days=10)
    assert {person for _, person in acts(acme)[before:]} == {"ignores-ira"}
    assert_counters_hold(network)
    (shown,) = waiting(acme)
    assert (shown.person.first_name, shown.sender.id) == ("ignores-ann", senders(acme, Channel.SOCIAL)[0].id)
    assert [(one.name, one.people) for one in shown.held] == [("Network", 2), ("Email", 1)]
    assert company_holds.count(acme) == 1


def test_a_company_is_its_domain_or_else_its_name_and_free_mail_is_none(acme: Workspace) -> None:
    cases: list[tuple[list[dict[str, str]], set[str]]] = [
        (at("gmail.com", *WOOL), set()),
        (at("gmail.com", *WOOL, companyName="Wool Ltd"), {"ignores-bea", "ignores-cy"}),
        (at("wool.example", "ignores-ann") + at("gmail.com", "ignores-bea", companyName="Wool"), set()),
        (
            at("wool.example", "ignores-ann", companyName="Wool GmbH")
            + at("gmail.com", "ignores-bea", companyName="WOOL"),
            {"ignores-bea"},
        ),
        (
            at("wool.example", "ignores-ann", companyName="Wool") + at("wool.test", "ignores-bea", companyName="Wool"),
            set(),
        ),
        (at("mail.wool.example", "ignores-ann") + at("wool.example", "ignores-bea"), {"ignores-bea"}),
    ]
    for number, (people, expected) in enumerate(cases):
        own = {"Wool": f"Wool{number}", "wool": f"wool{number}", "WOOL": f"WOOL{number}"}

        def of_this_case(text: str, own: dict[str, str] = own) -> str:
            return re.sub("Wool|wool|WOOL", lambda found: own[found[0]], text)

        ours = [{name: of_this_case(value) for name, value in one.items()} for one in people]
        ours = [
            one | {"publicId": f"{one['publicId']}{number}", "email": one["email"].replace("@", f"{number}@")}
            for one in ours
        ]
        campaign = on_the_network(acme, ours, f"Case {number}")
        replies(acme, f"ignores-ann{number}")
        assert held(campaign) == {f"{name}{number}" for name in expected}, people


def test_what_is_no_reply_holds_no_one(acme: Workspace) -> None:
    """An absence, a bounce, and an opt-out unless the workspace says so; a reply by email does."""
    network = on_the_network(acme, at("wool.example", *WOOL))
    mail = by_email(acme, at("wool.example", "ignores-dan", "ignores-eve"))
    forward(acme, hours=1)
    replies(acme, "ignores-ann", "I am out of the office until 9 March.", automatic=True)
    replies(acme, "ignores-bea", "I am out of the office until 9 March and will read this when I am back.")
    bounced = Bounced("ignores-dan", acme.now(), "bounce", "There is no such mailbox.", True, "")
    takes_in(acme, senders(acme, Channel.EMAIL)[0], bounced)
    replies(acme, "ignores-cy", "Please remove me from your list.")
    assert (held(network), held(mail), waiting(acme)) == (set(), set(), [])
    with transaction() as current:
        current.merge(acme).opt_out_holds_company = True
    people = at("iron.example", "ignores-ira", "ignores-joe")
    iron = on_the_network(acme, people, "Iron")
    replies(acme, "ignores-ira", "Please remove me from your list.")
    assert held(iron) == {"ignores-joe"}
    late = on_the_network(acme, at("wool.example", "ignores-fay"), "Late")
    assert held(late) == set()
    replies(acme, "ignores-eve", kind="email", sender=senders(acme, Channel.EMAIL)[0])
    assert held(late) == {"ignores-fay"}


def test_a_campaign_without_the_company_stop_goes_on(acme: Workspace) -> None:
    with transaction() as current:
        current.merge(acme).contact_rules = RULES
    campaign = on_the_network(acme, at("wool.example", *WOOL))
    replies(acme, "ignores-ann")
    assert held(campaign) == set()
    forward(acme, days=5)
    assert ("view_profile", "ignores-bea") in acts(acme)


def test_no_one_of_another_workspace_is_held(acme: Workspace, rival: Workspace) -> None:
    with transaction() as current:
        current.merge(rival).contact_rules = {**RULES, "company_stop": True}
    theirs = on_the_network(rival, at("wool.example", *WOOL))
    on_the_network(acme, at("wool.example", *WOOL))
    replies(acme, "ignores-ann")
    assert (held(theirs), waiting(rival)) == (set(), [])


def test_whoever_joins_a_held_company_later_is_held_and_follows_the_decision(acme: Workspace) -> None:
    on_the_network(acme, at("wool.example", "ignores-ann"))
    replies(acme, "ignores-ann")
    later = on_the_network(acme, at("wool.example", "ignores-bea", "ignores-ann"), "Later")
    assert [one["lead"]["publicId"] for one in told(acme, "person_held")] == ["ignores-bea"]
    assert held(later) == {"ignores-bea"}  # the one who answered is no colleague of theirs
    company_decisions.decide(acme, the_hold(acme).id, "go_on")
    assert states(later)["ignores-bea"][0] == LeadState.PENDING
    forward(acme, days=5)
    assert ("view_profile", "ignores-bea") in acts(acme)


def test_people_who_go_on_continue_where_they_stood(acme: Workspace) -> None:
    """The decision outlives the next message of the conversation; a colleague's first one holds anew."""
    campaign = on_the_network(acme, at("wool.example", *WOOL))
    forward(acme, hours=2)
    stood = {name: (one.step, one.due_at) for name, one in everyone(campaign).items()}
    replies(acme, "ignores-ann")
    assert company_decisions.decide(acme, the_hold(acme).id, "go_on").people == 2
    after = everyone(campaign)
    assert {name: (after[name].step, after[name].due_at) for name in WOOL[1:]} == {
        name: stood[name] for name in WOOL[1:]
    }
    assert (after["ignores-bea"].state, waiting(acme)) == (LeadState.ACTIVE, [])
    assert_counters_hold(campaign)
    replies(acme, "ignores-ann", "When can we talk?")
    assert held(campaign) == set()
    forward(acme, days=4)
    assert acts(acme).count(("view_profile", "ignores-bea")) == 2
    more = on_the_network(acme, at("wool.example", "ignores-dee"), "More")
    replies(acme, "ignores-bea", "I am interested too.")
    assert held(more) == {"ignores-dee"}


def test_people_who_are_stopped_have_the_reason_and_it_is_decided_once(acme: Workspace) -> None:
    campaign = on_the_network(acme, at("wool.example", *WOOL))
    replies(acme, "ignores-ann")
    hold = the_hold(acme)
    company_decisions.decide(acme, hold.id, "end")
    assert company_decisions.decide(acme, hold.id, "end").people == 0
    with pytest.raises(Conflict, match="already been made"):
        company_decisions.decide(acme, hold.id, "go_on")
    assert states(campaign)["ignores-bea"] == (LeadState.STOPPED, "colleague_replied")
    assert_counters_hold(campaign)
    written = session().execute(audit_log.page(acme, "company")).scalars().all()
    assert [(one.kind, one.after) for one in written] == [("company.end", {"people": 2})]
    before = acts(acme)
    forward(acme, days=10)
    assert acts(acme) == before


def test_people_held_by_another_company_too_stay_held(acme: Workspace) -> None:
    """Someone without a domain is at either of two companies of one name."""
    people = at("wool.example", "ignores-ann", companyName="Wool") + at("wool.test", "ignores-bea", companyName="Wool")
    campaign = on_the_network(acme, [*people, *at("gmail.com", "ignores-cy", companyName="Wool Ltd")])
    replies(acme, "ignores-ann")
    replies(acme, "ignores-bea")
    first, second = (one.hold for one in sorted(waiting(acme), key=lambda one: one.hold.id))
    assert company_decisions.decide(acme, first.id, "go_on").people == 0
    assert held(campaign) == {"ignores-cy"}
    assert company_decisions.decide(acme, second.id, "go_on").people == 1
    assert held(campaign) == set()


def test_they_go_on_with_the_sender_of_the_conversation(acme: Workspace) -> None:
    _, bo = senders(acme, Channel.SOCIAL)
    campaign = on_the_network(acme, at("wool.example", "ignores-bea", "ignores-cy"))
    a_campaign(acme, at("wool.example", "ignores-ann"), [VIEW, LATER], senders=2, name="Both")
    replies(acme, "ignores-ann", sender=bo)
    done = company_decisions.decide(acme, the_hold(acme).id, "hand_over")
    assert (done.people, done.left) == (2, [])
    assert {one.account_id for one in everyone(campaign).values()} == {bo.id}
    forward(acme, days=1)
    query = sa.select(CampaignLead.sender_id).where(CampaignLead.campaign_id == campaign.id)
    assert set(session().scalars(query)) == {bo.id}
    assert ("view_profile", "ignores-bea") in acts(acme)


def test_who_is_invited_by_another_sender_is_left_with_the_reason(acme: Workspace) -> None:
    _, bo = senders(acme, Channel.SOCIAL)
    campaign = a_campaign(acme, at("wool.example", "ignores-bea"), [INVITE, message()])
    forward(acme, days=1)
    fresh = on_the_network(acme, at("wool.example", "ignores-cy", "ignores-ann"), "Fresh")
    replies(acme, "ignores-ann", sender=bo)
    done = company_decisions.decide(acme, the_hold(acme).id, "hand_over")
    assert [(one.campaign, one.people, one.why) for one in done.left] == [
        ("First", 1, "They have a request from another sender on LinkedIn.")
    ]
    person = everyone(campaign)["ignores-bea"]
    why = why_waiting.of_people(acme, campaign, [person])[person.id]
    assert (why.code, why.sentence, why.who) == ("not_handed_over", done.left[0].why, "you")
    assert everyone(fresh)["ignores-cy"].account_id == bo.id
    campaign_leads.resume(acme, campaign.id, person.id)
    assert everyone(campaign)["ignores-bea"].state == LeadState.AWAITING_ACCEPT


def test_a_hand_over_that_moves_no_one_is_refused(acme: Workspace) -> None:
    mailbox = senders(acme, Channel.EMAIL)[0]
    campaign = on_the_network(acme, at("wool.example", *WOOL))
    replies(acme, "ignores-ann", kind="email", sender=mailbox)
    with pytest.raises(Conflict, match="No email step is left"):
        company_decisions.decide(acme, the_hold(acme).id, "hand_over")
    accounts.switch(acme, mailbox.id, active=False)
    with pytest.raises(Conflict, match="switched off or not connected"):
        company_decisions.decide(acme, the_hold(acme).id, "hand_over")
    assert held(campaign) == {"ignores-bea", "ignores-cy"}


def test_a_decision_is_taken_back_within_a_day_unless_people_were_stopped(acme: Workspace, clock: Movable) -> None:
    _, bo = senders(acme, Channel.SOCIAL)
    campaign = on_the_network(acme, at("wool.example", *WOOL))
    first = {name: one.account_id for name, one in everyone(campaign).items()}
    replies(acme, "ignores-ann", sender=bo)
    hold = the_hold(acme)
    for decision in ("go_on", "hand_over"):
        with pytest.raises(Conflict, match="nothing to undo"):
            company_decisions.undo(acme, hold.id)
        company_decisions.decide(acme, hold.id, decision)
        assert company_holds.count(acme) == 0
        company_decisions.undo(acme, hold.id)
        assert held(campaign) == {"ignores-bea", "ignores-cy"}
        assert {name: one.account_id for name, one in everyone(campaign).items()} == first
        assert the_hold(acme).id == hold.id
        assert_counters_hold(campaign)
    company_decisions.decide(acme, hold.id, "go_on")
    clock.forward(hours=25)
    with pytest.raises(Conflict, match="nothing to undo"):
        company_decisions.undo(acme, hold.id)
    forward(acme, days=5)
    assert ("view_profile", "ignores-bea") in acts(acme)
    on_the_network(acme, at("iron.example", "ignores-ira", "ignores-joe"), "Iron")
    replies(acme, "ignores-ira")
    stopped = the_hold(acme)
    company_decisions.decide(acme, stopped.id, "end")
    with pytest.raises(Conflict, match="nothing to undo"):
        company_decisions.undo(acme, stopped.id)


def test_one_who_is_resumed_alone_is_let_in_and_the_others_stay_held(acme: Workspace) -> None:
    """A company where no one is held waits for no decision."""
    on_the_network(acme, at("wool.example", "ignores-ann"))
    replies(acme, "ignores-ann")
    assert company_holds.count(acme) == 0
    assert not Found(acme, decided=False, holding=True).page(Window()).rows
    assert [one.people for one in waiting(acme)] == [0]
    campaign = on_the_network(acme, at("wool.example", *WOOL[1:]), "Second")
    campaign_leads.resume(acme, campaign.id, everyone(campaign)["ignores-bea"].id)
    forward(acme, days=5)
    assert ("view_profile", "ignores-bea") in acts(acme)
    assert held(campaign) == {"ignores-cy"}

"""What is known of people when a campaign asks: each fact by itself, ours only, and nothing without a rule for it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import transaction
from app.domain.ledger import invite_health
from app.domain.people.exclusions import company_holds, facts, never_contact
from app.domain.rules.contact_rules import Caps, ContactRules, Facts
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.conversations import Conversation, Direction, Message, MessageStatus
from app.models.ledger import BY_HAND_STEP, TEST_STEP, Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, a_list, only, person_id, the_account

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]
ALL = ContactRules(company_days=30)


def draft(workspace: Workspace, name: str = "Asks") -> Campaign:
    return a_campaign(workspace, [f"ignores-{name.lower()}"], [VIEW], start=False, name=name)


def known(campaign: Campaign, handles: Sequence[str], rules: ContactRules = ALL, caps: Caps | None = None) -> list[Any]:
    with transaction() as current:
        workspace = current.get_one(Workspace, campaign.workspace_id)
        ids = [person_id(workspace, handle) for handle in handles]
        found = facts.gather(campaign, ids, rules, caps or Caps(), workspace.now())
    return [found[one] for one in ids]


def change(workspace: Workspace, handle: str, **columns: Any) -> int:
    found = person_id(workspace, handle)
    with transaction() as current:
        person = current.get_one(Person, found)
        for name, value in columns.items():
            setattr(person, name, value)
    return found


def touch(workspace: Workspace, handle: str, at: datetime, **columns: Any) -> None:
    usual = {"kind": "message", "budget": "message", "state": ActionState.SENT, "token": f"{handle}-{at}-{columns}"}
    sender = the_account(workspace)
    with transaction() as current:
        row = usual | {"sender_id": sender.id, "person_id": person_id(workspace, handle), "at": at} | columns
        current.add(Action(workspace_id=workspace.id, **row))


def test_touches_are_what_reached_the_person_from_any_campaign(acme: Workspace, rival: Workspace) -> None:
    campaign, now = draft(acme), acme.now()
    touch(acme, "ada", now - timedelta(days=3))
    touch(acme, "ada", now - timedelta(days=2), kind="email")
    touch(acme, "ada", now - timedelta(days=1), kind="connection_request", state=ActionState.UNKNOWN)
    for columns in (
        {"kind": "view_profile"},
        {"part": 1},
        {"state": ActionState.FAILED},
        {"step": BY_HAND_STEP},
        {"token": f"{invite_health.BY_HAND}x"},
    ):
        touch(acme, "ada", now - timedelta(hours=5), **columns)
    touch(acme, "ada", now - timedelta(days=15))
    touch(rival, "ada", now - timedelta(hours=1))
    (found,) = known(campaign, ["ada"])
    assert found.touches == tuple(now - timedelta(days=days) for days in (3, 2, 1))


def test_contacted_lately_is_by_other_campaigns_or_by_a_member(acme: Workspace, rival: Workspace) -> None:
    campaign, other, now = draft(acme), draft(acme, "Other"), acme.now()
    touch(acme, "ada", now - timedelta(days=2), campaign_id=campaign.id)
    touch(acme, "bob", now - timedelta(days=80), campaign_id=other.id)
    touch(acme, "cyd", now - timedelta(days=91), campaign_id=other.id)
    ada, bob, cyd = known(campaign, ["ada", "bob", "cyd"])
    assert (ada.contacted_at, bob.contacted_at, cyd.contacted_at) == (None, now - timedelta(days=80), None)
    (bob,) = known(campaign, ["bob"], ALL._replace(contacted_days=0))
    assert bob.contacted_at is None
    invitation = {"kind": "connection_request", "budget": "invite"}
    for who, columns, counts in (
        ("message", {"step": BY_HAND_STEP}, True),
        ("inmail", {"step": BY_HAND_STEP, "kind": "inmail", "budget": "inmail"}, True),
        ("email", {"step": BY_HAND_STEP, "kind": "email", "budget": "email"}, True),
        ("there", {"token": f"{invite_health.BY_HAND}1"}, True),
        ("invited", {"token": f"{invite_health.BY_HAND}2"} | invitation, False),
        ("refused", {"step": BY_HAND_STEP, "state": ActionState.FAILED}, False),
        ("tested", {"step": TEST_STEP, "kind": "email", "budget": "email"}, False),
    ):
        touch(acme, who, now - timedelta(days=1), **columns)
        touch(rival, "theirs", now - timedelta(days=1), **columns | {"token": who})
        (found,) = known(campaign, [who])
        assert (found.contacted_at, found.touches) == (now - timedelta(days=1) if counts else None, ()), who
    assert known(campaign, ["theirs"])[0].contacted_at is None


def test_lists_campaigns_and_tags_that_are_left_out(acme: Workspace) -> None:
    campaign, listed = draft(acme), a_list(acme, ["ada", "bob"], "Customers")
    other = a_campaign(acme, ["bob", "cyd"], [VIEW], name="Spring")
    change(acme, "dee", tags=["VIP", "new"])
    rules = ContactRules(list_ids=(listed,), campaign_ids=(other.id,), tags=("vip",))
    ada, bob, cyd, dee = known(campaign, ["ada", "bob", "cyd", "dee"], rules)
    assert [one.listed for one in (ada, bob, cyd, dee)] == ["Customers", "Customers", "", ""]
    assert [one.enrolled for one in (ada, bob, cyd, dee)] == ["", "Spring", "Spring", ""]
    assert [one.tagged for one in (ada, bob, cyd, dee)] == ["", "", "", "VIP"]


def test_who_is_active_in_another_campaign_unless_an_owner_let_them_in_beside_this_one(acme: Workspace) -> None:
    campaign, winter = draft(acme), a_campaign(acme, ["ignores-ada"], [VIEW], name="Winter")
    (ada,) = known(campaign, ["ignores-ada"])
    assert ada.busy_in == "Winter"
    spring = a_campaign(acme, ["ignores-ada"], [VIEW], name="Spring")
    let_in, first = only(spring).id, only(winter).id
    with transaction() as current:
        row = current.get_one(CampaignLead, let_in)
        row.state, row.let_in = LeadState.ACTIVE, {"codes": ["active_elsewhere"], "by": "", "at": ""}
    assert known(winter, ["ignores-ada"])[0].busy_in == ""
    with transaction() as current:
        current.get_one(CampaignLead, first).state = LeadState.FINISHED
    assert known(campaign, ["ignores-ada"])[0].busy_in == "Spring"
    with transaction() as current:
        current.get_one(CampaignLead, let_in).state = LeadState.FINISHED
    assert known(campaign, ["ignores-ada"])[0].busy_in == ""


def test_who_was_contacted_was_in_a_campaign_even_if_they_were_left_out_since(acme: Workspace) -> None:
    campaign, other = draft(acme), a_campaign(acme, ["ignores-ada"], [VIEW], name="Spring")
    rules = ContactRules(campaign_ids=(other.id,))
    place = only(other).id
    with transaction() as current:
        current.get_one(CampaignLead, place).state = LeadState.EXCLUDED
    assert known(campaign, ["ignores-ada"], rules)[0].enrolled == ""
    with transaction() as current:
        current.get_one(CampaignLead, place).contacted = True
    assert known(campaign, ["ignores-ada"], rules)[0].enrolled == "Spring"


def test_a_company_known_by_name_alone_is_the_one_of_that_name_with_a_domain(acme: Workspace) -> None:
    campaign, now = draft(acme), acme.now()
    a_list(
        acme,
        [
            {"publicId": "ada", "companyName": "Acorn", "companyUrl": "https://acorn.example"},
            {"publicId": "bob", "companyName": "Acorn Ltd"},
            {"publicId": "cyd", "companyName": "Acorn", "companyUrl": "https://acorn.test"},
        ],
        "Colleagues",
    )
    touch(acme, "ada", now - timedelta(days=1))
    ada, bob, cyd = known(campaign, ["ada", "bob", "cyd"])
    assert [one.company_contacted_at for one in (ada, bob, cyd)] == [None, now - timedelta(days=1), None]


def test_a_colleague_talks_once_the_person_answered(acme: Workspace) -> None:
    campaign, second, now = draft(acme), the_account(acme, 1), acme.now()
    with transaction() as current:
        thread = Conversation(
            workspace_id=acme.id,
            sender_id=second.id,
            person_id=person_id(acme, "ada"),
            channel="social",
            last_message_at=now,
            last_direction=Direction.OUT,
            created_at=now,
            updated_at=now,
        )
        current.add(thread)
        current.flush()
        assert known(campaign, ["ada"])[0].colleague == ""
        wrote = {"conversation_id": thread.id, "direction": Direction.IN, "kind": "message", "text": "Hello", "at": now}
        said = Message(workspace_id=acme.id, provider_id="1", status=MessageStatus.SENT, automatic=True, **wrote)
        current.add(said)
        current.flush()
        assert known(campaign, ["ada"])[0].colleague == ""  # an absence note
        said.automatic = False
        current.flush()
        assert known(campaign, ["ada"])[0].colleague == second.name
        campaign.account_ids = [*campaign.account_ids, second.id]
        assert known(campaign, ["ada"])[0].colleague == ""  # it is our own sender's


def test_a_company_is_its_domain_else_its_name(acme: Workspace, rival: Workspace) -> None:
    campaign, now = draft(acme), acme.now()
    for handle, domain, key in (
        ("ada", "quill.example", "quill"),
        ("bob", "quill.example", "quillstack"),
        ("cyd", "", "quill"),
        ("dee", "", ""),
    ):
        change(acme, handle, company_domain=domain, company_key=key)
    change(rival, "eve", company_domain="quill.example", company_key="quill")
    touch(acme, "ada", now - timedelta(days=5))
    touch(rival, "eve", now - timedelta(days=1))
    found = known(campaign, ["ada", "bob", "cyd", "dee"])
    five = now - timedelta(days=5)
    assert [one.company_contacted_at for one in found] == [None, five, five, None]
    assert known(campaign, ["bob"], ContactRules())[0].company_contacted_at is None


def test_a_held_company_holds_all_its_people_unless_the_campaign_does_not_stop(acme: Workspace) -> None:
    campaign = draft(acme)
    ada = change(acme, "ada", company_domain="quill.example", company_name="Quill")
    change(acme, "bob", company_domain="quill.example")
    change(acme, "cyd", company_domain="other.example")
    with transaction() as current:
        company_holds.hold(current.get_one(Person, ada), None, acme.now())
    for stops, held in ((True, "Quill"), (False, "")):
        with transaction():
            campaign.stop_company_on_reply = stops
        assert [one.held for one in known(campaign, ["bob", "cyd"])] == [held, ""]


def test_who_of_a_company_is_being_contacted(acme: Workspace) -> None:
    campaign, other = draft(acme), a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW], name="Spring")
    for handle in ("ignores-ada", "ignores-bob", "cyd"):
        change(acme, handle, company_domain="quill.example")
    with transaction() as current:
        first = current.get_one(CampaignLead, sorted(row.id for row in rows(other))[0])
        first.contacted = True
    assert [one.company_people for one in known(campaign, ["ignores-ada", "cyd"])] == [0, 1]
    with transaction() as current:  # who is away goes on one day, and then there would be one too many
        away = current.get_one(CampaignLead, first.id)
        away.state, away.paused_from = LeadState.PAUSED, LeadState.ACTIVE
    assert [one.company_people for one in known(campaign, ["ignores-ada", "cyd"])] == [0, 1]
    assert known(campaign, ["cyd"], ALL, Caps(company_people=0))[0].company_people == 0


def rows(campaign: Campaign) -> list[CampaignLead]:
    with transaction() as current:
        return list(current.scalars(sa.select(CampaignLead).where(CampaignLead.campaign_id == campaign.id)))


def test_the_entry_that_bars_a_person_and_what_they_answered_are_told(acme: Workspace, rival: Workspace) -> None:
    campaign, theirs = draft(acme), draft(rival)
    a_list(acme, ["ada"], "One")
    never_contact.add(acme, ["ada@example.com"])
    assert known(campaign, ["ada"])[0].never == "ada@example.com"
    assert known(theirs, ["ada"])[0].never == ""
    now = acme.now()
    change(acme, "bob", answer="not_now", replied_at=now, come_back_at=now + timedelta(days=60))
    (found,) = known(campaign, ["bob"])
    assert isinstance(found, Facts)
    later = (now + timedelta(days=60)).isoformat()
    assert found.told() == {"answer": "not_now", "replied_at": now.isoformat(), "come_back_at": later}

"""Two people who are one: what moves, what stops, and how it is undone."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.leads import edit, leads, lists, merge_people
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.ledger import recount
from app.domain.people import identities, merge, people
from app.domain.people.exclusions import never_contact
from app.domain.people.identities import Identity
from app.domain.platform import jobs
from app.domain.privacy import erasure
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation, Message, Typed
from app.models.leads import Lead
from app.models.ledger import Action, ActionState
from app.models.people import IdentityKind, Person, PersonIdentity, PersonMerge, PersonTag, PersonValue
from app.models.platform.audit import AuditEntry
from app.models.platform.jobs import Job
from app.models.workspaces import Membership, Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, begun, forward, message
from tests.support.movable import Movable

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]

ADA = {"publicId": "replies-positive-ada", "firstName": "Ada", "lastName": "Byron", "email": "ada@wool.example"}
AUGUSTA = {"publicId": "accepts-augusta", "firstName": "Augusta", "lastName": "Byron", "phone": "+44 1"}


def person(workspace: Workspace, public_id: str) -> int:
    end_read()
    session().expire_all()
    one = Identity(IdentityKind.PROFILE, public_id)
    return identities.owners(workspace.id, {one})[one]


def two(workspace: Workspace) -> tuple[int, int]:
    return person(workspace, str(ADA["publicId"])), person(workspace, str(AUGUSTA["publicId"]))


def rows(*models: Any) -> dict[str, list[dict[str, Any]]]:
    end_read()
    return {
        model.__tablename__: [
            {name: value for name, value in row.items() if name != "updated_at"}  # an undo is a change too
            for row in session().execute(sa.select(model.__table__).order_by(*model.__table__.primary_key)).mappings()
        ]
        for model in models
    }


EVERYTHING = (Person, PersonIdentity, PersonTag, PersonValue, PersonMerge, Lead, CampaignLead)
EVERYTHING += (Action, Conversation, Message, Typed)


def numbers_are_right() -> bool:
    end_read()
    return not [*recount.statistics(), *recount.lists(), *recount.drafts()]


def test_everything_of_the_other_is_the_kept_persons(acme: Workspace) -> None:
    a_campaign(acme, [ADA], [INVITE, message("Hello")], name="First")
    a_campaign(acme, [AUGUSTA], [INVITE, message("Hello")], name="Second")
    forward(acme, days=5)
    keep, gone = two(acme)
    looked = merge_people.preview(acme, keep, gone)
    assert (looked.leads, looked.campaigns, looked.conversations, looked.joined) == (1, 1, 1, 1)
    before = {model: session().scalar(sa.select(sa.func.count()).select_from(model)) for model in (Action, Message)}
    merge_people.merge_people(acme, keep, gone)
    end_read()
    for model in (Lead, CampaignLead, Action, Conversation, PersonIdentity):
        assert set(session().scalars(sa.select(model.person_id).where(model.workspace_id == acme.id))) == {keep}
    assert {m: session().scalar(sa.select(sa.func.count()).select_from(m)) for m in before} == before
    assert session().scalar(sa.select(sa.func.count()).select_from(Conversation)) == 1
    assert merge.current(acme, gone).id == keep
    assert numbers_are_right()
    noted = session().scalars(sa.select(AuditEntry.subject).where(AuditEntry.kind == "person.merged")).all()
    assert noted == [f"people {gone} and {keep}"]


def test_an_undo_puts_every_row_back(acme: Workspace, clock: Movable) -> None:
    """Also where a list and a sender have both, and a member had begun to write to each."""
    a_campaign(acme, [ADA, AUGUSTA], [INVITE, message("Hello")], name="First")
    forward(acme, days=5)
    leads.add(acme, a_list(acme, [ADA], "Other"), [AUGUSTA])
    keep, gone = two(acme)
    with transaction() as current:
        user = current.scalars(sa.select(Membership.user_id).where(Membership.workspace_id == acme.id)).first()
        for thread in current.scalars(sa.select(Conversation).order_by(Conversation.id)).all():
            typed = {"workspace_id": acme.id, "user_id": user, "conversation_id": thread.id}
            current.add(Typed(**typed, text=f"to {thread.id}", saved_at=clock()))
    before, sizes = rows(*EVERYTHING), {one.name: one.lead_count for one in session().scalars(lists.lists(acme))}
    name = merge_people.merge_people(acme, keep, gone)
    assert numbers_are_right()
    assert {one.lead_count for one in session().scalars(lists.lists(acme))} == {1}
    (text,) = session().scalars(sa.select(Typed.text))
    assert text.count("to ") == 2
    assert merge_people.MERGED.undo(acme, name, keep=keep) == gone
    after = rows(*EVERYTHING)
    for table, known in before.items():
        assert [without_ids(row) for row in after[table]] == [without_ids(row) for row in known], table
    session().expire_all()
    assert {one.name: one.lead_count for one in session().scalars(lists.lists(acme))} == sizes
    assert numbers_are_right()
    with pytest.raises(Conflict):
        merge_people.MERGED.undo(acme, name, keep=keep)


def without_ids(row: dict[str, Any]) -> dict[str, Any]:
    """A row of unsent text gets a new id."""
    return {name: value for name, value in row.items() if name != "id" or "saved_at" not in row}


def test_a_list_that_has_both_keeps_the_older_lead(acme: Workspace, clock: Movable) -> None:
    """The newer one is hidden, and deleted when the undo ends. Who is deleted then takes the merged along."""
    into = a_list(acme, [AUGUSTA, ADA])
    keep, gone = two(acme)
    older, newer = session().scalars(sa.select(Lead.id).order_by(Lead.id)).all()
    assert merge_people.preview(acme, keep, gone).shared_lists == ["People"]
    merge_people.merge_people(acme, keep, gone)
    (left,) = session().scalars(lists.query_list(acme, into)).all()
    assert (left.id, left.person_id, left.first_name) == (older, keep, "Ada")
    clock.forward(minutes=10)
    jobs.run_due()
    session().expire_all()
    assert session().get(Lead, newer) is None
    emptied = session().get_one(Person, gone)
    assert (emptied.first_name, emptied.public_id, emptied.phone) == ("", "", "")
    assert session().scalars(sa.select(Job.payload).where(Job.kind == merge_people.MERGED.kind)).all() == [{}]
    assert numbers_are_right()
    edit.delete(acme, older)
    end_read()
    assert session().scalars(sa.select(Person.id).where(Person.workspace_id == acme.id)).all() == []


@pytest.mark.parametrize("further", [False, True])
def test_of_two_ways_through_a_campaign_one_goes_on(acme: Workspace, clock: Movable, further: bool) -> None:
    """The one that got further, else the older; the other is held until the undo ends, and can't be resumed."""
    campaign = a_campaign(acme, [ADA, AUGUSTA], [INVITE, message()])
    with transaction():
        ways(campaign)[1].contacted = further
    merge_people.merge_people(acme, *two(acme))
    goes_on, held = reversed(ways(campaign)) if further else ways(campaign)
    assert (goes_on.state, held.state, held.reason) == ("pending", "paused", "same_person")
    with pytest.raises(Conflict, match="twice"):
        campaign_leads.resume(acme, campaign.id, held.id)
    clock.forward(minutes=10)
    jobs.run_due()
    goes_on, held = reversed(ways(campaign)) if further else ways(campaign)
    assert (goes_on.state, held.state, held.reason) == ("pending", "stopped", "same_person")
    assert further or numbers_are_right()


def test_an_undo_lets_the_held_go_on(acme: Workspace, clock: Movable) -> None:
    """Where they were, also one that was paused with a date."""
    campaign = a_campaign(acme, [ADA, AUGUSTA], [INVITE, message()])
    keep, gone = two(acme)
    with transaction():
        held = ways(campaign)[1]
        campaign_leads.pause_for(held, "out_of_office")
        held.next_budget, held.due_at = "back", clock()
    before = rows(CampaignLead)
    name = merge_people.merge_people(acme, keep, gone)
    forward(acme, hours=0.1)
    assert ways(campaign)[1].reason == "same_person"
    merge_people.MERGED.undo(acme, name, keep=keep)
    assert rows(CampaignLead)["campaign_lead"][1] == before["campaign_lead"][1]


def ways(campaign: Campaign) -> list[CampaignLead]:
    session().expire_all()
    query = sa.select(CampaignLead).where(CampaignLead.campaign_id == campaign.id).order_by(CampaignLead.id)
    return list(session().scalars(query))


def test_who_has_gone_through_a_campaign_is_not_written_to_again_in_it(acme: Workspace, clock: Movable) -> None:
    """One of the two was contacted and has ended; the other does not begin."""
    campaign = a_campaign(acme, [ADA, AUGUSTA], [INVITE, message()])
    with transaction():
        ended = ways(campaign)[0]
        ended.contacted = True
        campaign_leads.finish(ended, "finish", "no_reply", clock())
    keep, gone = two(acme)
    (stop,) = merge_people.preview(acme, keep, gone).stops
    assert (stop.campaign_lead_id, stop.reason) == (ways(campaign)[1].id, "same_person")


def test_do_not_contact_holds_for_the_one_person(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, [ADA], [INVITE, message()])
    a_list(acme, [AUGUSTA], "Other")
    never_contact.add(acme, [("person", str(AUGUSTA["publicId"]))])
    keep, gone = two(acme)
    looked = merge_people.preview(acme, keep, gone)
    assert looked.blocked is not None
    name = merge_people.merge_people(acme, keep, gone)
    assert never_contact.find(acme, keep)
    assert [(one.state, one.reason) for one in ways(campaign)] == [("paused", "never_contact")]
    merge_people.MERGED.undo(acme, name, keep=keep)
    assert [one.state for one in ways(campaign)] == ["pending"]
    merge_people.merge_people(acme, keep, gone)
    clock.forward(minutes=10)
    jobs.run_due()
    assert [(one.state, one.reason) for one in ways(campaign)] == [("excluded", "never_contact")]
    assert numbers_are_right()


def test_what_changed_since_stays_with_the_kept_person(acme: Workspace) -> None:
    """An undo gives back what was merged, not what was corrected afterwards."""
    a_list(acme, [ADA, AUGUSTA])
    keep, gone = two(acme)
    name = merge_people.merge_people(acme, keep, gone)
    lead = session().scalars(sa.select(Lead.id).where(Lead.person_id == keep, Lead.deleted_at.is_(None))).one()
    edit.change(acme, lead, {"phone": "+49 2", "headline": "Countess"})
    merge_people.MERGED.undo(acme, name, keep=keep)
    session().expire_all()
    kept, back = (people.get(acme, one) for one in (keep, gone))
    assert (kept.phone, kept.headline, back.phone, back.first_name) == ("+49 2", "Countess", "+44 1", "Augusta")


def test_nothing_is_merged_while_something_is_being_sent(acme: Workspace, clock: Movable) -> None:
    """Its outcome is recorded for the person it began with; after an hour it counts as done."""
    a_campaign(acme, [ADA], [INVITE])
    a_list(acme, [AUGUSTA], "Other")
    keep, gone = two(acme)
    assert begun(acme).intended
    with pytest.raises(Conflict, match="right now"):
        merge_people.merge_people(acme, keep, gone)
    with transaction() as current:
        current.scalars(sa.select(Action)).one().state = ActionState.UNKNOWN
    clock.forward(hours=2)
    merge_people.merge_people(acme, keep, gone)


def test_merges_are_undone_in_reverse(acme: Workspace, clock: Movable) -> None:
    """Otherwise what the later one brought would go to the wrong person."""
    a_list(acme, [ADA, AUGUSTA, {"publicId": "eve"}])
    (keep, gone), eve = two(acme), person(acme, "eve")
    first = merge_people.merge_people(acme, keep, gone)
    clock.forward(minutes=1)
    second = merge_people.merge_people(acme, eve, keep)
    assert merge.current(acme, gone).id == eve
    with pytest.raises(Conflict, match="again"):
        merge_people.MERGED.undo(acme, first, keep=keep)
    merge_people.MERGED.undo(acme, second, keep=eve)
    merge_people.MERGED.undo(acme, first, keep=keep)
    assert [merge.current(acme, one).id for one in (keep, gone, eve)] == [keep, gone, eve]


def test_people_who_are_gone_are_not_merged(acme: Workspace) -> None:
    a_list(acme, [ADA, AUGUSTA])
    keep, gone = two(acme)
    with pytest.raises(InvalidRequest):
        merge_people.merge_people(acme, keep, keep)
    merge_people.merge_people(acme, keep, gone)
    with pytest.raises(NotFound):
        merge_people.merge_people(acme, keep, gone)


def test_an_erasure_erases_both(acme: Workspace) -> None:
    """What the undo held goes too, and neither comes back under either name."""
    into = a_list(acme, [ADA, AUGUSTA])
    keep, gone = two(acme)
    name = merge_people.merge_people(acme, keep, gone)
    (lead,) = session().scalars(lists.query_list(acme, into)).all()
    erasure.erase(acme, lead.id)
    end_read()
    assert session().scalars(sa.select(Person.id).where(Person.first_name != "")).all() == []
    assert session().scalars(sa.select(Job.id).where(Job.kind == merge_people.MERGED.kind)).all() == []
    with pytest.raises(Conflict):
        merge_people.MERGED.undo(acme, name, keep=keep)
    assert leads.add(acme, into, [{"publicId": str(one["publicId"])} for one in (ADA, AUGUSTA)]).skipped == 2

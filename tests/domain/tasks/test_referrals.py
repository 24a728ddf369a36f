"""Referrals: a contact that a person names is offered, added by hand, and never contacted by itself."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import lists
from app.domain.people.exclusions import never_contact
from app.domain.privacy import erasure, export
from app.domain.tasks import marked_answers, referrals, tasks
from app.models.campaigns import CampaignLead
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.people import DataSource, Person
from app.models.tasks import MarkedAnswer, Referral, Task
from app.models.workspaces import Workspace
from app.resources import SubjectExport
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import a_campaign, forward
from tests.domain.tasks.test_tasks import says
from tests.support.movable import Movable

TALK_TO_ANNA = "I'm not the right person. Please talk to Anna Schmidt, our Head of Sales: anna@wool.example"
ANNA = {"firstName": "Anna", "lastName": "Schmidt", "email": "anna@wool.example"}


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    return a_talk(acme, "accepts-bo")


def all_of(workspace: Workspace) -> list[Referral]:
    session().expire_all()
    query = sa.select(Referral).where(Referral.workspace_id == workspace.id)
    return list(session().scalars(query.order_by(Referral.id)))


def named(workspace: Workspace, talk: Conversation, words: str = TALK_TO_ANNA, **more: Any) -> Referral:
    says(workspace, talk, words, **more)
    return all_of(workspace)[-1]


def a_list(workspace: Workspace) -> int:
    return lists.create_list(workspace, "Named").id


def test_a_named_contact_is_offered_once_as_a_task(acme: Workspace, talk: Conversation) -> None:
    """With what was said of them; no person is made of it. One that is none is removed."""
    referral = named(acme, talk)
    assert (referral.name, referral.email, referral.position) == ("Anna Schmidt", "anna@wool.example", "Head of Sales")
    assert (referral.person_id, referral.conversation_id) == (talk.person_id, talk.id)
    (entry,) = tasks.due(acme)
    assert (entry.task.kind, entry.referral) == ("referral", referral)
    assert session().scalar(sa.select(Person.id).where(Person.email == "anna@wool.example")) is None
    named(acme, talk, "As I said: please talk to Anna Schmidt, anna@wool.example, she decides.")
    named(acme, talk, "You can contact accepts-bo@example.com about this.")
    assert [one.name for one in all_of(acme)] == ["Anna Schmidt"]
    (entry,) = tasks.due(acme)
    tasks.remove(acme, entry.task.id)
    assert all_of(acme) == []
    assert session().scalar(sa.select(sa.func.count()).select_from(Task)) == 0


def test_someone_who_must_not_be_added_is_refused(acme: Workspace, talk: Conversation) -> None:
    """The one who named them, and someone on the do-not-contact list."""
    referral, list_id = named(acme, talk), a_list(acme)
    with pytest.raises(InvalidRequest):
        referrals.add(acme, referral.id, list_id, {"email": "accepts-bo@example.com"})
    never_contact.add(acme, ["anna@wool.example"])
    with pytest.raises(Conflict):
        referrals.add(acme, referral.id, list_id, ANNA)
    assert lists.get_list(acme, list_id).lead_count == 0
    assert all_of(acme)[0].named_id is None


def test_an_automatic_note_of_someone_who_left_offers_who_follows(acme: Workspace, talk: Conversation) -> None:
    """It is no reply, so nothing was answered; who covers for an absence is not offered."""
    says(acme, talk, "I am out of the office until 3 January. For urgent matters contact Anna Schmidt.", automatic=True)
    assert all_of(acme) == []
    words = "I have left the company. Please write to Anna Schmidt at anna@wool.example instead."
    referral = named(acme, talk, words, automatic=True)
    assert (referral.name, referral.email) == ("Anna Schmidt", "anna@wool.example")
    assert session().get_one(Person, talk.person_id, populate_existing=True).answer == ""


def test_adding_makes_a_person_who_keeps_who_named_them(acme: Workspace, talk: Conversation) -> None:
    """On the list that was picked, from the source “referral”; the task is done, and no campaign contacts them.

    Someone known is not made twice and keeps their values.
    """
    referral, running = named(acme, talk), a_campaign(acme, ["ignores-x"], name="Running")
    suggested = referrals.suggested(referral)
    assert (suggested["firstName"], suggested["lastName"]) == ("Anna", "Schmidt")
    anna = referrals.add(acme, referral.id, running.list_id or 0, suggested)
    source = session().get_one(DataSource, anna.source_id)
    assert (anna.name, anna.email, anna.position) == ("Anna Schmidt", "anna@wool.example", "Head of Sales")
    assert (source.kind, source.name) == ("network", "referral")
    assert lists.get_list(acme, running.list_id or 0).lead_count == 2
    assert tasks.counts(acme) == (0, 0)
    for person_id in (anna.id, talk.person_id):
        (known,) = referrals.of_person(acme, person_id)
        assert known.by is not None
        assert (known.by.id, known.named.id) == (talk.person_id, anna.id)
    other = named(acme, talk, "Please also talk to Ann Smith: ann@wool.example")
    again = referrals.add(acme, other.id, a_list(acme), {**ANNA, "position": "CFO"})
    assert (again.id, again.position) == (anna.id, "Head of Sales")
    forward(acme, days=3)
    assert session().scalar(sa.select(CampaignLead.id).where(CampaignLead.person_id == anna.id)) is None


def test_a_contact_without_address_needs_one(acme: Workspace, talk: Conversation) -> None:
    """Or a profile; nothing is kept before that."""
    referral, list_id = named(acme, talk, "Please talk to Anna Schmidt instead."), a_list(acme)
    assert referral.email == ""
    for wrong in ({"firstName": "Anna"}, {"firstName": "Anna", "email": "nobody"}):
        with pytest.raises(InvalidRequest):
            referrals.add(acme, referral.id, list_id, wrong)
    assert tasks.counts(acme) == (1, 0)
    anna = referrals.add(acme, referral.id, list_id, {"firstName": "Anna", "profileUrl": "linkedin.com/in/anna-s"})
    assert anna.public_id == "anna-s"


def the_lead(person_id: int) -> int:
    newest = sa.select(Lead.id).where(Lead.person_id == person_id).order_by(Lead.id.desc())
    return session().scalars(newest).first() or 0


def test_both_people_get_the_referral_with_their_data_until_an_erasure(acme: Workspace, talk: Conversation) -> None:
    anna = referrals.add(acme, named(acme, talk).id, a_list(acme), ANNA)
    for person_id, many in ((anna.id, 0), (talk.person_id, 1)):
        kept = SubjectExport.of(export.collect(acme, the_lead(person_id)))
        assert [one["name"] for one in kept["referrals"]] == ["Anna Schmidt"]
        assert len(kept["tasks"]) == many
    session().rollback()
    erasure.erase(acme, the_lead(anna.id))
    assert all_of(acme) == []
    assert tasks.counts(acme) == (0, 0)


def test_erasing_the_one_who_named_leaves_the_one_named_without_words(acme: Workspace, talk: Conversation) -> None:
    """Those they named who were not added go, with tasks and marks."""
    anna = referrals.add(acme, named(acme, talk).id, a_list(acme), ANNA)
    says(acme, talk, "Not now, maybe later. Or talk to Ben Ray: ben@wool.example")
    marked_answers.mark(acme, talk.person_id, "met")
    assert len(all_of(acme)) == 2
    erasure.erase(acme, the_lead(talk.person_id))
    (kept,) = all_of(acme)
    assert (kept.named_id, kept.said, kept.name) == (anna.id, "", "Anna Schmidt")
    assert tasks.counts(acme) == (0, 0)
    assert session().scalar(sa.select(sa.func.count()).select_from(MarkedAnswer)) == 0

"""The contact record: every contact with what the gate was asked and saw before it, until an erasure."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import NotFound
from app.domain.people import people
from app.domain.privacy import contact_record, erasure
from app.domain.privacy.contact_record import ContactRecord
from app.models.campaigns import Campaign
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, acts, forward, message, only

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture(autouse=True)
def rules(acme: Workspace) -> None:
    with transaction() as current:
        ours = current.merge(acme)
        ours.contact_rules = ours.contact_caps = None
        ours.lawful_basis = "Legitimate interest"


@pytest.fixture
def ada(acme: Workspace, rules: None) -> Campaign:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("One\n---\nTwo"), message("Three", days=2)])
    forward(acme, days=9)
    return campaign


def record(workspace: Workspace, person: int) -> ContactRecord:
    found = contact_record.of_person(workspace, person)
    end_read()
    return found


def test_every_contact_says_what_was_asked_before_it(acme: Workspace, ada: Campaign) -> None:
    """The parts of a message were asked for once."""
    person = only(ada).person_id
    found = record(acme, person)
    assert acts(acme).count(("message", "accepts-ada")) == 3
    assert [one.kind for one in found.contacts] == ["connection_request", "message", "message"]
    assert {(one.campaign, bool(one.sender)) for one in found.contacts} == {("First", True)}
    first, *_, last = found.contacts
    told = {line.code: (line.question, line.answer) for line in first.asked}
    assert told["replied_before"] == ("Ever replied?", "No")
    assert told["contacted_lately"] == ("Contacted by another campaign or by hand in the last 90 days?", "No")
    assert "company_contacted" not in told  # the rule was off
    assert not any(line.hit for one in (first, last) for line in one.asked)
    assert "contacted_lately" not in {line.code for line in last.asked}  # asked before the first contact alone
    newest = sa.select(Action.asked).where(Action.asked.is_not(None)).order_by(Action.at.desc()).limit(1)
    assert len((session().scalar(newest) or {})["saw"]["touches"]) == 2
    assert found.lawful_basis == "Legitimate interest"
    assert {one.source.kind for one in found.record.values} == {"api"}
    assert found.barred is None
    assert found.at - found.contacts[0].at > timedelta(days=5)


def test_an_erasure_clears_what_was_asked(acme: Workspace, ada: Campaign) -> None:
    lead = only(ada)
    erasure.erase(acme, lead.lead_id)
    asked = session().scalars(sa.select(Action.asked).where(Action.person_id == lead.person_id)).all()
    assert set(asked) == {None}
    end_read()
    with pytest.raises(NotFound):
        contact_record.of_person(acme, lead.person_id)


def test_a_contact_of_which_nothing_was_kept_is_listed_too(acme: Workspace, ada: Campaign) -> None:
    with transaction() as current:
        current.execute(sa.update(Action).values(asked=sa.null()))
    found = record(acme, only(ada).person_id)
    assert [(one.kind, one.asked) for one in found.contacts] == [
        ("connection_request", ()),
        ("message", ()),
        ("message", ()),
    ]


def test_a_person_who_was_contacted_stays_when_campaign_and_lists_go(acme: Workspace, ada: Campaign) -> None:
    person = only(ada).person_id
    with transaction() as current:
        current.execute(sa.delete(Campaign).where(Campaign.id == ada.id))
        people.discard_unplaced([person])
        assert current.get(Person, person) is not None
    assert [(one.campaign, bool(one.asked)) for one in record(acme, person).contacts] == [("", True)] * 3

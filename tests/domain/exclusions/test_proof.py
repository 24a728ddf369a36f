"""The proof of contact: every contact is proven, a change shows, and an erasure leaves a chain that verifies."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import NotFound
from app.domain.exclusions import proof
from app.domain.operations import doctor
from app.domain.people import people
from app.domain.privacy import contact_record, erasure
from app.domain.privacy.contact_record import ContactRecord
from app.models.campaigns import Campaign
from app.models.exclusions import ContactProof
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, acts, forward, message, only, person_id

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


def holds(workspace: Workspace, person: int) -> list[bool]:
    """Of each proof whether it and all before it are as they were written."""
    found = [link.holds for link in proof.chain(workspace, person)]
    end_read()
    return found


def change(person: int, place: int, **columns: Any) -> None:
    mine = (ContactProof.person_id == person, ContactProof.number == place)
    with transaction() as current:
        current.execute(sa.update(ContactProof).where(*mine).values(columns))


def test_every_contact_has_a_proof_of_the_rules_asked(acme: Workspace, rival: Workspace, ada: Campaign) -> None:
    """The parts of a message share one; a stranger learns nothing."""
    person = only(ada).person_id
    found = record(acme, person)
    assert acts(acme).count(("message", "accepts-ada")) == 3
    assert [one.kind for one in found.contacts] == ["connection_request", "message", "message"]
    assert [one.proof.number for one in found.contacts] == [1, 2, 3]
    assert found.intact
    assert {(one.campaign, bool(one.sender)) for one in found.contacts} == {("First", True)}
    first, *_, last = found.contacts
    told = {line.code: (line.question, line.answer) for line in first.asked}
    assert told["replied_before"] == ("Did they ever reply?", "No")
    assert told["contacted_lately"] == ("Contacted by another campaign in the last 90 days?", "No")
    assert "company_contacted" not in told  # the rule was off
    assert not any(line.hit for one in (first, last) for line in one.asked)
    assert "contacted_lately" not in {line.code for line in last.asked}  # asked before the first contact alone
    assert len(last.proof.asked["saw"]["touches"]) == 2
    assert found.lawful_basis == "Legitimate interest"
    assert {one.source.kind for one in found.record.values} == {"api"}
    assert found.barred is None
    assert found.at - found.contacts[0].at > timedelta(days=5)
    assert list(proof.chain(rival, person)) == []
    with pytest.raises(NotFound):
        contact_record.of_person(rival, person)


def test_a_changed_row_shows_from_there_on(acme: Workspace, ada: Campaign, tmp_path: Any) -> None:
    person = only(ada).person_id
    healthy, look = doctor.CHECKS["proofs"]
    assert (healthy != "", list(look(tmp_path))) == (True, [])
    row = session().execute(sa.select(ContactProof.__table__.c).where(ContactProof.number == 2)).one()._mapping
    for name, value in {"asked": {"rules": {}, "saw": {}}, "digest": "0" * 64, "mark": "0" * 64, "number": 9}.items():
        assert holds(acme, person) == [True, True, True]
        change(person, 2, **{name: value})
        assert holds(acme, person)[:2] == [True, False], name
        assert not all(holds(acme, person)[1:])
        assert list(proof.broken()) == [(acme.id, person)]
        change(person, 9 if name == "number" else 2, **{name: row[name]})
    change(person, 1, mark="0" * 64)
    assert {len(list(look(tmp_path))) for _ in range(20)} == {1}
    ((sentence, remedy),) = look(tmp_path)
    assert sentence == f"A proof of contact of person {person} in workspace {acme.id} was changed."
    assert "backup" in remedy


def test_a_removed_row_shows_and_one_of_another_person_does_not_fit(acme: Workspace, ada: Campaign) -> None:
    person, other = only(ada).person_id, person_id(acme, "accepts-bob")
    for old, new, expected in ((person, other, [False] * 3), (other, person, [True] * 3)):
        with transaction() as current:
            current.execute(sa.update(ContactProof).where(ContactProof.person_id == old).values(person_id=new))
        assert holds(acme, new) == expected
    with transaction() as current:
        current.execute(sa.delete(ContactProof).where(ContactProof.person_id == person, ContactProof.number == 2))
    assert holds(acme, person) == [True, False]


def test_an_erasure_leaves_a_chain_that_verifies_and_says_nothing(acme: Workspace, ada: Campaign) -> None:
    lead = only(ada)
    erasure.erase(acme, lead.lead_id)
    query = sa.select(ContactProof.asked).where(ContactProof.person_id == lead.person_id)
    assert session().scalars(query).all() == [None, None, None]
    end_read()
    assert holds(acme, lead.person_id) == [True, True, True]
    with pytest.raises(NotFound):
        contact_record.of_person(acme, lead.person_id)


def test_the_chain_goes_on_where_it_ended(acme: Workspace, ada: Campaign) -> None:
    person = only(ada).person_id
    with transaction() as current:
        current.merge(acme).contact_rules = {"contacted_days": 0}
        current.merge(ada).status = "finished"
    a_campaign(acme, ["accepts-ada"], [{"type": "inmail", "subject": "Hi", "message": "Hello"}], name="Second")
    forward(acme, days=20)
    found = record(acme, person)
    assert [one.proof.number for one in found.contacts] == list(range(1, len(found.contacts) + 1))
    assert (found.contacts[-1].campaign, found.intact) == ("Second", True)


def test_a_contact_from_before_proofs_were_kept_is_listed_without_one(acme: Workspace, ada: Campaign) -> None:
    person = only(ada).person_id
    with transaction() as current:
        current.execute(sa.delete(ContactProof).where(ContactProof.person_id == person))
    found = record(acme, person)
    assert [(one.kind, one.proof) for one in found.contacts] == [
        ("connection_request", None),
        ("message", None),
        ("message", None),
    ]


def test_a_person_with_a_proof_stays_when_their_sender_and_lists_go(acme: Workspace, ada: Campaign) -> None:
    person = only(ada).person_id
    with transaction() as current:
        current.execute(sa.delete(Action).where(Action.person_id == person))
        current.execute(sa.delete(Campaign).where(Campaign.id == ada.id))
        people.discard_unplaced([person])
        assert current.get(Person, person) is not None
    found = record(acme, person)
    assert [(one.kind, one.verified) for one in found.contacts] == [("", True)] * 3

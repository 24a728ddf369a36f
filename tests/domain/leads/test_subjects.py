"""Who a person is to us, and how what names them is known."""

import pytest

from app.core.db import end_read, session
from app.domain.leads import lists, subjects
from app.domain.leads.subjects import Subject
from app.domain.privacy import export
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, a_list, only


@pytest.fixture
def ada(acme: Workspace, rival: Workspace) -> Subject:
    a_list(rival, [{"publicId": "ada-lö", "email": "ada@x.example"}])
    given = [{"publicId": "ada-lö", "email": "ada@x.example"}, {"publicId": "bob"}]
    list_id = a_list(acme, given)
    a_list(acme, [{"publicId": "ada-work", "email": "ada@x.example"}])
    lead = session().scalars(lists.query_list(acme, list_id).order_by(Lead.id)).first()
    assert lead is not None
    return subjects.find(acme, lead.person_id)


def test_a_subject_is_every_lead_of_the_same_person_and_a_text_names_them_or_not(ada: Subject) -> None:
    """By address, link or cell, in any case; a longer name is someone else's, and so is the stranger's."""
    assert (ada.persons, ada.addresses) == ({"ada-lö", "ada-work"}, {"ada@x.example"})
    assert len(ada.lead_ids) == 2
    for written, named in [
        ("https://network.example/in/Ada-L%C3%B6/?x=1", True),
        ("Eve,ADA@x.example,Berlin", True),
        ("Eve,ada-work,Berlin", True),
        ('"ada-work"', True),
        ("network.example/in/ada-works", False),
        ("nada@x.example", False),
        ("Ada", False),
        ("", False),
    ]:
        assert ada.named_in(written) is named, written


def test_json_without_them_keeps_its_shape(ada: Subject) -> None:
    """What is about them is blank as a whole, what mentions them where it does; numbers stay."""
    value = {
        "lead": {"id": ada.lead_ids[0], "publicId": "ada-lö", "firstName": "Ada", "tags": ["VIP"]},
        "others": [{"publicId": "bob", "firstName": "Bob", "note": "Ask ada@x.example"}],
        "count": 2,
    }
    assert ada.without(value) == {
        "lead": {"id": ada.lead_ids[0], "publicId": "", "firstName": "", "tags": [""]},
        "others": [{"publicId": "bob", "firstName": "Bob", "note": ""}],
        "count": 2,
    }


def test_what_is_kept_can_be_given_out(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-eve"])
    kept = export.collect(acme, only(campaign).lead_id)
    end_read()
    assert [lead.public_id for lead in kept.leads] == ["accepts-eve"]
    assert (len(kept.campaigns), list(kept.messages), kept.barred) == (1, [], None)

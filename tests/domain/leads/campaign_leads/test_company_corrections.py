"""What counts as a person's company, corrected by hand: held people go on, others are held, caps count anew."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import edit, leads, merge_people
from app.domain.leads.campaign_leads import company_corrections
from app.domain.people.exclusions import facts
from app.domain.rules.contact_rules import Caps, ContactRules
from app.models.leads import Lead
from app.models.people import Person
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, assert_counters_hold, forward, message, person_id
from tests.domain.people.exclusions.test_company_holds import WOOL, at, held, on_the_network, replies, the_hold
from tests.support.movable import Movable
from tests.support.unruled import RULES

pytestmark = pytest.mark.usefixtures("clock")

SHARED = at("wool.example", *WOOL, companyName="Wool Ltd") + at("iron.example", "ignores-ira", companyName="Iron GmbH")


@pytest.fixture(autouse=True)
def stop(acme: Workspace, clock: Movable) -> None:
    """New campaigns have the company stop; no other rule is asked."""
    with transaction() as current:
        current.merge(acme).contact_rules = {**RULES, "company_stop": True}


def correct(workspace: Workspace, person: str, said: str | None) -> Person:
    """A member says what the person's company is."""
    found = company_corrections.correct(workspace, person_id(workspace, person), said)
    end_read()
    return found


def company(workspace: Workspace, person: str) -> tuple[str, str]:
    """What counts as the person's company: domain and name."""
    found = session().get_one(Person, person_id(workspace, person), populate_existing=True)
    end_read()
    return found.company_domain, found.company_key


def test_who_is_of_another_company_goes_on_and_is_held_again_by_the_undo(acme: Workspace) -> None:
    campaign = on_the_network(acme, SHARED)
    forward(acme, hours=1)
    replies(acme, "ignores-ann")
    assert held(campaign) == {"ignores-bea", "ignores-cy"}
    correct(acme, "ignores-bea", "Wool Berlin")
    assert company(acme, "ignores-bea") == ("", "wool berlin")
    assert held(campaign) == {"ignores-cy"}
    correct(acme, "ignores-bea", None)
    assert company(acme, "ignores-bea") == ("wool.example", "wool")
    assert held(campaign) == {"ignores-bea", "ignores-cy"}
    assert_counters_hold(campaign)


def test_who_is_of_the_same_company_is_held_too(acme: Workspace) -> None:
    campaign = on_the_network(acme, SHARED)
    forward(acme, hours=1)
    replies(acme, "ignores-ann")
    correct(acme, "ignores-ira", "https://www.wool.example/about")
    assert held(campaign) == {"ignores-bea", "ignores-cy", "ignores-ira"}
    assert company_corrections.of_person(session().get_one(Person, person_id(acme, "ignores-ira"))).others == 3
    correct(acme, "ignores-ira", "")
    assert company(acme, "ignores-ira") == ("", "")
    assert held(campaign) == {"ignores-bea", "ignores-cy"}


def test_a_person_of_another_website_shares_no_name_with_the_former_company(acme: Workspace) -> None:
    """Else who is known by that name alone would still count as their colleague."""
    a_list(acme, [{"publicId": one, "companyName": "Wool Ltd"} for one in ("ann", "bea")])
    a_list(acme, [{"publicId": "cy", "companyName": "Cotton AG", "companyUrl": "https://cotton.example"}], "Cotton")
    correct(acme, "ann", "cotton.example")
    assert company(acme, "ann") == ("cotton.example", "cotton")
    bea = session().get_one(Person, person_id(acme, "bea"))
    assert company_corrections.of_person(bea).others == 0


def test_the_hold_follows_the_company_of_the_one_who_replied(acme: Workspace) -> None:
    campaign = on_the_network(acme, SHARED)
    forward(acme, hours=1)
    replies(acme, "ignores-ann")
    correct(acme, "ignores-ann", "iron.example")
    assert held(campaign) == {"ignores-ira"}
    assert the_hold(acme).company_domain == "iron.example"
    correct(acme, "ignores-ann", "")
    assert held(campaign) == set()
    correct(acme, "ignores-ann", None)
    assert held(campaign) == {"ignores-bea", "ignores-cy"}


def test_another_hold_of_the_company_still_holds(acme: Workspace) -> None:
    """Who leaves one held company for another one stays held."""
    campaign = on_the_network(acme, [*SHARED, *at("iron.example", "ignores-joe")])
    forward(acme, hours=1)
    replies(acme, "ignores-ann")
    replies(acme, "ignores-ira")
    correct(acme, "ignores-bea", "iron.example")
    assert held(campaign) == {"ignores-bea", "ignores-cy", "ignores-joe"}


def test_the_caps_count_by_what_was_said(acme: Workspace) -> None:
    campaign = a_campaign(acme, SHARED, [INVITE, message()])
    forward(acme, days=1)
    ids = {one: person_id(acme, one) for one in ("ignores-ann", "ignores-bea", "ignores-ira")}

    def people(person: str) -> int:
        rules, caps = ContactRules(), Caps(company_people=5)
        found = facts.gather(campaign, [ids[person]], rules, caps, acme.now())[ids[person]].company_people
        end_read()
        return found

    before = people("ignores-ann"), people("ignores-ira")
    correct(acme, "ignores-ira", "wool.example")
    assert (people("ignores-ann"), people("ignores-ira")) == (before[0] + 1, before[0] + 1)
    correct(acme, "ignores-ira", "")
    assert (people("ignores-ann"), people("ignores-ira")) == (before[0], 0)


def test_what_was_said_outlives_imports_edits_and_a_merge(acme: Workspace) -> None:
    into = a_list(acme, [{"publicId": "ada", "email": "ada@wool.example", "companyName": "Wool Ltd"}])
    correct(acme, "ada", "iron.example")
    leads.add(acme, into, [{"publicId": "ada", "companyName": "Cotton AG", "companyUrl": "https://cotton.example"}])
    assert company(acme, "ada") == ("iron.example", "")
    lead = session().scalars(sa.select(Lead).where(Lead.list_id == into)).one()
    end_read()
    edit.change(acme, lead.id, {"email": "ada@silk.example"})
    assert company(acme, "ada") == ("iron.example", "")
    leads.add(acme, into, [{"publicId": "augusta", "companyUrl": "https://linen.example"}])
    keep, gone = person_id(acme, "augusta"), person_id(acme, "ada")
    name = merge_people.merge_people(acme, keep, gone)
    assert company(acme, "augusta")[0] == "iron.example"
    merge_people.MERGED.undo(acme, name, keep=keep)
    assert (company(acme, "augusta")[0], company(acme, "ada")[0]) == ("linen.example", "iron.example")


def test_each_correction_stands_in_the_audit_log_once(acme: Workspace) -> None:
    a_list(acme, [{"publicId": "ada", "email": "ada@wool.example"}])
    for said in ("iron.example", "Iron.example", None):
        correct(acme, "ada", said)
    query = sa.select(AuditEntry).where(AuditEntry.kind == "company.corrected").order_by(AuditEntry.number)
    noted = session().scalars(query).all()
    assert [one.subject for one in noted] == [f"person id {person_id(acme, 'ada')}"] * len(noted)
    told: list[Any] = [(one.before["company"], one.after["company"]) for one in noted if one.before and one.after]
    assert told[0] == (None, "iron.example")
    assert told[-1][1] is None


def test_what_names_no_company_is_refused(acme: Workspace) -> None:
    a_list(acme, [{"publicId": "ada", "email": "ada@wool.example"}])
    for said in ("gmail.com", "ann@gmail.com", "linkedin.com/company/wool", "…", "x" * 201):
        with pytest.raises(InvalidRequest):
            correct(acme, "ada", said)
    assert company(acme, "ada") == ("wool.example", "")

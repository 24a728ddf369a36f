"""Customers and open deals of the connected CRM are left out of campaigns, themselves and their companies."""

from typing import Any

import pytest

from app.core.db import session, transaction
from app.domain.people import identities
from app.domain.people.exclusions import facts, gate
from app.domain.people.identities import Identity
from app.models.crm import CrmCompany, CrmConnection, CrmContact
from app.models.people import IdentityKind, Person
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, person_id
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def crm(workspace: Workspace) -> CrmConnection:
    with transaction() as current:
        made = CrmConnection(
            workspace_id=workspace.id, service="hubspot", account="1", event_cursor=0, created_at=workspace.now()
        )
        current.add(made)
        current.flush()
        return made


def contact(known: CrmConnection, email: str, **columns: Any) -> None:
    common = {"workspace_id": known.workspace_id, "connection_id": known.id, "values": {}}
    with transaction() as current:
        current.add(CrmContact(**common, external_id=email, email=email, **columns))


def asked(workspace: Workspace, campaign: Any, handle: str) -> Any:
    someone = person_id(workspace, handle)
    return gate.ask(campaign, [someone], workspace.now())[someone]


def a_person(workspace: Workspace, email: str, domain: str = "") -> Any:
    campaign = a_campaign(workspace, ["ada-example"])
    with transaction() as current:
        person = current.get_one(Person, person_id(workspace, "ada-example"))
        person.email, person.company_domain = email, domain
        identities.give(workspace.id, [(Identity(IdentityKind.EMAIL, email), person.id)])
    return campaign


@pytest.mark.parametrize("flag", ["customer", "open_deal"])
def test_a_contact_with_either_is_left_out(acme: Workspace, rival: Workspace, clock: Movable, flag: str) -> None:
    campaign = a_person(acme, "ada@acme.example")
    contact(crm(rival), "ada@acme.example", **{flag: True})
    known = crm(acme)
    contact(known, "bob@acme.example", **{flag: True})
    assert asked(acme, campaign, "ada-example").verdict is None
    contact(known, "ada@acme.example", **{flag: True})
    verdict = asked(acme, campaign, "ada-example").verdict
    assert (verdict.code, verdict.effect, verdict.saw) == (flag, "exclude", facts.THEIR_CONTACT)


def test_a_company_counts_for_its_people(acme: Workspace, clock: Movable) -> None:
    campaign = a_person(acme, "ada@acme.example", "acme.example")
    known = crm(acme)
    with transaction() as current:
        row = {"workspace_id": acme.id, "connection_id": known.id, "external_id": "5"}
        current.add(CrmCompany(**row, name="Acme", domain="acme.example", open_deal=True))
    verdict = asked(acme, campaign, "ada-example").verdict
    assert (verdict.code, verdict.saw) == ("open_deal", "Acme")


def test_a_campaign_may_be_for_customers(acme: Workspace, clock: Movable) -> None:
    campaign = a_person(acme, "ada@acme.example")
    contact(crm(acme), "ada@acme.example", customer=True)
    someone = person_id(acme, "ada-example")
    let_in = gate.ask(campaign, [someone], acme.now(), let_in={someone: {"codes": ["customer"]}})
    assert let_in[someone].verdict is None
    with transaction():
        campaign.contact_rules = {"customers": False}
    session().flush()
    assert asked(acme, campaign, "ada-example").verdict is None

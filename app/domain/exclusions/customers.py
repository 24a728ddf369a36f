"""Customers and open deals, as the connected CRM knows them: of people by their addresses, of companies by domain."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import in_list, session
from app.models.crm import CrmCompany, CrmContact
from app.models.people import IdentityKind, PersonIdentity

THEMSELVES = "their contact in your CRM"


class Known(NamedTuple):
    """Where the CRM has a customer and an open deal of a person; '' for no."""

    customer: str = ""
    open_deal: str = ""

    def joined(self, customer: bool, open_deal: bool, where: str) -> "Known":
        """Return this with more that is known; what came first stays."""
        return Known(self.customer or (where if customer else ""), self.open_deal or (where if open_deal else ""))


NOTHING = Known()
_FLAGS = (CrmContact.customer, CrmContact.open_deal)
_MARKED = sa.or_(CrmContact.customer.is_(True), CrmContact.open_deal.is_(True))


def of_people(workspace_id: int, people: Sequence[Any]) -> dict[int, Known]:
    """Return what the CRM says of these people, of whom `id`, `company_domain` and `has_crm` are known."""
    people = [person for person in people if person.has_crm]
    if not people:
        return {}
    ids = [person.id for person in people]
    found: dict[int, Known] = {}
    by_address = sa.select(PersonIdentity.person_id, *_FLAGS).join(
        PersonIdentity,
        sa.and_(
            PersonIdentity.workspace_id == CrmContact.workspace_id,
            PersonIdentity.kind == IdentityKind.EMAIL,
            PersonIdentity.value == CrmContact.email,
        ),
    )
    linked = sa.select(CrmContact.person_id, *_FLAGS)
    for query, whose in ((by_address, PersonIdentity.person_id), (linked, CrmContact.person_id)):
        marked = query.where(CrmContact.workspace_id == workspace_id, _MARKED, in_list(whose, ids))
        for person_id, customer, open_deal in session().execute(marked):
            if person_id is not None:
                found[person_id] = found.get(person_id, NOTHING).joined(customer, open_deal, THEMSELVES)
    companies = _of_companies(workspace_id, {person.company_domain for person in people} - {""})
    for person in people:
        if known := companies.get(person.company_domain):
            before = found.get(person.id, NOTHING)
            found[person.id] = before.joined(known.customer, known.open_deal, known.name or known.domain)
    return found


def _of_companies(workspace_id: int, domains: set[str]) -> dict[str, Any]:
    query = sa.select(CrmCompany.customer, CrmCompany.open_deal, CrmCompany.name, CrmCompany.domain).where(
        CrmCompany.workspace_id == workspace_id, in_list(CrmCompany.domain, sorted(domains))
    )
    marked = query.where(sa.or_(CrmCompany.customer.is_(True), CrmCompany.open_deal.is_(True)))
    return {row.domain: row for row in session().execute(marked)} if domains else {}

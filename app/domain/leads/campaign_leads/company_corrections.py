"""What counts as a person's company, corrected by hand: the company stop and the caps follow at once."""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa

from app.core.db import session
from app.domain.leads.campaign_leads import company_decisions
from app.domain.people import companies, merge, people
from app.domain.people.exclusions import company_holds
from app.domain.people.exclusions.company_holds import Company
from app.domain.platform import audit_log, locks
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.people import Person
from app.models.workspaces import Workspace

MOST_COUNTED = 1000


class SameCompany(NamedTuple):
    """The company of a person: how many others count as its people, and the hold that waits for a decision."""

    company: Company
    others: int
    hold: CompanyHold | None


def of_person(person: Person) -> SameCompany:
    """Return what counts as the person's company; more than MOST_COUNTED others are not counted."""
    company = Company.of(person)
    if not any(company):
        return SameCompany(company, 0, None)
    some = sa.select(Person.id).where(company_holds.people_of(person.workspace_id, company), Person.id != person.id)
    others = session().scalar(sa.select(sa.func.count()).select_from(some.limit(MOST_COUNTED + 1).subquery())) or 0
    return SameCompany(company, others, company_holds.open_holds(person.workspace_id).at(person))


def correct(workspace: Workspace, person_id: int, said: str | None) -> Person:
    """Say what the person's company is, by its website or name; '' is no one's company, None what their data says.

    People who are held, or no longer, because of it are paused and go on accordingly.
    """
    with locks.changing(workspace.id):
        by_hand = None if said is None else companies.said_by_hand(workspace.id, said)
        person = people.get(workspace, merge.current(workspace, person_id).id, lock=True)
        if person.company_by_hand == by_hand:
            return person
        before, holds = _words(person), _brought_about(person)
        held = company_decisions.held_by(holds)
        person.company_by_hand = by_hand
        people.compare(person)
        for hold in holds:
            hold.company_domain, hold.company_key = Company.of(person)
        session().flush()
        company_decisions.review(workspace, holds, held, person)
        audit_log.record(workspace, "company.corrected", f"person id {person.id}", before=before, after=_words(person))
        return person


def _brought_about(person: Person) -> Sequence[CompanyHold]:
    """Lock and return the holds that the person's reply brought about and that wait for a decision."""
    query = sa.select(CompanyHold).where(CompanyHold.person_id == person.id, CompanyHold.decision == HoldDecision.OPEN)
    return session().scalars(query.order_by(CompanyHold.id).with_for_update()).all()


def _words(person: Person) -> dict[str, str | None]:
    said = person.company_by_hand
    return {"company": said["said"] if said else None, "domain": person.company_domain, "name": person.company_key}

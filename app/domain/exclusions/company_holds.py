"""The company stop: after a reply everyone else at the company is held until a member decides."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, session
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.people import Person


def open_holds(workspace_id: int) -> Sequence[CompanyHold]:
    """Return the companies of the workspace about which nothing was decided yet."""
    query = sa.select(CompanyHold).where(
        CompanyHold.workspace_id == workspace_id, CompanyHold.decision == HoldDecision.OPEN
    )
    return session().scalars(query.order_by(CompanyHold.id)).all()


def covers(hold: Any, person: Any) -> bool:
    """Return whether the person is at the company: same domain, or same name where a domain is missing."""
    if hold.company_domain and person.company_domain:
        return bool(hold.company_domain == person.company_domain)
    return bool(hold.company_key) and bool(hold.company_key == person.company_key)


def hold(person: Person, conversation_id: int | None, at: datetime, *, opt_out: bool = False) -> CompanyHold | None:
    """Hold the person's company; None when it is unknown or held already. Inside a transaction."""
    if not person.company_domain and not person.company_key:
        return None
    if any(covers(one, person) for one in open_holds(person.workspace_id)):
        return None
    made = CompanyHold(
        workspace_id=person.workspace_id,
        company_domain=person.company_domain,
        company_key=person.company_key,
        name=person.company_name or person.company_domain,
        person_id=person.id,
        conversation_id=conversation_id,
        opt_out=opt_out,
        at=at,
    )
    session().add(made)
    session().flush()
    return made


def colleagues(made: CompanyHold) -> sa.ColumnElement[bool]:
    """Return the condition for people at the company, but for the one who answered."""
    named = []
    if made.company_domain:
        named.append(Person.company_domain == made.company_domain)
    if made.company_key:
        without = sa.true() if not made.company_domain else Person.company_domain == ""
        named.append(sa.and_(Person.company_key == made.company_key, without))
    return sa.and_(Person.workspace_id == made.workspace_id, Person.id != made.person_id, sa.or_(*named))


def forget(people: Sequence[Person]) -> None:
    """Delete the holds that these people brought about, where no one else is known at the company."""
    query = sa.select(CompanyHold).where(in_list(CompanyHold.person_id, [person.id for person in people]))
    for made in session().scalars(query).all():
        if session().scalar(sa.select(Person.id).where(colleagues(made)).limit(1)) is None:
            session().delete(made)
    session().flush()

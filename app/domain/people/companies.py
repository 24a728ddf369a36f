"""The company of a person, as the company stop and the caps know it: by their data, or as a member said."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.people import company_identity
from app.models.people import Person

LONGEST = 200


def columns(person: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that name the company: its domain, and its name without the legal form."""
    if said := person.get("company_by_hand"):
        return {"company_domain": said["domain"], "company_key": said["key"]}
    host = company_identity.domain_of(person["company_url"]) or company_identity.domain_of(person["email"])
    return {"company_domain": host, "company_key": company_identity.name_key(person["company_name"])}


def said_by_hand(workspace_id: int, written: str) -> dict[str, str]:
    """Return what a member wrote, a website or a name, as `person.company_by_hand`; '' is no company.

    The name that goes with a website is the one that most people there have.
    """
    said = text.squeeze(written)
    if len(said) > LONGEST or not text.is_text(said):
        raise InvalidRequest.of(("company", f"Use at most {LONGEST} characters."))
    if not said:
        return {"said": "", "domain": "", "key": ""}
    is_address = "." in said.strip(".") and " " not in said
    domain = company_identity.own_domain(said) if is_address else ""
    key = _usual_key(workspace_id, domain) if domain else company_identity.name_key(said)
    if is_address and not domain and text.domain(said):
        raise InvalidRequest.of(("company", "Many companies share this domain. Enter the company's own site or name."))
    if not domain and not key:
        raise InvalidRequest.of(("company", "Enter a website such as acme.com, or the company's name."))
    return {"said": said, "domain": domain, "key": key}


def _usual_key(workspace_id: int, domain: str) -> str:
    known = Person.company_domain != sa.literal_column("''")  # as the index says it
    there = (Person.workspace_id == workspace_id, known, Person.company_domain == domain)
    by_data = (Person.company_by_hand.is_(None), Person.company_key != "")
    number = sa.func.count()
    query = sa.select(Person.company_key).where(*there, *by_data).group_by(Person.company_key)
    return session().scalar(query.order_by(number.desc(), Person.company_key).limit(1)) or ""

"""A play's people: the audience, the sample for review, and the messages they would get."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import end_read, session
from app.domain.autopilot import people_search, play_steps, serialization
from app.domain.leads import profiles
from app.domain.people import people
from app.domain.people.exclusions import never_contact
from app.domain.people.identities import Identity
from app.domain.rules import message_templates
from app.models.autopilot import PlaySample, Setup
from app.models.workspaces import Workspace
from app.ports import FoundPerson, PeopleSearch
from app.ports.writer import ROWS

SHOWN = 8  # people for review
LOOKED_AT = 48  # at most, to find them
PAGE = 12
EXAMPLES = 5  # companies


@dataclass(frozen=True)
class Estimate:
    """The estimated audience. If it is 0, `without` is the row to drop, and `then` the audience without it."""

    audience: int
    without: str = ""
    then: int = 0
    companies: Sequence[str] = ()  # examples, from a directory that costs nothing
    invented: bool = False


def search(workspace: Workspace, angle: str = "") -> PeopleSearch:
    """Return the connected people search; sample people in the sandbox or without a service.

    Former customers and website visitors come from their lists.
    """
    if known := people_search.people_for(workspace, angle):
        return known
    return people_search.search_for(workspace) or ports.sandbox_people()


def estimate(workspace: Workspace, setup: Setup, angle: str = "") -> Estimate:
    """Estimate how many people the targeting reaches. Calls out, so never inside a transaction."""
    end_read()
    directory = search(workspace, angle)
    audience = directory.count(serialization.wanted(workspace, setup, angle))
    if audience:
        ours = directory.name == "sandbox"
        found = directory.find(serialization.wanted(workspace, setup, angle), PAGE).people if ours else ()
        companies = list(dict.fromkeys(person.company for person in found if person.company))
        return Estimate(audience, companies=companies[:EXAMPLES], invented=ours)
    rows = serialization.wanted(workspace, setup).rows
    counts = {
        key: directory.count(serialization.wanted(workspace, setup, angle, without=key))
        for key in ROWS
        if rows.get(key)
    }
    best = max(counts, key=lambda key: counts[key], default="")
    return Estimate(0, best, counts[best]) if best and counts[best] else Estimate(0)


def known(person: FoundPerson, sender_name: str) -> dict[str, str]:
    """Return the template variables of a found person and their values."""
    lead = SimpleNamespace(
        first_name=person.first_name,
        last_name=person.last_name,
        headline=person.headline,
        position=person.title,
        company_name=person.company,
        location=person.location,
        custom_fields=dict(person.facts),
    )
    return message_templates.values(lead, sender_name)


def messages(kept: Sequence[Mapping[str, Any]], person: FoundPerson, sender_name: str) -> list[Any]:
    """Render the steps for a person."""
    return play_steps.messages(kept, known(person, sender_name), handle(person))


def handle(person: FoundPerson) -> str:
    """Return a found person's unique name: the public id, or the address if there is no profile."""
    return text.public_id(person.public_id) or text.email(person.email)


def profile(person: FoundPerson) -> dict[str, Any]:
    """Convert a found person to a list's profile."""
    return {**profiles.of_found(person), "customFields": dict(person.facts)}


def allowed(workspace: Workspace, found: Sequence[FoundPerson]) -> list[FoundPerson]:
    """Return those who are not on the do-not-contact list."""
    asked = [
        never_contact.Candidate(number, _named(one), one.email, one.company, one.company_domain)
        for number, one in enumerate(found)
    ]
    barred = never_contact.blocked(workspace.id, asked)
    return [one for number, one in enumerate(found) if number not in barred]


def _named(one: FoundPerson) -> list[Identity]:
    return people.named({"public_id": text.public_id(one.public_id), "email": text.email(one.email)})


def samples(workspace: Workspace, play_id: int) -> Sequence[PlaySample]:
    """Return the sample people of a play, in the order they were found."""
    query = sa.select(PlaySample).where(PlaySample.workspace_id == workspace.id, PlaySample.play_id == play_id)
    return session().scalars(query.order_by(PlaySample.id)).all()


def fitting(found: Sequence[PlaySample]) -> int:
    """Count those without a vote against them."""
    return len([one for one in found if one.fit != "bad"])


def votes(found: Sequence[PlaySample]) -> dict[str, str]:
    """Return the votes by handle and by distinctive trait, such as `title: Founder`.

    A trait that good and bad fits share is left out, as is one of all samples. If each title, industry or company
    among the samples has a bad fit, another kind of trait made them bad, so none of these counts.
    """
    said = {one.person: one.fit for one in found if one.fit}
    for name in ("title", "industry", "company"):
        values = {one.found[name] for one in found if one.found[name]}
        fits = {value: {one.fit for one in found if one.found[name] == value and one.fit} for value in values}
        if len(values) > 1 and not all(fit == {"bad"} for fit in fits.values()):
            said |= {f"{name}: {value}": fit.pop() for value, fit in fits.items() if len(fit) == 1}
    return said

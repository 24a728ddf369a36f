"""Edit one lead: correct it, delete it."""

from collections.abc import Mapping
from typing import Any, Literal

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import leads, profiles
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.leads.profiles import TEXTS, InvalidProfile
from app.domain.people import identities, people, sources
from app.domain.people.exclusions import never_contact
from app.domain.platform import locks
from app.models.campaigns import UNENDED_STATES, Campaign, CampaignLead
from app.models.leads import Lead
from app.models.people import SourceKind
from app.models.workspaces import Workspace

IDENTITY = ("publicId", "profileUrl")
CAMPAIGN_HOLDS = "The profile {person} is or was in a campaign. Add the new profile to the list as a new person."
TAKEN = "{person} is already one of your people. Merge the two people instead."
IMAGE = ("imageUrl", "image_url", 2000)


def change(
    workspace: Workspace, lead_id: int, given: Mapping[str, Any], source: Literal["api", "hand"] = "hand"
) -> Lead:
    """Update the fields of the lead's person, named as in the specification; other fields stay.

    Merge `customFields`; None removes a field. Check people again who wait for a missing value.
    """
    with locks.changing(workspace.id) as current:
        lead = leads.get_visible(workspace, lead_id, lock=True)
        person = people.get(workspace, lead.person_id, lock=True)
        if people.change(workspace, person, _checked(lead, given), sources.by_actor(SourceKind(source))):
            current.flush()
            campaign_leads.refresh_changed(workspace, [person.id])
            _gate(workspace, lead)
        return lead


def _checked(lead: Lead, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns to set; raise InvalidRequest with every problem."""
    columns: dict[str, Any] = {}
    problems: list[tuple[str, str]] = []
    for name, value in given.items():
        if name == "customFields":
            problems += _own_fields(lead, value, columns)
            continue
        column, longest = IMAGE[1:] if name == IMAGE[0] else TEXTS[name]
        if len(value) > longest:
            problems.append((name, f"Use at most {longest:,} characters; you have {len(value):,}."))
        elif not text.is_text(value):
            problems.append((name, "Contains a character that can't be stored."))
        else:
            columns[column] = value.strip()
    if columns.get("email"):
        columns["email"] = text.email(columns["email"])
        if not columns["email"]:
            problems.append(("email", "Use a valid email address."))
    problems += _identity(lead, columns)
    InvalidRequest.raise_for(problems)
    return columns


def _own_fields(lead: Lead, value: dict[str, Any], columns: dict[str, Any]) -> list[tuple[str, str]]:
    try:
        merged = lead.custom_fields | profiles.custom_fields(value)
        columns["custom_fields"] = profiles.custom_fields(
            {name: content for name, content in merged.items() if content is not None}
        )
    except InvalidProfile as refusal:
        return [("customFields", str(refusal))]
    return []


def _identity(lead: Lead, columns: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the problems of a new public id or link; without any, add the public id to `columns`."""
    problems = []
    named: dict[str, str] = {}
    for name, column in zip(IDENTITY, ("public_id", "profile_url"), strict=True):
        if column not in columns:
            continue
        person = text.public_id(columns[column])
        if column == "profile_url" and not columns[column]:
            continue  # the link may go, the person stays
        if not person or len(person) > profiles.LONGEST_ID:
            problems.append((name, "Use a link to a person's profile."))
        elif person != lead.public_id and (sentence := _refused(lead, person)):
            problems.append((name, sentence))
        else:
            named[name] = person
    if len(set(named.values())) > 1:
        problems.append(("profileUrl", "Use the link of the profile in `publicId`."))
    elif named and not problems:
        columns["public_id"] = next(iter(named.values()))
    return problems


def _refused(lead: Lead, person: str) -> str:
    """Return why the lead cannot become that person, or ''."""
    reached = sa.select(CampaignLead.id).where(CampaignLead.person_id == lead.person_id).limit(1)
    if lead.public_id and session().scalar(reached):
        return CAMPAIGN_HOLDS.format(person=lead.public_id)
    owner = identities.owners(lead.workspace_id, {identities.of_profile(person)})
    return TAKEN.format(person=person) if set(owner.values()) - {lead.person_id} else ""


def _gate(workspace: Workspace, lead: Lead) -> None:
    """Stop the person if they are now on the do-not-contact list; leave those on hold to the undo."""
    if never_contact.find(workspace, lead.person_id):
        query = sa.select(CampaignLead.id).where(
            CampaignLead.person_id == lead.person_id, CampaignLead.state.in_(UNENDED_STATES)
        )
        there = set(session().scalars(query)) - never_contact.held_leads(workspace.id)
        campaign_leads.exclude_many(workspace, sorted(there), "never_contact")


def delete(workspace: Workspace, lead_id: int) -> None:
    """Delete the lead everywhere; what campaigns did stays in their history."""
    with locks.changing(workspace.id) as current:
        lead = leads.get_visible(workspace, lead_id, lock=True)
        if busy := _on_their_way(lead):
            raise Conflict(
                f"This person is active in the campaign “{busy}”.",
                recovery="First stop the campaign for this person, then delete the person.",
            )
        lead.deleted_at = workspace.now()
        current.flush()
        leads.detach([lead])


def _on_their_way(lead: Lead) -> str:
    query = (
        sa.select(Campaign.name)
        .join(CampaignLead, CampaignLead.campaign_id == Campaign.id)
        .where(CampaignLead.lead_id == lead.id, CampaignLead.state.in_(UNENDED_STATES))
    )
    return session().scalar(query.limit(1)) or ""

"""Demo data: the sandbox workspace of an invented founder, with a running campaign, drafts to approve and a draft."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.domain.campaigns import campaigns
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import leads, lists, profiles
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Channel
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.workspaces import Membership, User, Workspace

EMAIL, PASSWORD = "demo@overture.example", "a quiet walk in the sandbox"
NAME, PEOPLE, DAYS = "Tidemark", 300, 9
OPENS = timedelta(hours=10, minutes=20)  # the sandbox's time of day when the demo opens, so that people are due today
HELD = 40  # people of the campaign whose messages wait for approval
SHOPS = {"companyType": ["Online shops"], "size": ["11-50", "51-200"]}
SUPPORT = {"titles": ["Head of Support", "Director of Customer Service", "Customer Support Manager"], **SHOPS}
EXPERIENCE = {"titles": ["Head of Customer Experience", "VP Customer Experience"], **SHOPS}
SEQUENCE: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {
        "type": "connection_request",
        "delay": {"value": 4, "unit": "hours"},
        "message": "Hi {{first_name|there}}, I work on support tickets for online shops, and would be glad to connect.",
    },
    {
        "type": "message",
        "delay": {"value": 1, "unit": "days"},
        "message": "Thanks for connecting, {{first_name|there}}. Tidemark groups support tickets by their cause and "
        "counts what each cause costs.\n---\nDo you know which causes cost {{company_name|your shop}} most?",
    },
    {
        "type": "message",
        "delay": {"value": 3, "unit": "days"},
        "message": "Parcelwise cut its tickets by a third in two months. May I send you how, on two pages?",
    },
    {
        "type": "email",
        "delay": {"value": 4, "unit": "days"},
        "subject": "Fewer tickets at {{company_name|your shop}}",
        "message": "Hi {{first_name|there}},\n\nWe wrote to you on LinkedIn about support tickets. Would a 15-minute "
        "call be useful, or is this not a topic right now?\n\nBest regards,\n{{sender_name}}",
    },
]


def fill(password: str = PASSWORD) -> Workspace:
    """Create the demo workspace; keep what an earlier call created."""
    workspace = _find() or workspaces.create(NAME, EMAIL, password, sandbox=True, seed=5)
    senders = [each.id for each in accounts.every(workspace) if each.channel == Channel.SOCIAL]
    names = set(session().scalars(sa.select(Campaign.name).where(Campaign.workspace_id == workspace.id)))

    def campaign(name: str, people: LeadList, sequence: list[dict[str, Any]], approval: bool = False) -> Campaign:
        return campaigns.create(
            workspace, name=name, list_id=people.id, account_ids=senders, sequence=sequence, approval=approval
        )

    if "Heads of support" not in names:
        people = _list(workspace, "Heads of support in Europe", PEOPLE, SUPPORT, "Europe")
        campaigns.start(workspace, campaign("Heads of support", people, SEQUENCE).id)
        people = _list(workspace, "Heads of customer experience", HELD, EXPERIENCE, "DACH")
        campaigns.start(workspace, campaign("Customer experience", people, SEQUENCE[1:3], approval=True).id)
        sandbox_clock.advance(workspace, _until_morning(workspace.now()) / timedelta(hours=1))
    if "Support in Ireland" not in names:
        people = _list(workspace, "Heads of support in Ireland", HELD, SUPPORT, "Ireland")
        campaign("Support in Ireland", people, [SEQUENCE[0], *SEQUENCE[1:3]])
    return workspace


def _until_morning(now: datetime) -> timedelta:
    """Return the time until OPENS on the day DAYS days later, or on the first working day after that."""
    day = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=DAYS)
    return day + timedelta(days=max(0, 7 - day.weekday()) if day.weekday() > 4 else 0) + OPENS - now


def _find() -> Workspace | None:
    query = sa.select(Workspace).join(Membership, Membership.workspace_id == Workspace.id)
    mine = query.join(User, User.id == Membership.user_id).where(User.email == EMAIL, Workspace.sandbox.is_(True))
    return session().scalars(mine.order_by(Workspace.id)).first()


def _list(workspace: Workspace, name: str, count: int, wanted: dict[str, list[str]], place: str) -> LeadList:
    """Create a list of invented people who fit; always the same."""
    query = ports.PeopleQuery({**wanted, "location": [place]}, seed=workspace.sandbox_seed)
    found = ports.sandbox_people().find(query, count).people
    created = lists.create_list(workspace, name)
    leads.add(workspace, created.id, [profiles.of_found(one) for one in found])
    return created

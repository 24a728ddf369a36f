"""Demo data: a sandbox workspace with simulated people, a running campaign and a draft."""

import random
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.domain.campaigns import campaigns
from app.domain.leads import leads, lists
from app.domain.operations import sandbox_clock
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Channel
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.workspaces import Membership, User, Workspace

EMAIL, PASSWORD = "demo@overture.example", "a quiet walk in the sandbox"
NAME, PEOPLE, DAYS = "Demo", 300, 9
HELD = 40  # people of the campaign whose messages wait for approval
FIRST = (
    "Amara Ben Carla Daniel Elif Farid Greta Hugo Ingrid Jonas Keiko Liam Mira Noah Olga Pedro Quinn Rosa Sven Tara"
    " Umar Vera Wes Xenia Yusuf Zoe"
).split()
LAST = (
    "Abbott Bianchi Castro Dubois Eriksen Fischer Garcia Hoffmann Ivanova Jensen Kowalski Lindqvist Moreau Nakamura"
    " Okafor Petrov Quiroga Rossi Silva Tanaka Ueda Vasquez Weber Xu Yilmaz Zhang"
).split()
COMPANIES = (
    "Alder Analytics, Brightwater Foods, Cobalt Logistics, Driftwood Studios, Elmtree Health, Fernhill Energy, Granite"
    " Robotics, Harbour Insurance, Ironbark Mining, Juniper Travel, Kestrel Security, Larkspur Media, Maple Payments,"
    " Northlight Optics, Orchard Learning, Pinecone Software, Quarry Materials, Riverbend Retail, Saltmarsh Marine"
).split(", ")
ROLES = (
    "Head of Operations, VP Operations, COO, Chief of Staff, Operations Director, Head of Business Operations,"
    " Operations Manager, Director of Operations, Revenue Operations Manager, Managing Director"
).split(", ")
CITIES = (
    "Lisbon, Portugal; Berlin, Germany; Dublin, Ireland; Vienna, Austria; Madrid, Spain; Stockholm, Sweden; Amsterdam,"
    " Netherlands; Milan, Italy; Warsaw, Poland; Copenhagen, Denmark"
).split("; ")
SEQUENCE: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {
        "type": "connection_request",
        "delay": {"value": 4, "unit": "hours"},
        "message": "Hello {{first_name|there}}, I read about {{company_name|your work}} and would like to connect.",
    },
    {
        "type": "message",
        "delay": {"value": 1, "unit": "days"},
        "message": "Thank you for connecting, {{first_name|there}}.\n---\nHow do you plan your week?",
    },
    {
        "type": "message",
        "delay": {"value": 3, "unit": "days"},
        "message": "May I send you two pages on how others at the size of {{company_name|your company}} do it?",
    },
    {
        "type": "email",
        "delay": {"value": 4, "unit": "days"},
        "subject": "Two pages, {{first_name|as promised}}",
        "message": "Hello {{first_name|there}},\n\nhere is the summary I mentioned. Would a short call help?",
    },
]


def fill(password: str = PASSWORD) -> Workspace:
    """Create the demo workspace; keep what an earlier call created."""
    workspace = _find() or workspaces.create(NAME, EMAIL, password, sandbox=True, seed=5)
    people = _list(workspace)
    leads.add(workspace, people.id, list(_profiles(PEOPLE)))
    senders = [each.id for each in accounts.every(workspace) if each.channel == Channel.SOCIAL]
    names = set(session().scalars(sa.select(Campaign.name).where(Campaign.workspace_id == workspace.id)))
    draft: dict[str, Any] = {"list_id": people.id, "account_ids": senders}
    if "Operations leaders" not in names:
        running = campaigns.create(workspace, name="Operations leaders", sequence=SEQUENCE, **draft)
        campaigns.start(workspace, running.id)
        _held(workspace, senders)
        sandbox_clock.advance(workspace, DAYS * 24)
    if "A gentler start" not in names:
        campaigns.create(workspace, name="A gentler start", sequence=[SEQUENCE[0], *SEQUENCE[1:3]], **draft)
    return workspace


def _held(workspace: Workspace, senders: list[int]) -> None:
    """Create a campaign whose messages wait for approval."""
    few = lists.create_list(workspace, "New heads of operations")
    leads.add(workspace, few.id, [one | {"publicId": f"new-{one['publicId']}"} for one in _profiles(HELD, seed=7)])
    campaign = campaigns.create(
        workspace,
        name="Read before it goes out",
        list_id=few.id,
        account_ids=senders,
        sequence=SEQUENCE[1:3],
        approval=True,
    )
    campaigns.start(workspace, campaign.id)


def _find() -> Workspace | None:
    query = sa.select(Workspace).join(Membership, Membership.workspace_id == Workspace.id)
    mine = query.join(User, User.id == Membership.user_id).where(User.email == EMAIL, Workspace.sandbox.is_(True))
    return session().scalars(mine.order_by(Workspace.id)).first()


def _list(workspace: Workspace) -> LeadList:
    name = "Operations leaders in Europe"
    found: LeadList | None = session().scalars(lists.lists(workspace).where(LeadList.name == name)).first()
    return found or lists.create_list(workspace, name)


def _profiles(count: int, seed: int = 5) -> Any:
    """Return the same invented people for the same seed."""
    draw = random.Random(seed)
    for number in range(count):
        first, last, company = draw.choice(FIRST), draw.choice(LAST), draw.choice(COMPANIES)
        role, host = draw.choice(ROLES), f"{text.squeeze(company).lower().replace(' ', '-')}.example"
        yield {
            "publicId": f"{first}-{last}-{number}".lower(),
            "firstName": first,
            "lastName": last,
            "headline": f"{role} at {company}",
            "position": role,
            "companyName": company,
            "companyUrl": f"https://{host}",
            "location": draw.choice(CITIES),
            "email": f"{first}.{last}{number}@{host}".lower(),
            "tags": [],
        }

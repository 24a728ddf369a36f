"""What tests of research are about: drafts of a play whose people have companies with a website."""

from typing import Any

import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.approvals import bulk, drafting
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign
from app.models.leads import Lead
from app.models.workspaces import Workspace
from app.ports import Site, SitePage, Unreachable
from tests.domain.autopilot.steering import launched
from tests.domain.outreach import forward

SAID = "The company opened a second plant in Leeds in 2026."
START = "I read on your website: "


class Reader:
    """Reads the same page of every company, or fails."""

    def __init__(self, problem: str = "") -> None:
        self.read_addresses, self.problem = list[str](), problem

    def read(self, address: str, progress: Any) -> Site:
        self.read_addresses.append(address)
        if self.problem:
            raise Unreachable(self.problem)
        url = f"https://{address}/about"
        page = SitePage(url, "About us", "", f"{SAID} We look after you. Read our cookie notice here.", (), "about")
        return Site(address, "A company", "en", [page])


def drafts(workspace: Workspace) -> list[Approval]:
    """The drafts of messages and emails, the oldest first."""
    end_read()
    session().expire_all()
    query = sa.select(Approval).where(Approval.workspace_id == workspace.id, Approval.kind != "connection_request")
    return list(session().scalars(query.order_by(Approval.id)))


def held(workspace: Workspace, most_people: int = 8) -> list[Approval]:
    """The first messages of a launched play: the notes of its invitations went out before."""
    launched(workspace, approval=True, most_people=most_people)
    for _ in range(6):
        forward(workspace, days=14)
        if found := drafts(workspace):
            return found
        end_read()
        notes = session().scalars(sa.select(Approval.id).where(Approval.status == ApprovalStatus.PENDING)).all()
        if notes:
            bulk.bulk(workspace, list(notes), "approve")
    raise AssertionError("no draft waits")


def researched(workspace: Workspace, most_people: int = 8) -> list[Approval]:
    """The first messages of a launched play whose people are real as far as their websites go."""
    found = held(workspace, most_people)
    with transaction():
        session().get_one(Workspace, workspace.id).sandbox = False
        for lead in session().scalars(sa.select(Lead).where(Lead.id.in_([one.lead_id for one in found]))):
            lead.person.company_domain = "lark.example"
        drafting.queue_openers(session().get_one(Campaign, found[0].campaign_id))
    return found

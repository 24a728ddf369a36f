"""Tools for approvals: list the drafts that wait, and decide about them."""

from typing import Annotated, Any, Literal

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.core import text
from app.core.errors import Forbidden
from app.domain.approvals import approvals, bulk
from app.domain.approvals.approvals import Filters
from app.mcp.tool import LONGEST_TEXT, Call, OnePage, listed, picked, tool
from app.resources import Json


class Drafts(OnePage):
    """Which drafts to list."""

    campaign_id: Id | None = None


class Decision(Body):
    """The drafts, and what to do with them."""

    ids: Annotated[list[Id], AtMost(bulk.MOST_IDS), Field(min_length=1)]
    action: Literal["approve", "skip"]


@tool("List drafts", scope="approvals:read", takes=Drafts)
def list_drafts(call: Call, asked: Drafts) -> Json:
    """List the drafts that are waiting for approval, newest first: who gets what, in which campaign, and what to check.

    `warnings` lists what to check before you approve, such as a claim without a source.
    """
    found = call.page(asked, approvals.page(call.workspace, Filters(status="pending", campaign_id=asked.campaign_id)))
    return listed(found, (_draft(one) for one in found.rows)) | {"approveAt": call.link("/approvals")}


def _draft(row: Any) -> Json:
    shown = resources.Approval.of(row)
    found = picked(shown, "id campaignId campaignName stepType subject sender expiresAt")
    found |= {"text": text.shorten(shown["text"], LONGEST_TEXT)}
    if shown["lead"]:
        found["person"] = picked(shown["lead"], "id name title company")
    warned = [warning["sentence"] for warning in row.Approval.warnings]
    return found | ({"warnings": warned} if warned else {})


@tool("Approve or skip drafts", scope="approvals:write", takes=Decision, contacts=True)
def decide_drafts(call: Call, asked: Decision) -> Json:
    """Approve or skip drafts. Skipping sends nothing; the person continues with the next step.

    Only keys that may act without approval can approve here; with other keys, you can only skip, and a member approves
    on the page. Drafts with warnings are never approved this way. Only decide what the user asked you to.
    """
    if asked.action == "approve" and call.approves:
        raise Forbidden(
            "This key may not approve drafts; a member has to.",
            recovery=f"Ask the user to approve at {call.link('/approvals')}.",
        )
    return resources.BulkApprovals.of(bulk.bulk(call.workspace, asked.ids, asked.action))

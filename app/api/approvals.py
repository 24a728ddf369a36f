"""Approvals: messages and notes waiting for a decision, one by one or in bulk."""

from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import endpoint, id_of, one_of
from app.api.framework.schema_notes import BLANK, ONE_LINE, WRITTEN, among, any_one_of, case, up_to, words
from app.domain.approvals import approvals, checks
from app.domain.approvals import bulk as approval_bulk
from app.domain.approvals.approvals import Filters
from app.domain.autopilot import draft_rewrite
from app.domain.workspace import team
from app.domain.workspace.workspaces import Workspace

APPROVAL = "/approvals/<id:approval_id>"


class Decision(Body):
    """The new text of the draft, and whether to approve the draft."""

    model_config = any_one_of(
        case("Only `text`, to save the draft without approving it.", approve={"const": False}),
        case("`text` and `approve`, to approve the draft.", "approve", text=WRITTEN),
    )

    text: str
    """The text to send."""
    subject: Annotated[str, up_to(checks.SUBJECT, **ONE_LINE)] | None = None
    """The subject to send. If omitted, the subject stays the same."""
    approve: bool = False
    """Whether to approve the draft with this text."""
    confirm: bool = True
    """Whether to approve the draft even if it has warnings."""
    taken_on_by: Annotated[str, up_to(320)] | None = None
    """The email address of the member who confirms that the flagged claims are true."""


class Decisions(Body):
    """The drafts to approve or skip."""

    model_config = any_one_of(
        case("`approve`, without a `reason`.", action={"const": "approve"}, reason=BLANK),
        case("`skip`, with or without a `reason`.", action={"const": "skip"}),
    )

    ids: Annotated[list[Id], AtMost(approval_bulk.MOST_IDS), Field(min_length=1)]
    """The ids of the drafts."""
    action: Annotated[str, among(*approval_bulk.ACTIONS)]
    """Whether to approve or skip the drafts."""
    reason: Annotated[str, up_to(approval_bulk.LONGEST_REASON)] = ""
    """Why you skip the drafts, as a note for your colleagues."""


class Wish(Body):
    """The change you want to the draft."""

    wish: Annotated[str, words(draft_rewrite.LONGEST_WISH)]
    """How to change the draft, such as “Shorter”."""


@endpoint(
    "GET",
    "/approvals",
    scope="approvals:read",
    page_of=resources.Approval,
    filters={
        "status": one_of(*approvals.STATUSES, about="Only drafts with this status."),
        "campaignId": id_of("a campaign", "Only drafts in this campaign."),
        "stepType": one_of(*approvals.KINDS, about="Only drafts for this kind of step."),
    },
)
def page(workspace: Workspace, status: str = "", campaign_id: int | None = None, step_type: str = "") -> sa.Select[Any]:
    """List drafts, newest first."""
    return approvals.page(workspace, Filters(status=status, campaign_id=campaign_id, kind=step_type))


@endpoint("GET", APPROVAL, scope="approvals:read", returns=resources.Approval)
def show(workspace: Workspace, approval_id: int) -> Any:
    """Get a draft."""
    return approvals.get(workspace, approval_id)


@endpoint(
    "PATCH",
    APPROVAL,
    scope="approvals:write",
    body=Decision,
    returns=resources.Approval,
    if_match=True,
    dry=True,
    example={"text": "Thanks for connecting, Aoife.", "approve": True},
)
def decide(workspace: Workspace, approval_id: int, body: Decision, if_match: str | None = None) -> Any:
    """Edit a draft and, with `approve`, approve it.

    An approved draft is sent when its step is due, at the earliest ten seconds after approval. If `confirm` is false
    and the draft has warnings, nothing changes; the error lists each warning under the path `confirm`. To approve a
    claim without a source, change the text or set `takenOnBy` to the email address of the member who confirms it.

    To avoid overwriting other edits, send `If-Match` with the SHA-256 (in hexadecimal digits) of the subject, a line
    feed and the text that you last read. If the draft has been edited since then, you get 400 and nothing changes.
    """
    seen: tuple[str, ...] | None = None if body.confirm else ()
    by = team.member(workspace, body.taken_on_by) if body.taken_on_by is not None else None
    approvals.edit(
        workspace, approval_id, text=body.text, subject=body.subject, approve=body.approve, match=if_match, seen=seen,
        by=by,
    )  # fmt: skip
    return approvals.get(workspace, approval_id)


@endpoint("POST", APPROVAL + "/skip", scope="approvals:write", returns=resources.Approval)
def skip(workspace: Workspace, approval_id: int) -> Any:
    """Skip a draft; the person continues with the next step.

    Returns 409 if the draft has already been decided; undo the decision first.
    """
    approvals.skip(workspace, approval_id)
    return approvals.get(workspace, approval_id)


@endpoint("POST", APPROVAL + "/undo", scope="approvals:write", returns=resources.Approval)
def undo(workspace: Workspace, approval_id: int) -> Any:
    """Undo the approval or skipping of a draft, so that it waits for approval again.

    Returns 409 if the message was sent, or if the person has moved on to the next step.
    """
    approvals.undo(workspace, approval_id)
    return approvals.get(workspace, approval_id)


@endpoint(
    "POST",
    APPROVAL + "/rewrite",
    scope="approvals:write",
    body=Wish,
    returns=resources.RewriteResult,
    outside=True,
    costly=True,
    example={"wish": "Shorter, and without the compliment."},
)
def rewrite(workspace: Workspace, approval_id: int, body: Wish) -> Any:
    """Rewrite a draft as you ask; the draft still needs approval.

    Returns 409 if the draft has already been decided; undo the decision first.
    """
    made = draft_rewrite.rewrite(workspace, approval_id, body.wish)
    return made, approvals.get(workspace, approval_id)


@endpoint("POST", APPROVAL + "/take-back", scope="approvals:write", returns=resources.Approval)
def take_back(workspace: Workspace, approval_id: int) -> Any:
    """Undo the last rewrite of a draft and restore the text before it.

    Returns 409 if the draft has been edited since then.
    """
    draft_rewrite.undo(workspace, approval_id)
    return approvals.get(workspace, approval_id)


@endpoint(
    "POST",
    "/approvals/bulk",
    scope="approvals:write",
    body=Decisions,
    returns=resources.BulkApprovals,
    dry=True,
    example={"ids": [17, 18], "action": "approve"},
)
def bulk(workspace: Workspace, body: Decisions) -> list[approval_bulk.Result]:
    """Approve or skip several drafts at once; the response gives the outcome of each draft.

    If one draft cannot be approved or skipped, the others still are. Drafts with warnings are not approved in bulk;
    read and approve them one by one.
    """
    return approval_bulk.bulk(workspace, body.ids, body.action, reason=body.reason)

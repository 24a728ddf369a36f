"""What waits on Home: the newest replies with their words, and the first draft to approve."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import g, request

from app.domain.approvals import approvals
from app.domain.autopilot.research import reply_drafts
from app.domain.conversations import inbox, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.manual import compose
from app.domain.replies import own_words
from app.domain.rules import message_templates
from app.domain.workspace.workspaces import User, Workspace
from app.pages.conversations import view
from app.pages.framework import page_permissions

LOOKED_AT, SHOWN = 12, 3  # open conversations, and the replies of them
ORDER = {"positive": 0, "generic": 1, "negative": 2}
LONGEST = 900  # signs of a reply; the rest is in the conversation


@dataclass(frozen=True)
class Reply:
    """A conversation whose last word is theirs; the open one can be answered here."""

    id: int
    name: str
    first_name: str
    company: str
    tone: str
    words: str
    sender: str
    at: datetime
    open: bool
    known: int = 0
    written: int = 0
    typed: str = ""
    drafted: Any = None  # the writer's reply, and as the person would get it
    suggestion: str = ""


@dataclass(frozen=True)
class Draft:
    """The draft that comes first, as its person would get it, and whether a warning is to be read before."""

    row: Any
    parts: Sequence[str]
    checks: Sequence[Any]
    warned: bool


def of_workspace(workspace: Workspace, user: User) -> dict[str, Any]:
    """Return what the templates need for the replies and the draft that wait."""
    reads = page_permissions.may(g.role, "pages.conversations.index")
    decides = page_permissions.may(g.role, "pages.approvals.decide", change=True)
    drafts = approvals.count(workspace)
    replies, others = _replies(workspace, user) if reads else ([], 0)
    return {
        "replies": replies,
        "other_replies": others,
        "may_reply": page_permissions.may(g.role, "pages.conversations.send", change=True),
        "draft": _draft(workspace) if drafts and decides else None,
        "drafts": drafts if decides else 0,
    }


def _replies(workspace: Workspace, user: User) -> tuple[list[Reply], int]:
    """Return the replies that come first, and how many others wait among those looked at."""
    rows, _ = inbox.page(workspace, ThreadFilter(state="open"), limit=LOOKED_AT)
    theirs = [row for row in rows if row.last_direction == "in"]
    best = sorted(theirs, key=lambda row: ORDER.get(row.sentiment, 1))[:SHOWN]
    wanted = [row for row in best if str(row.id) == request.args.get("reply")] or best
    return [_reply(workspace, user, row, is_open=row is wanted[0]) for row in best], len(theirs) - len(best)


def _reply(workspace: Workspace, user: User, row: Any, *, is_open: bool) -> Reply:
    name = view.name_of(row)
    drafted = reply_drafts.find(workspace, row.id) if is_open else None
    written = own_words.said(row.last_text or "").strip() or (row.last_text or "").strip()
    return Reply(
        row.id,
        name,
        row.first_name or name,
        row.company_name,
        row.sentiment,
        written if len(written) <= LONGEST else f"{written[:LONGEST].rstrip()}…",
        row.account_name,
        row.last_message_at,
        is_open,
        threads.last_inbound(row.id) if is_open else 0,
        threads.last_written(row.id) if is_open else 0,
        compose.draft(workspace, user, row.id).text if is_open else "",
        drafted,
        view.drafted_text(workspace, row.id, drafted.text) if drafted else "",
    )


def _draft(workspace: Workspace) -> Draft | None:
    row = approvals.latest(workspace)
    if row is None:
        return None
    return Draft(row, message_templates.split(row.Approval.text), approvals.checks(row), bool(row.Approval.warnings))

"""What waits on Home: the newest replies with their words, and the first draft to approve."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import g, request

from app.domain.approvals import approvals
from app.domain.autopilot.research import reply_drafts
from app.domain.conversations import inbox, messages, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.manual import compose, recipients
from app.domain.replies import own_words
from app.domain.senders import accounts
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
    then: int  # the reply that opens once this one is done
    known: int = 0
    written: int = 0
    typed: str = ""
    drafted: Any = None  # the writer's reply, and as the person would get it
    suggestion: str = ""
    copies: Sequence[Any] = ()  # whom a reply to all has in Cc
    copy_blocked: str = ""  # the one of them on the do-not-contact list
    files: Sequence[str] = ()  # the names of those that came with the reply


def of_workspace(workspace: Workspace, user: User) -> dict[str, Any]:
    """Return what the templates need for the replies and the draft that wait."""
    reads = page_permissions.may(g.role, "pages.conversations.index")
    decides = page_permissions.may(g.role, "pages.approvals.decide", change=True)
    draft, drafts = approvals.latest(workspace) if decides else None, approvals.count(workspace)
    replies, others = _replies(workspace, user) if reads else ([], 0)
    return {
        "replies": replies,
        "other_replies": others,
        "may_reply": page_permissions.may(g.role, "pages.conversations.send", change=True),
        "draft": draft,
        "checks": approvals.checks(draft) if draft else [],
        "drafts": drafts if decides else 0,
    }


def _replies(workspace: Workspace, user: User) -> tuple[list[Reply], int]:
    """Return the replies that come first, and how many others wait among those looked at."""
    rows, _ = inbox.page(workspace, ThreadFilter(state="open"), limit=LOOKED_AT)
    theirs = [row for row in rows if row.last_direction == "in"]
    best = sorted(theirs, key=lambda row: ORDER.get(row.sentiment, 1))
    ids = [row.id for row in best[: SHOWN + 1]]
    at = next((at for at, one in enumerate(ids[:SHOWN]) if str(one) == request.args.get("reply")), 0)
    after = [*ids[at + 1 :], *ids[:at][::-1], 0][0]
    replies = [_reply(workspace, user, row, row.id == ids[at], after) for row in best[:SHOWN]]
    return replies, len(theirs) - len(replies)


def _reply(workspace: Workspace, user: User, row: Any, is_open: bool, then: int) -> Reply:
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
        then,
        messages.last_reply(row.id) if is_open else 0,
        messages.last_written(row.id) if is_open else 0,
        compose.draft(workspace, user, row.id).text if is_open else "",
        drafted,
        view.drafted_text(workspace, row.id, drafted.text) if drafted else "",
        *(_letter(workspace, row) if is_open and row.channel == "email" else ()),
    )


def _letter(workspace: Workspace, row: Any) -> tuple[Sequence[Any], str, list[str]]:
    """Return whom a reply to all has in Cc, the one of them who may not be written to, and the files they sent."""
    thread = threads.thread(workspace, row.id)
    copies = recipients.others(thread, accounts.get(workspace, thread.sender_id))
    files = [one["name"] for one in messages.last_letter(row.id).get("files", ())]
    return copies, recipients.blocked(workspace.id, copies), files

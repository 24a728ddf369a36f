"""What addresses of the inbox say: its filters, the place in it, and the page to go back to."""

import re
from datetime import datetime
from typing import Any

from flask import g, request

from app.core.text import number
from app.domain.campaigns import campaigns
from app.domain.conversations.threads import Place, ThreadFilter
from app.domain.senders import accounts
from app.domain.workspace.workspaces import User, Workspace
from app.pages.conversations.view import STATES, TABS
from app.pages.framework.base import safe_path

SENTIMENTS = {"positive": "positive", "neutral": "generic", "negative": "negative"}
_PLACE = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.]{8,15}\+00:00)~(\d{1,18})~(returned|ours|theirs)", re.ASCII)


def address() -> dict[str, Any]:
    """Return the known filters of the address, which every link keeps."""
    args = request.values
    who = args.get("who", "")
    known = {
        "view": args.get("view", "") if args.get("view", "") in STATES else "",
        "tab": args.get("tab", "") if args.get("tab", "") in TABS else "",
        "q": " ".join(args.get("q", "").split())[:200],
        "who": who if who in ("me", "none", "mentions") or number(who) else "",
        "sender": number(args.get("sender", "")),
        "campaign": number(args.get("campaign", "")),
        "meeting": "booked" if args.get("meeting", "") == "booked" else "",
        "company": " ".join(args.get("company", "").split())[:200],
        "sort": "oldest" if args.get("sort", "") == "oldest" else "",
    }
    return {"address": {name: value for name, value in known.items() if value}}


def choice(chosen: dict[str, Any]) -> ThreadFilter:
    """Return the filter that these words choose."""
    tab, who = chosen.get("tab", ""), chosen.get("who", "")
    silent = tab == "silent"
    members = {"me": g.user.id, "none": 0, "mentions": None, "": None}
    return ThreadFilter(
        sentiment=SENTIMENTS.get(tab),
        unread=True if tab == "unread" else None,
        answered=False if silent else None,
        state="" if silent else STATES[chosen.get("view", "")][1],
        account_id=chosen.get("sender"),
        campaign_id=chosen.get("campaign"),
        assignee_id=members[who] if who in members else number(who),
        mentioned_id=g.user.id if who == "mentions" else None,
        company=chosen.get("company", ""),
        meeting=True if chosen.get("meeting") else None,
        oldest_first=chosen.get("sort") == "oldest",
        query=q if len(q := chosen.get("q", "")) > 1 else "",  # a single letter matches too many names
    )


def place(written: str) -> Place | None:
    """Return the place that an address writes; None for none."""
    try:
        found = _PLACE.fullmatch(written)
        return Place(datetime.fromisoformat(found[1]), int(found[2]), found[3]) if found else None
    except ValueError:
        return None


def choices(workspace: Workspace, user: User, people: dict[int, str], chosen: dict[str, Any]) -> list[Any]:
    """Return the choices of the filter form: name, label, value and its options."""
    others = [(str(one), name) for one, name in people.items() if one != user.id]
    who = [("me", "Mine"), ("none", "Unassigned"), ("mentions", "Mentions me"), *others]
    senders = [(str(key), name) for key, name in accounts.names(accounts.every(workspace)).items()]
    some = [(str(one.id), one.name) for one in campaigns.newest(workspace)]
    return [
        ("tab", "Replies", chosen.get("tab", ""), [("", "All"), *TABS.items()]),
        ("who", "Assigned to", str(chosen.get("who", "")), [("", "Anyone"), *who]),
        ("sender", "Sender", str(chosen.get("sender", "")), [("", "All senders"), *senders]),
        ("meeting", "Meeting", str(chosen.get("meeting", "")), [("", "Any"), ("booked", "Booked")]),
        ("campaign", "Campaign", str(chosen.get("campaign", "")), [("", "All campaigns"), *some]),
        ("sort", "Order", str(chosen.get("sort", "")), [("", "Newest first"), ("oldest", "Oldest first")]),
    ]


def way_back() -> str:
    """Return the page outside the inbox that the button was pressed on, '' for none."""
    return safe_path(request.values.get("next"), "")

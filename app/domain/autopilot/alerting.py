"""What is worth an alert: replies, campaigns that ended, senders who need somebody; together, at most one a minute."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import session, transaction
from app.domain import jobs
from app.domain.autopilot import alerts, state
from app.models.accounts import Account, AccountStatus
from app.models.autopilot import Setup
from app.models.jobs import Job
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import Unreachable

ALWAYS = ("lead_auto_tagged_positive", "campaign_completed")
MOST_NAMED, LONGEST_QUOTE = 5, 160
_AT_REST = [AccountStatus.CHALLENGED, AccountStatus.DISCONNECTED]
_BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)


def tick() -> int:
    """Whatever happened since the last alert is on its way to whoever wanted to hear of it; how many alerts."""
    query = (
        sa.select(Workspace, Workspace.event_sequence > Setup.alerts_event, Setup.alerts_at)
        .join(Setup, Setup.workspace_id == Workspace.id)
        .where(Setup.alerts.is_not(None))
        .order_by(Workspace.id)
    )
    return sum(_look(workspace, more, at) for workspace, more, at in session().execute(query).all())


def _look(workspace: Workspace, more: bool, at: datetime | None) -> int:
    """1 when an alert is on its way. `more` says that there are events it has not looked at."""
    if not more and not _senders(workspace, at):
        return 0
    with transaction():
        setup = state.locked(workspace)
        if setup.alerts is None:
            return 0
        said = _said(workspace, setup)
        said += [
            f"{one.name} needs you: {one.status_reason or one.status}." for one in _senders(workspace, setup.alerts_at)
        ]
        alerts.look_from_now(workspace, setup)
        if not said:
            return 0
        jobs.add(workspace, "alert", str(setup.alerts_event), {"text": "\n".join(said)})
        return 1


def _senders(workspace: Workspace, since: datetime | None) -> Sequence[Account]:
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id,
        Account.status.in_(_AT_REST),
        Account.status_at > (since or _BEGINNING),
    )
    return session().scalars(query.order_by(Account.id)).all()


def _said(workspace: Workspace, setup: Setup) -> list[str]:
    """What the events since the last alert say, a line each, the first few of a kind."""
    kinds = [*ALWAYS, "every_reply"] if (setup.alerts or {}).get("replies") else list(ALWAYS)
    query = sa.select(Event.kind, Event.body).where(
        Event.workspace_id == workspace.id, Event.sequence > setup.alerts_event, Event.kind.in_(kinds)
    )
    found: dict[str, list[str]] = {}
    for kind, body in session().execute(query.order_by(Event.sequence)):
        found.setdefault(kind, []).append(_line(kind, json.loads(body)["data"]))
    lines = []
    for told in found.values():
        lines += told[:MOST_NAMED]
        if len(told) > MOST_NAMED:
            lines.append(f"… and {len(told) - MOST_NAMED} more.")
    return lines


def _line(kind: str, about: Mapping[str, Any]) -> str:
    lead, campaign = about.get("lead") or {}, (about.get("campaign") or {}).get("name", "")
    who = " ".join(part for part in (lead.get("firstName"), lead.get("lastName")) if part) or "Somebody"
    if lead.get("companyName"):
        who += f" ({lead['companyName']})"
    if kind == "campaign_completed":
        return f"The campaign “{campaign}” has finished."
    if kind == "lead_auto_tagged_positive":
        return f"{who} answered positively."
    words = text.squeeze((about.get("message") or {}).get("text", ""))
    return f"{who} wrote: “{text.shorten(words, LONGEST_QUOTE)}”"


@jobs.handler("alert")
def _alert(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """The alert was handed over, or is tried again later; a sandbox writes no e-mails."""
    setup = state.get(workspace)
    by_mail_in_sandbox = workspace.sandbox and (setup.alerts or {}).get("kind") == "email"
    if setup.alerts is None or by_mail_in_sandbox:
        return
    sent = alerts.send(workspace, setup, "News of your outreach", payload["text"])
    if not sent.delivered:
        raise Unreachable(sent.sentence)

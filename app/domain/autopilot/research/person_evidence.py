"""What is known of one person, as quotes: title, signals, a past conversation and their company's website."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.models.conversations import Conversation, Direction, Message
from app.models.leads import Lead
from app.models.monitors import MonitorPerson
from app.models.workspaces import Workspace
from app.ports.people_search import FACTS
from app.ports.writer import Evidence, Profile

BUSINESS, LONGEST = "business", 400
SAYS = {
    "started": "started in the role in {}",
    "opening": "is hiring: {}",
    "round": "raised money: {}",
    "technology": "uses {}",
    "news": "in the news: {}",
    "ended": "was a customer until {}",
}
Found = tuple[str, str, str, str, datetime | None]  # about, label, quote, address, day


def recipient(lead: Lead) -> str:
    """Return the name and the company of a person, as a brief has them."""
    names = (one.replace(",", " ") for one in (lead.name if lead.first_name else "", lead.company_name))
    return ", ".join(text.squeeze(one) for one in names if one.strip())


def gather(
    workspace: Workspace, lead: Lead, angle: str, pages: Sequence[dict[str, Any]], profile: Profile
) -> list[Evidence]:
    """Return the evidence about a person, then that about the business, numbered from 1."""
    found = [*_of_person(lead), *_signals(lead, angle), *_conversation(workspace, lead)]
    site = f"Website of {lead.company_name}" if lead.company_name else "Company website"
    numbered = [
        Evidence(number, about, label, text.shorten(quote, LONGEST), address, f"{at:%Y-%m-%d}" if at else "")
        for number, (about, label, quote, address, at) in enumerate(found, 1)
    ]
    numbered += [
        Evidence(number, "company", site, one["quote"], one["page"], one["date"])
        for number, one in enumerate(pages, len(numbered) + 1)
    ]
    return [*numbered, *_of_business(profile, len(numbered) + 1)]


def _of_person(lead: Lead) -> Iterator[Found]:
    title = lead.position or lead.headline
    if title:
        said = f"{title} at {lead.company_name}" if lead.company_name else title
        yield "title", "Title", text.squeeze(said), lead.profile_url, lead.person.created_at


def _signals(lead: Lead, angle: str) -> Iterator[Found]:
    """Yield what the search of the play or a monitor found, with the day it was found."""
    query = sa.select(MonitorPerson).where(MonitorPerson.person_id == lead.person_id)
    seen = session().scalars(query.order_by(MonitorPerson.id.desc()).limit(1)).first()
    values = {**(seen.found.get("facts") or {} if seen else {}), **(lead.custom_fields or {})}
    at = seen.found_at if seen else lead.created_at
    names = FACTS.get(angle) or {name for several in FACTS.values() for name in several}
    for name in SAYS:
        if name in names and (value := text.squeeze(str(values.get(name) or ""))):
            company = lead.company_name or "Their company"
            who = lead.name if name in ("started", "ended") else company
            yield "signal", "Signal", f"{who}: {SAYS[name].format(value)}", "", at


def _conversation(workspace: Workspace, lead: Lead) -> Iterator[Found]:
    """Yield the last thing that the person wrote."""
    query = (
        sa.select(Message.text, Message.at)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .where(Conversation.workspace_id == workspace.id, Conversation.person_id == lead.person_id)
        .where(Message.direction == Direction.IN, Message.automatic.is_(False), Message.text != "")
    )
    row = session().execute(query.order_by(Message.at.desc(), Message.id.desc()).limit(1)).first()
    if row:
        yield "conversation", "Their message", text.squeeze(row.text), "", row.at


def _of_business(profile: Profile, first: int) -> list[Evidence]:
    """Return the evidence about our own business, which a text may quote."""
    told = list(profile.sentences)
    open_to_say = [fact for fact in profile.facts if not fact.is_quotation or fact.quotable]
    told += [fact.text if fact.kind == "detail" else fact.quote for fact in open_to_say]
    several = dict.fromkeys(text.squeeze(one) for one in told if one.strip())
    return [Evidence(number, BUSINESS, "Your profile", one) for number, one in enumerate(list(several)[:8], first)]

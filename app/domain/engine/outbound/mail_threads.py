"""Threads of emails: an email without a subject follows up on the one before it that has one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch
from app.domain.engine.outbound.selection import Candidate
from app.domain.rules import message_templates
from app.domain.rules.message_templates import Draw
from app.domain.rules.sequences.branches import Flow, Route
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.variants.assignment import text_for
from app.models.ledger import Action

_ACTIONS: Any = Action.__table__


def subject_of(
    candidate: Candidate, known: dict[str, str], person_id: int, route: Route | None, had: Mapping[int, str]
) -> str:
    """Return the subject of the email that this one follows up on."""
    sequence = candidate.campaign.sequence
    if sequence[candidate.step]["type"] != "email":
        return ""
    for number in _titled(candidate, route)[-1:]:
        key = key_of(sequence, number)
        theirs, _ = text_for(sequence[number], person_id, key, had)
        return "Re: " + message_templates.fill_line(theirs["subject"], known, Draw(person_id, key)).parts[0]
    return ""


def _titled(candidate: Candidate, route: Route | None) -> list[int]:
    """Return the numbers of the earlier email steps that have a subject, on the person's route."""
    flow = Flow.of(candidate.campaign)
    earlier = ((number, flow.sequence[number]) for number in flow.before(route, candidate.step))
    return [number for number, step in earlier if step["type"] == "email" and step.get("subject")]


def former(planned: Sequence[Any]) -> dict[int, tuple[str, ...]]:
    """Return the emails that each email without a subject follows up on, by person, oldest first."""
    since: dict[int, set[int]] = {}  # by person, the steps of the thread; empty: all emails they got
    for _, candidate, row, _, _ in planned:
        sequence = candidate.campaign.sequence
        if candidate.budget == "withdraw" or sequence[candidate.step]["type"] != "email":
            continue
        if not sequence[candidate.step].get("subject"):
            named = _titled(candidate, row.route)[-1:]
            places = range(named[-1], candidate.step) if named else ()
            since[row.id] = {key_of(sequence, place) for place in places}
    found: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for mail in fetch(_MAILS, ids=list(since)) if since else ():
        thread = since[mail.campaign_lead_id]
        if not thread or mail.step in thread:
            found[mail.campaign_lead_id] += (mail.provider_ref,)
    return found


_MAILS = (
    sa.select(_ACTIONS.c.campaign_lead_id, _ACTIONS.c.step, _ACTIONS.c.provider_ref)
    .where(
        _ACTIONS.c.campaign_lead_id.in_(sa.bindparam("ids", expanding=True)),
        _ACTIONS.c.kind == "email",
        _ACTIONS.c.provider_ref != "",
    )
    .order_by(_ACTIONS.c.at, _ACTIONS.c.id)
)

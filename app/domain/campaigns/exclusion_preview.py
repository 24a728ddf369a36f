"""Who would be left out of a campaign that has not started: the gate is asked, and nothing is written.

A list is asked in slices, so that a page can show how far it is; `after` is where the next slice begins.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import get_owned, in_list, session
from app.domain.exclusions import gate
from app.domain.exclusions.gate import Asked
from app.domain.rules.contact_rules import Verdict
from app.domain.rules.reasons import REASONS
from app.models.campaigns import Campaign, CampaignLead, CampaignStatus
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace

CHUNK = 2000
SHOWN = 50  # names of a reason at once


class Asking(NamedTuple):
    """What the gate needs to know of a campaign, saved or not."""

    workspace_id: int
    list_id: int | None
    account_ids: Sequence[int]
    mailbox_ids: Sequence[int] = ()
    contact_rules: Mapping[str, Any] | None = None
    stop_company_on_reply: bool = True
    id: int = 0


class LeftOut(NamedTuple):
    """How many people are left out for each reason, among those that were asked about."""

    reasons: Mapping[str, int]  # the most first
    checked: int
    total: int
    after: int  # the last lead that was asked about; 0: all were
    first: Mapping[str, list[tuple[int, str]]]  # by reason: the first leads, and what was seen

    @property
    def complete(self) -> bool:
        """Return whether the whole list was asked about."""
        return self.after == 0

    @property
    def people(self) -> int:
        """Return how many people are left out."""
        return sum(self.reasons.values())


class Named(NamedTuple):
    """A person who is left out, and what the gate saw."""

    lead: Lead
    saw: str


class Reason(NamedTuple):
    """One reason with its sentence, for how many people, and the first of them."""

    code: str
    sentence: str
    people: int
    named: Sequence[Named]


def of_campaign(workspace: Workspace, campaign_id: int, *, most: int) -> tuple[LeftOut, list[Reason]] | None:
    """Return who would be left out of a saved campaign; None once its list is enrolled."""
    campaign = get_owned(Campaign, workspace, campaign_id)
    if campaign.status not in (CampaignStatus.DRAFT, CampaignStatus.SCHEDULED):
        return None
    counted = count(workspace, campaign, most=most)
    leads = _leads([lead_id for first in counted.first.values() for lead_id, _ in first])
    return counted, [
        Reason(code, REASONS[code][0], people, [Named(leads[lead_id], saw) for lead_id, saw in counted.first[code]])
        for code, people in counted.reasons.items()
    ]


def of_list(workspace: Workspace, campaign_id: int, list_id: int, *, most: int) -> LeftOut:
    """Count who of the list would be left out if it joined the campaign; who is in it already is not asked about."""
    campaign, found = get_owned(Campaign, workspace, campaign_id), get_owned(LeadList, workspace, list_id)
    senders = (campaign.account_ids, campaign.mailbox_ids)
    rules = (campaign.contact_rules, campaign.stop_company_on_reply)
    return count(workspace, Asking(workspace.id, found.id, *senders, *rules, campaign.id), most=most)


def count(
    workspace: Workspace,
    campaign: Any,
    *,
    most: int,
    after: int = 0,
    checked: int = 0,
    reasons: Mapping[str, int] | None = None,
) -> LeftOut:
    """Count the next people of the list, at most so many, on top of what was counted before."""
    found, last, seen = Counter(reasons or {}), after, 0
    first: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    total = session().scalar(sa.select(LeadList.lead_count).where(LeadList.id == (campaign.list_id or 0))) or 0
    for chunk, answers in _chunks(workspace, campaign, after):
        last, seen = chunk[-1].id, seen + len(chunk)
        for lead_id, verdict in _left_out(chunk, answers):
            found[verdict.code] += 1
            if len(first[verdict.code]) < SHOWN:
                first[verdict.code].append((lead_id, verdict.saw))
        if len(chunk) < CHUNK:
            last = 0
            break
        if seen >= most:
            break
    else:
        last = 0
    checked += seen
    return LeftOut(dict(found.most_common()), checked, max(total, checked), last, first)


def names(workspace: Workspace, campaign: Any, code: str, after: int = 0, most: int = SHOWN) -> tuple[list[Named], int]:
    """Return the next people who are left out for that reason, and the lead after which to go on; 0: no one is."""
    found: list[tuple[int, str]] = []
    for chunk, answers in _chunks(workspace, campaign, after):
        found += [(lead_id, verdict.saw) for lead_id, verdict in _left_out(chunk, answers) if verdict.code == code]
        if len(found) > most:
            break
    shown = found[:most]
    leads = _leads([lead_id for lead_id, _ in shown])
    return [Named(leads[lead_id], saw) for lead_id, saw in shown], shown[-1][0] if len(found) > most else 0


def _leads(lead_ids: Sequence[int]) -> dict[int, Lead]:
    query = sa.select(Lead).where(in_list(Lead.id, lead_ids))
    return {lead.id: lead for lead in session().scalars(query)}


def _left_out(chunk: Sequence[Any], answers: Mapping[int, Asked]) -> Iterator[tuple[int, Verdict]]:
    """Yield the leads who are excluded or held, and why; a cap only makes them wait."""
    for row in chunk:
        verdict = answers[row.person_id].verdict
        if verdict and verdict.effect != "wait":
            yield row.id, verdict


def _chunks(workspace: Workspace, campaign: Any, after: int) -> Iterator[tuple[Sequence[Any], Mapping[int, Any]]]:
    """Yield the list's people who are not in the campaign yet, in its order, with the gate's answers."""
    at = workspace.now()
    enrolled = sa.exists().where(CampaignLead.campaign_id == campaign.id, CampaignLead.person_id == Lead.person_id)
    while True:
        query = (
            sa.select(Lead.id, Lead.person_id)
            .where(Lead.list_id == (campaign.list_id or 0), Lead.workspace_id == workspace.id, Lead.id > after)
            .where(Lead.deleted_at.is_(None))
            .order_by(Lead.id)
            .limit(CHUNK)
        )
        rows = session().execute(query.where(~enrolled) if campaign.id else query).all()
        if not rows:
            return
        yield rows, gate.ask(campaign, [row.person_id for row in rows], at)
        after = rows[-1].id

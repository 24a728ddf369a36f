"""Who would be left out of a campaign that has not started, by a rule or as no step can reach them; nothing is written.

A list is asked in slices, so that a page can show how far it is; `after` is where the next slice begins.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import by_id, get_owned, in_pages, session
from app.domain.campaigns import enrolment
from app.domain.campaigns.validation import Problems
from app.domain.people.exclusions import gate
from app.domain.rules.contact_rules import Verdict
from app.domain.rules.reasons import REASONS
from app.models.campaigns import Campaign, CampaignLead, CampaignStatus
from app.models.leads import Lead, LeadList
from app.models.people import Person
from app.models.workspaces import Workspace

CHUNK = 2000
FEW = 200
SHOWN = 50  # names of a reason at once
OUT_OF_REACH = {  # what to do when it keeps everyone from being contacted
    "no_email": "No one this campaign may contact has an email address. Find addresses, or add LinkedIn steps.",
    "undeliverable": "No email address of the people on this list works. Correct the addresses, or add LinkedIn steps.",
    "no_profile": "No one this campaign may contact has a LinkedIn profile. Add profile links, or email steps.",
    "no_account": "No sender can reach anyone on this list. Choose a sender for these steps.",
    "no_step": "No step applies to anyone this campaign may contact. Change the steps or their conditions.",
}


class Asking(NamedTuple):
    """What the gate needs to know of a campaign, saved or not."""

    workspace_id: int
    list_id: int | None
    account_ids: Sequence[int]
    mailbox_ids: Sequence[int] = ()
    contact_rules: Mapping[str, Any] | None = None
    stop_company_on_reply: bool = True
    id: int = 0
    sequence: Sequence[Any] = ()  # without steps, reachability is not checked
    branches: Sequence[Any] | None = ()
    wait_for_profile: bool = False


class LeftOut(NamedTuple):
    """How many people are left out for each reason, among those that were asked about."""

    reasons: Mapping[str, int]  # most people first
    checked: int
    total: int
    after: int  # id of the last lead checked; 0 when all were
    first: Mapping[str, list[tuple[int, str]]]  # by reason: the first leads (id, what the check saw)

    @property
    def complete(self) -> bool:
        """Return whether the whole list was asked about."""
        return self.after == 0

    @property
    def people(self) -> int:
        """Return how many people are left out."""
        return sum(self.reasons.values())

    @property
    def contacted(self) -> int:
        """Return how many people would be contacted, of those that were asked about."""
        return self.checked - self.people

    @property
    def remedy(self) -> str:
        """Return what to do when no step can reach anyone of the list; '' when one can, or rules leave them out."""
        missing = (OUT_OF_REACH[code] for code in self.reasons if code in OUT_OF_REACH)
        return next(missing, "") if self.complete and not self.contacted else ""


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
    leads = by_id(Lead, [lead_id for first in counted.first.values() for lead_id, _ in first])
    return counted, [
        Reason(code, REASONS[code][0], people, [Named(leads[lead_id], saw) for lead_id, saw in counted.first[code]])
        for code, people in counted.reasons.items()
    ]


def of_list(workspace: Workspace, campaign_id: int, list_id: int, *, most: int) -> LeftOut:
    """Count who of the list would be left out if it joined the campaign; who is in it already is not asked about."""
    campaign, found = get_owned(Campaign, workspace, campaign_id), get_owned(LeadList, workspace, list_id)
    asking = Asking._make(getattr(campaign, name) for name in Asking._fields)
    return count(workspace, asking._replace(list_id=found.id), most=most)


def check_reach(workspace: Workspace, campaign: Campaign, problems: Problems) -> None:
    """Raise InvalidRequest when no step can reach anyone whom no rule leaves out.

    The first person who is reached answers it, so that few people of a long list are asked about. A list whose people
    are all left out by rules starts, so that an owner can let them in.
    """
    missing = ""
    for chunk in _chunks(workspace, campaign, 0, FEW):
        for _, verdict in chunk:
            if verdict is None:
                return
            missing = missing or (verdict.code if verdict.code in OUT_OF_REACH else "")
    if missing:
        problems.add("listId", OUT_OF_REACH[missing])
        problems.done()


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
    for chunk in _chunks(workspace, campaign, after, CHUNK):
        last, seen = chunk[-1][0], seen + len(chunk)
        for lead_id, verdict in _left_out(chunk):
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
    for chunk in _chunks(workspace, campaign, after, CHUNK):
        found += [(lead_id, verdict.saw) for lead_id, verdict in _left_out(chunk) if verdict.code == code]
        if len(found) > most:
            break
    shown = found[:most]
    leads = by_id(Lead, [lead_id for lead_id, _ in shown])
    return [Named(leads[lead_id], saw) for lead_id, saw in shown], shown[-1][0] if len(found) > most else 0


def _left_out(chunk: Sequence[tuple[int, Verdict | None]]) -> Iterator[tuple[int, Verdict]]:
    return ((lead_id, verdict) for lead_id, verdict in chunk if verdict)


def _chunks(
    workspace: Workspace, campaign: Any, after: int, size: int
) -> Iterator[Sequence[tuple[int, Verdict | None]]]:
    """Yield the list's people who are not in the campaign yet, in its order, each with why they are left out or held.

    A cap only makes people wait.
    """
    at = workspace.now()
    enrolled = sa.exists().where(CampaignLead.campaign_id == campaign.id, CampaignLead.person_id == Lead.person_id)
    query = (
        sa.select(Lead.id, Lead.person_id, Person.email, Person.public_id)
        .join(Lead.person)
        .where(Lead.list_id == (campaign.list_id or 0), Lead.workspace_id == workspace.id)
        .where(Lead.deleted_at.is_(None))
    )
    for rows in in_pages(query.where(~enrolled) if campaign.id else query, Lead.id, size, after):
        asked = gate.ask(campaign, [row.person_id for row in rows], at)
        missing = enrolment.out_of_reach(campaign, rows, at)
        chunk: list[tuple[int, Verdict | None]] = []
        for row in rows:
            verdict = asked[row.person_id].verdict
            if verdict is None or verdict.effect == "wait":
                code = missing.get(row.person_id)
                verdict = Verdict(code, "exclude") if code else None
            chunk.append((row.id, verdict))
        yield chunk

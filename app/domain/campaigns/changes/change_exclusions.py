"""Change who is left out of a campaign on its way, and let in people whom no rule excludes any more."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import sqlalchemy as sa

from app.core.db import in_pages
from app.domain.campaigns import campaigns
from app.domain.campaigns import let_in as letting_in
from app.domain.campaigns.changes import revision_log
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.campaigns.exclusion_preview import Asking
from app.domain.people.exclusions import gate
from app.domain.rules.contact_rules import SET_ASIDE
from app.domain.rules.reasons import REASONS
from app.models.campaigns import (
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    CampaignRevision,
    LeadState,
    RevisionKind,
)
from app.models.workspaces import Workspace

CHUNK = 500
COUNTED = 1500  # people whom the preview checks, active and excluded each
_P = CampaignLead


def preview(workspace: Workspace, campaign: Campaign, wanted: Wanted) -> tuple[dict[str, int], list[str]]:
    """Return how many active people the new rules would stop, and how many excluded ones they would let in."""
    let_in, columns = wanted.let_in, campaigns.changed_exclusions(workspace, campaign, wanted.exclude or {})
    asking = Asking(workspace.id, None, campaign.account_ids, campaign.mailbox_ids, **columns, id=campaign.id)
    stopped, former = Counter[str](), Counter[str]()
    free = looked = seen = 0
    for chunk in islice(_chunks(campaign, UNENDED_STATES), COUNTED // CHUNK):
        stopped.update(code for code in _verdicts(workspace, asking, chunk).values() if code)
        former.update(code for code in _verdicts(workspace, campaign, chunk).values() if code)
        looked += len(chunk)
    for chunk in islice(_chunks(campaign, [LeadState.EXCLUDED]), COUNTED // CHUNK):
        free += sum(not code for code in _verdicts(workspace, asking, chunk).values())
        seen += len(chunk)
    more = {code: number - former[code] for code, number in stopped.items() if number > former[code]}
    counts = {"stopped": sum(more.values()), "let_in": free if let_in else 0, "could_be_let_in": free}
    says = [f"{number:,} more people will be left out: {REASONS[code][0]}" for code, number in more.items()]
    if free:
        people = "1 excluded person is" if free == 1 else f"{free:,} excluded people are"
        says.append(
            f"{people} no longer left out by these rules" + (", and rejoin." if let_in else ". You can let them in.")
        )
    if max(looked, seen) >= COUNTED:
        says.append(f"Based on the first {COUNTED:,} people.")
    return counts, says or ["This change affects no one."]


def change(workspace: Workspace, campaign: Campaign, wanted: Wanted, undoes: CampaignRevision | None = None) -> None:
    """Change who is left out; with `let_in`, excluded people go on whom no rule leaves out any more.

    Who was let in by a change that is undone and was not contacted is asked about again.
    """
    before, let_in = _rules(campaign), wanted.let_in
    campaigns.change_exclusions(workspace, campaign.id, wanted.exclude or {})
    after = _rules(campaign)
    if (before == after and not let_in) or campaign.status == "draft":
        return
    revision = revision_log.note(
        workspace,
        campaign,
        RevisionKind.EXCLUSIONS,
        before,
        after,
        {},
        undoes=undoes,
        is_open=let_in,
        people=_those(campaign, [LeadState.EXCLUDED]) if let_in else None,
        audited=True,
    )
    if let_in:
        campaigns.check_may_contact(workspace)
        go_on(workspace, campaign, revision)


def back(campaign: Campaign, revision: CampaignRevision) -> Wanted:
    """Return the rules as they were before the change; rules not set then are unset again."""
    former = revision.before["contact_rules"] or {}
    exclude = {name: former.get(name) for name in {*(campaign.contact_rules or {}), *former}}
    return Wanted(exclude={**exclude, "company_stop": revision.before["stop_company_on_reply"]})


def _rules(campaign: Campaign) -> dict[str, Any]:
    return {"contact_rules": campaign.contact_rules, "stop_company_on_reply": campaign.stop_company_on_reply}


def go_on(workspace: Workspace, campaign: Campaign, revision: CampaignRevision) -> None:
    """Let in the next chunk of excluded people whom no rule excludes any more. Inside a transaction."""
    chunk = next(_chunks(campaign, [LeadState.EXCLUDED], revision.looked_to), [])
    codes, at = _verdicts(workspace, campaign, chunk), workspace.now()
    free = [person for person in chunk if not codes[person.id] and person.person.erased_at is None]
    for person in free:
        letting_in.place(campaign, person, at)
    revision.effect = {"let_in": revision.effect.get("let_in", 0) + len(free)}
    revision.looked_to = chunk[-1].id if chunk else revision.looked_to
    revision.looked += len(chunk)
    revision.is_open = len(chunk) == CHUNK


def _chunks(campaign: Campaign, states: Sequence[str], after: int = 0) -> Iterator[Sequence[CampaignLead]]:
    """Yield the campaign's people of these states; of the excluded, those whom a rule left out."""
    for rows in in_pages(_those(campaign, states), _P.id, CHUNK, after):
        yield [row[0] for row in rows]


def _those(campaign: Campaign, states: Sequence[str]) -> sa.Select[CampaignLead]:
    query = sa.select(_P).where(_P.campaign_id == campaign.id, _P.state.in_(states))
    return query.where(_P.reason.in_(SET_ASIDE)) if LeadState.EXCLUDED in states else query


def _verdicts(workspace: Workspace, campaign: Any, people: Sequence[CampaignLead]) -> dict[int, str]:
    """Return the code for which each person is left out or held; '' for none."""
    asked = gate.ask(
        campaign,
        [person.person_id for person in people],
        workspace.now(),
        reached={person.person_id: person.contacted for person in people},
        let_in={person.person_id: person.let_in for person in people},
    )
    found = {}
    for person in people:
        verdict = asked[person.person_id].verdict
        found[person.id] = verdict.code if verdict and verdict.effect != "wait" else ""
    return found

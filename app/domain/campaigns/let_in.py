"""Let in: an owner sets a reason aside for one person who was left out, and it is written down."""

from datetime import datetime

from app.core.actor import actor
from app.core.db import session, transaction
from app.core.errors import Conflict
from app.domain.billing import plans
from app.domain.campaigns import campaigns
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import gate
from app.domain.platform import audit_log
from app.domain.rules.contact_rules import SET_ASIDE
from app.domain.rules.reasons import REASONS
from app.models.campaigns import CAMPAIGN, Campaign, CampaignLead, CampaignStatus, LeadState
from app.models.workspaces import Workspace

LETS_IN = (
    CampaignStatus.SCHEDULED,
    CampaignStatus.STARTING,
    CampaignStatus.RUNNING,
    CampaignStatus.PAUSED,
    CampaignStatus.FINISHED,
)


def let_in(workspace: Workspace, campaign_id: int, campaign_lead_id: int) -> CampaignLead:
    """Let the person in beside the reason for which they are left out; the gate is asked about all others at once.

    They start where enrolment would place them, or go on where they were. When another rule leaves them out, they
    stay excluded for that one. The do-not-contact list and an erasure cannot be set aside. A finished campaign runs
    again for them: one whose whole list is left out finishes at once.
    """
    campaigns.check_may_contact(workspace)
    with transaction():
        campaign = campaigns.locked(workspace, campaign_id)
        person = campaign_leads.get(workspace, campaign_id, campaign_lead_id, lock=True)
        _check(campaign, person)
        campaigns.check_approval(campaign)
        at, code = workspace.now(), person.reason
        former = (person.let_in or {}).get("codes", [])
        person.let_in = {"codes": [*former, code], "by": actor.get().name, "at": at.isoformat()}
        audit_log.record(
            workspace,
            "campaign_lead.let_in",
            f"{person.person.name} ({campaign.name})",
            before={"reason": code},
            after={"let in": REASONS[code][0]},
        )
        known = gate.ask(
            campaign,
            [person.person_id],
            at,
            reached={person.person_id: person.contacted},
            let_in={person.person_id: person.let_in},
        )
        found = known[person.person_id].verdict
        if found and found.effect == "exclude":
            person.reason = found.code
        else:
            if campaign.status == CampaignStatus.FINISHED:
                plans.check(workspace, "running_campaigns")
                CAMPAIGN.move(campaign, "reopen")
                campaign.ended_at = None
            place(campaign, person, at, held=found is not None and found.effect == "hold")
        session().flush()
        return person


def may_be_let_in(campaign: Campaign, person: CampaignLead) -> bool:
    """Return whether an owner may let the person in."""
    left_out = person.state == LeadState.EXCLUDED and person.reason in SET_ASIDE
    return left_out and campaign.status in LETS_IN and person.person.erased_at is None


def _check(campaign: Campaign, person: CampaignLead) -> None:
    if person.state != LeadState.EXCLUDED:
        raise Conflict(f"This person is {person.state}, not excluded.", recovery="There is nothing to do.")
    if person.reason == "never_contact" or person.person.erased_at is not None:
        raise Conflict(
            "This person is on the do-not-contact list and can't be let in.",
            recovery="If the person asked you to write, remove the entry and add the person to a new campaign.",
        )
    if person.reason not in SET_ASIDE:
        raise Conflict("This person wasn't left out by a rule.", recovery="Add the person to a new campaign.")
    if campaign.status not in LETS_IN:
        raise Conflict("This campaign isn't contacting anyone.", recovery="Add the person to a running campaign.")


def place(campaign: Campaign, person: CampaignLead, at: datetime, *, held: bool = False) -> None:
    """Let the person continue from the state they had when they were excluded."""
    campaign_leads.let_in(campaign, person, campaign_leads.last_state(person), at, held=held)

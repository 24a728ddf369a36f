"""One-click unsubscribe of campaign emails (RFC 8058): the header link, which never expires, and its effect."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa

from app.core.db import session
from app.core.errors import NotFound
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact, unsubscribe_token
from app.domain.platform import audit_log, locks
from app.domain.webhooks import events
from app.models.campaigns import UNENDED_STATES, Campaign, CampaignLead
from app.models.leads import Lead, NeverContact, NeverContactKind
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace

REASON = "Unsubscribed with the link in an email."
BY_MISTAKE = timedelta(days=1)  # an unsubscribe can be undone for so long


@dataclass(frozen=True)
class Wish:
    """Who may leave: an address, and the campaign lead whose email brought the link."""

    workspace: Workspace
    campaign_lead_id: int
    address: str

    def entry(self) -> never_contact.NeverContactRow | None:
        """Return the entry that blocks the address, if any."""
        candidate = never_contact.Candidate(0, (), self.address)
        return never_contact.blocked(self.workspace.id, [candidate]).get(0)


def read(token: str) -> Wish:
    """Return the person of an unsubscribe token, also when campaign and lead are deleted; raise NotFound if invalid."""
    try:
        workspace_id, campaign_lead_id, address = unsubscribe_token.read(token)
    except ValueError:
        raise NotFound("This link is incomplete.", recovery="Open the link from the email again.") from None
    if campaign_lead_id == unsubscribe_token.OF_TEST:
        raise NotFound("This link is from a test email.", recovery="Links work in the campaign's own emails.")
    workspace = session().get(Workspace, workspace_id)
    if workspace is None:
        raise NotFound("This sender is no longer active.", recovery="You don't need to unsubscribe.")
    return Wish(workspace, campaign_lead_id, address)


def has_left(wish: Wish) -> bool:
    """Return whether the address is blocked, for any reason."""
    return wish.entry() is not None


def _recipient(wish: Wish) -> sa.Select[int | None]:
    """Select the person to whom the email went."""
    ours = (CampaignLead.id == wish.campaign_lead_id, CampaignLead.workspace_id == wish.workspace.id)
    return sa.select(CampaignLead.person_id).where(*ours)


def may_still_arrive(wish: Wish) -> bool:
    """Return whether something to the person was on its way and its outcome is not known yet."""
    people = sa.select(Person.id).where(Person.workspace_id == wish.workspace.id, Person.email == wish.address)
    on_its_way = sa.select(Action.id).where(
        Action.workspace_id == wish.workspace.id,
        sa.or_(Action.person_id.in_(people), Action.person_id.in_(_recipient(wish))),
        Action.check_at.is_not(None),
        Action.state.in_([ActionState.SENDING, ActionState.UNKNOWN]),
    )
    return session().scalar(on_its_way.limit(1)) is not None


def leave(wish: Wish) -> None:
    """Unsubscribe the address and remove its people from every campaign. Idempotent."""
    workspace = wish.workspace
    with locks.changing(workspace.id):
        known = wish.entry()
        if known and known.kind == NeverContactKind.ERASED:  # an erased person's entry must not name them again
            return
        added = never_contact.add(workspace, [(NeverContactKind.EMAIL, wish.address)], REASON).added
        campaign_leads.exclude_many(workspace, list(_still_going(wish)), "never_contact")
        if added:
            _record_event(wish)
            audit_log.record(workspace, "person.unsubscribed", f"campaign person {wish.campaign_lead_id}")


def _record_event(wish: Wish) -> None:
    workspace, current = wish.workspace, session()
    person = current.get(CampaignLead, wish.campaign_lead_id)
    person = person if person and person.workspace_id == workspace.id else None
    campaign = current.get(Campaign, person.campaign_id) if person else None
    lead = current.get(Lead, person.lead_id) if person else None
    about = {"campaign": campaign, "lead": lead, "unsubscription": {"how": "link", "address": wish.address}}
    events.record(workspace.id, [events.new("unsubscribed", workspace.now(), about)])


def _still_going(wish: Wish) -> Sequence[int]:
    """Return the open campaign leads with that address, and of the email's recipient under any address."""
    query = (
        sa.select(CampaignLead.id)
        .join(Person, Person.id == CampaignLead.person_id)
        .where(CampaignLead.workspace_id == wish.workspace.id, CampaignLead.state.in_(UNENDED_STATES))
        .where(sa.or_(Person.email == wish.address, Person.id == _recipient(wish).scalar_subquery()))
        .order_by(CampaignLead.id)
    )
    return session().scalars(query).all()


def can_come_back(wish: Wish) -> bool:
    """Return whether the link's unsubscribe of the last day can be undone; other blocks stay."""
    return _entry(wish) is not None


def come_back(wish: Wish) -> bool:
    """Undo a recent unsubscribe by this link; campaigns the person left stay without them."""
    with locks.changing(wish.workspace.id) as current:
        entry = _entry(wish)
        if entry is None:
            return False
        current.delete(entry)
        audit_log.record(wish.workspace, "person.subscribed", f"campaign person {wish.campaign_lead_id}")
        return True


def _entry(wish: Wish) -> NeverContact | None:
    """Return the recent entry that this link created, if any."""
    query = sa.select(NeverContact).where(
        NeverContact.workspace_id == wish.workspace.id,
        NeverContact.kind == NeverContactKind.EMAIL,
        NeverContact.value == wish.address,
        NeverContact.reason == REASON,
        NeverContact.created_at > wish.workspace.now() - BY_MISTAKE,
    )
    return session().scalars(query).one_or_none()

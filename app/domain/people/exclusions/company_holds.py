"""The company stop: after a reply everyone else at the company is held until a member decides."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import paging
from app.core.db import by_id, get_owned, in_list, session
from app.core.paging import Page, Window
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.conversations import Conversation
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.people import Person
from app.models.workspaces import Workspace

HELD = "company_held"
# Decisions that stand when the person replies again in the same conversation.
_GOES_ON = (HoldDecision.GO_ON, HoldDecision.HAND_OVER)
_HAS_DOMAIN = Person.company_domain != sa.literal_column("''")  # written as in the index, so that the database uses it
_HAS_NAME = Person.company_key != sa.literal_column("''")


class Company(NamedTuple):
    """The columns of people, and of holds, that name a company."""

    company_domain: str
    company_key: str

    @classmethod
    def of(cls, row: Any) -> "Company":
        """Return the company of a person or a hold."""
        return cls(row.company_domain, row.company_key)

    def is_same(self, other: "Company") -> bool:
        """Return whether both are one company: same domain, or same name where a domain is missing."""
        if self.company_domain and other.company_domain:
            return self.company_domain == other.company_domain
        return bool(self.company_key) and self.company_key == other.company_key


class OpenHolds:
    """The companies about which nothing was decided yet, found by domain and by name."""

    def __init__(self, holds: Iterable[CompanyHold]) -> None:
        self._by_mark: defaultdict[str, list[CompanyHold]] = defaultdict(list)
        for one in holds:
            for mark in _marks(one):
                self._by_mark[mark].append(one)

    def at(self, person: Any) -> CompanyHold | None:
        """Return the hold of the person's company, the oldest of several."""
        company = Company.of(person)
        found = [one for mark in _marks(person) for one in self._by_mark.get(mark, ())]
        return min((one for one in found if Company.of(one).is_same(company)), key=lambda one: one.id, default=None)

    def over(self, person: Any) -> CompanyHold | None:
        """Return the hold that keeps the person from being contacted; the person who replied is not held by it."""
        found = self.at(person)
        return found if found and found.person_id != person.id else None


def _marks(row: Any) -> list[str]:
    return [
        *([f"domain:{row.company_domain}"] if row.company_domain else []),
        *([f"name:{row.company_key}"] if row.company_key else []),
    ]


def open_holds(workspace_id: int) -> OpenHolds:
    """Return the companies of the workspace about which nothing was decided yet."""
    query = sa.select(CompanyHold).where(
        CompanyHold.workspace_id == workspace_id, CompanyHold.decision == HoldDecision.OPEN
    )
    return OpenHolds(session().scalars(query.order_by(CompanyHold.id)))


def hold(person: Person, conversation_id: int | None, at: datetime, *, opt_out: bool = False) -> CompanyHold | None:
    """Hold the person's company; None when it is unknown or held already. Inside a transaction.

    When it was decided that the others go on, later replies in the same conversation hold no one again.
    """
    if not any(Company.of(person)) or open_holds(person.workspace_id).at(person):
        return None
    decided = sa.select(CompanyHold.id).where(
        CompanyHold.conversation_id == conversation_id, CompanyHold.decision.in_(_GOES_ON)
    )
    if conversation_id and session().scalar(decided.limit(1)):
        return None
    made = CompanyHold(
        workspace_id=person.workspace_id,
        company_domain=person.company_domain,
        company_key=person.company_key,
        name=person.company_name or person.company_domain,
        person_id=person.id,
        conversation_id=conversation_id,
        opt_out=opt_out,
        at=at,
    )
    session().add(made)
    session().flush()
    return made


def colleagues(made: CompanyHold) -> sa.ColumnElement[bool]:
    """Return the condition for people at the company, but for the one who answered."""
    others = Person.id != made.person_id if made.person_id else sa.true()
    return sa.and_(people_of(made.workspace_id, Company.of(made)), others)


def people_of(workspace_id: int, company: Company) -> sa.ColumnElement[bool]:
    """Return the condition for people at the company: by its domain, else by its name."""
    named = []
    if company.company_domain:
        named.append(sa.and_(_HAS_DOMAIN, Person.company_domain == company.company_domain))
    if company.company_key:
        without = sa.true() if not company.company_domain else Person.company_domain == ""
        named.append(sa.and_(_HAS_NAME, Person.company_key == company.company_key, without))
    return sa.and_(Person.workspace_id == workspace_id, sa.or_(sa.false(), *named))


def held_leads(workspace_id: int) -> sa.Subquery:
    """Select (hold_id, campaign_lead_id, campaign_id, person_id): who is held by each open hold of the workspace."""
    same_domain = (_HAS_DOMAIN, Person.company_domain == CompanyHold.company_domain)
    one_without = sa.or_(CompanyHold.company_domain == "", Person.company_domain == "")
    same_name = (_HAS_NAME, Person.company_key == CompanyHold.company_key, one_without)
    return sa.union(*(_held(workspace_id, *same) for same in (same_domain, same_name))).subquery()


def _held(workspace_id: int, *same: sa.ColumnElement[bool]) -> sa.Select[int, int, int, int]:
    another = sa.or_(CompanyHold.person_id.is_(None), CompanyHold.person_id != Person.id)
    return (
        sa.select(
            CompanyHold.id.label("hold_id"),
            CampaignLead.id.label("campaign_lead_id"),
            CampaignLead.campaign_id,
            CampaignLead.person_id,
        )
        .select_from(CompanyHold)
        .join(Person, sa.and_(Person.workspace_id == CompanyHold.workspace_id, *same))
        .join(CampaignLead, CampaignLead.person_id == Person.id)
        .where(CompanyHold.workspace_id == workspace_id, CompanyHold.decision == HoldDecision.OPEN, another)
        .where(CampaignLead.state == LeadState.PAUSED, CampaignLead.reason == HELD)
    )


class HeldIn(NamedTuple):
    """A campaign in which people of a company are held, and how many."""

    id: int
    name: str
    people: int


class ShownHold(NamedTuple):
    """A hold as it is shown: with the one who answered, to which sender, and who is held where."""

    hold: CompanyHold
    person: Person | None
    sender: Account | None
    held: Sequence[HeldIn]

    @property
    def people(self) -> int:
        """Return how many people are held in all campaigns."""
        return sum(one.people for one in self.held)


@dataclass(frozen=True)
class Found:
    """The holds of a workspace, newest first: those that wait for a decision, those decided, or all (None)."""

    workspace: Workspace
    decided: bool | None = None
    holding: bool = False  # only those that hold someone

    def page(self, window: Window) -> Page:
        """Return one page of `ShownHold`."""
        query = sa.select(CompanyHold).where(CompanyHold.workspace_id == self.workspace.id)
        if self.decided is not None:
            is_open = CompanyHold.decision == HoldDecision.OPEN
            query = query.where(~is_open if self.decided else is_open)
        if self.holding:
            query = query.where(CompanyHold.id.in_(sa.select(held_leads(self.workspace.id).c.hold_id)))
        found = paging.page(query, CompanyHold.id, window)
        return Page(shown(self.workspace, found.rows), found.next_cursor)


def shown(workspace: Workspace, holds: Sequence[CompanyHold]) -> list[ShownHold]:
    """Return these holds as they are shown."""
    people = by_id(Person, [one.person_id for one in holds])
    threads = by_id(Conversation, [one.conversation_id for one in holds])
    senders = by_id(Account, [thread.sender_id for thread in threads.values()])
    held = held_leads(workspace.id)
    counted = (
        sa.select(held.c.hold_id, Campaign.id, Campaign.name, sa.func.count())
        .join(Campaign, Campaign.id == held.c.campaign_id)
        .where(in_list(held.c.hold_id, [one.id for one in holds]))
        .group_by(held.c.hold_id, Campaign.id, Campaign.name)
        .order_by(Campaign.id)
    )
    where: defaultdict[int, list[HeldIn]] = defaultdict(list)
    for hold_id, *campaign in session().execute(counted) if holds else ():
        where[hold_id].append(HeldIn(*campaign))
    found = []
    for one in holds:
        thread = threads.get(one.conversation_id)
        sender = senders.get(thread.sender_id) if thread else None
        found.append(ShownHold(one, people.get(one.person_id), sender, where[one.id]))
    return found


@dataclass(frozen=True)
class People:
    """The people who count as those of a held company, the one who answered among them: (person, held in campaigns)."""

    workspace: Workspace
    hold: CompanyHold

    def page(self, window: Window) -> Page:
        """Return one page, the oldest first."""
        # Asked as a set: with a page's order beside it, SQLite would walk over everyone.
        theirs = sa.select(Person.id).where(people_of(self.workspace.id, Company.of(self.hold))).correlate(None)
        query = sa.select(Person).where(Person.id.in_(theirs), Person.erased_at.is_(None))
        found = paging.page(query, Person.id, window, newest_first=False)
        held = held_leads(self.workspace.id)
        here = (held.c.hold_id == self.hold.id, in_list(held.c.person_id, [one.id for one in found.rows]))
        counted = sa.select(held.c.person_id, sa.func.count()).where(*here).group_by(held.c.person_id)
        where = {row[0]: row[1] for row in session().execute(counted)}
        return Page([(one, where.get(one.id, 0)) for one in found.rows], found.next_cursor)


def get(workspace: Workspace, hold_id: int) -> ShownHold:
    """Return the hold, or raise NotFound."""
    (found,) = shown(workspace, [get_owned(CompanyHold, workspace, hold_id)])
    return found


def count(workspace: Workspace) -> int:
    """Return how many companies wait for a decision because people there are held."""
    query = sa.select(sa.func.count(sa.distinct(held_leads(workspace.id).c.hold_id)))
    return session().scalar(query) or 0


def held_in(workspace: Workspace) -> dict[int, int]:
    """Return how many people are held in each of the campaigns that has any."""
    held = held_leads(workspace.id)
    query = sa.select(held.c.campaign_id, sa.func.count(sa.distinct(held.c.campaign_lead_id)))
    return dict(session().execute(query.group_by(held.c.campaign_id)).all())


def of_conversation(workspace: Workspace, conversation_id: int) -> ShownHold | None:
    """Return the hold that a reply in the conversation brought about, while people are held by it."""
    query = sa.select(CompanyHold).where(
        CompanyHold.workspace_id == workspace.id,
        CompanyHold.conversation_id == conversation_id,
        CompanyHold.decision == HoldDecision.OPEN,
    )
    found = shown(workspace, session().scalars(query.order_by(CompanyHold.id.desc()).limit(1)).all())
    return found[0] if found and found[0].people else None


def forget(people: Sequence[Person]) -> None:
    """Delete the holds that these people brought about, where no one else is known at the company."""
    query = sa.select(CompanyHold).where(in_list(CompanyHold.person_id, [person.id for person in people]))
    for made in session().scalars(query).all():
        if session().scalar(sa.select(Person.id).where(colleagues(made)).limit(1)) is None:
            session().delete(made)
    session().flush()

"""What is known of people when a campaign asks whether it may contact them: a few queries for any number of people."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from app.core.db import in_batches, in_list, session
from app.domain.ledger import invite_health
from app.domain.people.exclusions import company_holds, never_contact
from app.domain.people.exclusions.company_holds import Company
from app.domain.rules.contact_rules import TOUCHES, Caps, ContactRules, Facts
from app.models.accounts import Account, Budget, Channel
from app.models.campaigns import (
    UNENDED_STATES,
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignStatus,
    LeadState,
)
from app.models.conversations import Conversation, Direction, Message
from app.models.crm import CrmCompany, CrmConnection, CrmContact
from app.models.leads import Lead, LeadList
from app.models.ledger import BY_HAND_STEP, Action, ActionState
from app.models.people import IdentityKind, Person, PersonIdentity
from app.models.tasks import Task, TaskKind

T = TypeVar("T")
OPEN_CAMPAIGNS = [
    CampaignStatus.SCHEDULED,
    CampaignStatus.STARTING,
    CampaignStatus.RUNNING,
    CampaignStatus.PAUSED,
    CampaignStatus.LOCKED,
]
_HERE: Any = aliased(CampaignLead)
_REACHED = (
    Action.kind.in_(TOUCHES),
    Action.part == 0,
    Action.state.in_([ActionState.SENDING, ActionState.SENT, ActionState.UNKNOWN]),
)
_BY_CAMPAIGNS = (
    Action.step >= 0,
    Action.token.not_like(f"{invite_health.BY_HAND}%"),  # what a member did themselves, such as answering
)
_TOUCHED = (*_REACHED, *_BY_CAMPAIGNS)
# What a member wrote themselves, here or on LinkedIn, is a contact as well. A connection request of their own is not,
# because a campaign may be meant for the people who accepted it.
_CONTACTED = (
    *_REACHED,
    sa.or_(sa.and_(*_BY_CAMPAIGNS), sa.and_(Action.step.in_([BY_HAND_STEP, 0]), Action.budget != Budget.INVITE)),
)


class PersonNow(NamedTuple):
    """What is known of one person without looking at other people."""

    id: int
    answer: str
    replied_at: datetime | None
    come_back_at: datetime | None
    tags: list[str]
    company_domain: str
    company_key: str
    has_list: bool  # their workspace has a do-not-contact list
    has_crm: bool  # their workspace is connected to one
    opt_out: str | None  # what a member is asked about: whether a sentence of theirs is a wish to hear no more

    @classmethod
    def of(cls, person_id: int, row: Any) -> "PersonNow":
        """Return the person of a row with the columns OF_PERSON."""
        return cls(person_id, *(getattr(row, name) for name in cls._fields[1:]))


def gather(
    campaign: Campaign,
    person_ids: Sequence[int],
    rules: ContactRules,
    caps: Caps,
    at: datetime,
    people: Mapping[int, PersonNow] | None = None,
) -> dict[int, Facts]:
    """Return what is known of each person; what no rule of the campaign asks for is not looked up.

    `people` are those that the caller has loaded already.
    """
    if not person_ids:
        return {}
    if people is None:
        found = session().execute(sa.select(Person.id, *OF_PERSON).where(in_list(Person.id, person_ids)))
        people = {row.id: PersonNow(*row) for row in found}
    listing = any(one.has_list for one in people.values())
    blocked = never_contact.blocked_people(campaign.workspace_id, person_ids) if listing else {}
    others = _with_others(campaign, person_ids, at - timedelta(days=max(caps.days, 1)))
    known = _in_crm(campaign.workspace_id, list(people.values())) if rules.customers else {}
    contacted = (
        _contacted(campaign, person_ids, at - timedelta(days=rules.contacted_days)) if rules.contacted_days else {}
    )
    listed = _listed(rules.list_ids, person_ids) if rules.list_ids else {}
    enrolled = _enrolled(rules.campaign_ids, person_ids) if rules.campaign_ids else {}
    companies = _Companies(campaign, list(people.values()), rules, caps, at)
    return {
        person_id: Facts(
            never=blocked[person_id].label if person_id in blocked else "",
            answer=row.answer,
            replied_at=row.replied_at,
            come_back_at=row.come_back_at,
            colleague=others.colleagues.get(person_id, "") if rules.colleague_talks else "",
            busy_in=others.campaigns.get(person_id, ""),
            contacted_at=contacted.get(person_id),
            customer=known.get(person_id, NOT_IN_CRM).customer,
            open_deal=known.get(person_id, NOT_IN_CRM).open_deal,
            listed=listed.get(person_id, ""),
            enrolled=enrolled.get(person_id, ""),
            tagged=next((tag for tag in row.tags if tag.casefold() in _folded(rules.tags)), ""),
            company_contacted_at=companies.contacted(row),
            held=companies.held(row),
            opt_out=row.opt_out or "",
            touches=others.touches.get(person_id, ()),
            company_people=companies.people(row),
        )
        for person_id, row in people.items()
    }


def gather_by_hand(workspace_id: int, person_id: int) -> Facts:
    """Return what a member who writes to the person should know: do-not-contact, their answer, a colleague's hold."""
    person = session().get_one(Person, person_id)
    blocked = never_contact.blocked_people(workspace_id, [person_id])
    hold = company_holds.open_holds(workspace_id).over(person)
    return Facts(
        never=blocked[person_id].label if blocked else "",
        answer=person.answer,
        replied_at=person.replied_at,
        come_back_at=person.come_back_at,
        held=hold.name if hold else "",
        opt_out=session().scalar(sa.select(_QUESTION).where(Person.id == person_id)) or "",
    )


# What a query asks for is built once, here and below: to build it takes as long as to run it, at every contact.
_QUESTION = (
    sa.select(Task.text)
    .where(Task.person_id == Person.id, Task.kind == TaskKind.OPT_OUT, Task.done_at.is_(None))
    .order_by(Task.id.desc())
    .limit(1)
    .correlate(Person)
    .scalar_subquery()
)
OF_PERSON = (
    *(Person.answer, Person.replied_at, Person.come_back_at, Person.tags),
    *(Person.company_domain, Person.company_key),
    never_contact.has_entries(Person.workspace_id).label("has_list"),
    sa.exists().where(CrmConnection.workspace_id == Person.workspace_id).label("has_crm"),
    _QUESTION.label("opt_out"),
)
_SINCE, _CAMPAIGN = sa.bindparam("since", type_=Action.at.type), sa.bindparam("campaign", type_=Campaign.id.type)
_ASKED: Any = sa.bindparam("people", expanding=True)


def _folded(tags: Iterable[str]) -> set[str]:
    return {tag.casefold() for tag in tags}


def touches(person_ids: Sequence[int], since: datetime) -> dict[int, tuple[datetime, ...]]:
    """Return when campaigns contacted each person since then, oldest first."""
    query = _TOUCHES.where(in_list(Action.person_id, person_ids))
    found: defaultdict[int, tuple[datetime, ...]] = defaultdict(tuple)
    for person_id, at in session().execute(query, {"since": since}):
        found[person_id] += (at,)
    return found


_TOUCHES = sa.select(Action.person_id, Action.at).where(Action.at > _SINCE, *_TOUCHED).order_by(Action.at)


def _contacted(campaign: Campaign, person_ids: Sequence[int], since: datetime) -> dict[int, datetime]:
    """Return when other campaigns or members contacted them last."""
    return _pairs(_BY_OTHERS.where(in_list(Action.person_id, person_ids)), since=since, campaign=campaign.id)


_BY_OTHERS = (
    sa.select(Action.person_id, sa.func.max(Action.at))
    .where(Action.at > _SINCE, *_CONTACTED, sa.or_(Action.campaign_id.is_(None), Action.campaign_id != _CAMPAIGN))
    .group_by(Action.person_id)
)


THEY_WROTE = sa.exists().where(
    Message.conversation_id == Conversation.id, Message.direction == Direction.IN, Message.automatic.is_(False)
)
# The conversation's sender is one of this campaign, perhaps one who left it and still has people in it.
_HAS_LANE = sa.exists().where(
    CampaignAccount.campaign_id == _CAMPAIGN, CampaignAccount.account_id == Conversation.sender_id
)
_TALKS = (
    sa.select(
        sa.literal("talk"),
        Conversation.person_id,
        Account.name,
        Conversation.last_message_at,
        sa.null().label("let_in"),
    )
    .join(Account, Account.id == Conversation.sender_id)
    .where(Conversation.channel == Channel.SOCIAL, THEY_WROTE, ~_HAS_LANE)
    .where(Conversation.sender_id.not_in(sa.bindparam("ours", expanding=True)))
    .where(Conversation.person_id.in_(_ASKED))
)
_IS_HERE = sa.exists().where(
    _HERE.campaign_id == _CAMPAIGN, _HERE.person_id == CampaignLead.person_id, _HERE.state.in_(UNENDED_STATES)
)
_ELSEWHERE = (
    sa.select(
        sa.literal("campaign").label("what"),
        CampaignLead.person_id,
        Campaign.name,
        sa.cast(sa.null(), Action.at.type).label("at"),
        sa.case((_IS_HERE, CampaignLead.let_in)).label("let_in"),
    )
    .join(Campaign, Campaign.id == CampaignLead.campaign_id)
    .where(CampaignLead.campaign_id != _CAMPAIGN)
    .where(CampaignLead.state.in_(UNENDED_STATES), Campaign.status.in_(OPEN_CAMPAIGNS))
    .where(CampaignLead.person_id.in_(_ASKED))
)
_TOUCH = sa.select(sa.literal("touch"), Action.person_id, sa.literal(""), Action.at, sa.null().label("let_in")).where(
    Action.at > _SINCE, *_TOUCHED, Action.person_id.in_(_ASKED)
)
_WITH_OTHERS: Any = sa.union_all(_ELSEWHERE, _TALKS, _TOUCH).order_by("at")


class _WithOthers(NamedTuple):
    """What other campaigns and senders have with each person."""

    campaigns: dict[int, str]  # a live one in which they are active, unless an owner let them in beside this one
    colleagues: dict[int, str]  # a sender whom they answered, and who is not of this campaign
    touches: dict[int, tuple[datetime, ...]]  # of all campaigns, oldest first


def _with_others(campaign: Campaign, person_ids: Sequence[int], since: datetime) -> _WithOthers:
    """Return what other campaigns and senders have with these people, in one statement for hundreds of people."""
    found = _WithOthers({}, {}, defaultdict(tuple))
    asked = {"campaign": campaign.id, "ours": [*campaign.account_ids, *campaign.mailbox_ids], "since": since}
    for batch in in_batches(list(person_ids)):
        for what, person_id, name, at, let_in in session().execute(_WITH_OTHERS, asked | {"people": batch}):
            if what == "touch":
                found.touches[person_id] += (at,)
            elif what == "talk":
                found.colleagues[person_id] = name
            elif "active_elsewhere" not in (let_in or {}).get("codes", ()):
                found.campaigns[person_id] = name
    return found


def _listed(list_ids: Sequence[int], person_ids: Sequence[int]) -> dict[int, str]:
    query = (
        sa.select(Lead.person_id, LeadList.name)
        .join(LeadList, LeadList.id == Lead.list_id)
        .where(in_list(Lead.person_id, person_ids), Lead.list_id.in_(list_ids), Lead.deleted_at.is_(None))
    )
    return _pairs(query)


def _enrolled(campaign_ids: Sequence[int], person_ids: Sequence[int]) -> dict[int, str]:
    query = (
        sa.select(CampaignLead.person_id, Campaign.name)
        .join(Campaign, Campaign.id == CampaignLead.campaign_id)
        .where(in_list(CampaignLead.person_id, person_ids), CampaignLead.campaign_id.in_(campaign_ids))
        .where(sa.or_(CampaignLead.state != LeadState.EXCLUDED, CampaignLead.contacted.is_(True)))
    )
    return _pairs(query)


class _Companies:
    """The companies of these people: held, contacted lately, and with how many people at once."""

    def __init__(
        self, campaign: Campaign, people: Sequence[Any], rules: ContactRules, caps: Caps, at: datetime
    ) -> None:
        self._holds = company_holds.open_holds(campaign.workspace_id) if campaign.stop_company_on_reply else None
        self._contacted: _OfCompanies[datetime] = {}
        self._people: _OfCompanies[None] = {}
        marks = {mark for person in people for mark in _marks(person)}
        if marks and rules.company_days:
            since = at - timedelta(days=rules.company_days)
            self._contacted = _people_at(campaign.workspace_id, marks, _LATELY, since=since)
        if marks and caps.company_people:
            self._people = _people_at(campaign.workspace_id, marks, _UNDER_WAY)

    def held(self, person: Any) -> str:
        """Return the company's name when it is held."""
        hold = self._holds.over(person) if self._holds else None
        return hold.name if hold else ""

    def contacted(self, person: Any) -> datetime | None:
        """Return when a colleague of the person was last contacted."""
        return max((at for _, at in _colleagues_of(person, self._contacted)), default=None)

    def people(self, person: Any) -> int:
        """Return how many colleagues of the person are being contacted."""
        return len({other for other, _ in _colleagues_of(person, self._people)})


_Mark = tuple[str, str]  # a column of `person` that names a company, and its value
_OfCompanies = dict[_Mark, list[tuple[Company, int, T]]]  # their companies and ids, each with what is known


def _marks(person: Any) -> list[_Mark]:
    """Return the columns that name the person's company, with their values."""
    return [
        *([("company_domain", person.company_domain)] if person.company_domain else []),
        *([("company_key", person.company_key)] if person.company_key else []),
    ]


def _colleagues_of(person: Any, known: _OfCompanies[T]) -> Iterator[tuple[int, T]]:
    """Yield the others of the person's company, with what is known of them."""
    company = Company.of(person)
    for mark in _marks(person):
        for theirs, other, what in known.get(mark, ()):
            if other != person.id and theirs.is_same(company):
                yield other, what


def _of_companies(workspace_id: int, marks: Iterable[_Mark]) -> Iterator[sa.ColumnElement[bool]]:
    """Yield the condition for people of companies with a domain, and of those with a name: each has its index."""
    by_column: defaultdict[str, list[str]] = defaultdict(list)
    for mark, value in marks:
        by_column[mark].append(value)
    for mark, values in by_column.items():
        column = getattr(Person, mark)
        known = column != sa.literal_column("''")  # written as in the index, so that the database uses it
        yield sa.and_(Person.workspace_id == workspace_id, known, in_list(column, values))


def _people_at(
    workspace_id: int, marks: Iterable[_Mark], query: sa.Select[*tuple[Any, ...]], **parameters: Any
) -> _OfCompanies[Any]:
    """Return the people of the query who are at these companies, each with the time in the query's column `at`."""
    found: _OfCompanies[Any] = defaultdict(list)
    for theirs in _of_companies(workspace_id, marks):
        for row in session().execute(query.where(theirs), parameters):
            for mark in _marks(row):
                found[mark].append((Company.of(row), row.id, row.at))
    return found


_LATELY = (
    sa.select(Person.id, Person.company_domain, Person.company_key, sa.func.max(Action.at).label("at"))
    .join(Action, Action.person_id == Person.id)
    .where(Action.at > _SINCE, *_CONTACTED)
    .group_by(Person.id, Person.company_domain, Person.company_key)
)


_BEGUN = sa.exists().where(Action.campaign_lead_id == CampaignLead.id, *_TOUCHED)
# Who is being contacted: reached, or about to be, by a campaign not ended for them. Those who are paused count: they
# may go on any day, and then there would be one too many.
_UNDER_WAY = (
    sa.select(Person.id, Person.company_domain, Person.company_key, sa.null().label("at"))
    .join(CampaignLead, CampaignLead.person_id == Person.id)
    .where(CampaignLead.state.in_(UNENDED_STATES), sa.or_(CampaignLead.contacted.is_(True), _BEGUN))
)


def _pairs(query: sa.Select[Any, Any], **parameters: Any) -> dict[Any, Any]:
    return {row[0]: row[1] for row in session().execute(query, parameters)}


THEIR_CONTACT = "the person's contact in your CRM"


class InCrm(NamedTuple):
    """The CRM's name for the person as a customer and for an open deal of theirs; '' for neither."""

    customer: str = ""
    open_deal: str = ""

    def joined(self, customer: bool, open_deal: bool, where: str) -> "InCrm":
        """Return these names with those that are still missing filled in."""
        return InCrm(self.customer or (where if customer else ""), self.open_deal or (where if open_deal else ""))


NOT_IN_CRM = InCrm()
_FLAGS = (CrmContact.customer, CrmContact.open_deal)
_A_CUSTOMER = sa.or_(CrmContact.customer.is_(True), CrmContact.open_deal.is_(True))


def _in_crm(workspace_id: int, people: Sequence[Any]) -> dict[int, InCrm]:
    """Return what the CRM says of these people, of whom `id`, `company_domain` and `has_crm` are known."""
    people = [person for person in people if person.has_crm]
    if not people:
        return {}
    ids = [person.id for person in people]
    found: dict[int, InCrm] = {}
    by_address = sa.select(PersonIdentity.person_id, *_FLAGS).join(
        PersonIdentity,
        sa.and_(
            PersonIdentity.workspace_id == CrmContact.workspace_id,
            PersonIdentity.kind == IdentityKind.EMAIL,
            PersonIdentity.value == CrmContact.email,
        ),
    )
    linked = sa.select(CrmContact.person_id, *_FLAGS)
    for query, whose in ((by_address, PersonIdentity.person_id), (linked, CrmContact.person_id)):
        marked = query.where(CrmContact.workspace_id == workspace_id, _A_CUSTOMER, in_list(whose, ids))
        for person_id, customer, open_deal in session().execute(marked):
            if person_id is not None:
                found[person_id] = found.get(person_id, NOT_IN_CRM).joined(customer, open_deal, THEIR_CONTACT)
    companies = _crm_companies(workspace_id, {person.company_domain for person in people} - {""})
    for person in people:
        if known := companies.get(person.company_domain):
            before = found.get(person.id, NOT_IN_CRM)
            found[person.id] = before.joined(known.customer, known.open_deal, known.name or known.domain)
    return found


def _crm_companies(workspace_id: int, domains: set[str]) -> dict[str, Any]:
    query = sa.select(CrmCompany.customer, CrmCompany.open_deal, CrmCompany.name, CrmCompany.domain).where(
        CrmCompany.workspace_id == workspace_id, in_list(CrmCompany.domain, sorted(domains))
    )
    marked = query.where(sa.or_(CrmCompany.customer.is_(True), CrmCompany.open_deal.is_(True)))
    return {row.domain: row for row in session().execute(marked)} if domains else {}

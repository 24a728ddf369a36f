"""Contact rules: who is left out of a campaign, who is held, and who waits; pure, in the order they are asked."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from app.domain.rules.step_kinds import STEPS

# Reasons that an owner may set aside for one person.
SET_ASIDE = (
    *("said_no", "asked_to_wait", "replied_before", "other_conversation", "active_elsewhere", "contacted_lately"),
    *("customer", "open_deal"),
    *("in_excluded_list", "in_excluded_campaign", "has_excluded_tag", "company_contacted"),
)
# What a person hears or sees from us as a contact; the parts of one message are one touch.
TOUCHES = tuple(name for name, step in STEPS.items() if step.reaches)
DAY = timedelta(days=1)
_ALWAYS = ("never_contact", "opt_out_question")  # no owner sets these aside
# What is asked before a message that a member writes by hand: the first refuses it, the member is told of the others.
BY_HAND = ("never_contact", "said_no", "asked_to_wait", "opt_out_question", "company_held")


class Answer(StrEnum):
    """What a person answered last, in any campaign or told by hand."""

    NONE = ""
    POSITIVE = "positive"
    GENERIC = "generic"
    NEGATIVE = "negative"
    NOT_NOW = "not_now"
    ELSEWHERE = "elsewhere"  # on another channel, as a member says
    MET = "met"


# Of two answers the one that comes first here counts.
_STRICTEST = (
    *(Answer.NEGATIVE, Answer.NOT_NOW, Answer.MET, Answer.ELSEWHERE),
    *(Answer.GENERIC, Answer.POSITIVE, Answer.NONE),
)


def stricter(one: str, other: str) -> str:
    """Return the answer of two that holds back more."""
    return min(one, other, key=lambda answer: _STRICTEST.index(Answer(answer)))


class ContactRules(NamedTuple):
    """Who a campaign leaves out. Ninety days, and the rules that are on by default, are what paid tools ship with."""

    contacted_days: int = 90  # by other campaigns or by a member; 0: does not matter
    replied: bool = True
    said_no: bool = True
    colleague_talks: bool = True  # another sender of ours has an open conversation with them
    customers: bool = True  # they or their company are a customer, or have an open deal, in the connected CRM
    company_days: int = 0  # another person of their company was contacted
    list_ids: tuple[int, ...] = ()
    campaign_ids: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None) -> "ContactRules":
        """Return the rules as they are kept in a column."""
        known: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in (kept or {}).items()
            if name in cls._fields
        }
        return cls(**known)

    def in_words(self, company_stop: bool = False) -> list[str]:
        """Return who is left out, one phrase for each rule that is on."""
        lists, campaigns = len(self.list_ids), len(self.campaign_ids)
        found = {
            f"contacted in the last {days(self.contacted_days)}": self.contacted_days,
            "replied before": self.replied,
            "said no or not now": self.said_no,
            "in conversation with your team": self.colleague_talks,
            "customers and open deals in your CRM": self.customers,
            f"someone else at the company contacted in the last {days(self.company_days)}": self.company_days,
            f"on {lists} {'list' if lists == 1 else 'lists'}": lists,
            f"in {campaigns} other {'campaign' if campaigns == 1 else 'campaigns'}": campaigns,
            f"tagged {' or '.join(self.tags)}": self.tags,
            "at a company where someone replied": company_stop,
        }
        return [phrase for phrase, on in found.items() if on]


def days(number: int) -> str:
    """Return a number of days in words."""
    return "day" if number == 1 else f"{number:,} days"


class Caps(NamedTuple):
    """How often one person is contacted over all campaigns, and how many people of a company at once; 0: no cap."""

    touches: int = 4
    days: int = 14
    per_day: int = 1
    company_people: int = 5

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None) -> "Caps":
        """Return the caps as they are kept in a column."""
        return cls(**{name: int(value) for name, value in (kept or {}).items() if name in cls._fields})


NO_CAPS = Caps(0, 0, 0, 0)


class Facts(NamedTuple):
    """What is known of one person when a campaign asks; texts are names to show, '' for no."""

    never: str = ""  # the do-not-contact entry
    answer: str = ""
    replied_at: datetime | None = None
    come_back_at: datetime | None = None
    colleague: str = ""
    busy_in: str = ""  # another campaign in which they are active
    customer: str = ""  # where the CRM has them as one
    open_deal: str = ""
    contacted_at: datetime | None = None  # by another campaign or a member
    listed: str = ""
    enrolled: str = ""  # an excluded campaign
    tagged: str = ""
    company_contacted_at: datetime | None = None
    held: str = ""  # the name of their company, if it is held
    opt_out: str = ""  # what they wrote, which may be a wish to hear no more: a member decides
    touches: tuple[datetime, ...] = ()  # within the days of the caps, oldest first
    company_people: int = 0  # others of their company who are being contacted

    def told(self) -> dict[str, Any]:
        """Return the facts as JSON, leaving out the empty ones."""
        seen = {name: value for name, value in self._asdict().items() if value}
        return {name: _plain(value) for name, value in seen.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


Effect = Literal["exclude", "hold", "wait"]


class Verdict(NamedTuple):
    """Why a person may not be contacted now, what follows, until when, and what was seen."""

    code: str
    effect: Effect
    saw: str = ""
    until: datetime | None = None


def verdict(
    facts: Facts, rules: ContactRules, caps: Caps, at: datetime, *, first: bool = True, let_in: Collection[str] = ()
) -> Verdict | None:
    """Return the first reason not to contact the person; None when they may be contacted.

    `first`: the campaign has not contacted them. `let_in` are codes that an owner set aside for this person; the
    do-not-contact list cannot be.
    """
    found = [*_excluded(facts, rules, at, first), *_waiting(facts, caps, at, first)]
    return next((one for one in found if one.code in _ALWAYS or one.code not in let_in), None)


def by_hand(facts: Facts, at: datetime) -> tuple[Verdict | None, list[Verdict]]:
    """Return what refuses a message that a member writes by hand, and what they should know before they send it."""
    never = Verdict("never_contact", "exclude", facts.never) if facts.never else None
    back = facts.come_back_at
    warnings = []
    if facts.answer == Answer.NEGATIVE:
        warnings.append(Verdict("said_no", "exclude", _day(facts.replied_at)))
    if back and back > at:
        warnings.append(Verdict("asked_to_wait", "exclude", _day(back), back))
    if facts.opt_out:
        warnings.append(Verdict("opt_out_question", "hold", facts.opt_out))
    if facts.held:
        warnings.append(Verdict("company_held", "hold", facts.held))
    return never, warnings


def _excluded(facts: Facts, rules: ContactRules, at: datetime, first: bool) -> list[Verdict]:
    """Return the reasons to leave a person out or to hold them, in the order they are asked."""
    found: list[Verdict] = []

    def ask(hit: object, code: str, saw: str = "", effect: Effect = "exclude", until: datetime | None = None) -> None:
        if hit:
            found.append(Verdict(code, effect, saw, until))

    back = facts.come_back_at
    ask(facts.never, "never_contact", facts.never)
    ask(rules.said_no and facts.answer == Answer.NEGATIVE, "said_no", _day(facts.replied_at))
    ask(rules.said_no and back and back > at, "asked_to_wait", _day(back), until=back)
    ask(rules.replied and facts.replied_at, "replied_before", _day(facts.replied_at))
    ask(rules.colleague_talks and facts.colleague, "other_conversation", facts.colleague)
    ask(facts.busy_in, "active_elsewhere", facts.busy_in)
    ask(rules.customers and facts.customer, "customer", facts.customer)
    ask(rules.customers and facts.open_deal, "open_deal", facts.open_deal)
    lately = first and _within(facts.contacted_at, rules.contacted_days, at)
    ask(lately, "contacted_lately", _day(facts.contacted_at))
    ask(first and facts.listed, "in_excluded_list", facts.listed)
    ask(first and facts.enrolled, "in_excluded_campaign", facts.enrolled)
    ask(first and facts.tagged, "has_excluded_tag", facts.tagged)
    company = first and _within(facts.company_contacted_at, rules.company_days, at)
    ask(company, "company_contacted", _day(facts.company_contacted_at))
    ask(facts.opt_out, "opt_out_question", facts.opt_out, "hold")
    ask(facts.held, "company_held", facts.held, "hold")
    return found


def _waiting(facts: Facts, caps: Caps, at: datetime, first: bool) -> list[Verdict]:
    """Return the caps that are reached, each with the moment at which it no longer is."""
    found = capped(facts.touches, caps, at)
    if first and caps.company_people and facts.company_people >= caps.company_people:
        found.append(Verdict("company_full", "wait", str(facts.company_people), at + DAY))
    return found


def capped(touches: Sequence[datetime], caps: Caps, at: datetime) -> list[Verdict]:
    """Return the caps that a person has reached, each with the moment it ends; `touches` are sorted, oldest first."""
    found = []
    today = [touch for touch in touches if touch > at - DAY]
    if caps.per_day and len(today) >= caps.per_day:
        found.append(Verdict("touch_cap_day", "wait", str(len(today)), today[-caps.per_day] + DAY))
    window = timedelta(days=caps.days)
    lately = [touch for touch in touches if touch > at - window]
    if caps.touches and len(lately) >= caps.touches:
        found.append(Verdict("touch_cap", "wait", str(len(lately)), lately[-caps.touches] + window))
    return found


def _within(moment: datetime | None, days: int, at: datetime) -> bool:
    return moment is not None and days > 0 and moment > at - timedelta(days=days)


def _day(moment: datetime | None) -> str:
    return moment.date().isoformat() if moment else ""

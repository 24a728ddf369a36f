"""Conditions: what a step or a branch asks of a person, answered from what is known, and put into words. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from app.domain.rules.schedules import places
from app.models.campaigns import Connection

UNITS = {"hours": timedelta(hours=1), "days": timedelta(days=1)}
SENDERS = {
    "sales_navigator": "a sender with Sales Navigator",
    "basic": "a sender without Sales Navigator",
    "mailbox": "a mailbox as sender",
}
SIGNALS = ("hiring", "funding", "techStack", "news", "headcount", "jobChange", "siteVisitor", "formerCustomer")
OTHERS = "everyone else"
Condition = Mapping[str, Any]
When = Mapping[str, Any]  # one condition, or {"all": [conditions]}


class Kind(NamedTuple):
    """One kind of condition: its label in a form, the field it takes, and what is looked up to answer it."""

    label: str
    takes: str = ""
    looks_up: str = ""


KINDS: dict[str, Kind] = {
    "accepted": Kind("Accepted the connection request", "within"),
    "connected": Kind("Is connected"),
    "has_email": Kind("Has an email address"),
    "has_profile": Kind("Has a profile", looks_up="profile"),
    "has_phone": Kind("Has a phone number", looks_up="phone"),
    "title": Kind("Job title contains", "value", "title"),
    "company": Kind("Company name contains", "value", "company"),
    "country": Kind("Is in the country", "value", "country"),
    "tag": Kind("Has the tag", "value", "tags"),
    "custom_field": Kind("Has the custom field", "name", "custom_fields"),
    "signal": Kind("Has the signal", "kind", "signals"),
    "sender": Kind("Has the sender", "value", "senders"),
}


class PersonFacts(NamedTuple):
    """What conditions ask of a person that their place in the campaign does not say; tags in small letters."""

    has_profile: bool = False
    tags: frozenset[str] = frozenset()
    custom_fields: Mapping[str, Any] = MappingProxyType({})
    signals: frozenset[str] = frozenset()
    senders: frozenset[str] = frozenset()
    has_phone: bool = False
    title: str = ""
    company: str = ""
    location: str = ""


NOTHING_KNOWN = PersonFacts()


class Standing(Protocol):
    """What is known of a person when a condition is asked."""

    @property
    def connection(self) -> str: ...
    @property
    def invited_at(self) -> datetime | None: ...
    @property
    def has_email(self) -> bool: ...
    @property
    def facts(self) -> PersonFacts: ...


class Answer(NamedTuple):
    """Whether the condition holds; `until` is how long to wait for the answer, and then to ask again."""

    holds: bool
    until: datetime | None = None


def length(wait: Mapping[str, Any]) -> timedelta:
    """Return a wait of so many hours or days."""
    return UNITS[wait["unit"]] * wait["value"]  # type: ignore[no-any-return]


def parts(when: When) -> Sequence[Condition]:
    """Return the conditions that must all hold."""
    found: Sequence[Condition] = when.get("all", [when])
    return found


def ask(when: When, standing: Standing, at: datetime) -> Answer:
    """Return whether all parts of the condition hold at that time; when one fails now, no other is waited for."""
    answers = [_answer_one(condition, standing, at) for condition in parts(when)]
    if any(not one.holds and one.until is None for one in answers):
        return Answer(False)
    waits = [one.until for one in answers if one.until]
    return Answer(not waits, min(waits, default=None))


def foresee(when: When, standing: Standing, at: datetime, *, may_accept: bool) -> bool | None:
    """Return whether the condition will hold for a person; None while that depends on a connection request."""
    answers = [
        None
        if one["is"] in ("accepted", "connected") and may_accept and standing.connection != Connection.ACCEPTED
        else _answer_one(one, standing, at).holds
        for one in parts(when)
    ]
    return False if False in answers else None if None in answers else True


def _answer_one(condition: Condition, standing: Standing, at: datetime) -> Answer:
    answer = (
        _accepted(condition, standing, at) if condition["is"] == "accepted" else Answer(_holds(condition, standing))
    )
    return answer if answer.until else Answer(answer.holds != bool(condition.get("not")))


def _accepted(condition: Condition, standing: Standing, at: datetime) -> Answer:
    """Return whether they accepted; someone with an open invitation may still do so until the time is over."""
    if standing.connection == Connection.ACCEPTED:
        return Answer(True)
    if standing.connection != Connection.SENT or standing.invited_at is None:
        return Answer(False)
    until = standing.invited_at + length(condition["within"])
    return Answer(False, until if until > at else None)


def _holds(condition: Condition, standing: Standing) -> bool:
    facts = standing.facts
    match condition["is"]:
        case "connected":
            return standing.connection == Connection.ACCEPTED
        case "has_email":
            return standing.has_email
        case "has_profile":
            return facts.has_profile
        case "has_phone":
            return facts.has_phone
        case "title":
            return _has_words(facts.title, condition["value"])
        case "company":
            return _has_words(facts.company, condition["value"])
        case "country":
            return places.is_in(facts.location, condition["value"])
        case "tag":
            return condition["value"].casefold() in facts.tags
        case "custom_field":
            return _has_value(facts.custom_fields.get(condition["name"]), condition.get("equals"))
        case "signal":
            return condition["kind"] in facts.signals
        case "sender":
            return condition["value"] in facts.senders
    raise ValueError(f"No such condition: {condition['is']}")


def _has_words(known: str, wanted: str) -> bool:
    """Return whether the words stand in the text as whole words, one after the other: HR is not in Christian."""
    words = places.plain(wanted)
    return bool(words) and f" {words} " in f" {places.plain(known)} "


def _has_value(known: Any, wanted: str | None) -> bool:
    said = "" if known is None else str(known).strip()
    return bool(said) if wanted is None else said.casefold() == wanted.strip().casefold()


def implies_connection(when: When | None, *, holds: bool = True) -> bool | None:
    """Return whether people for whom the condition holds (or not) are connected; None when it does not tell."""
    if when is None:
        return None
    told = [condition for condition in parts(when) if condition["is"] in ("accepted", "connected")]
    if not told or (not holds and len(parts(when)) > 1):
        return None
    return holds != bool(told[0].get("not"))


def implies_sender(when: When | None, kind: str, *, holds: bool = True) -> bool:
    """Return whether people for whom the condition holds (or not) have a sender of that kind."""
    if when is None or (not holds and len(parts(when)) > 1):
        return False
    return any(
        condition["is"] == "sender" and condition["value"] == kind and bool(condition.get("not")) != holds
        for condition in parts(when)
    )


def waits(when: When | None) -> Mapping[str, Any] | None:
    """Return how long the condition waits for an acceptance; None when it is answered at once."""
    found = [one["within"] for one in parts(when) if one["is"] == "accepted"] if when else []
    return max(found, key=length, default=None)


def looked_up(whens: Iterable[When]) -> frozenset[str]:
    """Return which data the conditions need, such as `signals` or `senders`."""
    return frozenset(KINDS[one["is"]].looks_up for when in whens for one in parts(when)) - {""}


def in_words(when: When, *, holds: bool = True) -> str:
    """Return the condition in words, such as `has the tag vip`; without `holds`, what it says of all others."""
    several = parts(when)
    if not holds and len(several) > 1:
        return OTHERS
    return " and ".join(_words(one, bool(one.get("not")) != holds) for one in several)


def _words(condition: Condition, yes: bool) -> str:
    match condition["is"]:
        case "accepted":
            within = condition["within"]
            wait = f"{within['value']:g} {within['unit'] if within['value'] != 1 else within['unit'][:-1]}"
            return f"accepted within {wait}" if yes else f"did not accept within {wait}"
        case "connected":
            return "is connected" if yes else "is not connected"
        case "has_email":
            return f"has {'an' if yes else 'no'} email address"
        case "has_profile":
            return f"has {'a' if yes else 'no'} profile"
        case "has_phone":
            return f"has {'a' if yes else 'no'} phone number"
        case "title":
            return f"has {'a' if yes else 'no'} job title containing “{condition['value']}”"
        case "company":
            return f"{'works' if yes else 'does not work'} at a company with “{condition['value']}” in its name"
        case "country":
            return f"is {'' if yes else 'not '}in {condition['value']}"
        case "tag":
            return f"{'has' if yes else 'does not have'} the tag {condition['value']}"
        case "custom_field" if condition.get("equals") is None:
            return f"has {'a' if yes else 'no'} value for {condition['name']}"
        case "custom_field":
            return f"{'has' if yes else 'does not have'} {condition['equals']} as {condition['name']}"
        case "signal":
            return f"has {'the' if yes else 'no'} signal {signal_words(condition['kind'])}"
        case _:
            return f"{'has' if yes else 'does not have'} {SENDERS[condition['value']]}"


def signal_words(kind: str) -> str:
    """Return the kind of a signal as words: `jobChange` is job change."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind)

"""Phrases for messages, built from known facts."""

import re
from dataclasses import dataclass

from app.ports.writer import Brief, Profile
from app.providers.writer.customers import segment_of
from app.providers.writer.extraction import DESCRIPTION, agents, plain, subject
from app.providers.writer.grammar import closed, listed, pick, quoted
from app.providers.writer.profile import of_kind
from app.providers.writer.tables.shapes import Segment, words
from app.providers.writer.taxonomy import category, segments_in

FIRST = "{{first_name|there}}"
COMPANY = "{{company_name|your company}}"
LONGEST_ACTION = 100
_SAYS_LITTLE = frozenset(
    "are am have has do can will were was work serve help love believe know think want need wa".split()
)


@dataclass(frozen=True)
class Voice:
    """The words of one business for one kind of customer. `proof` and `quote` are sentences, or ''.

    `activity` says what the business does where no offer is known: `We make ropes.`, or `, a law firm in Hamburg`.
    `asks` are two ways to say what we would like to happen, so that no two steps end alike.
    """

    name: str
    offer: str
    activity: str
    topic: str
    pains: tuple[str, ...]
    outcome: str
    others: str
    proof: str
    quote: str
    asks: tuple[str, str]
    seed: str

    @property
    def who(self) -> str:
        """Return the introduction: I'm with …"""
        if self.name and self.offer:
            return f"I'm with {self.name}, and we offer {self.offer}."
        return self._introduced("I'm with", ".") or "I'd like to tell you what we do."

    @property
    def letterhead(self) -> str:
        """Return the introduction of an email, in other words."""
        told = self._introduced("I'm writing from", ", where")
        return told if self.name or not told else f"In short: {in_the_middle(told)}"

    def _introduced(self, lead: str, link: str) -> str:
        does = f"We offer {self.offer}." if self.offer else self.activity
        if not self.name:
            return "" if does.startswith(",") else does
        if does.startswith(",") or not does:
            return f"{lead} {self.name}{does}."
        return f"{lead} {self.name}{link} {does if link.endswith('.') else in_the_middle(does)}"

    @property
    def us(self) -> str:
        """Return the business by name, else as "us"."""
        return self.name or "us"

    def one_of(self, *choices: str) -> str:
        """Return one of several wordings, the same for the same business and play."""
        return pick(choices, self.seed, choices[0])


def voice(brief: Brief, angle: str) -> Voice:
    """Return the voice for a brief and an angle."""
    profile = brief.profile
    trade = category(profile.category)
    segment = segment_of(brief.customer)
    customers = of_kind(tuple(profile.facts), "customer")
    seed = f"{profile.name}|{profile.category}|{angle}"
    return Voice(
        name=re.sub(r"^The (?=\S+ )", "the ", profile.name),
        offer=profile.offer,
        activity="" if profile.offer else _activity(profile),
        topic=trade.topic,
        pains=tuple(words(trade.pains)),
        outcome=trade.outcome,
        others=segment.plural if segment else "companies like yours",
        proof=_proof(subject(customers[0])) if customers else "",
        quote=_quote(brief, segment, seed),
        asks=_asks(brief, seed),
        seed=seed,
    )


def _quote(brief: Brief, segment: Segment | None, seed: str) -> str:
    """Quote the business itself, unless the sentence is for another kind of customer or not in English."""
    facts = brief.profile.facts
    if brief.profile.language != "en":
        return ""
    fitting = [fact for fact in facts if set(segments_in(fact.quote)) <= {segment} and len(fact.quote) <= 120]
    said = next((fact for fact in fitting if fact.kind == "outcome" and fact.page != DESCRIPTION), None)
    if said:
        return f"{pick(('As our website puts it:', 'From our website:'), seed)} {closed(quoted(said.quote, 130))}"
    told = brief.profile.offer or _activity(brief.profile)
    own = "" if told else next((fact.quote for fact in facts if fact.kind == "claim"), "")
    return f"In our own words: {closed(quoted(own, 150))}" if own else ""


def _activity(profile: Profile) -> str:
    """Return what the business says it does, as one of its people would say it."""
    name = rf"{re.escape(profile.name)}(?: (?:gmbh|ltd|inc|llc|ag|kg|limited))?\.?" if profile.name else "(?!)"
    for fact in profile.facts if profile.language == "en" else ():
        said = plain(fact.quote)
        if match := re.match(rf"{name} is (an? [a-z].*)", said, re.IGNORECASE):
            return f", {_short(match[1])}"
        if match := re.match(r"(We|I) ([a-z]+) (.*)", said, re.IGNORECASE):
            who, verb = match[1].capitalize(), match[2]
        elif (match := re.match(rf"({name}) ([a-z]+s) (.*)", said, re.IGNORECASE)) and not agents(match[2]):
            who, verb = "We", _plural(match[2])
        else:
            continue
        if verb not in _SAYS_LITTLE and len(_short(match[3])) <= LONGEST_ACTION:
            return f"{who} {verb} {_short(match[3])}."
    return ""


def _short(words: str) -> str:
    """Return the words without the customers they name, and without what follows."""
    ends = r" for |,? so (?=that|you)|, (?=which|with|from|at|in|every|and we)|[.;:!]|\s[–—-]\s| and (?=\w+s an? )"
    return re.split(ends, words, maxsplit=1)[0].strip()


def _plural(verb: str) -> str:
    """Return the plural of a verb: rents, teaches, supplies."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    return verb[:-2] if re.search(r"(ch|sh|ss|x|zz|o)es$", verb) else verb[:-1]


def in_the_middle(sentence: str) -> str:
    """Return a sentence with a small first letter, except for I."""
    return sentence if sentence.startswith(("I'm", "I ", "I'd")) else sentence[:1].lower() + sentence[1:]


def _proof(several: str) -> str:
    names = several.replace(" and ", ", ").split(", ")[:3]
    return f"Among our customers are {listed(names)}." if len(names) > 1 else f"{names[0]} is among our customers."


def _asks(brief: Brief, seed: str) -> tuple[str, str]:
    """Return the call to action in two wordings."""
    offer = " ".join(brief.offer.replace("{", "(").replace("}", ")").split()).rstrip(".")
    if brief.offer_kind == "call":
        ways = ("Would a short call make sense?", "Are you open to a short call?", "Could we talk for a few minutes?")
    elif offer:
        return (
            f"What I can offer you: {offer}. Is that of interest?",
            f"I could offer you this: {offer}. Would that help?",
        )
    else:
        ways = ("Shall I send you the details?", "May I send you a short summary?", "Would a few details help?")
    first = pick(ways, seed)
    return first, pick([way for way in ways if way != first], seed)

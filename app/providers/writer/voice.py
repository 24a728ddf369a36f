"""What may be said in a message, as words that fit into sentences."""

from dataclasses import dataclass

from app.ports.writing import Brief
from app.providers.writer.customers import segment_of
from app.providers.writer.english import closed, listed, pick, quoted
from app.providers.writer.extraction import DESCRIPTION, subject
from app.providers.writer.profile import of
from app.providers.writer.tables.shapes import words
from app.providers.writer.taxonomy import category

FIRST = "{{first_name|there}}"
COMPANY = "{{company_name|your company}}"


@dataclass(frozen=True)
class Voice:
    """The words of one business for one kind of customer. `proof` and `quote` are sentences, or ''."""

    name: str
    offer: str
    topic: str
    pains: tuple[str, ...]
    outcome: str
    others: str
    proof: str
    quote: str
    ask: str
    seed: str

    @property
    def who(self) -> str:
        """I'm with …"""
        if self.name and self.offer:
            return f"I'm with {self.name}, and we offer {self.offer}."
        if self.offer:
            return f"We offer {self.offer}."
        return f"I'm with {self.name}." if self.name else "I'd like to tell you what we do."

    @property
    def what(self) -> str:
        """… offers …"""
        if self.offer:
            return f"{self.name or 'Our business'} offers {self.offer}."
        return self.quote or (f"I work for {self.name}." if self.name else "I would like to tell you what we do.")

    @property
    def us(self) -> str:
        """The business, where a name may stand."""
        return self.name or "us"

    def one_of(self, *choices: str) -> str:
        """One of several ways to say it, the same for the same business and play."""
        return pick(choices, self.seed, choices[0])


def voice(brief: Brief, angle: str) -> Voice:
    """The voice for a brief and the reason of a play."""
    profile = brief.profile
    trade = category(profile.category)
    segment = segment_of(brief.customer)
    customers = of(tuple(profile.facts), "customer")
    outcomes = [
        fact for fact in of(tuple(profile.facts), "outcome") if fact.page != DESCRIPTION and len(fact.quote) <= 120
    ]
    said = "" if profile.offer else next((fact.quote for fact in profile.facts if fact.kind == "claim"), "")
    own = f"In our own words: {closed(quoted(said, 150))}" if said else ""
    spoken = Voice(
        name=profile.name,
        offer=profile.offer,
        topic=trade.topic,
        pains=tuple(words(trade.pains)),
        outcome=trade.outcome,
        others=segment.plural if segment else "companies like yours",
        proof=f"Among our customers are {_named(subject(customers[0]))}." if customers else "",
        quote=f"Our website says it like this: {closed(quoted(outcomes[0].quote, 130))}" if outcomes else own,
        ask="",
        seed=f"{profile.name}|{profile.category}|{angle}",
    )
    return Voice(**{**spoken.__dict__, "ask": ask(brief, spoken)})


def _named(several: str) -> str:
    names = several.replace(" and ", ", ").split(", ")
    return listed(names[:3])


def ask(brief: Brief, spoken: Voice) -> str:
    """What we would like to happen."""
    if brief.offer_kind == "call":
        return spoken.one_of(
            "Would a short call make sense?",
            "Are you open to a short call?",
            "Could we talk about it for a few minutes?",
        )
    offer = " ".join(brief.offer.replace("{", "(").replace("}", ")").split()).rstrip(".")
    if offer:
        return f"What I can offer you: {offer}. Is that of interest?"
    return spoken.one_of("Shall I send you the details?", "May I send you a short summary?")

"""A play idea for each reason to write."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.ports.writer import Angle, Brief, PlayIdea
from app.providers.writer.customers import deciders, segment_of
from app.providers.writer.grammar import capital
from app.providers.writer.tables.software import SOFTWARE
from app.providers.writer.targeting import country_name
from app.providers.writer.taxonomy import category

TECHNICAL = {one.code for one in SOFTWARE}.union(
    ("software_development", "it_services", "cybersecurity_services", "web_design")
)
CHOICES = ("Shorter", "Less formal", "Ask a question first", "Add a follow-up", "Wait longer")


@dataclass(frozen=True)
class _Plan:
    name: str
    pitch: str
    why: str
    strategy: str
    reaches: str
    chip: str


_PLANS = {
    "cold": _Plan(
        "{Who}",
        "A short question for the people who decide.",
        "They match your customer type, even without recent news.",
        "Connect first, ask one question, and only then say what you offer.",
        "{Who}{where}.",
        "Fits the profile",
    ),
    "new_role": _Plan(
        "New {who}",
        "Congratulate people on a new role, and ask while they look at everything afresh.",
        "People in a new role often review suppliers and are open to new ones.",
        "Start with the new role, then ask one question.",
        "{Who}{where} who changed their role recently.",
        "New in the role",
    ),
    "hiring": _Plan(
        "{Others} that are hiring",
        "Write to companies that look for people, since growth usually brings new needs.",
        "An open position usually means that there is a budget, and that something is about to change.",
        "Name the open position, then ask one question.",
        "{Who}{where} that have open positions.",
        "Hiring now",
    ),
    "funded": _Plan(
        "{Others} with new funding",
        "Congratulate them on the round, and ask while plans are being made.",
        "New funding is usually followed by new plans and new suppliers.",
        "Congratulate them in one sentence, then ask one question.",
        "{Who}{where} that were funded recently.",
        "Just funded",
    ),
    "technology": _Plan(
        "Users of tools that fit",
        "Write to companies that work with tools close to what you offer.",
        "The tools that a company works with often say more about its needs than its industry does.",
        "Name the tool, then ask one question.",
        "{Who}{where} that work with a certain technology.",
        "Uses a technology",
    ),
    "news": _Plan(
        "{Others} in the news",
        "Begin with what was written about the company.",
        "People notice when you have read about them.",
        "Refer to the news in one sentence, then ask one question.",
        "{Who}{where} that were in the news.",
        "In the news",
    ),
    "site_visitors": _Plan(
        "Companies that visited your website",
        "Write to companies that have looked at your website, without saying that you saw them.",
        "They have already shown interest.",
        "Ask and leave the visit unsaid.",
        "{Who}{where} whose companies visited your website.",
        "Visited your website",
    ),
    "former_customers": _Plan(
        "Former customers",
        "Write to people whose company used to be a customer, and ask what has changed.",
        "They already know you, so a short message is enough.",
        "Remind them of the time together, ask one question, and make it easy to answer.",
        "{Who}{where} whose companies used to be customers. Current customers are excluded.",
        "Was a customer",
    ),
}


def ideas(brief: Brief, angles: Sequence[Angle]) -> list[PlayIdea]:
    """Return an idea for each angle; a customer's tools mean nothing to a baker, unless only they are asked for."""
    fitting = [angle for angle in angles if angle.code != "technology" or brief.profile.category in TECHNICAL]
    return [idea(brief, angle) for angle in fitting or angles]


def idea(brief: Brief, angle: Angle) -> PlayIdea:
    """Return the strategy for one angle."""
    plan = _PLANS.get(angle.code, _PLANS["cold"])
    segment = segment_of(brief.customer)
    who = _who(brief)
    others = segment.plural if segment else "companies"
    place = country_name(brief.country or brief.profile.country)
    where = f" in {'the ' if place.startswith(('United', 'Nether')) else ''}{place}" if place else ""
    filled = {
        "{Who}": capital(who), "{who}": who, "{Others}": capital(others), "{others}": others, "{where}": where,
    }  # fmt: skip

    def fill(text: str) -> str:
        for mark, words in filled.items():
            text = text.replace(mark, words)
        return text

    chips = [
        plan.chip,
        *([segment.label] if segment else []),
        "Social and email" if brief.channel == "social_email" else "Social",
    ]
    choices = [*CHOICES, "Drop the email"] if brief.channel == "social_email" else list(CHOICES)
    start = sum(map(ord, angle.code)) % 3
    return PlayIdea(
        angle.code,
        fill(plan.name),
        fill(plan.pitch),
        fill(plan.why),
        fill(plan.strategy),
        fill(plan.reaches),
        tuple(chips),
        tuple(choices[start : start + 3]),
    )


def _who(brief: Brief) -> str:
    segment = segment_of(brief.customer)
    if segment:
        trade = category(brief.profile.category)
        return f"{deciders(trade, segment)} {'of' if segment.small else 'at'} {segment.plural}"
    title = brief.customer.title.strip().rstrip(".") if brief.customer else ""
    return title[:1].lower() + title[1:] if title and title[1:2].islower() else title or "people who decide"

"""The variants of a step side by side: their numbers with intervals, and what the winner rule says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.campaigns import winner
from app.domain.campaigns.variants import ACCEPTED, OPEN, Comparison, VariantNumbers
from app.domain.rules import message_templates
from app.pages.campaigns.frame import Frame, Notice
from app.pages.framework.words import many

MEASURES = ((ACCEPTED, "Accepted"), ("replies", "Replied"), ("positive", "Positive"))
DOES = {ACCEPTED: "accept", "replies": "reply"}
MORE = {ACCEPTED: "acceptances", "replies": "replies"}


@dataclass(frozen=True)
class Measure:
    """One line of a variant's numbers: how many, which share of whom, and its interval on a common scale."""

    label: str
    count: int
    share: str
    said: str
    begin: float = 0.0
    width: float = 0.0
    at: float = 0.0


def shown(frame: Frame, found: Comparison) -> dict[str, Any]:
    """Return one step's variants as the page shows them."""
    measures = [one for one in MEASURES if one[0] != ACCEPTED or found.goal == ACCEPTED]
    whole = sum(one.share for one in found.variants)
    most = {goal: _scale(found, goal) for goal, _ in measures}
    return {
        "step": found.step,
        "mail": found.type == "email",
        "columns": [
            {
                "key": one.key,
                "share": f"{100 * one.share / whole:.0f}%" if one.share else "",
                "parts": message_templates.split(one.message),
                "subject": one.subject,
                "sent": one.sent,
                "people": one.people,
                "measures": [_measure(one, goal, label, most[goal]) for goal, label in measures],
                "chance": _percent(one.chance) if one.people else "",
                "best": found.winner is one or (found.choice is not None and found.choice.variant == one.key),
            }
            for one in found.variants
        ],
        "says": says(found),
        "winner": found.winner.key if found.winner else "",
        "choice": found.choice,
        "may": frame.editable and frame.campaign.status in OPEN,
        "alive": [one.key for one in found.compared],
    }


def _scale(found: Comparison, goal: str) -> float:
    """Return the shared upper end of the scale on which a measure's intervals are drawn."""
    rates = [rate for one in found.variants if (rate := one.rate(goal)) and one.people >= 5]
    return max([0.05, *(rate.high for rate in rates)])


def _measure(one: VariantNumbers, goal: str, label: str, most: float) -> Measure:
    rate, number = one.rate(goal), int(getattr(one, goal))
    if rate is None:
        return Measure(label, number, "–", "too early to say")
    said = f"95% likely between {100 * rate.low:.1f}% and {100 * rate.high:.1f}%"
    begin, end, at = (100 * min(1.0, x / most) for x in (rate.low, rate.high, rate.share))
    return Measure(label, number, f"{100 * rate.share:.1f}%", said, begin, max(1.0, end - begin), at)


def _percent(chance: float | None) -> str:
    """Return a chance in words; nothing is ever certain."""
    if chance is None:
        return ""
    return "over 99.9%" if chance > 0.999 else "under 0.1%" if chance < 0.001 else f"{100 * chance:.1f}%"


def says(found: Comparison) -> str:
    """Return what the rule says, in a sentence or two."""
    verdict = found.verdict
    if verdict is None:
        return ""
    if found.winner:
        others = [one for one in found.compared if one is not found.winner]
        best, next_best = found.winner.outcome(found.goal).rate, max(one.outcome(found.goal).rate for one in others)
        return (
            f"{best:.1%} of people {DOES[found.goal]}, compared with {next_best:.1%}. "
            f"This variant is {_percent(found.winner.chance)} likely to be the best."
        )
    more = f" Still needed: about {many(verdict.more, 'more person', 'more people')}." if verdict.more else ""
    return {
        "people": f"Each variant needs {winner.ENOUGH_PEOPLE} people who have had time to reply.{more}",
        "replies": f"The variants need {winner.ENOUGH_HITS} {MORE[found.goal]} in total.{more}",
        "difference": f"No clear difference yet.{more}",
        "positive": "The variant with more replies has fewer positive ones. You decide.",
    }[verdict.missing]


def offer(frame: Frame, compared: Mapping[int, Comparison]) -> list[Notice]:
    """Return a notice for each winner that waits for a decision."""
    if frame.campaign.status not in OPEN:
        return []
    return [
        Notice(
            f"Variant {found.winner.key} wins in step {found.step + 1}.",
            says(found),
            "ok",
            frame.path("sequence") + f"#variants-{found.step}",
            "Compare",
        )
        for found in compared.values()
        if found.winner
    ]

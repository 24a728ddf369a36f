"""The chooser of starter sequences: shown in the builder while no step has a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from app.domain.campaigns import starters
from app.domain.rules import message_templates
from app.domain.rules.message_templates import Draw
from app.domain.rules.next_step import delay
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import drawn
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame
from app.pages.campaigns.form_data import Draft

NO_WAIT = timedelta(0)
_NAMES = ("first_name", "last_name", "headline", "position", "company_name", "location")
EXAMPLE = SimpleNamespace(**dict.fromkeys(_NAMES, "") | {"first_name": "Ada", "company_name": "Acme"}, custom_fields={})


@dataclass(frozen=True)
class Choice:
    """A starter as the chooser shows it: its steps as one person gets them, and what the workspace lacks for it."""

    starter: starters.Starter
    steps: Sequence[dict[str, Any]]
    kinds: Sequence[str]
    days: int
    missing: Sequence[starters.Missing]


def choices(workspace: Workspace, draft: Draft, lead: Any, senders: Sequence[Any]) -> list[Choice]:
    """Return the starters for the chooser; none once a step has a text."""
    if not draft.is_blank:
        return []
    topic = "" if starters.topic_problem(draft.topic) else draft.topic
    missing, sender = starters.missing(workspace), next((one.name for one in senders), "Your name")
    return [_choice(one, missing[one.key], lead or EXAMPLE, sender) for one in starters.every(topic)]


def _choice(starter: starters.Starter, missing: Sequence[starters.Missing], lead: Any, sender: str) -> Choice:
    known = message_templates.values(lead, sender)
    filled = []
    for number, step in enumerate(starter.sequence):
        draw = Draw("", number)
        texts = {
            "message": "\n---\n".join(message_templates.fill(step.get("message", ""), known, draw).parts),
            "subject": message_templates.fill_line(step.get("subject", ""), known, draw).parts[0],
        }
        filled.append(step | texts)
    steps = frame.steps(SimpleNamespace(sequence=filled, branches=starter.branches))
    return Choice(
        starter, steps, list(dict.fromkeys(starter.kinds)), _days(starter.sequence, starter.branches), missing
    )


def _days(sequence: Sequence[Any], branches: Sequence[Any]) -> int:
    """Return how many days the longest way through these steps takes at least."""
    spent, reached = NO_WAIT, 0
    split: list[timedelta] = []
    first: list[timedelta] = []
    for what, place, number in drawn(branches):
        spent, reached = spent + sum(map(delay, sequence[reached:place]), NO_WAIT), place
        if what == "open":
            split.append(spent)
        elif what == "middle":
            first.append(spent)
            waited = conditions.waits(branches[number]["when"])
            spent = split[-1] + (conditions.length(waited) if waited else NO_WAIT)
        else:
            spent = max(spent, first.pop())
            split.pop()
    return (spent + sum(map(delay, sequence[reached:]), NO_WAIT)).days


def add_senders(draft: Draft, accounts: Sequence[Any]) -> None:
    """Choose the senders of a channel that the steps need and of which none is chosen."""
    needed = {STEPS[step.type].channel for step in draft.steps}
    chosen = {one.channel for one in accounts if one.id in draft.account_ids}
    draft.account_ids += [one.id for one in accounts if one.active and one.channel in needed - chosen]

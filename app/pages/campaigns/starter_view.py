"""The chooser of starter sequences and saved templates: shown in the builder while no step has a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from flask import g

from app.domain.autopilot import play_steps, templates
from app.domain.campaigns import starters
from app.domain.campaigns.starters import Starter
from app.domain.rules import message_templates
from app.domain.rules.message_templates import Draw
from app.domain.rules.next_step import delay
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import drawn
from app.domain.rules.step_kinds import STEPS
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame
from app.pages.campaigns.form_data import Draft
from app.pages.framework import words

MOST_SHOWN = 20  # templates; the page Templates has all
NO_WAIT = timedelta(0)
_NAMES = ("first_name", "last_name", "headline", "position", "company_name", "location")
EXAMPLE = SimpleNamespace(**dict.fromkeys(_NAMES, "") | {"first_name": "Ada", "company_name": "Acme"}, custom_fields={})


@dataclass(frozen=True)
class Choice:
    """A starter as the chooser shows it: its steps as one person gets them, and what the workspace lacks for it."""

    starter: Starter
    steps: Sequence[dict[str, Any]]
    kinds: Sequence[str]
    days: int
    missing: Sequence[starters.Missing]

    @property
    def own(self) -> bool:
        """Return whether the workspace saved it: ours say why their steps have that order."""
        return not self.starter.idea


def offered(workspace: Workspace, draft: Draft) -> Sequence[Starter]:
    """Return what the draft can begin with: templates of campaigns and plays, newest first, then the starters."""
    if not draft.is_blank:
        return ()
    topic = "" if starters.topic_problem(draft.topic) else draft.topic
    of_campaigns = (
        (one, f"template-{one.id}", one.sequence, one.branches or ()) for one in templates.sequences(workspace)
    )
    of_plays = (
        (one, f"play-template-{one.id}", play_steps.campaign_steps(one.steps), ()) for one in templates.every(workspace)
    )
    own: list[Any] = sorted([*of_campaigns, *of_plays], key=lambda one: one[0].created_at, reverse=True)
    return [*(_saved(*one) for one in own[:MOST_SHOWN]), *starters.every(topic)]


def _saved(template: Any, key: str, sequence: Sequence[Any], branches: Sequence[Any]) -> Starter:
    saved = f"Saved {words.day(template.created_at, g.zone)}"
    return Starter(key, template.name, saved, "", [starters.Step(step, "") for step in sequence], branches)


def choices(workspace: Workspace, draft: Draft, lead: Any, senders: Sequence[Any]) -> list[Choice]:
    """Return the starters for the chooser, those that lack something last; none once a step has a text."""
    if not draft.is_blank:
        return []
    missing, sender = starters.missing(workspace, draft.offered), next(iter(senders), None)
    several = sorted(draft.offered, key=lambda one: bool(missing[one.key]))
    return [_choice(one, missing[one.key], lead or EXAMPLE, sender) for one in several]


def _choice(starter: Starter, missing: Sequence[starters.Missing], lead: Any, sender: Any) -> Choice:
    known = message_templates.values(lead, *((sender.name, sender.address) if sender else ("",)))
    if sender is None:
        known |= {"sender_name": "Your name", "sender_first_name": "Your name"}
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

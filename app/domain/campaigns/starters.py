"""Starters: the sequences of starters.toml to begin a campaign with, each with the reason for every step and wait.

A starter states nothing that is not known of the person: what a list holds (people of one event, former customers) is
the premise under which it is chosen, and a signal is named only on the side of those it was found for. Every text has
one question. With a topic, what you help with stands in the texts; without one they ask about the person's work.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.people import condition_facts
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account, Channel
from app.models.monitors import Monitor
from app.models.signals import Signal
from app.models.workspaces import Workspace

LONGEST_TOPIC = 60
SYNTAX = re.compile(r"[{}|\\\x00-\x1f\x7f-\x9f]")  # what would be read as a variable or a choice, or breaks the line

WRITTEN = Path(__file__).with_suffix(".toml")
TOPIC = re.compile(r"\bT(?:OPIC|opic)\b")


class Step(NamedTuple):
    """A step of a starter and why it is there, with its wait."""

    step: dict[str, Any]
    reason: str


class Missing(NamedTuple):
    """What the workspace lacks for a starter, and what follows from that."""

    kind: str
    message: str


@dataclass(frozen=True)
class Starter:
    """A sequence to begin with: for which people it is, why it has this order, and its steps with their reasons."""

    key: str
    name: str
    people: str
    idea: str
    steps: Sequence[Step]
    branches: Sequence[dict[str, Any]] = ()

    @property
    def sequence(self) -> list[dict[str, Any]]:
        """Return the steps as a campaign takes them."""
        return [one.step for one in self.steps]

    @property
    def kinds(self) -> list[str]:
        """Return the type of each step."""
        return [one["type"] for one in self.sequence]

    @property
    def reasons(self) -> list[str]:
        """Return the reason of each step."""
        return [one.reason for one in self.steps]

    @property
    def channels(self) -> list[str]:
        """Return the channels that it needs senders of."""
        return sorted({str(STEPS[kind].channel) for kind in self.kinds}, reverse=True)


def topic_problem(topic: str) -> str:
    """Return what is wrong with a topic, as a sentence; '' when it is valid."""
    if len(topic) > LONGEST_TOPIC:
        return f"Use at most {LONGEST_TOPIC} characters."
    return "Use one line, without braces, vertical bars or backslashes." if SYNTAX.search(topic) else ""


def every(topic: str = "") -> list[Starter]:
    """Return the starters, with that topic in their texts. Raise InvalidRequest for an unusable one."""
    if wrong := topic_problem(topic):
        raise InvalidRequest.of(("topic", wrong))
    return [_read(one, text.squeeze(topic)) for one in _written()]


@cache
def _written() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(WRITTEN.read_text(encoding="utf-8"))["starters"]
    return found


def _read(written: Mapping[str, Any], topic: str) -> Starter:
    steps = [Step(_step(one, topic), one["reason"]) for one in written["steps"]]
    key, name, people, idea = (written[field] for field in ("key", "name", "people", "idea"))
    return Starter(key, name, people, idea, steps, written.get("branches", []))


def _step(written: Mapping[str, Any], topic: str) -> dict[str, Any]:
    """Return a step as a campaign takes it, with the texts for the topic where there is one."""
    words = {"TOPIC": topic, "Topic": topic[:1].upper() + topic[1:]}
    step: dict[str, Any] = {"type": written["type"]}
    if "days" in written:
        step["delay"] = {"value": written["days"], "unit": "days"}
    for name in ("message", "subject"):
        if name in written:
            chosen = written.get(f"{name}_with_topic", "") if topic else ""
            step[name] = TOPIC.sub(lambda found: words[found[0]], chosen or written[name])
    return step


def missing(workspace: Workspace, offered: Sequence[Starter] | None = None) -> dict[str, list[Missing]]:
    """Return by starter what the workspace lacks for it, of all or of those that are offered."""
    channels = set(
        session().scalars(
            sa.select(Account.channel).where(Account.workspace_id == workspace.id, Account.active.is_(True))
        )
    )
    found = sa.select(Signal.id).where(
        Signal.workspace_id == workspace.id,
        Signal.kind == "hiring",
        Signal.found.is_(True),
        Signal.created_at > workspace.now() - condition_facts.FRESH,
    )
    watched = sa.select(Monitor.id).where(Monitor.workspace_id == workspace.id, Monitor.signal == "hiring")
    knows_hiring = any(session().scalar(query.limit(1)) is not None for query in (found, watched))
    return {one.key: _lacks(one, channels, knows_hiring) for one in offered or every()}


def _lacks(starter: Starter, channels: set[str], knows_hiring: bool) -> list[Missing]:
    found = []
    if Channel.SOCIAL in starter.channels and Channel.SOCIAL not in channels:
        found.append(Missing("social", "Connect a LinkedIn account first."))
    if Channel.EMAIL in starter.channels and Channel.EMAIL not in channels:
        found.append(Missing("mailbox", "Connect a mailbox first."))
    asks = [one["when"] for one in starter.branches if one["when"].get("kind") == "hiring"]
    if asks and not knows_hiring:
        found.append(Missing("signal", "There are no recent hiring signals, so everyone would take the second path."))
    return found

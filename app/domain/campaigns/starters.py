"""Starters: eight sequences to begin a campaign with, each with the reason for every step and wait.

A starter states nothing that is not known of the person: what a list holds (people of one event, former customers) is
the premise under which it is chosen, and a signal is named only on the side of those it was found for. Every text has
one question. With a topic, what you help with stands in the texts; without one they ask about the person's work.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import session
from app.core.errors import InvalidRequest, NotFound
from app.domain.people import condition_facts
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account, Channel
from app.models.monitors import Monitor
from app.models.signals import Signal
from app.models.workspaces import Workspace

LONGEST_TOPIC = 60
SYNTAX = re.compile(r"[{}|\\\x00-\x1f\x7f-\x9f]")  # what would be read as a variable or a choice, or breaks the line

AT_COMPANY = "{{#if company_name}} at {{company_name}}{{/if}}"
HI = "Hi {{first_name|there}}"
THANKS = "Thanks for connecting{{#if first_name}}, {{first_name}}{{/if}}."
SIGNED = "\n\n{{sender_first_name}}"


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


class About(NamedTuple):
    """What the texts are about: a topic, or the person's work."""

    topic: str

    @property
    def title(self) -> str:
        """Return the topic with a capital letter."""
        return self.topic[:1].upper() + self.topic[1:]

    def say(self, with_topic: str, otherwise: str) -> str:
        """Return the words with the topic in them; the other ones without a topic."""
        return with_topic.replace("TOPIC", self.topic) if self.topic else otherwise


def _invite(note: str, reason: str, days: int = 0) -> Step:
    return Step(_of("connection_request", days, message=note), reason)


def _message(words: str, reason: str, days: int) -> Step:
    return Step(_of("message", days, message=words), reason)


def _email(words: str, reason: str, days: int = 0, subject: str = "") -> Step:
    return Step(_of("email", days, message=words + SIGNED, **({"subject": subject} if subject else {})), reason)


def _of(kind: str, days: int, **texts: str) -> dict[str, Any]:
    return {"type": kind, **({"delay": {"value": days, "unit": "days"}} if days else {}), **texts}


def topic_problem(topic: str) -> str:
    """Return what is wrong with a topic, as a sentence; '' when it is valid."""
    if len(topic) > LONGEST_TOPIC:
        return f"Use at most {LONGEST_TOPIC} characters."
    return "Use words on one line, without braces, bars or backslashes." if SYNTAX.search(topic) else ""


def _invite_only(_: About) -> Starter:
    return Starter(
        "invite-only",
        "Connection request only",
        "People you want to connect with, nothing to sell yet.",
        "It asks for one small thing. You write the next message yourself.",
        [
            _invite(
                f"{HI}, I'd like to follow "
                "{{#if company_name}}what {{company_name}} is working on{{else}}your work{{/if}}. Shall we connect?",
                "One line says why. Withdrawn after 21 days without a reply.",
            )
        ],
    )


def _invite_messages(about: About) -> Starter:
    return Starter(
        "invite-messages",
        "Connection request and two messages",
        "LinkedIn profiles of people you don't know yet.",
        "Announce a question, ask it, then make it easier to answer.",
        [
            _invite(
                about.say(
                    f"{HI}, I have a question about TOPIC{AT_COMPANY}. Shall we connect?",
                    f"{HI}, I have a question about your work{AT_COMPANY}. Shall we connect?",
                ),
                "Announces the first message.",
            ),
            _message(
                about.say(
                    f"{THANKS}\n\nHow do you handle TOPIC{AT_COMPANY} today?"
                    " I work on it, and I'd rather ask than assume.",
                    f"{THANKS}\n\nWhich part of your work{AT_COMPANY} takes longer than it should?"
                    " I'd rather ask than assume.",
                ),
                "A day after they accept, so it doesn't look automatic.",
                1,
            ),
            _message(
                f"If a colleague handles this{AT_COMPANY}, who should I ask? A name is enough."
                " And if the timing is wrong, just say so.",
                "Four days later. Asks for less.",
                4,
            ),
        ],
    )


def _invite_or_email(about: About) -> Starter:
    return Starter(
        "invite-or-email",
        "Connection request, or email",
        "People with a LinkedIn profile and an email address.",
        "Accepted: message. Not accepted after 7 days: email.",
        [
            _invite(
                about.say(
                    f"{HI}, I work on TOPIC and would like to know how you see it. Shall we connect?",
                    f"{HI}, I'd like to ask you something about your work. Shall we connect?",
                ),
                "Start with the lighter touch.",
            ),
            _message(
                about.say(
                    "Thank you{{#if first_name}}, {{first_name}}{{/if}}. My question: what would you change about"
                    f" TOPIC{AT_COMPANY}, if it were up to you?",
                    "Thank you{{#if first_name}}, {{first_name}}{{/if}}. My question: what would you change about"
                    f" how your team works{AT_COMPANY}, if it were up to you?",
                ),
                "A day after they accept.",
                1,
            ),
            _email(
                about.say(
                    f"{HI},\n\nwhat would you change about TOPIC{AT_COMPANY}, if it were up to you?\n\n"
                    "I work on it. A line or two would tell me whether it is worth talking.",
                    f"{HI},\n\nwhat would you change about how your team works{AT_COMPANY},"
                    " if it were up to you?\n\nA line or two is plenty.",
                ),
                "For everyone else after 7 days, without mentioning the request.",
                subject=about.say(
                    f"{about.title}{AT_COMPANY}", "A question{{#if company_name}} for {{company_name}}{{/if}}"
                ),
            ),
            _email(
                "Hi again{{#if first_name}}, {{first_name}}{{/if}},\n\n"
                f"is there a better person{AT_COMPANY} to ask? If so, a name is enough. If not, I won't write again.",
                "Same thread, four days later. The last message.",
                4,
            ),
        ],
        [{"at": 1, "otherwise": 2, "join": 4, "when": {"is": "accepted", "within": {"value": 7, "unit": "days"}}}],
    )


def _email_three(about: About) -> Starter:
    return Starter(
        "email-three",
        "Three emails",
        "People with an email address, with or without a profile.",
        "A question, an easier question, and a goodbye, in one thread.",
        [
            _email(
                about.say(
                    f"{HI},\n\nhow do you handle TOPIC{AT_COMPANY} today?\n\n"
                    "I ask because I work on it. If it runs well, I'd like to hear that too.",
                    f"{HI},\n\nwhat is the one thing{AT_COMPANY} that takes longer than it should?\n\n"
                    "I'd rather ask than assume. If nothing comes to mind, I'd like to hear that too.",
                ),
                "The question comes first, so people see it in the preview.",
                subject=about.say("How do you handle TOPIC?", "A question about your work"),
            ),
            _email(
                about.say(
                    f"{HI},\n\nto make this easier to answer: is TOPIC done by hand, with a tool, or not at all?"
                    " One word is enough.",
                    f"{HI},\n\nto make this easier to answer: are you short of people, tools or time?"
                    " One word is enough.",
                ),
                "Three days later. One word is enough to reply.",
                3,
            ),
            _email(
                f"{HI},\n\nthis is my last email about this. Should I ask again in a few months, or leave it?"
                " Either is fine.",
                "A week later. The last message.",
                7,
            ),
        ],
    )


def _event(about: About) -> Starter:
    return Starter(
        "event",
        "After an event",
        "People who were at the same event as you. Put the event's name in the custom field “event”.",
        "Start with the event you share. Your own topic comes last.",
        [
            _invite(
                f"{HI}, we were both at {{{{custom.event|the same event}}}}, and I'd like to stay in touch."
                " Shall we connect?",
                "Start within a week, while people remember the event.",
            ),
            _message(
                f"{THANKS} What have you put to use from {{{{custom.event|the event}}}} since then?",
                "A day after they accept. Asks about their visit, and says nothing about you.",
                1,
            ),
            _message(
                about.say(
                    f"One thing I'd still like to ask: how do you handle TOPIC{AT_COMPANY}? It's what I work on.",
                    "One thing I'd still like to ask: what did you hope to find there but didn't?"
                    " I may know someone to ask.",
                ),
                "Five days later. Gives the reason you're writing.",
                5,
            ),
        ],
    )


def _former_customers(about: About) -> Starter:
    return Starter(
        "former-customers",
        "Former customers",
        "People you worked with before. Use a list with only these people.",
        "Ask how they are and what went wrong, then offer to stay in touch.",
        [
            _email(
                about.say(
                    f"{HI},\n\nwe have worked together before. Who looks after TOPIC{AT_COMPANY} now?\n\n"
                    "If it is still you, I'd like to hear how it goes.",
                    f"{HI},\n\nwe have worked together before. What has changed{AT_COMPANY} since?\n\n"
                    "I'd rather ask you than guess from outside.",
                ),
                "By email, as before.",
                subject="Hello again",
            ),
            _email(
                f"{HI},\n\none honest question, since you know us: what should we have done better?\n\n"
                "One line is enough, whatever it says.",
                "Five days later. Asks what only they can tell you.",
                5,
            ),
            _invite(
                f"{HI}, we have worked together before, and I'd like to stay in touch here too. Shall we connect?",
                "A week later. Skips people without a LinkedIn profile.",
                7,
            ),
        ],
    )


def _hiring(about: About) -> Starter:
    return Starter(
        "hiring",
        "Companies that are hiring",
        "People at companies that may be hiring.",
        "With a hiring signal: mention it. Without: ask a general question.",
        [
            _invite(
                f"{HI}, I saw that {{{{company_name|your company}}}} has been hiring,"
                " and I have a question about that. Shall we connect?",
                "For people with a hiring signal in the last 90 days.",
            ),
            _message(
                about.say(
                    f"{THANKS} With new people coming in, who takes care of TOPIC{AT_COMPANY}?",
                    f"{THANKS} With new people coming in, what has to change first{AT_COMPANY}?",
                ),
                "A day after they accept. Asks about hiring.",
                1,
            ),
            _invite(
                f"{HI}, I have a question about your team{AT_COMPANY}. Shall we connect?",
                "For everyone else.",
            ),
            _message(
                about.say(
                    f"{THANKS} Who takes care of TOPIC{AT_COMPANY} today?",
                    f"{THANKS} What would you do with one more person on your team?",
                ),
                "A day after they accept.",
                1,
            ),
            _message(
                f"If you're not the person to ask{AT_COMPANY}, who is? A name is enough.",
                "Five days later, for everyone.",
                5,
            ),
        ],
        [{"at": 0, "otherwise": 2, "join": 4, "when": {"is": "signal", "kind": "hiring"}}],
    )


def _after_like(about: About) -> Starter:
    return Starter(
        "after-like",
        "After a like",
        "People who post sometimes.",
        "They see your name before you ask for something.",
        [
            Step(_of("like_post", 0), "Likes their latest post. Skips people without one."),
            _invite(
                f"{HI}, I'd like to hear more about your work{AT_COMPANY}. Shall we connect?",
                "The day after. Doesn't mention the like.",
                1,
            ),
            _message(
                about.say(
                    f"{THANKS} What do you think is missing in TOPIC today? It's what I work on,"
                    " and I'd like a view from outside my own team.",
                    f"{THANKS} What are you working on that deserves more attention than it gets?",
                ),
                "Two days after they accept. Asks for an opinion.",
                2,
            ),
            _message(
                "If talking is easier than typing: would ten minutes next week suit you? If not, leave it.",
                "Six days later. The last message.",
                6,
            ),
        ],
    )


STARTERS = (
    _invite_only,
    _invite_messages,
    _invite_or_email,
    _email_three,
    _event,
    _former_customers,
    _hiring,
    _after_like,
)


def every(topic: str = "") -> list[Starter]:
    """Return the starters, with that topic in their texts. Raise InvalidRequest for an unusable one."""
    if wrong := topic_problem(topic):
        raise InvalidRequest.of(("topic", wrong))
    about = About(text.squeeze(topic))
    return [begin(about) for begin in STARTERS]


def get(key: str, topic: str = "") -> Starter:
    """Return the starter of that key, or raise NotFound."""
    found = next((one for one in every(topic) if one.key == key), None)
    if found is None:
        raise NotFound("Starter not found.")
    return found


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
        found.append(Missing("signal", "No recent hiring signals, so everyone would take the second path."))
    return found

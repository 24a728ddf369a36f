"""What follows a person's answer, as pages show it: tasks, contacts they named, and what was marked by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import g

from app.domain.engine.manual import recipients
from app.domain.rules import step_kinds
from app.domain.tasks import marked_answers, referrals, tasks
from app.domain.tasks.tasks import Entry
from app.domain.workspace import roles
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import words
from app.pages.framework.base import local_now

ON_HOME = 5
MARKED = {
    "replied_elsewhere": "Replied elsewhere",
    "met": "Met",
    "not_now": "Not now",
}
# What can have come of a task, as the page offers it, and whether only while a campaign waits for it.
RESULTS = (
    ("no_answer", "No answer: campaign continues", True),
    ("continue", "Other: campaign continues", True),
    ("interested", "Interested: end their campaigns", False),
    ("not_interested", "Not interested: stop this campaign", True),
    ("do_not_contact", "Do not contact again", False),
)


@dataclass(frozen=True)
class TaskLine:
    """A task in words, with the day that a form for it begins with."""

    task: Any
    name: str
    company: str
    what: str
    detail: str
    lead_id: int
    day: str
    is_due: bool
    referral: Any = None
    phone: str = ""
    profile: str = ""
    icon: str = "calendar-clock"
    words: str = ""  # what to say, or to do
    copies: bool = False  # the words are copied when the link is opened
    chat: str = ""

    @property
    def opens(self) -> tuple[str, str]:
        """Return what to open with the words copied: its address, and what the link says; ('', '') without either."""
        if self.chat:
            return self.chat, "Copy and open WhatsApp"
        web = self.profile.startswith(("https://", "http://"))
        return (self.profile, "Copy and open profile" if self.copies else "Profile") if web else ("", "")

    @property
    def results(self) -> list[tuple[str, str]]:
        """Return what can have come of it: the value, and what follows."""
        waits = self.task.campaign_lead_id is not None
        return [(value, label) for value, label, of_campaign in RESULTS if waits or not of_campaign]

    @property
    def title(self) -> str:
        """Return whose task it is, and what it is."""
        return f"{self.name}{': ' if self.task.kind == 'to_do' else ' '}{self.what}"

    @property
    def comes_back(self) -> str:
        """Return the sentence of a conversation, about what is to be done or a day to come back."""
        if self.task.kind in ("reply", "to_do"):
            return f"To do: {self.task.text}"
        if self.task.kind == "opt_out":
            return f"Did they opt out? They wrote {self.detail}. Their campaigns are on hold until you decide."
        because = f"they wrote {self.detail}" if self.task.text else "set by a teammate"
        guessed = "our guess, as they named no day; " if self.task.guessed else ""
        day = words.day(self.task.due_at, g.zone)
        return f"Contact again on {day} ({guessed}{because})."


@dataclass(frozen=True)
class FollowUp:
    """What follows one person's answer."""

    person_id: int
    lines: Sequence[TaskLine]
    mark: Any
    marked: str
    known: Sequence[referrals.Known]
    may: bool

    @property
    def marks(self) -> dict[str, str]:
        """Return the marks that can be set without a day, but for the one that stands."""
        return {name: label for name, label in MARKED.items() if name != "not_now" and label != self.marked}


def of_person(workspace: Workspace, person_id: int) -> FollowUp:
    """Return what follows the person's answer."""
    mark = marked_answers.standing(workspace, person_id)
    return FollowUp(
        person_id,
        [line(entry) for entry in tasks.of_person(workspace, person_id)],
        mark,
        MARKED[marked_answers.name_of(mark.answer)] if mark else "",
        referrals.of_person(workspace, person_id),
        may_change(),
    )


def may_change() -> bool:
    """Return whether the user's role may change what follows."""
    return roles.may(g.role, "conversations", change=True)


def line(entry: Entry) -> TaskLine:
    """Return the task in words."""
    task, person, referral, lead_id = entry
    day = task.due_at.astimezone(g.zone).date().isoformat()
    detail = f"“{task.text}”" if task.text else "Marked manually." if referral is None else ""
    if task.kind == "reply":
        what, detail = f"replied: {task.text}", "Created by a campaign rule."
    elif task.kind == "to_do":
        what, detail = task.text, ""
    elif task.kind == "opt_out":
        what, detail = "may have opted out", f"“{task.text}”"
    elif referral is not None and referral.said == recipients.IN_COPY:
        what, detail = f"put {contact(referral)} in Cc", ""
    elif referral is not None:
        what = f"referred you to {contact(referral)}"
    else:
        what = f"asked to be contacted again on {words.day(task.due_at, g.zone)}"
    made = TaskLine(
        task, person.name, person.company_name, what, detail, lead_id, day, task.due_at <= local_now(), referral
    )
    if task.kind != "to_do":
        return replace(made, icon="user-plus" if referral else made.icon)
    made = replace(made, phone=person.phone, profile=person.profile_link, icon="square-check")
    return _by_hand(made, person, step_kinds.TASK_TYPES[task.task_type]) if task.task_type else made


def _by_hand(made: TaskLine, person: Any, kind: step_kinds.TaskType) -> TaskLine:
    """Return the line of a task of a type: its words to be copied, and only what is opened for it."""
    digits = "".join(filter(str.isdecimal, person.phone))
    wanted = {"phone": person.phone, "whatsapp": digits, "profile": person.profile_link}
    lacks = {"profile": "No profile link."}.get(kind.opens, "No phone number.")
    return replace(
        made,
        what=kind.label,
        detail="" if wanted.get(kind.opens, True) else lacks,
        icon=kind.icon,
        words=made.task.text,
        copies=kind.opens in ("profile", "whatsapp"),
        phone=person.phone if kind.opens in ("phone", "") else "",
        profile=person.profile_link if kind.opens in ("profile", "") else "",
        chat=f"https://wa.me/{digits}" if kind.opens == "whatsapp" and digits else "",
    )


def contact(referral: Any) -> str:
    """Return the contact as far as it was named, such as “Anna Schmidt, Head of Sales (anna@x.example)”."""
    who = ", ".join(part for part in (referral.name, referral.position) if part)
    reach = ", ".join(part for part in (referral.email, referral.phone) if part)
    return f"{who} ({reach})" if who and reach else who or reach


def due(workspace: Workspace, most: int = ON_HOME) -> dict[str, Any]:
    """Return what a card of tasks shows."""
    now, later = tasks.counts(workspace)
    return {"due": [line(entry) for entry in tasks.due(workspace, most)] if now else [], "now": now, "later": later}

"""The kinds of steps of a sequence: one table that validation, limits, events, the engine and every text read."""

from dataclasses import dataclass
from typing import NamedTuple

from app.models.accounts import Budget, Channel

NOTE_LENGTH, NOTE_LENGTH_BASIC = 300, 200  # with and without Sales Navigator


@dataclass(frozen=True)
class ActionWords:
    """How people read about an action: its icon, the thing, that it was done, and “we … Ada”, done and to be done.

    `needless` is for an action that was skipped, because there was nothing to do or a member said so.
    """

    icon: str
    noun: str
    done: str
    did: str
    do: str
    needless: str = "is already connected to"


class BudgetWords(NamedTuple):
    """What the actions of one daily limit are called, one and several, and their icon."""

    one: str
    many: str
    icon: str

    @property
    def title(self) -> str:
        """Return the word for several as a heading."""
        return self.many[0].upper() + self.many[1:]


BUDGET_WORDS: dict[str, BudgetWords] = {
    Budget.INVITE: BudgetWords("connection request", "connection requests", "user-plus"),
    Budget.MESSAGE: BudgetWords("message", "messages", "message-circle"),
    Budget.INMAIL: BudgetWords("InMail", "InMails", "send"),
    Budget.EMAIL: BudgetWords("email", "emails", "mail"),
    Budget.VISIT: BudgetWords("profile visit", "profile visits", "eye"),
    Budget.FOLLOW: BudgetWords("follow", "follows", "bell"),
    Budget.LIKE: BudgetWords("like", "likes", "heart"),
    Budget.TASK: BudgetWords("task", "tasks", "square-check"),
    "withdraw": BudgetWords("withdrawal", "withdrawals", "undo-2"),
}


@dataclass(frozen=True)
class Step:
    """One kind of step. `reaches` says that the person hears from us; `soft` that a refusal does not end their way."""

    name: str
    label: str
    words: ActionWords
    budget: str
    event: str
    channel: str = Channel.SOCIAL  # '': whichever sender the person has
    text: str = "none"  # none, optional or required
    max_text: int = 0
    max_subject: int = 0
    needs_connection: bool = False
    reaches: bool = False
    soft: bool = False
    repeatable: bool = False  # doing it twice does no harm, so it is not looked up
    noticed: bool = True  # the person sees that it was done, so their conversation shows it
    hint: str = ""  # what to know about a step that has no text
    by_hand: bool = False  # a member does it, and its text is for the member

    @property
    def is_message(self) -> bool:
        """Return whether it counts as a message sent."""
        return self.text == "required" and not self.by_hand


STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        Step(
            "connection_request",
            "Connection request",
            ActionWords(
                "user-plus",
                "Connection request",
                "Connection request sent",
                "sent a connection request to",
                "send a connection request to",
            ),
            Budget.INVITE,
            "invite_sent",
            text="optional",
            max_text=NOTE_LENGTH,
            reaches=True,
        ),
        Step(
            "message",
            "Message",
            ActionWords("message-circle", "Message", "Message sent", "wrote to", "write to"),
            Budget.MESSAGE,
            "message_sent",
            text="required",
            max_text=8000,
            needs_connection=True,
            reaches=True,
        ),
        Step(
            "inmail",
            "InMail",
            ActionWords("send", "InMail", "InMail sent", "sent an InMail to", "send an InMail to"),
            Budget.INMAIL,
            "inmail_sent",
            text="required",
            max_text=1900,
            max_subject=200,
            reaches=True,
            soft=True,
        ),
        Step(
            "view_profile",
            "View profile",
            ActionWords("eye", "Profile view", "Profile viewed", "viewed", "view"),
            Budget.VISIT,
            "profile_viewed",
            soft=True,
            repeatable=True,
            noticed=False,
            hint="The person may see your visit.",
        ),
        Step(
            "follow",
            "Follow",
            ActionWords("bell", "Follow", "Profile followed", "followed", "follow"),
            Budget.FOLLOW,
            "follow_sent",
            soft=True,
            repeatable=True,
            hint="The person may see that you follow them.",
        ),
        Step(
            "like_post",
            "Like a recent post",
            ActionWords("heart", "Like", "Post liked", "liked a post by", "like a post by"),
            Budget.LIKE,
            "post_liked",
            soft=True,
            repeatable=True,
            hint="Skipped if the person has no recent post.",
        ),
        Step(
            "email",
            "Email",
            ActionWords("mail", "Email", "Email sent", "emailed", "email"),
            Budget.EMAIL,
            "message_sent",
            channel=Channel.EMAIL,
            text="required",
            max_text=8000,
            max_subject=200,
            reaches=True,
        ),
        Step(
            "task",
            "Task",
            ActionWords("square-check", "Task", "Task done", "did a task for", "do a task for", "skipped a task for"),
            Budget.TASK,
            "task_done",
            channel="",
            text="required",
            max_text=2000,
            reaches=True,
            by_hand=True,
        ),
    )
}


class TaskType(NamedTuple):
    """What a member does by hand: its words, its icon, and what is opened for it: a phone number, a chat, a profile."""

    label: str
    icon: str
    opens: str = ""


TASK_TYPES: dict[str, TaskType] = {
    "call": TaskType("Call", "phone", "phone"),
    "whatsapp": TaskType("WhatsApp", "message-circle", "whatsapp"),
    "connection_request": TaskType("Connect on LinkedIn", "user-plus", "profile"),
    "linkedin_message": TaskType("LinkedIn message", "send", "profile"),
    "comment": TaskType("Comment", "messages-square", "profile"),
    "post": TaskType("Send by post", "map-pin"),
    "other": TaskType("Other", "square-check"),
}


def longest_text(kind: str, sales_navigator: bool) -> int:
    """Return how many characters one message of that kind may have; a note is shorter without Sales Navigator."""
    return NOTE_LENGTH_BASIC if kind == "connection_request" and not sales_navigator else STEPS[kind].max_text


WITHDRAWAL = ActionWords(
    "undo-2",
    "Withdrawal",
    "Connection request withdrawn",
    "withdrew the connection request to",
    "withdraw the connection request to",
)


def is_action(kind: str) -> bool:
    """Return whether the kind is an action of ours, not an event or a note."""
    return kind == "withdraw" or kind in STEPS


def action_words(kind: str) -> ActionWords:
    """Return the words for an action: a step, or the withdrawal of an invitation."""
    return WITHDRAWAL if kind == "withdraw" else STEPS[kind].words

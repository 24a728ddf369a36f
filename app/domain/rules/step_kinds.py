"""The kinds of steps of a sequence: one table that validation, limits, events and the engine all read."""

from dataclasses import dataclass

from app.models.accounts import Budget, Channel

NOTE_LENGTH, NOTE_LENGTH_BASIC = 300, 200  # with and without Sales Navigator


@dataclass(frozen=True)
class Step:
    """One kind of step. `reaches` says that the person hears from us; `soft` that a refusal does not end their way."""

    name: str
    label: str
    budget: str
    event: str
    channel: str = Channel.SOCIAL
    text: str = "none"  # none, optional or required
    max_text: int = 0
    max_subject: int = 0
    needs_connection: bool = False
    reaches: bool = False
    soft: bool = False
    repeatable: bool = False  # doing it twice harms nobody, so it is not asked after

    @property
    def is_message(self) -> bool:
        """Whether it counts as a message sent."""
        return self.name in ("message", "inmail", "email")


STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        Step(
            "connection_request",
            "Connection request",
            Budget.INVITE,
            "invite_sent",
            text="optional",
            max_text=NOTE_LENGTH,
            reaches=True,
        ),
        Step(
            "message",
            "Message",
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
            Budget.INMAIL,
            "inmail_sent",
            text="required",
            max_text=1900,
            max_subject=200,
            reaches=True,
            soft=True,
        ),
        Step("view_profile", "View profile", Budget.VISIT, "profile_viewed", soft=True, repeatable=True),
        Step("follow", "Follow", Budget.FOLLOW, "follow_sent", soft=True, repeatable=True),
        Step("like_post", "Like latest post", Budget.LIKE, "post_liked", soft=True, repeatable=True),
        Step(
            "email",
            "E-mail",
            Budget.EMAIL,
            "message_sent",
            channel=Channel.EMAIL,
            text="required",
            max_text=8000,
            max_subject=200,
            reaches=True,
        ),
    )
}

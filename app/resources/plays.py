"""Plays as API resources: steps, sample people, and texts that were changed or written again."""

from datetime import datetime
from typing import Any, Literal

from app.models.autopilot import PlayChannel, PlayStatus
from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaign_statistics import StepVariants, step_variants

MessageKind = Literal["invite", "social", "email"]
StepKind = Literal["reaction", "invite", "social", "email", "comment", "manual"]
Reaction = Literal["match", "like", "celebrate", "support", "love", "insightful", "funny"]


class PlayMessage(Shape):
    """A message of a play, and the day on which it is sent."""

    day: int
    """The day on which the message is sent, where 1 is the person's first day in the campaign."""
    kind: MessageKind
    """How the message is sent: with a connection request, as a LinkedIn message, or as an email."""
    subject: str
    """The subject of an email; empty for other kinds."""
    text: str
    """The text, with variables such as `{{first_name}}`."""


class PlayBuild(Shape):
    """The progress of building or launching a play."""

    label: str
    """What is being done now, as a sentence you can show to users."""
    step: int
    """The number of the current step, starting at 1."""
    of: int
    """The total number of steps."""


class PlayNumbers(Shape):
    """The results of a play so far."""

    people: int
    """How many people have replied, finished, or had 7 days to reply to the last step."""
    replies: int
    """How many of `people` replied."""
    positive: int
    """How many replies were positive."""
    negative: int
    """How many replies were negative."""
    reply_rate: float | None
    """`replies` divided by `people`, from 0 to 1; null while `people` is 0."""
    reply_range: list[float] | None
    """The lower and upper end of the 95% confidence interval of `replyRate`; null while `people` is 0."""
    good_votes: int
    """How many sample people you marked as a good fit."""
    bad_votes: int
    """How many sample people you marked as a bad fit."""

    @classmethod
    def of(cls, found: Any) -> Json:
        return cls.filled(
            found,
            reply_rate=round(found.replies / found.people, 4) if found.people else None,
            reply_range=[round(edge, 4) for edge in found.interval] if found.interval else None,
            good_votes=found.good,
            bad_votes=found.bad,
        )


class PlaySummary(Resource):
    """A play: an audience, a reason to write, and messages."""

    id: int
    """The id of the play."""
    rank: int
    """The play's rank; 1 is the most promising."""
    name: str
    """The play's short name, at most 30 characters."""
    angle: str
    """The code of the play's reason to write, such as `new_role`."""
    pitch: str
    """The reason to write and the offer in one sentence."""
    why: str
    """Why the play suits your business."""
    chips: list[str]
    """Short labels that describe the audience."""
    channel: PlayChannel
    """The channels that the play uses."""
    status: PlayStatus
    """The state of the play, from design to a running campaign."""
    start_at: datetime | None
    """When the play starts; null if it is not scheduled."""
    campaign_id: int | None
    """The id of the play's campaign; null until the launch."""
    list_id: int | None
    """The id of the play's list of people; null until the launch."""
    sequence: list[PlayMessage]
    """The play's messages, in order."""
    build: PlayBuild | None
    """The progress while the play is being built or launched; null otherwise."""
    numbers: PlayNumbers
    """The results so far."""
    because: str
    """The reason for the play's rank."""
    outdated: bool
    """True if you have corrected your profile since the play was written."""

    @classmethod
    def of(cls, play: Any) -> Json:
        """Build the play without its people and log."""
        return cls.filled(play, numbers=play.found)


class PlayDelay(Shape):
    """How long to wait before a step."""

    count: int
    """How many units to wait; 0 for none."""
    unit: Literal["minutes", "hours", "days"]
    """The unit of `count`."""


class PlayStep(Shape):
    """A step of a play. Whether `text`, `subject` and `reaction` are present depends on `kind`."""

    id: str
    """The id of the step, unique within the play."""
    kind: StepKind
    """What the step does."""
    delay: PlayDelay
    """The wait before the step."""
    after: Literal["previous", "accept", "no_reply"]
    """When the wait starts: after the previous step, after the person accepts, or after a message without a reply."""
    text: str | None = None
    """The text, with variables; absent for a reaction."""
    subject: str | None = None
    """The subject; only for emails."""
    reaction: Reaction | None = None
    """The reaction to the person's post; only for reactions."""


class SampleLead(Shape):
    """A sample person, which shows who the play would find."""

    lead_id: int
    """The id to use when you vote; the person is only added to a list at launch."""
    name: str
    """First and last name."""
    title: str
    """The job title."""
    company: str
    """The name of the company."""
    headline: str
    """The headline of the profile."""
    summary: str
    """Why the person fits the play."""
    image_url: str
    """The URL of the profile picture; empty if there is none."""
    social_url: str
    """The URL of the LinkedIn profile."""
    location: str
    """The person's location, as stated on their profile."""
    industry: str
    """The industry of the company."""
    fit: Literal["good", "bad"] | None
    """Your vote; null if you have not voted."""
    messages: list[PlayMessage]
    """The play's messages, with this person's values filled in."""


class PlayLogEntry(Shape):
    """A request to change the play, or Overture's reply to a request."""

    role: Literal["user", "agent"]
    """Who wrote the entry: you (`user`) or Overture (`agent`)."""
    text: str
    """The text of the entry."""
    at: datetime
    """When the entry was written."""


class PlayVariants(StepVariants):
    """A step that has several variants."""

    step: int
    """The position of the step in the campaign's sequence, starting at 0."""


class ChangedSentence(Shape):
    """A sentence of a step's text, which the change keeps, removes or adds."""

    side: Literal["same", "old", "new"]
    """Whether the sentence stays (`same`), is removed (`old`) or is added (`new`)."""
    text: str
    """The sentence."""


class ChangedStep(Shape):
    """A step that would change."""

    step: int
    """The number of the step in the changed play, starting at 1; for a removed step, its current number."""
    kind: StepKind
    """The kind of step."""
    says: str
    """What would change in the step, as a sentence; empty if `sentences` shows the change."""
    sentences: list[ChangedSentence]
    """The sentences of the step's text, with what would change."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one, step=one.number)


class PlayProposal(Shape):
    """A proposed change to a play."""

    wish: str
    """The change you asked for, in your words."""
    says: str
    """The proposed change, as a sentence you can show to users."""
    changes: list[ChangedStep]
    """The steps that would change."""


class PlayDetail(PlaySummary):
    """A play, with its steps, sample people and log."""

    strategy: str
    """How the play works, in a few sentences."""
    reaches: str
    """Who the play reaches, in one sentence."""
    choices: list[str]
    """Changes you can request, in exactly these words, without an AI model."""
    audience: int
    """The estimated number of people the play can reach."""
    credits_per_lead: int
    """The cost of finding one person, in credits."""
    steps: list[PlayStep]
    """All steps, in order. To change steps, use `PATCH /v1/autopilot/plays/{playId}`."""
    sample: list[SampleLead]
    """Sample people for you to vote on."""
    log: list[PlayLogEntry]
    """The changes you asked for and Overture's replies, oldest first."""
    working: str
    """What Overture is doing with the play now, as a sentence; empty if nothing is in progress."""
    launched_at: datetime | None
    """When the play was launched; null if it has not been launched."""
    variants: list[PlayVariants]
    """The steps that have several variants in the play's campaign."""
    proposed: PlayProposal | None
    """A proposed change, which you can make or discard; null if there is none."""
    can_undo: bool
    """Whether you can undo the last change or rewrite."""

    @classmethod
    def of(cls, play: Any, sample: Any = (), variants: Any = (), standing: Any = None) -> Json:
        return cls.filled(
            play,
            numbers=play.found,
            choices=[one.label for one in standing.offered] if standing else [],
            sample=[_sample(one) for one in sample],
            variants=[{"step": one.step, **step_variants(one)} for one in variants],
            proposed=standing and standing.proposal,
            can_undo=bool(standing and standing.can_undo),
        )


def _sample(one: Any) -> Json:
    found = one.found
    return {
        "leadId": one.id,
        "name": f"{found['first_name']} {found['last_name']}".strip(),
        "title": found["title"],
        "company": found["company"],
        "headline": found["headline"],
        "summary": one.reason,
        "imageUrl": found["image_url"],
        "socialUrl": found["profile_url"],
        "location": found["location"],
        "industry": found["industry"],
        "fit": one.fit or None,
        "messages": one.messages,
    }


class NewText(Shape):
    """The text of a step, before and after the rewrite."""

    step_id: str
    """The id of the step."""
    kind: MessageKind
    """The kind of step."""
    edited: bool
    """True if a member edited the current text, which is only replaced if you name the step in `stepIds`."""
    subject_before: str
    """The current subject; empty unless the step is an email."""
    before: str
    """The current text."""
    subject_after: str
    """The new subject; empty unless the step is an email."""
    after: str
    """The new text."""


class NewTexts(Resource):
    """The messages of a play, rewritten from the current profile. If nothing would change, `texts` is empty."""

    texts: list[NewText]
    """One entry per step whose text would change."""
    written_by: str
    """Who wrote the new messages: the name of the AI model, or `built-in`."""
    note: str
    """Why the built-in writer was used instead of the AI model; empty if the AI model was used."""

    @classmethod
    def of(cls, play: Any) -> Json:
        kept = play.proposed or {"texts": [], "by": play.written_by, "note": ""}
        return {"texts": [_new_text(**one) for one in kept["texts"]], "writtenBy": kept["by"], "note": kept["note"]}


def _new_text(step: str, kind: str, edited: bool, before: list[str], after: list[str], **_: Any) -> Json:
    texts = {"before": before[0], "subjectBefore": before[1], "after": after[0], "subjectAfter": after[1]}
    return {"stepId": step, "kind": kind, "edited": edited, **texts}


class Template(Resource):
    """Saved steps that you can use for other plays."""

    id: int
    """The id of the template."""
    name: str
    """The name of the template."""
    channel: PlayChannel
    """The channel on which the steps are sent."""
    steps: list[PlayStep]
    """The steps, in order."""
    created_at: datetime
    """When the template was created."""

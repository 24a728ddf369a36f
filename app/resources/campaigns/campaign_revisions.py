"""Changes of a campaign on its way as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from app.models.campaigns import RevisionKind
from app.resources.base import Json, Resource, Shape, StepKind, Values
from app.resources.campaigns.campaigns import steps

_NAMED = {"new_per_day": "newPeoplePerDay"}
_OURS = ("task", "stood", "added", "removed")  # what the hand-over and the enrolment keep for themselves


class ChangeProgress(Shape):
    """The progress of a change that is being made."""

    looked: int
    """How many people have been checked so far."""
    people: int
    """How many people have to be checked in total."""


class CampaignRevision(Resource):
    """A change to a campaign after its launch."""

    number: int
    """The number of the revision; the first is 1."""
    kind: RevisionKind
    """The kind of change."""
    at: datetime
    """When the change was made."""
    by: str
    """The member or API key that made the change."""
    apply_to: str
    """Who gets the changed steps: `new`, `all` or `chosen` people; empty for other changes."""
    before: dict[str, Any]
    """The changed fields of the campaign, with their previous values."""
    after: dict[str, Any]
    """The changed fields of the campaign, with their new values."""
    effect: dict[str, int]
    """How many people the change affected, by kind of effect."""
    done: bool
    """Whether everyone has been checked; in large campaigns, this takes minutes."""
    progress: ChangeProgress | None
    """The progress of the change; null once it is done."""
    undoes: int | None
    """The number of the revision that this revision undid; null if there is none."""
    undone_by: int | None
    """The number of the revision that undid this revision; null if there is none."""

    @classmethod
    def of(cls, revision: Any) -> Json:
        return cls.filled(
            revision,
            before=_shown(revision.before),
            after=_shown(revision.after),
            effect=_camel(revision.effect),
            done=not revision.is_open,
            progress={"looked": revision.looked, "people": revision.people} if revision.is_open else None,
        )


def _camel(values: Any) -> Json:
    return {_NAMED.get(name) or to_camel(name): value for name, value in values.items()}


def _shown(values: Any) -> Json:
    shown = {name: value for name, value in values.items() if name not in _OURS}
    if "sequence" in shown:
        shown["sequence"] = steps(shown["sequence"])
    return _camel(shown)


class ChangeEffect(Shape):
    """How one kind of change would affect people."""

    kind: Literal["schedule", "senders", "lists", "exclusions"]
    """The kind of change."""
    counts: dict[str, int]
    """How many people would be affected, by kind of effect."""
    sentences: list[str]
    """The effects, as sentences you can show to users."""

    @classmethod
    def of(cls, part: Any) -> Json:
        return cls.filled(part, counts=_camel(part.counts), sentences=part.says)


class ChangesPreview(Values):
    """How changes would affect people; nothing has been changed."""

    changes: list[ChangeEffect]
    """One entry for each kind of change you sent."""


class StepChange(Shape):
    """A step that would change."""

    step: int
    """The step's position in the new sequence, starting at 0; for a removed step, its position in the old sequence."""
    type: StepKind
    """The type of the step."""
    change: Literal["text", "shares", "wait", "changed", "new", "removed", "moved"]
    """What changes: the `text`, the `shares` of variants, the `wait` or another setting (`changed`), or the step is
    `new`, `removed` or `moved`. A step with several changes has one entry for each.
    """

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one, step=one.index)


class SequenceEffect(Resource):
    """How a change to the sequence would affect people; nothing has been changed."""

    fixed_steps: int
    """How many steps at the start cannot change, because people have received them or are waiting for them."""
    steps: list[StepChange]
    """The steps that would change."""
    affected: int
    """How many people would be affected by the change."""
    placed: int
    """How many of `affected` would have a different next step, or the same step at a different time."""
    kept: int
    """How many of `affected` would only get new versions of their steps."""
    untouched: int
    """How many people would not be affected."""

    @classmethod
    def of(cls, effect: Any) -> Json:
        return cls.filled(effect, fixed_steps=effect.fixed)

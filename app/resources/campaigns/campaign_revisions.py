"""Changes of a campaign on its way as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from app.models.campaigns import RevisionKind
from app.resources.base import Json, Resource, Shape, StepKind
from app.resources.campaigns.campaigns import steps

_NAMED = {"new_per_day": "newPeoplePerDay"}
_OURS = ("task", "stood", "added", "removed")  # what the hand-over and the enrolment keep for themselves


class ChangeProgress(Shape):
    """The progress of a running change."""

    looked: int
    """People checked."""
    people: int
    """The total number at the start."""


class CampaignRevision(Resource):
    """One change of a launched campaign."""

    number: int
    """The number of the revision; the first is 1."""
    kind: RevisionKind
    """What was changed."""
    at: datetime
    """When it was changed."""
    by: str
    """The member or API key."""
    apply_to: str
    """For step changes: `new`, `all` or `chosen`; else ""."""
    before: dict[str, Any]
    """The earlier values, in the campaign's fields."""
    after: dict[str, Any]
    """The new values, in the campaign's fields."""
    effect: dict[str, int]
    """People by the effect of the change."""
    done: bool
    """Whether everyone was checked; large campaigns take minutes."""
    progress: ChangeProgress | None
    """The progress; null when done."""
    undoes: int | None
    """The change this one undid."""
    undone_by: int | None
    """The change that undid this one."""

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
    """What would be changed."""
    counts: dict[str, int]
    """How many people are affected, by effect."""
    sentences: list[str]
    """The effect in words."""


class ChangesPreview(Resource):
    """How changes would affect people; nothing was changed."""

    changes: list[ChangeEffect]
    """One entry per kind of change you sent."""

    @classmethod
    def of(cls, parts: Any) -> Json:
        return {
            "changes": [
                {"kind": part.kind, "counts": _camel(part.counts), "sentences": list(part.says)} for part in parts
            ]
        }


class StepChange(Shape):
    """A changed step: its position in the new sequence, or in the old one when it is removed."""

    step: int
    """The position in the new sequence, or in the old one for a removed step; the first is 0."""
    type: StepKind
    """The type of the step."""
    change: Literal["text", "shares", "wait", "changed", "new", "removed", "moved"]
    """The differences."""


class SequenceEffect(Resource):
    """The effect of a sequence change on active people; nothing was changed."""

    fixed_steps: int
    """How many first steps people have received or wait for."""
    steps: list[StepChange]
    """The steps that change."""
    affected: int
    """People who would get something different."""
    placed: int
    """Of these, people whose next step or its time would change."""
    kept: int
    """People who would get only the new version of each step."""
    untouched: int
    """People without any change."""

    @classmethod
    def of(cls, effect: Any) -> Json:
        return cls.filled(
            effect,
            fixed_steps=effect.fixed,
            steps=[{"step": one.index, "type": one.type, "change": one.change} for one in effect.steps],
        )

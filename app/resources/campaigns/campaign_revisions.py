"""Changes of a campaign on its way as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field
from pydantic.alias_generators import to_camel

from app.models.campaigns import RevisionKind
from app.resources.base import Json, Resource, Shape
from app.resources.campaigns.campaigns import steps

_NAMED = {"new_per_day": "newPeoplePerDay"}
_OURS = ("task", "stood", "added", "removed")  # what the hand-over and the enrolment keep for themselves


class ChangeProgress(Shape):
    """The progress of a running change."""

    looked: int = Field(description="People checked.")
    people: int = Field(description="Of how many, when it began.")


class CampaignRevision(Resource):
    """One change of a launched campaign."""

    number: int
    kind: RevisionKind
    at: datetime
    by: str = Field(description="The member or API key.")
    apply_to: str = Field(description='Of steps: `new`, `all` or `chosen`; else "".')
    before: dict[str, Any] = Field(description="The earlier values, in the campaign's fields.")
    after: dict[str, Any]
    effect: dict[str, int] = Field(description="People by the effect of the change.")
    done: bool = Field(description="Whether everyone was checked; large campaigns take minutes.")
    progress: ChangeProgress | None = Field(description="While it is not done.")
    undoes: int | None = Field(description="The change this one undid.")
    undone_by: int | None = Field(description="The change that undid this one.")

    @classmethod
    def of(cls, revision: Any) -> Json:
        return {
            "number": revision.number,
            "kind": revision.kind,
            "at": revision.at,
            "by": revision.by,
            "applyTo": revision.apply_to,
            "before": _shown(revision.before),
            "after": _shown(revision.after),
            "effect": _camel(revision.effect),
            "done": not revision.is_open,
            "progress": {"looked": revision.looked, "people": revision.people} if revision.is_open else None,
            "undoes": revision.undoes,
            "undoneBy": revision.undone_by,
        }


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
    counts: dict[str, int]
    sentences: list[str]


class ChangesPreview(Resource):
    """How changes would affect people; nothing was changed."""

    changes: list[ChangeEffect]

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
    type: str
    change: Literal["text", "shares", "wait", "changed", "new", "removed", "moved"]


class SequenceEffect(Resource):
    """The effect of a sequence change on active people; nothing was changed."""

    fixed_steps: int = Field(description="How many first steps people have received or wait for.")
    steps: list[StepChange]
    affected: int = Field(description="People who would get something different.")
    placed: int = Field(description="Of these, people whose next step or its time would change.")
    kept: int = Field(description="People who would get only the new version of each step.")
    untouched: int = Field(description="People without any change.")

    @classmethod
    def of(cls, effect: Any) -> Json:
        return {
            "fixedSteps": effect.fixed,
            "steps": [{"step": one.index, "type": one.type, "change": one.change} for one in effect.steps],
            "affected": effect.affected,
            "placed": effect.placed,
            "kept": effect.kept,
            "untouched": effect.untouched,
        }

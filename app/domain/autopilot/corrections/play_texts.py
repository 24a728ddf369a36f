"""A play's texts: which of them the autopilot wrote and no person edited, and these written again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app import ports
from app.domain.autopilot import play_steps, serialization
from app.domain.autopilot.play_steps import BUILT_IN, IN_A_CAMPAIGN, said
from app.domain.rules.sequences import step_keys
from app.domain.rules.variants import assignment
from app.models.autopilot import Play
from app.ports.writer import Brief, PlayIdea

MOST_WISHES = 10  # that are carried out again
Steps = Sequence[Mapping[str, Any]]
Texts = Mapping[str, list[str]]  # text and subject, by the step's id


@dataclass(frozen=True)
class Rewritten:
    """The steps after it, what of them the autopilot wrote, and each text that changed, as it was and as it is."""

    steps: list[Any]
    ours: Texts
    changed: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]


def ours(play: Play, before: Brief, idea: PlayIdea) -> Texts:
    """Return what the autopilot wrote. Of a play from before this was kept, it is what is written from `before`."""
    if play.written is not None:
        kept: Texts = play.written["steps"]
        return kept
    if ports.writer().name != BUILT_IN:
        return {}
    return {one["id"]: said(one) for one in serialization.steps_json(ports.writer().sequence(before, idea))}


def wishes(play: Play) -> list[str]:
    """Return the changes that were asked for, the newest ones."""
    return [entry["text"] for entry in play.log if entry["role"] == "user"][-MOST_WISHES:]


def fresh(brief: Brief, idea: PlayIdea, asked: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the play's steps as they are written now, by id; what was asked for is done again. Calls out."""
    writer = ports.writer()
    steps = writer.sequence(brief, idea)
    for wish in asked:
        steps = writer.change(brief, idea, steps, wish).steps
    return {one["id"]: one for one in serialization.steps_json(steps)}


def rewritten(steps: Steps, known: Texts, anew: Mapping[str, Mapping[str, Any]], note_length: int) -> Rewritten:
    """Return the steps with what the autopilot wrote written again; order, waits and edited texts stay."""
    made, changed = [], []
    for one in steps:
        new = anew.get(one["id"], {})
        mine = any(said(one)) and known.get(one["id"]) == said(one)
        if mine and new.get("kind") == one["kind"] and said(new) != said(one):
            again = dict(one) | {name: new.get(name, "") for name in ("text", "subject") if name in one}
            changed.append((one, again))
            made.append(again)
        else:
            made.append(dict(one))
    checked = play_steps.check(made, note_length=note_length)
    return Rewritten(checked, {**known, **{one["id"]: said(one) for _, one in changed}}, changed)


def keys_with(sequence: Steps, texts: Sequence[Mapping[str, Any]]) -> set[int]:
    """Return the keys of a campaign's steps in which one of these texts stands as it was written."""
    wanted = {(IN_A_CAMPAIGN[one["kind"]], *said(one)) for one in texts}
    return {
        step_keys.key_of(sequence, place)
        for place, step in enumerate(sequence)
        if any((step["type"], message, subject) in wanted for message, subject in assignment.texts(step))
    }


def in_campaign(sequence: Steps, changed: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> list[Any]:
    """Return a campaign's steps with the changed texts wherever they stand as they were written."""
    again = {(IN_A_CAMPAIGN[old["kind"]], *said(old)): said(new) for old, new in changed}

    def with_text(step: Mapping[str, Any], kind: str) -> dict[str, Any]:
        found = again.get((kind, step.get("message", ""), step.get("subject", "")))
        if found is None:
            return dict(step)
        given = {name: text for name, text in zip(("message", "subject"), found, strict=True) if text or name in step}
        return {**step, **given}

    made = []
    for step in sequence:
        one = with_text(step, step["type"])
        if step.get("variants"):
            one["variants"] = [with_text(each, step["type"]) for each in step["variants"]]
        made.append(one)
    return made

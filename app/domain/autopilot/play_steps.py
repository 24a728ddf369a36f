"""A play's steps: validation, timing, and conversion to campaign steps."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from app.core.crypto import random_base62
from app.core.errors import Field, InvalidRequest, NotSupported
from app.domain.campaigns.validation import LONGEST_DELAY_DAYS, MAX_STEPS, MAY_BE_EMPTY, too_long
from app.domain.rules import message_templates
from app.domain.rules.message_syntax import foreign
from app.domain.rules.message_templates import Draw
from app.domain.rules.step_kinds import NOTE_LENGTH, STEPS
from app.models.autopilot import MINUTES, PlayChannel, days

KINDS = ("reaction", "invite", "social", "email")
LATER_KINDS = ("comment", "manual")
AFTER = ("previous", "accept", "no_reply")
REACTIONS = ("match", "like", "celebrate", "support", "love", "insightful", "funny")
MOST_DELAY = {unit: LONGEST_DELAY_DAYS * MINUTES["days"] // length for unit, length in MINUTES.items()}
IN_A_CAMPAIGN = {"reaction": "like_post", "invite": "connection_request", "social": "message", "email": "email"}


def check(given: Sequence[Mapping[str, Any]], *, note_length: int = NOTE_LENGTH) -> list[Any]:
    """Return the steps as they are stored; raise every problem, or NotSupported for a future kind."""
    problems: list[Field] = []
    if not 1 <= len(given) <= MAX_STEPS:
        problems.append(Field("steps", f"Use 1 to {MAX_STEPS} steps."))
    later, kept, seen = False, [], {"invite": False, "reached": False, "email": False}
    ids = {str(step.get("id") or "") for step in given}
    for index, step in enumerate(given[:MAX_STEPS]):
        path, kind = f"steps[{index}]", step.get("kind", "")
        if kind in LATER_KINDS:
            problems.append(Field(f"{path}.kind", f"Steps of type {kind} are not supported yet."))
            later = True
        elif kind not in KINDS:
            problems.append(Field(f"{path}.kind", "Use one of " + ", ".join(KINDS) + "."))
        else:
            problems += _place_problems(step, kind, path, index, seen)
            problems += _text_problems(step, kind, path, note_length, first=not seen["email"])
            kept.append(_kept(step, ids, index))
            seen["invite"] |= kind == "invite"
            seen["email"] |= kind == "email"
            seen["reached"] |= kind != "reaction"
    if len({step["id"] for step in kept}) < len(kept):
        problems.append(Field("steps", "Two steps have the same id."))
    if later:
        raise NotSupported("Some steps are of a kind that isn't supported yet.", fields=problems)
    if problems:
        texts = (text for step in kept for text in (step.get("text", ""), step.get("subject", "")))
        raise InvalidRequest("The steps are not valid.", foreign.advice(texts) or None, problems)
    return kept


def _place_problems(step: Mapping[str, Any], kind: str, path: str, index: int, seen: Mapping[str, bool]) -> list[Field]:
    """Return the problems of a step's place and of the wait before it."""
    problems = []
    delay, after = step.get("delay") or {}, step.get("after", "previous")
    count, unit = delay.get("count"), delay.get("unit")
    if unit not in MOST_DELAY:
        problems.append(Field(f"{path}.delay.unit", "Use minutes, hours or days."))
    most = MOST_DELAY.get(str(unit), LONGEST_DELAY_DAYS)
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= most:
        problems.append(Field(f"{path}.delay.count", f"Use a whole number from 0 to {most}."))
    if after not in AFTER:
        problems.append(Field(f"{path}.after", "Use previous, accept or no_reply."))
    elif after == "accept" and not seen["invite"]:
        problems.append(Field(f"{path}.after", "Add a connection request before this step."))
    elif after == "accept" and kind != "social":
        problems.append(Field(f"{path}.after", "Only a LinkedIn message can wait for an accepted connection request."))
    elif after == "no_reply" and not seen["reached"]:
        problems.append(Field(f"{path}.after", "Add a message before this step: without one, no one can reply."))
    if kind == "social" and not seen["invite"] and after != "accept":
        problems.append(
            Field(f"{path}.kind", "Add a connection request before this message. Only connections can be messaged.")
        )
    if kind == "invite" and seen["invite"]:
        problems.append(Field(f"{path}.kind", "A person can get only one connection request. Remove one."))
    return problems


def _text_problems(step: Mapping[str, Any], kind: str, path: str, note_length: int, first: bool) -> list[Field]:
    """Return the problems of a step's texts. `first` means that no email comes before it."""
    problems = []
    text, subject = (step.get("text") or "").strip(), (step.get("subject") or "").strip()
    reaction = step.get("reaction") or ""
    parts = message_templates.split(text)
    longest = note_length if kind == "invite" else STEPS[IN_A_CAMPAIGN[kind]].max_text
    if kind == "reaction" and text:
        problems.append((f"{path}.text", "A reaction can't include text."))
    elif kind in ("social", "email") and not parts:
        problems.append((f"{path}.text", "Write the text of this step."))
    elif kind in ("invite", "email") and len(parts) > 1:
        problems.append((f"{path}.text", "Only a LinkedIn message can have several parts. Remove the --- line."))
    elif (length := message_templates.longest(text)) > longest:
        problems.append((f"{path}.text", too_long(text, length, longest)))
    elif kind in ("social", "email") and message_templates.may_be_empty(text):
        problems.append((f"{path}.text", MAY_BE_EMPTY))
    if "\0" in text + subject:
        problems.append((f"{path}.text", "Contains a character that can't be stored."))
    problems += [(f"{path}.text", sentence) for sentence in message_templates.problems(text, mail=kind == "email")]
    if kind != "email" and subject:
        problems.append((f"{path}.subject", "Only an email can have a subject."))
    elif kind == "email":
        if first and not subject:
            problems.append((f"{path}.subject", "Add a subject to the first email."))
        most = STEPS["email"].max_subject
        if message_templates.longest_line(subject) > most or any(ord(character) < 32 for character in subject):
            problems.append((f"{path}.subject", f"Use one line of at most {most} characters."))
        problems += [(f"{path}.subject", sentence) for sentence in message_templates.problems(subject, whole=True)]
        if subject and message_templates.may_be_empty(subject):
            problems.append((f"{path}.subject", MAY_BE_EMPTY))
    if kind != "reaction" and reaction:
        problems.append((f"{path}.reaction", "Only a reaction step can have a reaction."))
    elif reaction and reaction not in REACTIONS:
        problems.append((f"{path}.reaction", "Use one of " + ", ".join(REACTIONS) + "."))
    return [Field(*problem) for problem in problems]


def _kept(step: Mapping[str, Any], ids: set[str], index: int) -> dict[str, Any]:
    kind, delay = step["kind"], step.get("delay") or {}
    kept: dict[str, Any] = {
        "id": str(step.get("id") or _new_id(ids)),
        "kind": kind,
        "delay": {"count": delay.get("count"), "unit": delay.get("unit")},
        "after": step.get("after", "previous"),
    }
    if kind in ("invite", "social", "email"):
        kept["text"] = (step.get("text") or "").replace("\r\n", "\n").strip()
    if kind == "email":
        kept["subject"] = (step.get("subject") or "").strip()
    if kind == "reaction":
        kept["reaction"] = step.get("reaction") or "like"
    return kept


def _new_id(ids: set[str]) -> str:
    made = f"step_{random_base62(8)}"
    ids.add(made)
    return made


def said(step: Mapping[str, Any]) -> list[str]:
    """Return the text and the subject of a step as a list, to compare and store them."""
    return [step.get("text", ""), step.get("subject", "")]


def made(steps: Sequence[Mapping[str, Any]], written: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return how a model wrote each message, by the step's id; messages that a person edited are left out."""
    kept = written or {"steps": {}}
    ours = {one["id"] for one in steps if kept["steps"].get(one["id"]) == said(one)}
    return {name: one for name, one in kept.get("made", {}).items() if name in ours}


def channel(steps: Sequence[Mapping[str, Any]], chosen: str) -> str:
    """Return the channel that the steps use; `email` only where it was chosen, so that older clients never meet it."""
    emails = [step["kind"] == "email" for step in steps]
    if chosen == PlayChannel.EMAIL and all(emails):
        return PlayChannel.EMAIL
    return PlayChannel.SOCIAL_EMAIL if any(emails) else PlayChannel.SOCIAL


def messages(steps: Sequence[Mapping[str, Any]], known: Mapping[str, str], person: object) -> list[dict[str, Any]]:
    """Return one person's messages day by day; `person` seeds the random choices in the texts."""
    made = []
    numbers = [number for number, step in enumerate(steps) if step["kind"] != "reaction"]
    for number, (day, step) in zip(numbers, days(steps), strict=True):
        draw = Draw(person, number)
        subject = message_templates.fill_line(step.get("subject", ""), known, draw).parts[0]
        text = "\n---\n".join(message_templates.fill(step.get("text", ""), known, draw).parts)
        made.append({"day": day, "kind": step["kind"], "subject": subject, "text": text})
    return made


def campaign_steps(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Convert to campaign steps, which wait whole hours and stop on any reply."""
    made = []
    for step in steps:
        one: dict[str, Any] = {"type": IN_A_CAMPAIGN[step["kind"]]}
        count, unit = step["delay"]["count"], step["delay"]["unit"]
        if unit == "minutes":
            count, unit = math.ceil(count / 60), "hours"
        if count:
            one["delay"] = {"value": count, "unit": unit}
        if step.get("text"):
            one["message"] = step["text"]
        if step.get("subject"):
            one["subject"] = step["subject"]
        made.append(one)
    return made

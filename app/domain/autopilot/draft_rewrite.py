"""Rewrite a draft as a reviewer asks: the checks run again, and the rewrite can be undone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app import ports
from app.core import text
from app.core.db import end_read, get_owned, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals
from app.domain.autopilot import setup_state
from app.domain.platform import locks
from app.domain.rules import message_templates
from app.models.approvals import APPROVAL, Approval
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import BUILT_IN, Brief, Change, Fact, PlayIdea, PlayStep, Profile, Wait, named_change

LONGEST_WISH = 500
LONGEST_WAIT = 50.0  # seconds that a person waits for the page
NOTHING = "Nothing changed: {why}"
LACKS = "this request needs an AI model (Settings → Writer). Without one, you can choose: {offered}."
CHOICES = ("shorter", "less_formal", "more_formal", "question_first")  # changes that alter a text, not the steps
_CUT = "\n---\n"
_IDEA = PlayIdea("cold", "", "", "", "", "")
_AS = {"email": "email", "inmail": "email"}  # kinds with a subject; the writer gets any other kind as a message


@dataclass(frozen=True)
class Rewritten:
    """The result of a request: whether the draft's text changed, and a sentence about it."""

    changed: bool
    sentence: str


def rewrite(workspace: Workspace, approval_id: int, wish: str) -> Rewritten:
    """Rewrite the draft as the user asked and check it again. Calls out, so never in a transaction.

    Raise InvalidRequest for an empty wish or an unsendable result, and Conflict when the draft no longer waits.
    """
    wish = text.squeeze(wish)
    if not 1 <= len(wish) <= LONGEST_WISH or "\0" in wish:
        raise InvalidRequest.of(("wish", f"Describe the change in 1 to {LONGEST_WISH} characters."))
    row = approvals.get(workspace, approval_id)
    draft = row.Approval
    if not APPROVAL.allows(draft, "edit"):
        raise Conflict(APPROVAL.moves["edit"].refusal.format(state=draft.status))
    read, before = approvals.fingerprint(draft), (draft.text, draft.subject)
    given, brief = _steps(draft), _brief(workspace, row)
    writer, asked = ports.writer(), named_change(wish)
    offered = _offered(given, brief)
    if (asked is None and writer.name == BUILT_IN) or (asked and asked.choice not in offered):
        return Rewritten(False, NOTHING.format(why=LACKS.format(offered=", ".join(one.label for one in offered))))
    end_read()
    try:
        change = writer.change(brief, _IDEA, given, wish, LONGEST_WAIT)
    except ProviderError as failure:
        return Rewritten(False, failure.sentence)
    words = _words(change, given)
    if words is None:
        return Rewritten(False, NOTHING.format(why=change.reply or "a part of the message would be missing."))
    with transaction():
        changed = approvals.edit(workspace, approval_id, text=words[0], subject=words[1], match=read)
        changed.before_text, changed.before_subject = before
    return Rewritten(True, "Rewritten.")


def choices(workspace: Workspace, row: Any) -> list[str] | None:
    """Return the built-in changes that alter this text; None if a model is connected, which takes any request."""
    writer = ports.writer()
    if writer.name != BUILT_IN:
        return None
    given, brief = _steps(row.Approval), _brief(workspace, row)
    labels = [one.label for one in _offered(given, brief)]
    return [one for one in labels if _words(writer.change(brief, _IDEA, given, one, LONGEST_WAIT), given)]


def _offered(given: Sequence[PlayStep], brief: Brief) -> list[Any]:
    return [one for one in ports.writer().offered(given, brief.profile.language) if one.code in CHOICES]


def undo(workspace: Workspace, approval_id: int) -> Approval:
    """Undo the last rewrite; Conflict if the draft was edited since."""
    with transaction():
        locks.lock_workspaces([workspace.id])
        draft = get_owned(Approval, workspace, approval_id, lock=True)
        if draft.before_text is None or not APPROVAL.allows(draft, "edit"):
            raise Conflict("There is no rewrite to undo.", recovery="Edit the text yourself.")
        return approvals.edit(workspace, approval_id, text=draft.before_text, subject=draft.before_subject or "")


def _steps(draft: Any) -> list[PlayStep]:
    """Return the draft as steps for the writer, one per part."""
    kind, parts = _AS.get(draft.kind, "social"), message_templates.split(draft.text)
    return [
        PlayStep(f"part{number}", kind, Wait(0, "days"), "previous", part, "" if number else draft.subject)
        for number, part in enumerate(parts)
    ]


def _words(change: Change, given: Sequence[PlayStep]) -> tuple[str, str] | None:
    """Return text and subject after the change; None when nothing changed, or a part is missing."""
    found = {step.id: step for step in change.steps}
    kept = [found[step.id] for step in given if step.id in found]
    if len(kept) < len(given) or [(step.text, step.subject) for step in kept] == [(s.text, s.subject) for s in given]:
        return None
    return _CUT.join(step.text for step in kept), kept[0].subject if kept else ""


def _brief(workspace: Workspace, row: Any) -> Brief:
    """Return the brief for the rewrite, including the draft's own text."""
    setup = setup_state.find(workspace)
    if setup is not None and setup.profile is not None:
        brief = setup_state.brief(workspace, setup)
    else:
        brief = Brief(Profile("", ""), rules=tuple(setup.rules) if setup else ())
    said = [Fact(row.Approval.text, "draft", row.Approval.text), Fact(row.Approval.subject, "draft", row.Lead.name)]
    return replace(brief, profile=replace(brief.profile, facts=(*brief.profile.facts, *said)), channel="social_email")

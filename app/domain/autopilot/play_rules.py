"""Learnt rules in plays: those still in review follow a rule from the moment it is accepted until it is taken back."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.core.errors import AppError
from app.domain.autopilot import play_build, play_steps, serialization, setup_state
from app.domain.learning import proposals
from app.models.autopilot import Play, PlayStatus
from app.models.workspaces import Workspace

Said = list[str]


def connect() -> None:
    """Follow the learnt rules as they change; called once by create_app."""
    if follow not in proposals.CHANGES:
        proposals.register_change(follow)


def follow(workspace: Workspace) -> None:
    """Write the plays in review by the rules as they are now; a text that a person edited stays theirs.

    What a rule changed is kept beside the text that the writer wrote, which comes back with the rule taken back.
    """
    setup = setup_state.find(workspace)
    if setup is None or setup.profile is None:
        return
    rules = [rule.words for rule in proposals.accepted(workspace)]
    language = serialization.profile_of(setup.profile).language
    query = sa.select(Play).where(Play.workspace_id == workspace.id, Play.status == PlayStatus.REVIEW)
    for play in session().scalars(query.order_by(Play.id).with_for_update()):
        if play.written is not None:
            _follow(workspace, play, rules, language)


def _follow(workspace: Workspace, play: Play, rules: Sequence[str], language: str) -> None:
    kept, texts = play.written or {}, (play.written or {}).get("steps", {})
    unruled: Mapping[str, Sequence[Said]] = kept.get("ruled", {})
    plain = [_unruled(step, unruled) if texts.get(step["id"]) == play_steps.said(step) else step for step in play.steps]
    obeyed = ports.writer().obey(serialization.steps_of(plain), rules, language)
    said = {step["id"]: step for step in serialization.steps_json(obeyed)}
    made, ruled = [], dict[str, list[Said]]()
    for step, before in zip(play.steps, plain, strict=True):
        ours = texts.get(step["id"]) == play_steps.said(step)
        after = {**before, **_words(said.get(step["id"], before))} if ours else step
        if ours and play_steps.said(after) != play_steps.said(before):
            ruled[step["id"]] = [play_steps.said(before), play_steps.said(after)]
        made.append(after)
    changed = [one["id"] for one, step in zip(made, play.steps, strict=True) if one != step]
    if not changed:
        return
    try:
        checked = play_steps.check(made)
    except AppError:  # a rule that would break the play is followed by its drafts, where it can
        return
    now = {one["id"]: play_steps.said(one) for one in checked if one["id"] in changed}
    play.written = {**kept, "steps": {**texts, **now}, "ruled": ruled}
    play.steps, play.approved_at = checked, None
    number = len(changed)
    words = (
        f"{number} text{'s' if number > 1 else ''} of this play now {'follow' if number > 1 else 'follows'} your rules."
    )
    play.log = [*play.log, play_build.entry(workspace, "agent", words)]
    session().flush()
    play_build.rewrite_messages(workspace, play)


def _unruled(step: Mapping[str, Any], ruled: Mapping[str, Sequence[Said]]) -> dict[str, Any]:
    """Return the step as it was written before a rule changed it."""
    before, after = ruled.get(step["id"], ([], []))
    if after != play_steps.said(step):
        return dict(step)
    text, subject = before
    return {**step, **({"text": text} if "text" in step else {}), **({"subject": subject} if "subject" in step else {})}


def _words(step: Mapping[str, Any]) -> dict[str, str]:
    return {name: step[name] for name in ("text", "subject") if name in step}

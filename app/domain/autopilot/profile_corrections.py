"""The owner's corrections of the profile: what they typed stays, and what is built on it follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session, transaction
from app.core.errors import AppError, Conflict, InvalidRequest, NotFound
from app.domain.autopilot import documents, play_build, play_steps, plays, serialization, setup_state
from app.domain.platform import jobs
from app.models.autopilot import PLAY, Phase, Play, PlayStatus, Setup
from app.models.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import Fact, Profile

OWNER = "owner"  # the page of a fact that the owner typed
LONGEST = {
    "business": 4000, "summary": 4000, "name": 100, "sells": 160, "for": 200, "change": 200, "proof": 200, "tone": 20,
    "language": 12,
}  # fmt: skip
MOST_FACTS, LONGEST_FACT, MOST_EXAMPLES, LONGEST_EXAMPLE = 60, 400, 5, 120
TONES = ("", "formal", "casual")
REQUIRED = {"business": "Say it in a sentence or two.", "summary": "Say it in a sentence or two."}
ASK = "We could not tell what you sell. Say it in a few words."
ASK_EXAMPLES = "Name two good customers, so that we know who to look for."
_COLUMN = {"for": "audience"}
_QUIET = frozenset(("business", "summary"))  # no message is built on these
JOB = "autopilot_follow"


@dataclass(frozen=True)
class Effect:
    """What a correction changes: the fields with their old and new words, and what is written again."""

    fields: Sequence[tuple[str, str, str]]
    plays: Sequence[str]
    launched: Sequence[str]


def asks(profile: Mapping[str, Any]) -> dict[str, str]:
    """Return what the owner has to say because the website does not, by field."""
    found = {} if profile.get("sells") else {"sells": ASK}
    if not (profile.get("category") or profile.get("audience") or profile.get("examples")):
        found["examples"] = ASK_EXAMPLES
    return found


def correct(workspace: Workspace, given: Mapping[str, Any]) -> Setup:
    """Correct the fields that are given; raise InvalidRequest and change nothing if one is not valid."""
    with transaction():
        setup = setup_state.locked(workspace)
        before, after = _applied(setup, given)
        setup.profile = serialization.profile_json(after)
        if _told(before) != _told(after):
            jobs.add(workspace, JOB, str(workspace.id), {})
        return setup


def preview(workspace: Workspace, given: Mapping[str, Any]) -> Effect:
    """Return what a correction would change."""
    before, after = _applied(setup_state.get(workspace), given)
    old, new = _told(before), _told(after)
    changed = [(name, old[name], new[name]) for name in old if old[name] != new[name]]
    every = plays.every(workspace) if changed else ()
    rewritten = [play.name for play in every if play.status == PlayStatus.REVIEW]
    launched = [play.name for play in every if play.status in (PlayStatus.SCHEDULED, PlayStatus.RUNNING)]
    return Effect(changed, rewritten, launched)


def merged(old: Mapping[str, Any] | None, read: Profile) -> Profile:
    """Return a new reading with what the owner typed and without what the owner deleted."""
    if not old:
        return read
    kept = serialization.profile_of(old)
    typed: dict[str, Any] = {_COLUMN.get(name, name): getattr(kept, _COLUMN.get(name, name)) for name in kept.typed}
    own = [fact for fact in kept.facts if fact.page == OWNER]
    facts = (*own, *(fact for fact in read.facts if fact.quote not in kept.dropped))
    return replace(
        read, **{**typed, "facts": facts, "typed": kept.typed, "dropped": kept.dropped, "examples": kept.examples}
    )


def _told(profile: Profile) -> dict[str, str]:
    """Return what messages are built on, by the public names."""
    several = {name: str(getattr(profile, _COLUMN.get(name, name))) for name in LONGEST if name not in _QUIET}
    return several | {"examples": ", ".join(profile.examples), "facts": "\n".join(fact.text for fact in profile.facts)}


def _applied(setup: Setup, given: Mapping[str, Any]) -> tuple[Profile, Profile]:
    if setup.profile is None or setup.phase == Phase.PROFILE:
        raise Conflict("Your business profile isn't ready yet.", recovery="Wait until it's written.")
    before = serialization.profile_of(setup.profile)
    words = {name: " ".join(given[name].split()) if name not in _QUIET else given[name].strip()
             for name in LONGEST if given.get(name) is not None}  # fmt: skip
    problems = list(_problems(words, given))
    if problems:
        raise InvalidRequest.of(*problems)
    changed = {name: text for name, text in words.items() if text != getattr(before, _COLUMN.get(name, name))}
    words_typed: dict[str, Any] = {_COLUMN.get(name, name): text for name, text in changed.items()}
    after = replace(before, **words_typed)
    if given.get("examples") is not None:
        after = replace(after, examples=tuple(one.strip() for one in given["examples"] if one.strip()))
    if given.get("facts") is not None:
        after = _with_facts(after, given["facts"])
    return before, replace(after, typed=tuple(dict.fromkeys([*before.typed, *changed])))


def _with_facts(profile: Profile, given: Sequence[Mapping[str, str]]) -> Profile:
    """Return the profile with these facts alone; a changed or new one is the owner's."""
    known = {fact.text: fact for fact in profile.facts}
    texts = [one["text"].strip() for one in given if one["text"].strip()]
    kept = tuple(known.get(text) or Fact(text, OWNER, text) for text in dict.fromkeys(texts))
    gone = [fact.quote for fact in profile.facts if fact.text not in texts]
    return replace(profile, facts=kept, dropped=tuple(dict.fromkeys([*profile.dropped, *gone])))


def _problems(words: Mapping[str, str], given: Mapping[str, Any]) -> Any:
    for name, text in words.items():
        if name in REQUIRED and not text:
            yield f"profile.{name}", REQUIRED[name]
        if len(text) > LONGEST[name] or "\0" in text:
            yield f"profile.{name}", f"Use at most {LONGEST[name]:,} characters."
    if words.get("tone", "") not in TONES:
        yield "profile.tone", "Use formal, casual or nothing."
    examples, facts = given.get("examples") or [], given.get("facts") or []
    if len(examples) > MOST_EXAMPLES or any(len(one) > LONGEST_EXAMPLE or "\0" in one for one in examples):
        yield "profile.examples", f"Name at most {MOST_EXAMPLES}, each in at most {LONGEST_EXAMPLE} characters."
    if len(facts) > MOST_FACTS or any(len(one["text"]) > LONGEST_FACT or "\0" in one["text"] for one in facts):
        yield "profile.facts", f"Use at most {MOST_FACTS} facts of at most {LONGEST_FACT} characters."


def follow(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Suggest customer types, write documents and the plays in review again after a correction."""
    writer = ports.writer()
    setup = setup_state.get(workspace)
    if setup.profile is None:
        return
    profile = serialization.profile_of(setup.profile)
    brief = setup_state.brief(workspace, setup)
    query = sa.select(Play.id).where(Play.workspace_id == workspace.id, Play.status == PlayStatus.REVIEW)
    waiting = list(session().scalars(query.order_by(Play.rank, Play.id)))
    jobs.renew_lease(job, ports.models().longest())
    end_read()
    try:
        types = list({one.id: one for one in writer.customer_types(profile)}.values())
        written = writer.documents(brief)
    except ProviderError:
        return
    with transaction():
        setup = setup_state.locked(workspace)
        chosen = serialization.customer_of(setup)
        if chosen is not None and chosen.id not in {one.id for one in types}:
            types = [chosen, *types[:-1]]  # plays and targets were made for it
        setup.customer_types, setup.note = serialization.types_json(types), writer.last().note
        documents.write(workspace, written)
    for play_id in waiting:
        jobs.renew_lease(job, ports.models().longest())
        _rewrite(workspace, play_id)


def _rewrite(workspace: Workspace, play_id: int) -> None:
    """Write the starting text of a play in review again; what a person changed in its order of steps stays."""
    play, _ = plays.get(workspace, play_id)
    setup = setup_state.get(workspace)
    brief, idea = setup_state.brief(workspace, setup, channel=play.channel), serialization.idea_of(play)
    before = play.steps
    end_read()
    try:
        writer = ports.writer()
        fresh = {one["id"]: one for one in serialization.steps_json(writer.sequence(brief, idea))}
        again = [
            fresh[one["id"]] | {"delay": one["delay"], "after": one["after"]}
            if fresh.get(one["id"], {}).get("kind") == one["kind"]
            else one
            for one in before
        ]
        kept = play_steps.check(again, note_length=plays.note_length(workspace))
    except (ProviderError, AppError):
        return
    with transaction():
        try:
            play = play_build.locked(workspace, play_id)
        except NotFound:
            return
        if PLAY.allows(play, "edit") and play.steps == before and kept != before:
            play_build.put_steps(play, kept, writer.last())
            play.approved_at = None
            play_build.rewrite_messages(workspace, play)
            play.log = [
                *play.log,
                play_build.entry(workspace, "agent", "I wrote this again for your corrected profile."),
            ]


def fail_following(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Say that the correction is saved, and that the texts could not be written again."""
    setup_state.locked(
        workspace
    ).error = "Your profile is saved, but the plays could not be written again. Save it once more."

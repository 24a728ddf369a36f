"""The owner's corrections of the profile: what they typed stays, and what is built on it follows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.autopilot import serialization, setup_state
from app.domain.platform import jobs
from app.models.autopilot import CorrectedPlay, Phase, ProfileCorrection, Setup
from app.models.workspaces import Workspace
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
COLUMN = {"for": "audience"}
_QUIET = frozenset(("business", "summary"))  # no message is built on these
JOB = "autopilot_follow"
BUILT_ON_IT = ("customer_types", "customer_type_id", "targets", "targets_written")
NOT_DONE = "Your profile is saved, but some texts could not be written again. Save it once more."
C = ProfileCorrection


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
        before, after = applied(setup, given)
        if setup.error == NOT_DONE:
            _try_again(workspace)
        _record(workspace, setup, before, after)
        return setup


def _try_again(workspace: Workspace) -> None:
    """Go on with the corrections that could not be followed."""
    failed = sa.exists().where(CorrectedPlay.correction_id == C.id, CorrectedPlay.error != "")
    query = page(workspace).where(C.undone_by.is_(None), sa.or_(failed, C.after.is_(None)))
    for correction in session().scalars(query.order_by(C.number)).all():
        if is_followed([name for name, _, _ in correction.fields]):
            correction.is_open = True
            jobs.add(workspace, JOB, str(correction.id), {"correction": correction.id})
            left = sa.update(CorrectedPlay).where(
                CorrectedPlay.correction_id == correction.id, CorrectedPlay.error != ""
            )
            session().execute(left.values(is_open=True, error="").execution_options(synchronize_session=False))


def _record(workspace: Workspace, setup: Setup, before: Profile, after: Profile, undoes: int | None = None) -> None:
    """Set the profile, note the correction, and have texts written again that are built on it."""
    fields = changes(before, after)
    if setup.error == NOT_DONE:
        setup.error = None
    if not fields:
        return
    last = session().scalar(sa.select(sa.func.max(C.number)).where(C.workspace_id == workspace.id)) or 0
    correction = ProfileCorrection(
        workspace_id=workspace.id,
        number=last + 1,
        at=workspace.now(),
        by=actor.get().name,
        fields=fields,
        before={"profile": serialization.profile_json(before)} | {name: getattr(setup, name) for name in BUILT_ON_IT},
        is_open=is_followed([name for name, _, _ in fields]),
        undoes=undoes,
    )
    setup.profile = serialization.profile_json(after)
    session().add(correction)
    session().flush()
    if correction.is_open:
        jobs.add(workspace, JOB, str(correction.id), {"correction": correction.id})


def take_back(workspace: Workspace, number: int) -> ProfileCorrection:
    """Take the correction back by one that restores the values before it, and return that."""
    with transaction():
        setup = setup_state.locked(workspace)
        correction = get(workspace, number)
        if why := why_not_undone(workspace, correction):
            raise Conflict(why, recovery="Correct the profile again instead.")
        before, after = _restored(setup, correction)
        _record(workspace, setup, before, after, undoes=number)
        found = newest(workspace, 1)
        if not found or found[0].undoes != number:
            raise Conflict("There is nothing to take back: it is as it was before.")
        correction.undone_by, correction.is_open = found[0].number, False
        open_plays = sa.update(CorrectedPlay).where(CorrectedPlay.correction_id == correction.id)
        session().execute(open_plays.values(is_open=False).execution_options(synchronize_session=False))
        return found[0]


def _restored(setup: Setup, correction: ProfileCorrection) -> tuple[Profile, Profile]:
    """Return the profile as it is, and with the corrected fields as they were."""
    if setup.profile is None or setup.phase == Phase.PROFILE:
        raise Conflict("Your business profile isn't ready yet.", recovery="Wait until it's written.")
    now, former = serialization.profile_of(setup.profile), serialization.profile_of(correction.before["profile"])
    names = [name for name, _, _ in correction.fields]
    columns = {"facts" if name == "quotable" else COLUMN.get(name, name) for name in names}
    values: dict[str, Any] = {column: getattr(former, column) for column in columns}
    typed = tuple(name for name in now.typed if name not in names or name in former.typed)
    dropped = former.dropped if "facts" in names else now.dropped
    return now, replace(now, **{**values, "typed": typed, "dropped": dropped})


def why_not_undone(workspace: Workspace, correction: ProfileCorrection) -> str:
    """Return why the correction can't be taken back; '' when it can."""
    if correction.undone_by is not None:
        return f"Correction {correction.undone_by} has taken it back already."
    if correction.undoes is not None:
        return f"It took back correction {correction.undoes}."
    query = sa.select(sa.func.max(C.number)).where(C.workspace_id == workspace.id, C.number > correction.number)
    later = session().scalar(query.where(C.undone_by.is_(None), C.undoes.is_(None)))
    return f"Undo correction {later} first, which was made after it." if later else ""


def get(workspace: Workspace, number: int) -> ProfileCorrection:
    """Return the correction of this number, or raise NotFound."""
    found: ProfileCorrection | None = session().scalar(page(workspace).where(C.number == number))
    if found is None:
        raise NotFound("Correction not found.")
    return found


def page(workspace: Workspace) -> sa.Select[Any]:
    """Select the corrections of the workspace."""
    return sa.select(C).where(C.workspace_id == workspace.id)


def newest(workspace: Workspace, most: int) -> Sequence[ProfileCorrection]:
    """Return the newest corrections."""
    return session().scalars(page(workspace).order_by(C.number.desc()).limit(most)).all()


def merged(old: Mapping[str, Any] | None, read: Profile) -> Profile:
    """Return a new reading with what the owner typed and without what the owner deleted."""
    if not old:
        return read
    kept = serialization.profile_of(old)
    typed: dict[str, Any] = {COLUMN.get(name, name): getattr(kept, COLUMN.get(name, name)) for name in kept.typed}
    own = [fact for fact in kept.facts if fact.page == OWNER]
    gone, overruled = set(kept.dropped), set(kept.typed)
    ticked = {fact.quote for fact in kept.facts if fact.quotable}
    facts = (
        *own,
        *(
            replace(fact, quotable=fact.quote in ticked)
            for fact in read.facts
            if fact.quote not in gone and fact.kind not in overruled
        ),
    )
    return replace(
        read, **{**typed, "facts": facts, "typed": kept.typed, "dropped": kept.dropped, "examples": kept.examples}
    )


def is_followed(names: Sequence[str]) -> bool:
    """Return whether texts are built on one of these fields."""
    return not _QUIET.issuperset(names)


def changes(before: Profile, after: Profile) -> list[list[str]]:
    """Return the fields that differ, by their public names, with the old and the new words."""
    old, new = _told(before), _told(after)
    return [[name, old[name], new[name]] for name in old if old[name] != new[name]]


def _told(profile: Profile) -> dict[str, str]:
    several = {name: str(getattr(profile, COLUMN.get(name, name))) for name in LONGEST}
    facts = {
        "facts": "\n".join(fact.text for fact in profile.facts),
        "quotable": "\n".join(fact.quote for fact in profile.facts if fact.quotable),
    }
    return several | {"examples": ", ".join(profile.examples)} | facts


def applied(setup: Setup, given: Mapping[str, Any]) -> tuple[Profile, Profile]:
    """Return the profile as it is, and with these corrections; raise InvalidRequest for those that are not valid."""
    if setup.profile is None or setup.phase == Phase.PROFILE:
        raise Conflict("Your business profile isn't ready yet.", recovery="Wait until it's written.")
    before = serialization.profile_of(setup.profile)
    words = {name: " ".join(given[name].split()) if name not in _QUIET else given[name].strip()
             for name in LONGEST if given.get(name) is not None}  # fmt: skip
    problems = list(_problems(words, given))
    if problems:
        raise InvalidRequest.of(*problems)
    changed = {name: text for name, text in words.items() if text != getattr(before, COLUMN.get(name, name))}
    words_typed: dict[str, Any] = {COLUMN.get(name, name): text for name, text in changed.items()}
    told = tuple(fact for fact in before.facts if fact.page == OWNER or fact.kind not in changed)
    after = replace(before, **words_typed, facts=told)  # what the website says of a corrected field does not hold
    if given.get("examples") is not None:
        after = replace(after, examples=tuple(one.strip() for one in given["examples"] if one.strip()))
    if given.get("facts") is not None:
        after = _with_facts(after, given["facts"])
    return before, replace(after, typed=tuple(dict.fromkeys([*before.typed, *changed])))


def _with_facts(profile: Profile, given: Sequence[Mapping[str, Any]]) -> Profile:
    """Return the profile with these facts alone; a changed or new one is the owner's. A tick not given stays."""
    known = {fact.text: fact for fact in profile.facts}
    ticks = {one["text"].strip(): one.get("quotable") for one in given if one["text"].strip()}
    texts = list(ticks)
    several = ((known.get(text) or Fact(text, OWNER, text), ticks[text]) for text in texts)
    kept = tuple(fact if tick is None else replace(fact, quotable=tick) for fact, tick in several)
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

"""The owner's corrections of the profile: later analyses of the website keep them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app import ports
from app.core.db import transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import documents, play_steps, serialization, setup_state
from app.models.autopilot import Phase, Setup, days
from app.models.workspaces import Workspace
from app.ports.writer import Fact, Profile

OWNER = "owner"  # stored as the source page of facts that the owner typed
LONGEST = {
    "business": 4000, "summary": 4000, "name": 100, "pitch": 140, "topic": 40, "change": 140, "proof": 140, "kind": 20,
    "area": 120, "tone": 20, "language": 12,
}  # fmt: skip
MOST_FACTS, LONGEST_FACT, MOST_EXAMPLES, LONGEST_EXAMPLE = 60, 400, 5, 120
SENTENCES, MARKS = ("pitch", "change", "proof"), (".", "!", "?", "…")
TONES, KINDS = ("", "formal", "casual"), ("service", "software", "goods")
REQUIRED = {"business": "Use one or two sentences.", "summary": "Use one or two sentences."}
ASK = "Finish this sentence: We …"
ASK_TOPIC = "Topic for subject lines: one to four words that complete “a question about …”."
NEEDED = {"pitch": ASK, "topic": ASK_TOPIC}  # without these, plays wait
ASK_AREA = "Where are the customers you can serve? Name a city, region or country."
ASK_EXAMPLES = "Name two good customers, so that we know who to look for."
ASK_PARTNERS = "Who refers customers to you? Name two kinds of businesses, such as hotels or estate agents."
SEVERAL_LINES = ("business", "summary")
SHOWN = 3  # messages
EXAMPLE = {"first_name": "Ayesha", "full_name": "Ayesha Rahman", "company_name": "Northbeam Group"}


def asks(profile: Mapping[str, Any]) -> dict[str, str]:
    """Return, by field, the questions for the owner that the website does not answer."""
    found = {name: asked for name, asked in NEEDED.items() if not profile.get(name)}
    if profile.get("kind") == "service" and not profile.get("area"):
        found["area"] = ASK_AREA
    if profile.get("examples"):
        return found
    writer, known = ports.writer(), serialization.profile_of(profile)
    if not (known.category and (known.confirmed or writer.customer_types(known))):
        found["examples"] = ASK_PARTNERS if writer.near(known) else ASK_EXAMPLES
    return found


def correct(workspace: Workspace, given: Mapping[str, Any]) -> Setup:
    """Correct the fields that are given; raise InvalidRequest and change nothing if one is not valid.

    Documents that no person edited are rewritten. Plays keep their texts and the profile that these were written from.
    """
    with transaction():
        setup = setup_state.locked(workspace)
        before, after = applied(setup, given)
        if after != before:
            setup.profile = serialization.profile_json(after)
            documents.write(workspace, ports.writer().documents(setup_state.brief(workspace, setup)))
        return setup


def merged(old: Mapping[str, Any] | None, read: Profile) -> Profile:
    """Return a newly read profile with what the owner typed or confirmed, and without what the owner deleted.

    The owner confirms a detail's exact words, so another wording of the same quotation is not confirmed.
    """
    if not old:
        return read
    kept = serialization.profile_of(old)
    typed: dict[str, Any] = {name: getattr(kept, name) for name in kept.typed}
    own = [one for one in kept.facts if one.page == OWNER or (one.kind == "detail" and one.quotable)]
    gone, overruled = set(kept.dropped), set(kept.typed)
    ticked = {fact.quote for fact in kept.facts if fact.quotable and fact.kind != "detail"}
    facts = (
        *own,
        *(
            replace(fact, quotable=fact.kind != "detail" and fact.quote in ticked)
            for fact in read.facts
            if fact not in own and fact.quote not in gone and fact.kind not in overruled
        ),
    )
    return replace(
        read,
        **{**typed, "facts": facts, "typed": kept.typed, "dropped": kept.dropped},
        confirmed=kept.confirmed,
        stands=kept.stands,
    )


def closed(sentence: str) -> str:
    """Return a sentence with a capital (unless that takes two letters, as of ß) and a punctuation mark at its end."""
    capital = sentence[:1].upper()
    begun = f"{capital if len(capital) == 1 else sentence[:1]}{sentence[1:]}"
    return begun if begun.endswith(MARKS) else f"{begun}."


def needs(profile: Mapping[str, Any] | None) -> list[str]:
    """Return the fields without which no message can be written."""
    return [name for name in NEEDED if not (profile or {}).get(name)]


def applied(setup: Setup, given: Mapping[str, Any]) -> tuple[Profile, Profile]:
    """Return the profile as it is, and with these corrections; raise InvalidRequest for those that are not valid."""
    if setup.profile is None or setup.phase == Phase.PROFILE:
        raise Conflict("Your business profile isn't ready yet.", recovery="Wait until the profile is written.")
    before = serialization.profile_of(setup.profile)
    words = {name: " ".join(given[name].split()) if name not in SEVERAL_LINES else given[name].strip()
             for name in LONGEST if given.get(name) is not None}  # fmt: skip
    words |= {name: closed(words[name]) for name in SENTENCES if words.get(name)}
    problems = list(_problems(words, given))
    if problems:
        raise InvalidRequest.of(*problems)
    changed: dict[str, Any] = {name: text for name, text in words.items() if text != getattr(before, name)}
    told = tuple(fact for fact in before.facts if fact.page == OWNER or fact.kind not in changed)
    after = replace(before, **changed, facts=told)  # facts from the website about a corrected field no longer hold
    if words.get("pitch"):
        after = replace(after, confirmed=True)  # saving a correction confirms the profile
    examples = tuple(one.strip() for one in given.get("examples") or () if one.strip())
    if given.get("examples") is not None and examples != before.examples:
        after, changed = replace(after, examples=examples), {**changed, "examples": examples}
    if given.get("facts") is not None:
        after = _with_facts(after, given["facts"])
    told_now = [name for name in (*LONGEST, "examples") if given.get(name) is not None]
    kept = (name for name in told_now if after.confirmed and getattr(after, name) and name not in SEVERAL_LINES)
    return before, replace(after, typed=tuple(dict.fromkeys([*before.typed, *changed, *kept])))


def _with_facts(profile: Profile, given: Sequence[Mapping[str, Any]]) -> Profile:
    """Return the profile with only these facts; changed or new ones are the owner's. Confirmations not given stay."""
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
            counted = ", with the full stop" if name in SENTENCES else ""
            yield f"profile.{name}", f"Use at most {LONGEST[name]:,} characters{counted}."
    if words.get("tone", "") not in TONES:
        yield "profile.tone", "Use formal or casual, or leave it empty."
    if words.get("kind", "service") not in KINDS:
        yield "profile.kind", "Use service, software or goods."
    examples, facts = given.get("examples") or [], given.get("facts") or []
    if len(examples) > MOST_EXAMPLES or any(len(one) > LONGEST_EXAMPLE or "\0" in one for one in examples):
        yield "profile.examples", f"Name at most {MOST_EXAMPLES} customers of at most {LONGEST_EXAMPLE} characters."
    if len(facts) > MOST_FACTS or any(len(one["text"]) > LONGEST_FACT or "\0" in one["text"] for one in facts):
        yield "profile.facts", f"Use at most {MOST_FACTS} facts of at most {LONGEST_FACT} characters."


def first_messages(workspace: Workspace, setup: Setup, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return what an example person would get, each text with when: at once, and without saving anything.

    Raises InvalidRequest for a profile that is not valid.
    """
    _, profile = applied(setup, given)
    if needs(serialization.profile_json(profile)):
        return []
    channel = setup.channel or setup_state.usual_channel(workspace)
    brief = setup_state.brief(workspace, setup, channel=channel, profile=profile)
    kept = serialization.steps_json(ports.writer().at_once(brief))
    known = {**EXAMPLE, "sender_name": setup_state.sender_name(workspace)}
    texts = play_steps.messages(kept, known, "example")
    return [(_when(step), one["text"]) for (_, step), one in zip(days(kept), texts, strict=True)][:SHOWN]


def topic(pitch: str, profile: Mapping[str, Any], language: str) -> str:
    """Return the pitch's topic: that of a matching candidate, or one found in its words; else the profile's."""
    known = {one["pitch"]: one.get("topic", "") for one in profile.get("candidates") or ()}
    found: str = known[pitch] if pitch in known else ports.writer().topic(pitch, language)
    return found or profile.get("topic", "")


def _when(step: Mapping[str, Any]) -> str:
    if step["kind"] == "invite":
        return "Connection request"
    if step["after"] == "previous":
        return "First email"
    count = step["delay"]["count"]
    later = f"{count} {'day' if count == 1 else 'days'} "
    return f"{later}after they accept" if step["after"] == "accept" else f"{later}later, if there is no reply"

"""Build the model's prompts, and validate its answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

from app.core import languages
from app.ports import Site
from app.ports.writer import Asked, Brief, Evidence, Fact, PlayIdea, PlayStep, Profile, Sentence, Writer
from app.providers.model import Steering
from app.providers.writer import style
from app.providers.writer.claims import claim_check, claim_support
from app.providers.writer.claims.claim_check import LINK
from app.providers.writer.claims.claim_words import SALUTATION
from app.providers.writer.grammar import sentences
from app.providers.writer.reading.extraction import DESCRIPTION
from app.providers.writer.sequences import LONGEST_NOTE
from app.providers.writer.tongues import TONGUES

PROFILE = (
    "Say what this business is: its name, what it offers (a noun phrase that can follow “offers”), a paragraph, a "
    "sentence, and facts. Each fact names the page it is from and quotes the words it rests on exactly."
)
TYPES = "Give exactly five different kinds of customers of this business, the likeliest first, each with the reason."
TARGETING = (
    "Say whom to reach for the chosen customer type: job titles, company types and company sizes (from 1-10, 11-50, "
    "51-200, 201-500, 501-1000, 1001-5000, 5001-10000, 10001+), on or off, and up to four suggestions."
)
PLAYS = "For each angle give a short name, a pitch, why it works, the strategy and whom it reaches."
SEQUENCE = (
    "Write the words of these steps. An invite is at most 200 characters with its variables filled in; a message at "
    "most 90 words with one question; an email has a subject of at most 60 characters, others have none. Only these "
    "variables may be used: {{first_name|there}}, {{company_name|your company}}, {{position|your role}}, "
    "{{sender_name|…}} with a fallback after the bar. A paragraph of three hyphens splits a social message. Give each "
    "message as its sentences, the greeting and the sign-off among them: each with the ids of the facts whose quotes "
    "say what it claims of the business or its customers, none where it claims nothing, and whether it begins a new "
    "paragraph. Obey the rules and the style document."
)
REPAIR = "Only these steps are not right yet:\n- {wrong}\nGive new words for them, and for no other step. {task}"
OPENER = (
    "Write two sentences that one person reads between the greeting and the body of a message: an opener that names "
    "one thing of theirs, and the reason why this person in particular is written to. Each is one sentence of at most "
    "{most} words with the ids of the one or two facts whose quotes say what it claims: of the person only what the "
    "facts about them say, of us only what the facts about the business say. Do not flatter, do not greet, do not "
    "repeat the body, and use no variables."
)
OPENER_REPAIR = "The {part} is not right yet:\n- {wrong}\nGive it anew, alone. {task}"
REPLY = (
    "Write our answer to what this person wrote, in the language they wrote in: at most five short sentences, each "
    "with the ids of the facts whose quotes say what it claims: of the person only what the facts about them say, of "
    "us only what the facts about the business say. Answer what they ask if the facts do, and otherwise say that you "
    "will find out. Promise nothing else, name no day or price that is in no fact, and do not flatter. You may use "
    "{{{{first_name}}}}. {link} Give no sentences if nothing can be said honestly."
)
LINK_GIVEN = "To offer a meeting write {{meeting_link}}, which becomes our link."
NO_LINK = "To offer a meeting, ask which day suits them."
VERIFY_NAMED = (
    "Compare each sentence with the source of the same id, word for word and number for number. Give for each sentence "
    "the id of this source, and whether it alone says everything that the sentence claims of a person or a business. A "
    "source that says less, something similar or the opposite does not. A sentence of thanks or a wish claims nothing."
)
CHANGE = (
    "The owner wishes this: «{wish}». Give the words of every step as they should be now, the ids of steps to "
    "drop, a short "
    "reply that says what was done and what was not, up to four things to ask for next, and those wishes that are "
    "meant "
    "for good as rules. The limits: 200 characters for an invite, 90 words for a message, only the variables in use."
)
MOST_DOCUMENT, MOST_WORDS, MOST_REPLY = 4000, 32, 90
_REPLY_VARIABLE = re.compile(r"\{\{(?:first_name|meeting_link)\}\}")
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_KNOWN = re.compile(
    r"(first_name|last_name|full_name|headline|position|company_name|location|sender_name|sender_first_name|"
    r"custom\.(opening|round|technology|news))$"
)
Given = Mapping[str, Any]


def of_site(site: Site | None, description: str) -> Given:
    """Return the pages, with the most text from the first ones."""
    pages = [
        {
            "page": page.url,
            "title": page.title,
            "description": page.description,
            "text": page.text[: 6000 if at == 0 else 2500],
        }
        for at, page in enumerate(site.pages if site else ())
    ]
    return {"pages": pages, "description": {"page": DESCRIPTION, "text": description[:6000]}}


def of_profile(profile: Profile) -> dict[str, Any]:
    """Return the business profile for the model."""
    return {
        "name": profile.name,
        "sells": profile.sells,
        "for": profile.audience,
        "what changes": profile.change if profile.may_say("change") else "",
        "proof": profile.proof if profile.may_say("proof") else "",
        "business": profile.business,
        "facts": [fact.text for fact in profile.facts],
    }


def of_brief(brief: Brief) -> dict[str, Any]:
    """Return everything the model may use."""
    return {
        "business": of_profile(brief.profile),
        "customer": asdict(brief.customer) if brief.customer else None,
        "targeting": brief.targeting.summary if brief.targeting else "",
        "country": brief.country or brief.profile.country,
        "what we want": "a call" if brief.offer_kind == "call" else brief.offer or "an answer",
        "sender": brief.sender_name,
        **(
            {"texts that worked": [{"channel": kind, "text": said} for kind, said in brief.examples]}
            if brief.examples
            else {}
        ),
    }


def steered(brief: Brief) -> Steering:
    """Return what the owner decided: these words are no stranger's, so they stand before the material."""
    parts = {
        "Rules": "\n".join(f"- {rule}" for rule in brief.rules),
        "How to write": brief.style[:MOST_DOCUMENT],
        "Who to write to": brief.icp[:MOST_DOCUMENT],
        "What the reasons to write have brought so far": "\n".join(f"- {one}" for one in brief.results),
    }
    owner = "\n\n".join(f"{name}:\n{said.strip()}" for name, said in parts.items() if said.strip())
    return Steering(language(brief.profile.language), owner)


def language(code: str) -> str:
    """Return what a language is called in English, as a model knows it best."""
    base = languages.base(code) or "en"
    return TONGUES[base].english if base in TONGUES else f"the language with the ISO 639-1 code {base}"


def of_person(brief: Brief, idea: PlayIdea, body: str) -> Given:
    """Return what may be said to one person: who they are, and every fact with its quote."""
    return {**_of_both(brief), "reason of the play": idea.strategy, "body": body[:3000]}


def facts_of(brief: Brief) -> list[Evidence]:
    """Return what may be said of the business in a play: every quotation, and what its owner typed, numbered from 1."""
    several = dict.fromkeys(" ".join(one.split())[:400] for one in claim_check.quotes(brief, ()))
    return [Evidence(number, "business", "Your profile", one) for number, one in enumerate(list(several)[:24], 1)]


def of_facts(facts: Sequence[Evidence]) -> list[Given]:
    """Return facts for the model, each with the words that it says."""
    return [{"id": one.id, "quote": one.quote} for one in facts]


def spoken(text: str) -> str:
    """Return a sentence without its variables, as it is compared with quotes."""
    return " ".join(_VARIABLE.sub(" ", text).split())


def body_problems(step: str, brief: Brief, said: Sequence[Sentence]) -> list[str]:
    """Return what is wrong with the facts that the sentences of a step name, as sentences for the model."""
    there = {one.id for one in brief.evidence}
    wrong = [f"{step}: there is no fact {number}." for one in said for number in one.facts if number not in there]
    return wrong + [
        f"“{one.text[:120]}”: name the fact that says this."
        for one in said
        if not one.facts and claim_check.claims_in(one.text)
    ]


def _of_both(brief: Brief) -> dict[str, Any]:
    profile = brief.profile
    return {
        "person": brief.recipient,
        "facts": [
            {"id": one.id, "about": "us" if one.about == "business" else "the person", "kind": one.about,
             "date": one.date, "page": one.address, "quote": one.quote}
            for one in brief.evidence
        ],
        "us": {"name": profile.name, "sells": profile.sells, "sender": brief.sender_name},
    }  # fmt: skip


def opener_problems(writer: Writer, brief: Brief, part: str, given: Sentence) -> list[str]:
    """Return what is wrong with one of the two sentences to a person, as sentences for the model."""
    wrong = []
    there = {one.id: one for one in brief.evidence}
    if unknown := [number for number in given.facts if number not in there]:
        wrong.append(f"{part}: there is no fact {unknown[0]}.")
    if not any(number in there and there[number].about != "business" for number in given.facts):
        wrong.append(f"{part}: name the fact about the person that it rests on.")
    if len(sentences(given.text)) != 1 or style.length(given.text) > MOST_WORDS:
        wrong.append(f"{part}: one sentence of at most {MOST_WORDS} words.")
    if re.search(r"[{}<>|]|---", given.text) or SALUTATION.match(given.text):
        wrong.append(f"{part}: no greeting and no variables.")
    return wrong + linked([given.text]) + objections(writer, replace(brief, opener=[given]), [given.text])


def of_reply(brief: Brief, asked: Asked) -> Given:
    """Return what may be said in an answer: what they wrote, what was said before, and every fact with its quote."""
    return {
        **_of_both(brief),
        "said before": [{"by": who, "text": said[:1000]} for who, said in asked.before],
        "they wrote": asked.text[:4000],
        "it sounds": asked.sentiment,
    }


def reply_problems(writer: Writer, brief: Brief, given: Sequence[Sentence]) -> list[str]:
    """Return what is wrong with the sentences of an answer, as sentences for the model."""
    wrong = []
    there = {one.id for one in brief.evidence}
    if unknown := [number for one in given for number in one.facts if number not in there]:
        wrong.append(f"sentences: there is no fact {unknown[0]}.")
    whole = " ".join(one.text for one in given)
    if re.search(r"[{}<>|]|---", _REPLY_VARIABLE.sub("", whole)):
        wrong.append("sentences: use no other variables.")
    if style.length(whole) > MOST_REPLY:
        wrong.append(f"sentences: at most {MOST_REPLY} words together.")
    return wrong + linked([whole]) + objections(writer, replace(brief, opener=given), [whole])


def of_idea(idea: PlayIdea) -> Given:
    """Return a play for the model."""
    return {"angle": idea.angle, "name": idea.name, "pitch": idea.pitch, "strategy": idea.strategy}


def of_steps(steps: Sequence[PlayStep]) -> list[Given]:
    """Return the steps that have text."""
    return [
        {"id": step.id, "kind": step.kind, "after": step.after, "text": step.text, "subject": step.subject}
        for step in steps
        if step.kind != "reaction"
    ]


def stands(fact: Fact, site: Site | None, description: str) -> bool:
    """Return whether a fact's words are on its page."""
    if LINK.search(fact.text):
        return False
    if fact.page == DESCRIPTION:
        return _flat(fact.quote) in _flat(description)
    pages = [page for page in (site.pages if site else ()) if page.url == fact.page]
    said = (text for page in pages for text in (page.title, page.description, page.text, *page.headings))
    return any(_flat(fact.quote) in _flat(text) for text in said)


def says(site: Site | None, description: str, name: str) -> bool:
    """Return whether a name is anywhere in what was read."""
    texts = [description, *(f"{page.title} {page.description} {page.text}" for page in (site.pages if site else ()))]
    return bool(name.strip()) and any(_flat(name) in _flat(text) for text in [*texts, site.name if site else ""])


@cache
def _flat(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def objections(writer: Writer, brief: Brief, texts: Sequence[str], known: Sequence[str] = ()) -> list[str]:
    """Return every unsupported claim and broken rule in the texts, as sentences for the model."""
    problems = (problem for text in texts for problem in writer.check(brief, text, known))
    return [f"“{problem.words[:120]}”: {problem.sentence}" for problem in problems]


def uncounted(brief: Brief, texts: Sequence[str]) -> list[str]:
    """Return a sentence for each number that no source has: a guess may be made, but not in figures."""
    given = claim_check.quotes(brief, ())
    return [f"“{one}”: This number has no source." for text in texts for one in claim_support.unsaid(text, given)]


def linked(texts: Sequence[str]) -> list[str]:
    """Return a sentence for each link or address."""
    return [
        f"“{match[0][:80]}”: links and addresses are not allowed." for text in texts for match in LINK.finditer(text)
    ]


def dropping(steps: Sequence[PlayStep], dropped: Sequence[str]) -> list[str]:
    """Return what would break without the dropped steps."""
    left = [step for step in steps if step.id not in dropped]
    wrong = [] if any(step.kind != "reaction" for step in left) else ["dropped: one message has to stay."]
    if any(step.kind == "social" for step in left) and not any(step.kind == "invite" for step in left):
        wrong.append("dropped: social messages need the invite.")
    return wrong


def text_problems(step: str, kind: str, text: str, subject: str) -> list[str]:
    """Return the problems in the form of a step's text."""
    wrong = [] if kind else [f"{step}: there is no such step."]
    for inner in _VARIABLE.findall(f"{text} {subject}"):
        name, bar, fallback = inner.partition("|")
        if not _KNOWN.match(name.strip()) or not (bar and fallback.strip()):
            wrong.append(f"{step}: {{{{{inner[:40]}}}}} is no variable with a fallback.")
    rest = _VARIABLE.sub("x" * 12, text)
    if "{{" in rest or "}}" in rest:
        wrong.append(f"{step}: a variable is not closed.")
    if kind == "invite" and (len(rest) > LONGEST_NOTE or "\n---" in text):
        wrong.append(f"{step}: an invite has at most {LONGEST_NOTE} characters and one part.")
    if kind in ("social", "email") and not text.strip():
        wrong.append(f"{step}: the words are missing.")
    if kind in ("social", "email") and style.length(text) > 150:
        wrong.append(f"{step}: shorten it to 90 words.")
    if kind == "email" and re.search(r"^\s*---\s*$", text, re.MULTILINE):
        wrong.append(f"{step}: an email has one part.")
    return wrong


def bare(text: str) -> str:
    """Return a model's words on one line, without our own markup."""
    return " ".join(re.sub(r"[{}<>]", "", text).split())

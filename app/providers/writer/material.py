"""What a model is asked, and what is wrong with its answers. No text of the built-in writer stands in a prompt."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from app.core import languages
from app.ports import Site
from app.ports.writer import ANGLES, Asked, Brief, Evidence, Fact, PlayIdea, PlayStep, Profile, Sentence
from app.providers.model import Steering
from app.providers.writer import style
from app.providers.writer.claims import claim_check
from app.providers.writer.claims.claim_check import links
from app.providers.writer.claims.claim_words import WORD, of_text, plain, words
from app.providers.writer.grammar import sentences, sound
from app.providers.writer.sequences import (
    LANGUAGES,
    LONGEST_NOTE,
    LONGEST_SUBJECT,
    MOST_EMAIL,
    MOST_MESSAGE,
    texts,
    typical,
)

_PROMPTS: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "prompts.toml").read_text(encoding="utf-8"))
_MOST_DOCUMENT, _MOST_WORDS, _MOST_REPLY = 4000, 32, 90
LONGEST_PITCH, MOST_DETAIL, MOST_TOPIC = 140, 16, 4  # characters and words
MOST_QUOTES, SHORTEST_QUOTE, LONGEST_QUOTE = 40, 20, 220  # sentences of a site that a model reads, and their letters
_POLITE, _SHORT = ("i", "sie", "ihr", "lei"), 4  # what stays capital; letters of German words that are no nouns
_PARROTED, _AT_LEAST = 5, 0.35  # words in a row; the share of a text's words that its language knows
_KNOWN_OF: Mapping[str, tuple[str, str]] = _PROMPTS["known"]
_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
_KNOWN = re.compile(
    r"(first_name|last_name|full_name|headline|position|company_name|location|sender_name|sender_first_name|"
    r"custom\.(opening|round|technology|news))$"
)
Given = Mapping[str, Any]


@dataclass(frozen=True)
class Purpose:
    """What one message is for, how long it is, and whether it asks something and is an email."""

    words: str
    most: int = MOST_MESSAGE
    question: bool = True
    email: bool = False
    note: bool = False

    @property
    def signed(self) -> bool:
        """Return whether it has to say who writes."""
        return self.note or self.email


def prompt(name: str, **parts: object) -> str:
    """Return what a model is asked, with these parts filled in."""
    text = str(_PROMPTS[name])
    for key, said in parts.items():
        text = text.replace(f"{{{key}}}", str(said))
    return text


def purposes(steps: Sequence[PlayStep], offer: str) -> dict[str, Purpose]:
    """Return what each step with words is for."""
    asked = f"ask whether they want {offer}" if offer else "ask whether a call of 15 minutes would be useful"
    said = {name: words.format(asked=asked) for name, words in _PROMPTS["purposes"].items()}
    written = [step for step in steps if step.kind != "reaction"]
    first = {kind: next((step.id for step in written if step.kind == kind), "") for kind in ("social", "email")}
    found: dict[str, Purpose] = {}
    for step in written:
        email = step.kind == "email"
        if step.kind == "invite":
            found[step.id] = Purpose(said["note"], LONGEST_NOTE, question=False, note=True)
        elif step is written[-1]:
            found[step.id] = Purpose(said["last"], MOST_EMAIL, question=False, email=email)
        elif email:
            said_first = step.id == first["email"]
            found[step.id] = Purpose(said["email" if said_first else "more"], MOST_EMAIL, email=True)
        else:
            found[step.id] = Purpose(said["message" if step.id == first["social"] else "more"])
    return found


def asked_for(brief: Brief, angle: str, purpose: Purpose) -> tuple[str, Given]:
    """Return the task for one message, and the material."""
    known, variable = _KNOWN_OF.get(angle, ("", ""))
    task = prompt(
        "message",
        purpose=purpose.words,
        known=f"; {known}" if known else "",
        but=", but that they were our customer" if angle == "former_customers" else "",
        most=f"{purpose.most} characters" if purpose.note else f"{purpose.most - 15} words",
        asks="Ask exactly one question, at the end." if purpose.question else "Ask nothing.",
        more=f" but {{{{{variable}}}}}" if variable else "",
        below=", and the sender's name below it" if purpose.email else "",
        subject=f"The subject has at most {LONGEST_SUBJECT} characters." if purpose.email else "Its subject is empty.",
    )
    profile, facts = brief.profile, [{"id": one.id, "quote": one.quote} for one in facts_of(brief)]
    tone = profile.tone or style.read(brief.style).tone or "plain"
    given = {"sender": brief.sender_name, "business": profile.name, "topic": profile.topic, "sells": profile.kind}
    return task, {**given, "tone": tone, "facts": facts}


def facts_of(brief: Brief) -> list[Evidence]:
    """Return what may be said of the business, numbered from 1."""
    several = dict.fromkeys(" ".join(one.split())[:400] for one in claim_check.sources_of(brief).ours)
    return [Evidence(number, "business", "Your profile", one) for number, one in enumerate(list(several)[:16], 1)]


def steered(brief: Brief) -> Steering:
    """Return what the owner decided: these words are no stranger's, so they stand before the material."""
    parts = {"Rules": "\n".join(f"- {rule}" for rule in brief.rules), "How to write": brief.style[:_MOST_DOCUMENT]}
    owner = "\n\n".join(f"{name}:\n{said.strip()}" for name, said in parts.items() if said.strip())
    return Steering(language(brief.profile.language), owner)


def language(code: str) -> str:
    """Return what a language is called in English, as a model knows it best."""
    base = languages.base(code) or "en"
    return texts(base)["name"] if base in LANGUAGES else f"the language with the ISO 639-1 code {base}"


def message_problems(
    brief: Brief, angle: str, purpose: Purpose, task: str, body: str, text: str, subject: str
) -> list[str]:
    """Return what is wrong with a message, as sentences for the model: `text` is the whole, `body` what it wrote."""
    rules = [
        *_form(brief, angle, purpose, body, text, subject),
        *_language(brief, body),
        *(f"say nothing of “{one}”: that is another occasion." for one in _of_others(brief, angle, body)),
        *(f"do not copy “{one}” from the task." for one in _shared(body, task)),
    ]
    known = texts(brief.profile.language)[angle]["fact"] if angle == "former_customers" else ""
    told = [Evidence(0, "signal", "", known)] if known else []
    return rules[:4] + objections(replace(brief, evidence=told), [body, subject])


def going_on(brief: Brief, body: str) -> str:
    """Return a text as it goes on after a greeting: small words begin with a small letter, German nouns do not."""
    first, base = body.partition(" ")[0], languages.base(brief.profile.language)
    is_small = plain(first).lower() in words(base if base in LANGUAGES else "en").neutral and first.isalpha()
    if not is_small or first.lower() in _POLITE or (base == "de" and len(first) > _SHORT):
        return body
    return body[:1].lower() + body[1:]


def _form(brief: Brief, angle: str, purpose: Purpose, body: str, text: str, subject: str) -> Iterator[str]:
    whole = typical(text)
    if purpose.note and len(whole) > LONGEST_NOTE:
        yield f"it has {len(whole)} characters with the greeting; at most {LONGEST_NOTE}."
    if not purpose.note and len(whole.split()) > purpose.most:
        yield f"it has {len(whole.split())} words with the greeting; at most {purpose.most}."
    if (asked := body.count("?")) != int(purpose.question):
        yield f"it asks {asked} questions; ask {'exactly one' if purpose.question else 'none'}."
    allowed = ("first_name", "company_name", _KNOWN_OF.get(angle, ("", ""))[1])
    if [one for one in _VARIABLE.findall(body + subject) if one.partition("|")[0] not in allowed]:
        yield "use only the variables that are named."
    if re.search(r"[{}<>|\[\]]|---", _VARIABLE.sub("", body + subject)) or links(body + subject):
        yield "no links, brackets or lines of hyphens."
    if purpose.email and not 1 <= len(typical(subject)) <= LONGEST_SUBJECT:
        yield f"give a subject of at most {LONGEST_SUBJECT} characters."
    names = [one.casefold() for one in (brief.profile.name, brief.sender_name) if one]
    if purpose.signed and names and not any(one in text.casefold() for one in (*names, "{{sender_name")):
        yield "say who writes."


def _language(brief: Brief, body: str) -> Iterator[str]:
    """Yield a sentence when a text is in another language: few of its words are known to the right one."""
    base = languages.base(brief.profile.language) or "en"
    said = [one.lower() for one in WORD.findall(plain(_VARIABLE.sub(" ", body))) if one.isalpha()]
    if base in LANGUAGES:
        known = words(base)
        wrong = sum(one in known.neutral or one in known.strong for one in said) < _AT_LEAST * len(said)
    else:
        wrong = languages.detected(body) not in ("", base)
    if wrong:
        yield f"write in {language(base)}."


def _of_others(brief: Brief, angle: str, body: str) -> list[str]:
    """Return words that only another occasion's messages have."""
    known = texts(brief.profile.language)
    every, own = _words(known["texts"]) | _words(known["cold"]), _words(known.get(angle, {}))
    other = {word for one in ANGLES if one.code in _KNOWN_OF for word in _words(known[one.code].get("fact", ""))}
    facts = {word for one in facts_of(brief) for word in _words(one.quote)}
    return sorted((other - every - own - facts) & _words(_VARIABLE.sub(" ", body)))[:2]


def _words(known: Any) -> set[str]:
    return {one.casefold() for one in re.findall(r"[^\W\d_]{5,}", str(known))}


def _shared(body: str, task: str) -> list[str]:
    """Return words that stand in a row in both."""
    said, there = (re.findall(r"\w+", one.casefold()) for one in (body, task))
    rows = {tuple(there[at : at + _PARROTED]) for at in range(len(there))}
    found = (tuple(said[at : at + _PARROTED]) for at in range(len(said) - _PARROTED + 1))
    return [" ".join(one) for one in found if one in rows][:1]


def sentences_of(site: Site | None, description: str) -> dict[str, str]:
    """Return sentences that a business says of itself, the first pages first, each with its page."""
    pages = [
        (page.url, one) for page in (site.pages if site else ()) for one in (page.title, page.description, page.text)
    ]
    found: dict[str, str] = {}
    for page, text in [("description", description[:6000]), *((url, text[:6000]) for url, text in pages)]:
        for said in (" ".join(one.split()) for one in sentences(text)):
            if SHORTEST_QUOTE <= len(said) <= LONGEST_QUOTE and sound(said) and not links(said):
                found.setdefault(said, page)
    return dict(list(found.items())[:MOST_QUOTES])


def piece_problems(profile: Profile, sentence: str, quote: str, topic: str | None = None) -> list[str]:
    """Return what is wrong with a pitch, which has a topic, or with a detail, as sentences for the model."""
    known, wrong = of_text(sentence, profile.language), []
    if len(sentences(sentence)) != 1 or "?" in sentence or re.search(r"[{}<>|]", sentence + (topic or "")):
        wrong.append(f"“{sentence}”: give one sentence.")
    if topic is not None and not (len(sentence) <= LONGEST_PITCH and known.us.search(plain(sentence).casefold()[:40])):
        wrong.append(f"“{sentence}”: begin with “We”, in at most {LONGEST_PITCH} characters.")
    if topic is not None and not (1 <= len(topic.split()) <= MOST_TOPIC and topic[-1:] not in ".!?"):
        wrong.append(f"“{topic}”: give a topic of one to four words.")
    if topic is None and len(sentence.split()) > MOST_DETAIL:
        wrong.append(f"“{sentence}”: use at most {MOST_DETAIL} words.")
    source = Fact(quote, "website", quote, "claim", quotable=True)
    alone = Brief(Profile("", "", language=profile.language, name=profile.name, facts=(source,)))
    if topic is None and not objections(Brief(replace(profile, facts=())), [sentence]):
        wrong.append(f"“{sentence}”: the pitch says this already.")
    return wrong + objections(alone, [sentence])


def of_person(brief: Brief, idea: PlayIdea) -> Given:
    """Return what may be said to one person: who they are, and every fact with its quote."""
    return {**_of_both(brief), "reason of the play": idea.strategy}


def _of_both(brief: Brief) -> dict[str, Any]:
    profile = brief.profile
    return {
        "person": brief.recipient,
        "facts": [
            {"id": one.id, "about": "us" if one.about == "business" else "the person", "kind": one.about,
             "date": one.date, "page": one.address, "quote": one.quote}
            for one in brief.evidence
        ],
        "us": {"name": profile.name, "what we do": profile.pitch, "sender": brief.sender_name},
    }  # fmt: skip


def opener_problems(brief: Brief, part: str, given: Sentence) -> list[str]:
    """Return what is wrong with one of the two sentences to a person, as sentences for the model."""
    wrong = _said_problems(brief, part, [given], _MOST_WORDS)
    theirs = {one.id for one in brief.evidence if one.about != "business"}
    if not theirs.intersection(given.facts):
        wrong.append(f"{part}: name the fact about the person that it rests on.")
    greeting = of_text(given.text, brief.profile.language).greeting
    if len(sentences(given.text)) != 1 or greeting.match(plain(given.text).casefold()):
        wrong.append(f"{part}: one sentence without a greeting.")
    return wrong


def _said_problems(brief: Brief, part: str, said: Sequence[Sentence], most: int, variables: str = "") -> list[str]:
    """Return what is wrong with sentences to a person: their facts, form, links and claims."""
    whole, there = " ".join(one.text for one in said), {one.id for one in brief.evidence}
    wrong = [f"{part}: there is no fact {number}." for one in said for number in one.facts if number not in there]
    if style.length(whole) > most:
        wrong.append(f"{part}: at most {most} words.")
    if re.search(r"[{}<>|]|---", re.sub(variables, "", whole)):
        wrong.append(f"{part}: use no other variables.")
    wrong += [f"“{match[0][:80]}”: links and addresses are not allowed." for match in links(whole)]
    return wrong + objections(replace(brief, opener=said), [whole])


def of_reply(brief: Brief, asked: Asked) -> Given:
    """Return what may be said in an answer: what they wrote, what was said before, and every fact with its quote."""
    return {
        **_of_both(brief),
        "said before": [{"by": who, "text": said[:1000]} for who, said in asked.before],
        "they wrote": asked.text[:4000],
        "it sounds": asked.sentiment,
    }


def reply_problems(brief: Brief, given: Sequence[Sentence]) -> list[str]:
    """Return what is wrong with the sentences of an answer, as sentences for the model."""
    return _said_problems(brief, "sentences", given, _MOST_REPLY, r"\{\{(?:first_name|meeting_link)\}\}")


def of_change(brief: Brief, steps: Sequence[PlayStep]) -> Given:
    """Return the texts that the owner wants to be changed, and what may be said in them."""
    several = [{"id": one.id, "kind": one.kind, "text": one.text, "subject": one.subject} for one in steps]
    return {"facts": [one.quote for one in facts_of(brief)], "steps": [one for one in several if one["text"]]}


def objections(brief: Brief, several: Sequence[str], known: Sequence[str] = ()) -> list[str]:
    """Return every unsupported claim and broken rule in the texts, as sentences for the model."""
    problems = (problem for text in several for problem in claim_check.problems(brief, text, known, strict=True))
    return [f"“{problem.words[:120]}”: {problem.sentence}" for problem in problems]


def text_problems(step: str, kind: str, text: str, subject: str) -> list[str]:
    """Return the problems in the form of a step's changed text."""
    wrong = [] if kind else [f"{step}: there is no such step."]
    for inner in _VARIABLE.findall(f"{text} {subject}"):
        name, bar, fallback = inner.partition("|")
        if not _KNOWN.match(name.strip()) or not (bar and fallback.strip()):
            wrong.append(f"{step}: {{{{{inner[:40]}}}}} is no variable with a fallback.")
    rest = typical(text)
    if "{{" in rest or "}}" in rest:
        wrong.append(f"{step}: a variable is not closed.")
    if kind == "invite" and len(rest) > LONGEST_NOTE:
        wrong.append(f"{step}: an invite has at most {LONGEST_NOTE} characters.")
    if kind in ("social", "email") and not 1 <= len(rest.split()) <= 2 * MOST_EMAIL:
        wrong.append(f"{step}: use 1 to {MOST_EMAIL} words.")
    return wrong

"""Write a play's sequence: one hand-written text per occasion and language, around the sentences a founder signs.

The texts stand in texts/*.toml. Texts of different people differ because the people and the occasions differ, and one
business always gets the same words.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from app.core import languages
from app.ports import Refused
from app.ports.writer import Brief, PlayStep, Profile, Wait
from app.providers.writer import customers, style
from app.providers.writer.grammar import adds, after_de, capital
from app.providers.writer.reading.words import of
from app.providers.writer.tables.loader import bare
from app.providers.writer.taxonomy import trade_in

LANGUAGES = ("en", "de", "fr", "es", "nl", "it", "pt")
LONGEST_NOTE, LONGEST_SUBJECT = 200, 60  # characters, with ordinary names
MOST_MESSAGE, MOST_EMAIL = 60, 75  # words
NOT_SAID = "Finish this sentence first: “We …”. Messages need it, and what a subject line would call it."
SAME, TOLD = 2, 5  # words of the pitch in a proof; letters by which a name tells a topic
_DOCTOR = re.compile(r"(?:Dr|Dra|Dre|Drs|Dott|Dottor|Dottoressa|Prof)\b")
_TYPICAL = {
    "first_name": "Alexandra",
    "full_name": "Alexandra Petersen",
    "company_name": "Northwind Logistics",
    "custom.opening": "Customer Success Manager",
    "custom.round": "funding round",
    "custom.technology": "Google Workspace",
    "custom.news": "New branch in Leeds",
}
_VARIABLE = re.compile(r"\{\{([^{}|]+)\|[^{}]*\}\}")
_BARE = re.compile(r"\{\{([\w.]+)(?:\|[^{}]*)?\}\}")
_GOES_ON = re.compile(r"(?!I['’])[^\W\d_](?:[^\W\d_A-ZÀ-Þ]|[’'])|[AEOUÀYÉ] ")  # an ordinary word, not “IT” and not “I”
_SLOT = re.compile(r"\{(\w+)\}")
_SPARE = ("{detail}", "{referral}", "{proof}", "{benefit}")  # what a long email goes without, in this order

Texts = Mapping[str, Any]
Planned = tuple[str, Wait, str, str, str]  # kind, wait, after, text, subject


@cache
def texts(language: str, tone: str = "", country: str = "") -> Texts:
    """Return the texts of a language in a tone and as a country says them; the English ones where there are none."""
    base = languages.base(language)
    file = Path(__file__).parent / "texts" / f"{base if base in LANGUAGES else 'en'}.toml"
    plain = tomllib.loads(file.read_text(encoding="utf-8"))
    there = _over(plain, plain.get(country, {}))
    return _over(there, plain.get("casual", {})) if tone == "casual" else there


def _over(plain: Texts, changed: Texts) -> Texts:
    return {
        name: _over(value, changed[name]) if isinstance(value, dict) and name in changed else changed.get(name, value)
        for name, value in plain.items()
    }


def note(language: str) -> str:
    """Return what to tell an owner whose language the built-in writer doesn't write, else ''."""
    if languages.base(language) in LANGUAGES:
        return ""
    names = [texts(one)["name"] for one in LANGUAGES]
    return f"I write only {', '.join(names[:-1])} and {names[-1]} without a model, so these messages are in English."


def needs(brief: Brief) -> list[str]:
    """Return the fields of the profile that messages can't do without, and that are empty."""
    return [name for name in ("pitch", "topic") if not getattr(brief.profile, name).strip()]


def detail_of(brief: Brief) -> str:
    """Return the first detail that the founder ticked, else the proof where no email tells it, else ''."""
    told = (fact.text for fact in brief.profile.facts if fact.kind == "detail" and fact.quotable)
    return next(told, brief.profile.proof.strip() if brief.channel == "social" else "")


def with_fallbacks(brief: Brief, text: str) -> str:
    """Return a text whose variables have the words that stand in for an unknown value."""
    unknown = texts(brief.profile.language, country=brief.profile.country)["unknown"]
    known = {"first_name": unknown["first"], "company_name": unknown["company"]}
    known |= {f"custom.{name}": unknown[name] for name in ("opening", "round", "technology", "news")}
    return _BARE.sub(lambda match: f"{{{{{match[1]}|{known.get(match[1], '')}}}}}".replace("|}", "}"), text)


def steps(brief: Brief, angle: str) -> Sequence[PlayStep]:
    """Return the sequence for the channel; Refused while nobody has said what the business does."""
    if needs(brief):
        raise Refused(NOT_SAID)
    voice = Voice(brief, angle)
    told = _told_again(brief)
    second = "more" if told or angle == "former_customers" else "again"
    plan = _by_email(voice, second) if brief.channel == "email" else _by_social(voice, second, brief.channel)
    made = [
        PlayStep(f"s{number}", kind, delay, after, text, subject, "like" if kind == "reaction" else "")
        for number, (kind, delay, after, text, subject) in enumerate(plan, 1)
    ]
    language, asked = brief.profile.language, style.read(brief.style)
    asked = replace(asked, tone=brief.profile.tone or asked.tone)
    return style.by_rules(style.applied(made, asked, language), brief.rules, language)


def _by_email(voice: "Voice", second: str) -> list[Planned]:
    """Return the plan of a sequence for readers who are reached by email alone: one thread."""
    return [
        ("email", Wait(0, "days"), "previous", voice.text("email", MOST_EMAIL), voice.subject()),
        ("email", Wait(4, "days"), "no_reply", voice.letter(second), voice.subject()),
        ("email", Wait(7, "days"), "no_reply", voice.text("last_email", MOST_EMAIL), voice.subject()),
    ]


def _by_social(voice: "Voice", second: str, channel: str) -> list[Planned]:
    """Return the plan of a sequence over LinkedIn, which ends with emails where the channel has them."""
    plan: list[Planned] = [
        ("reaction", Wait(0, "days"), "previous", "", ""),
        ("invite", Wait(1, "days"), "previous", voice.note(), ""),
        ("social", Wait(1, "days"), "accept", voice.text("message", MOST_MESSAGE), ""),
        ("social", Wait(4, "days"), "no_reply", voice.text(second, MOST_MESSAGE), ""),
    ]
    if channel == "social":
        return [*plan, ("social", Wait(7, "days"), "no_reply", voice.text("last_message", MOST_MESSAGE), "")]
    return [
        *plan,
        ("email", Wait(3, "days"), "no_reply", voice.text("email", MOST_EMAIL), voice.subject()),
        ("email", Wait(6, "days"), "no_reply", voice.text("last_email", MOST_EMAIL), voice.subject()),
    ]


def _told_again(brief: Brief) -> str:
    """Return what a second message adds: nothing that the pitch said, nor what gets better for others."""
    told = brief.profile.change.strip() or detail_of(brief)
    words = of(brief.profile.language)
    said, new = {*words.stems(brief.profile.pitch)}, {*words.stems(told)}
    repeats = len(said & new) >= max(SAME + 1, len(new) / 2)
    others = words.has(told, "household") or customers.near(brief.profile) or customers.sends(brief)
    return "" if repeats or others else told


class Voice:
    """The words of one business in its language, on one occasion."""

    def __init__(self, brief: Brief, angle: str) -> None:
        known = texts(brief.profile.language, _tone(brief.profile), brief.profile.country)
        usual = ""
        for told in _partners(brief, known):
            usual = told["question"]
            known = _over(known, {name: one for name, one in told.items() if name not in ("question", "swaps")})
        self._lower = known["lower_after_hello"]
        self._language = languages.base(brief.profile.language)
        self._sharp = "ss" if self._language == "de" and brief.profile.country == "CH" else "ß"
        occasion = known.get(angle, known["cold"])
        self._texts: Texts = {**known["texts"], **known["occasion" if "fact" in occasion else "cold"], **occasion}
        self._slots = _slots(brief, known, self._texts, usual)

    def letter(self, key: str) -> str:
        """Return a message as an email: with its greeting in a line of its own, and signed."""
        body = [entry for entry in self._texts[key] if entry != "{hello}"]
        return self._shortened(["{dear}", "", *body, "", self._texts["email"][-1]], MOST_EMAIL)

    def text(self, key: str, most: int = 0) -> str:
        """Return a text with variables; of one that is too long, what it can do without falls away."""
        return self._shortened(self._texts[key], most)

    def _shortened(self, entries: Sequence[str], most: int) -> str:
        entries = list(entries)
        if _beginning(self._slots["who"]) == _beginning(self._slots["pitch"]):
            entries = [one for one in entries if one != "{who}."]  # not “I am” twice; the signature has the name
        for spare in _SPARE:
            if most and len(typical(self._joined(entries)).split()) > most:
                entries = [one for one in entries if one != spare]
        return self._joined(entries)

    def note(self) -> str:
        """Return as many sentences of the note as fit into a connection request."""
        entries = list(self._texts["note"])
        if len(typical(self._joined(entries))) > LONGEST_NOTE:
            entries = [one.replace("{introduced}", "{who}") for one in entries]
        while len(entries) > 1 and len(typical(self._joined(entries))) > LONGEST_NOTE:
            entries.remove(next((one for one in ("{seen}", "{fact}") if one in entries), entries[-1]))
        return self._joined(entries)

    def subject(self) -> str:
        """Return the subject of the emails: the second one goes on in the thread of the first."""
        whole = raised(self._filled(self._texts["subject"]))
        return whole if len(typical(whole)) <= LONGEST_SUBJECT else raised(self._slots["topic"])

    def every(self) -> Sequence[str]:
        """Return every text that this writer may write for the business on this occasion."""
        keys = ("note", "message", "more", "again", "last_message", "email", "last_email")
        letters = (self.letter(key) for key in ("more", "again"))
        return [*(self._joined(self._texts[key]) for key in keys), *letters, self.subject()]

    def framed(self, body: str, *, email: bool) -> str:
        """Return another writer's words below a greeting, and in an email with the sender's name below them."""
        if email:
            return f"{self._filled('{dear}')}\n\n{body}\n\n{self._filled(self._texts['email'][-1])}"
        return f"{self._filled('{hello}')} {body}"

    def _joined(self, entries: Sequence[str]) -> str:
        """Return sentences as a text; each begins with a capital unless it goes on after a greeting or colon."""
        paragraphs: list[list[str]] = [[]]
        for entry in entries:
            if not entry:
                paragraphs.append([])
            elif said := self._filled(entry):
                paragraphs[-1].append(said)
        lines: list[str] = []
        for paragraph in filter(None, paragraphs):
            before = lines[-1] if lines and self._lower else ""
            parts: list[str] = []
            for one in paragraph:
                goes_on = before.endswith("," if self._language == "de" else (",", ":"))
                parts.append(_goes_on(one, self._language) if goes_on else raised(one))
                before = one
            lines.append(" ".join(parts))
        return "\n\n".join(lines)

    def _filled(self, text: str) -> str:
        """Return an entry with its slots filled; '' when one of them is empty."""
        names = _SLOT.findall(text)
        if not all(self._slots[name] for name in names):
            return ""
        filled = _SLOT.sub(lambda match: self._slots[match[1]], text).replace("ß", self._sharp)
        name = self._slots["name"]
        return filled.replace(f"{name}.", name) if name.endswith(".") else filled  # one full stop


def _slots(brief: Brief, known: Texts, occasion: Texts, usual: str) -> dict[str, str]:
    profile, unknown = brief.profile, known["unknown"]
    slots = {name: _plain(getattr(profile, name)) for name in ("name", "pitch", "topic", "change", "proof")}
    slots["proof"] = _proof(profile, slots["proof"], slots["pitch"])
    slots["topic"] = re.sub(known["articles"], "", slots["topic"])
    if languages.base(profile.language) == "en":
        slots["topic"] = re.sub(r"(?<=\w )service$", "services", slots["topic"])
    if practice(profile):
        slots["name"] = known["who"]["practice"].replace("{name}", slots["name"])
    slots["offer"] = _plain(brief.offer).rstrip(" .!?;:,")
    slots["de_name"] = after_de(slots["name"]) if slots["name"] else ""
    base = languages.base(profile.language)
    change = slots["change"] if base == "de" else _goes_on(slots["change"], base)
    slots["pitch"] = _pitch(brief, slots["pitch"], known["partners"]["to_clients"])
    beginning = {"benefit": change, "about": slots["topic"], "of_name": slots["name"]}
    slots |= {name: _begun(words, known.get(name, ())) for name, words in beginning.items()}
    if _one_person(profile):
        slots["benefit"] = slots["benefit"].replace(*known["alone"])
    slots |= {
        "detail": _plain(detail_of(brief)),
        "first": f"{{{{first_name|{unknown['first']}}}}}",
        "full": f"{{{{full_name|{unknown['full']}}}}}",
        "company": f"{{{{company_name|{unknown['company']}}}}}",
        "sender": f"{{{{sender_name|{brief.sender_name or profile.name or '—'}}}}}",
    }
    slots |= {one: f"{{{{custom.{one}|{unknown[one]}}}}}" for one in ("opening", "round", "technology", "news")}
    sender = brief.sender_name.strip()
    alone = not slots["name"] or bool(sender and sender.casefold() in slots["name"].casefold())
    kind = "service" if _craft(profile) else customers.kind_of(profile)
    stems = of(profile.language).stems
    own = {*stems(of(profile.language).pattern("industrial").sub("", slots["topic"]))} - of(profile.language).vague
    if kind == "goods" and own & {*stems(customers.served(profile))}:
        kind = "compare"  # whoever is called after the topic has a supplier
    shown = (sender if alone else slots["name"]).casefold()
    told = [bare(stem[:TOLD]) in bare(shown) for stem in own or stems(slots["topic"])]
    trade = customers.trade_of(profile)
    named = any(told) or (trade is not None and trade_in(shown) is trade)
    asks = known["call"] if brief.offer_kind == "call" or not slots["offer"] else known["offer"]
    holds = alone and len(slots["name"]) > len(sender)  # the business's name the founder's
    signer = slots["name"] if holds else slots["sender"]
    slots["signature"] = signer if alone else f"{signer}\n{slots['name']}"
    way = "person" if alone else "aside" if _is_kind(profile) else "own" if _one_person(profile) else "firm"
    who = known["who"][way]
    patterns = {
        "hello": known["hello"],
        "dear": known["dear"],
        "referral": "" if usual or _alone(brief) else known["referral"],  # who sends people decides that alone
        "who": who,
        "introduced": f"{who} ({{topic}})" if way != "aside" and not named else who,
        "asks": known["cold"]["for_you"] if all(told) or not slots["about"] else "{about}",
        "fact": occasion.get("fact", ""),
        "seen": occasion.get("seen") or occasion.get("fact", ""),
        "question": usual or occasion.get("question") or known["question"][kind],
        "later": known["later"],
        **asks,
    }
    return slots | {name: _SLOT.sub(lambda match: slots[match[1]], pattern) for name, pattern in patterns.items()}


def _pitch(brief: Brief, pitch: str, to_clients: Sequence[str]) -> str:
    """Return a pitch; to who sends customers, one that speaks to those as what they are told."""
    words = of(brief.profile.language)
    cased = 0 if words.large_nouns else re.IGNORECASE  # the German “Sie” is polite, “sie” are others
    if not (re.search(words.either("formal", "informal"), pitch, cased) and customers.sends(brief)):
        return pitch
    return f"{to_clients[_one_person(brief.profile)]}{_goes_on(pitch, languages.base(brief.profile.language))}"


def _one_person(profile: Profile) -> bool:
    """Return whether the pitch says “I”, which in Spanish, Italian and Portuguese the verb alone does."""
    words, verb = of(profile.language), profile.pitch.partition(" ")[0]
    by_verb = languages.base(profile.language) in ("es", "it", "pt") and re.search(r"(?<!iam)o$", verb)
    return words.has(profile.pitch, "i", "i_am") or (bool(by_verb) and not words.has(profile.pitch, "us"))


def _partners(brief: Brief, known: Texts) -> Sequence[Texts]:
    """Return what differs for those who send people, and then for those who are recommended in return."""
    if not customers.sends(brief):
        return ()
    return [known["partners"], known["partners"]["swaps"]] if customers.swaps(brief) else [known["partners"]]


def practice(profile: Profile) -> bool:
    """Return whether the business is a practice that is called as its doctor."""
    known = customers.trade_of(profile)
    return bool(known and known.practice and _DOCTOR.match(profile.name))


def _is_kind(profile: Profile) -> bool:
    """Return whether the name begins with an article or what the business is, which turn or need one after “of”."""
    first = profile.name.split()[:1]
    kinds = of(profile.language).business
    article = any(of(profile.language).is_one(one, "article") for one in first)
    ends = of(profile.language).large_nouns and re.match(texts(profile.language)["of_name"][0][0], profile.name)  # GmbH
    return practice(profile) or article or bool(ends) or any(kind.fullmatch(one) for one in first for kind, _ in kinds)


def _alone(brief: Brief) -> bool:
    """Return whether the reader decides alone, so that nobody else is asked for."""
    role = customers.meant(brief.customer)[1]
    return bool(role and role.alone)


def _begun(words: str, beginnings: Sequence[tuple[str, str]]) -> str:
    """Return words with what stands in the place of their beginning, which may be nothing before them."""
    found = ((re.match(one, words), instead) for one, instead in beginnings)
    return next((f"{one.expand(instead)}{words[one.end() :]}" for one, instead in found if one and words), "")


def _beginning(sentence: str) -> list[str]:
    return sentence.casefold().split()[:2]


def _goes_on(sentence: str, language: str) -> str:
    """Return a sentence as it goes on after a comma or colon; a name or abbreviation keeps its capital.

    Of German words only our own pronouns are sure to be no nouns.
    """
    if language == "de":
        small = any(of(language).pattern(name).match(sentence) for name in ("us", "i"))
    else:
        small = bool(_GOES_ON.match(sentence)) or (language == "it" and sentence.startswith("I "))
    return f"{sentence[0].lower()}{sentence[1:]}" if small else sentence


def _craft(profile: Profile) -> bool:
    """Return whether the topic of goods is a craft, of which nobody is a supplier."""
    words, several = of(profile.language), profile.topic.split()
    return customers.kind_of(profile) == "goods" and words.is_one(several[-1 if words.adjectives_first else 0], "craft")


def _proof(profile: Profile, proof: str, pitch: str) -> str:
    """Return a proof if it tells something else than the pitch: a number of its own, or at most one same word."""
    words = of(profile.language)
    again = {*words.stems(pitch)} & ({*words.stems(proof)} - {words["singular"]})  # “I” is no word that tells anything
    return proof * ((any(one.isdigit() for one in proof) or len(again) < SAME) and adds(proof, pitch))


def _tone(profile: Profile) -> str:
    """Return the tone; a founder whose own sentences are familiar is not polite beside them."""
    return profile.tone or ("casual" if of(profile.language).has(" ".join(profile.sentences), "informal") else "")


def _plain(words: str) -> str:
    """Return the owner's words on one line, and without braces, which would be variables."""
    return " ".join(words.replace("{", "(").replace("}", ")").split())


def raised(sentence: str) -> str:
    """Return a sentence with a capital, also in the words that stand in for an unknown value."""
    if sentence.startswith("{{"):
        name, bar, rest = sentence.partition("|")
        return f"{name}{bar}{capital(rest)}"
    return f"¿{capital(sentence[1:])}" if sentence.startswith("¿") else capital(sentence)


def typical(text: str) -> str:
    """Return a text as a person with an ordinary name gets it."""
    return _VARIABLE.sub(lambda match: _TYPICAL.get(match[1], match[1]), text)

"""Write a play's sequence: few short messages in the owner's language, around the owner's words for what is sold."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.ports.writer import Brief, PlayStep, Wait
from app.providers.writer import change_requests, style
from app.providers.writer.grammar import capital, pick
from app.providers.writer.tongues import chosen, every, tongue_of
from app.providers.writer.tongues.shapes import Tongue

LONGEST_NOTE, LONGEST_SUBJECT, LONGEST_SHORT = 200, 60, 40
_TYPICAL = {
    "first_name": "Alexandra",
    "company_name": "Northwind Logistics",
    "position": "Operations Manager",
    "custom.opening": "Customer Success Manager",
    "custom.round": "funding round",
    "custom.technology": "Google Workspace",
    "custom.news": "launching a new product line",
}
_VARIABLE = re.compile(r"\{\{([^{}|]+)\|[^{}]*\}\}")
_PLACED = re.compile(  # where a phrase begins that says for whom, where or with what
    r"(?<!-)\s(?:for|in|with|from|at|by|through|für|mit|aus|im|bei|zum|zur|auf|durch|rund um|pour|à|au|aux|avec|chez|"
    r"dans|sur|par|"
    r"para|con|en|por|sobre|per|a(?=\s[A-ZÀ-Ž])|nel|nella|met|voor|bij|op|em|com|na|no|för|med|till|dla|w|z)\s"
)
_COMMA, _BREAK = re.compile(r","), re.compile(r"[;:(]|\s[–—|·-]\s|\.\s")
_JOINED = re.compile(  # where a long phrase can end: before its second half, or before what is told of the thing
    r"(?<!-)\s(?:&|\+|and|or|und|oder|sowie|et|ou|y|o|e|ed|en|of|i|och|oraz|ve|that|which|who|die|der|das|qui|que|che|dat)\s"
)
_UNFINISHED = re.compile(
    r"(?:\s+(?:&|\+|and|or|und|oder|sowie|et|ou|y|o|e|ed|en|of|de|du|der|die|das|den|dem|des|di|del|della|la|le|les|"
    r"the|von|"
    r"i|och|do|da|dos|das|a|an|to|"
    r"ein|eine|einen|un|une|una|el|los|las|il|lo|gli|het|een|van|um|uma|its|their|your|"
    r"Ihr|Ihre|votre|su|sus|on|in|for|by|with|at|"
    r"backed|rooted|measured|grounded|based|focused|speciali[sz]ed|spécialisée?s?|especializad[oa]s?|"
    r"specializzat[oaie]|gespecialiseerde?|spezialisierte?r?))+$"
)
_POSSESSIVE = re.compile(
    r"^(?:Ihre?|Euer|Eure|your|our|votre|notre|su|vuestro|la tua|il tuo|uw|jouw)\s+", re.IGNORECASE
)
_TOLD = 13  # letters of a single word that says what it is, as many German ones do
_WHO_ONLY = re.compile(r"^(?:e?sp[ée][cz]ial\w+|professional\w*|profesional\w*|professionist\w*)$", re.IGNORECASE)
# Praise in front of what is sold; a subject has no room for it.
_PRAISE = re.compile(
    r"^(?:(?:secure|professional|reliable|trusted|premium|structured|innovati[ev]e?|strukturierte|digitale|"
    r"moderne?|professionelle|zuverlässige[rs]?|professionnels?|fiables?|profesional(?:es)?|modern[oai]s?|professional[ei]|"
    r"professionele|betrouwbare|profissiona(?:l|is))(?:,\s*|\s+(?:and|und|et|y|e|en)\s+|\s+))+(?=\w)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|une?|una|ein|eine|um|uma|een|en|ett)\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Voice:
    """The words of one business in one language, for one reason to write."""

    brief: Brief
    tongue: Tongue
    angle: str
    name: str
    sells: str
    short: str
    change: str
    proof: str

    def says(self, key: str) -> str:
        """Return a sentence that all reasons to write share, with this business's choice of words."""
        return self.filled(chosen(self.tongue.common[key], self.seed, key))

    def own(self, key: str) -> str:
        """Return a sentence of this reason to write."""
        told = chosen(self._patterns[key], self.seed, key)
        if key in ("letter", "last"):
            told = re.sub(r"\. (\S+)", lambda match: f" – {lowered(match[1], self.tongue.code)}", told)
        return self.filled(told)

    def subjects(self) -> list[str]:
        """Return the subjects that are short enough for an ordinary name."""
        several = [raised(self.filled(one)) for one in every(self._patterns["subject"])]
        return [one for one in several if len(typical(one)) <= LONGEST_SUBJECT] or [self.tongue.common["least_subject"]]

    def subject(self) -> str:
        """Return the subject of the first email."""
        return pick(self.subjects(), self.seed, "subject")

    @property
    def seed(self) -> str:
        """Return what the choice of words depends on."""
        return f"{self.name}|{self.sells}|{self.angle}"

    @property
    def hello(self) -> str:
        return self.filled(self.tongue.common["hello"])

    @property
    def who(self) -> str:
        """Return who writes and what is sold; '' while the owner has not said it."""
        return self.says("who" if self.name else "we") if self.sells else ""

    @property
    def who_again(self) -> str:
        """Return who writes and what is sold, in other words than before."""
        if not self.sells:
            return ""
        several = [self.filled(one) for one in every(self.tongue.common["who" if self.name else "we"])]
        return pick([one for one in several if one != self.who], self.seed, "who again")

    @property
    def short_word(self) -> str:
        """Return what is sold once more, in other words."""
        return self.says("brief" if self.name else "brief_we") if self.sells else self.untold(1)

    def untold(self, time: int) -> str:
        """Ask whether the owner may say what is sold, in other words each time, while it is not known."""
        several = every(self.tongue.common["untold"])
        begin = several.index(pick(several, self.seed, "untold"))
        return several[(begin + time) % len(several)]

    def asks(self, key: str) -> str:
        """Return the call to action: `call` or `close_call`."""
        if self.brief.offer_kind == "call":
            return self.says(key)
        if self.brief.offer.strip():
            return self.says("offer" if key == "call" else "close_offer")
        several = every(self.tongue.common["details"])
        first = pick(several, self.seed, "details")
        return first if key == "call" else pick([one for one in several if one != first], self.seed, "details again")

    @property
    def _patterns(self) -> dict[str, str]:
        several = dict(self.tongue.angles.get(self.angle, self.tongue.angles["cold"]))
        if not self.sells:
            several["subject"] = self.tongue.common["least_subject"]
        return several

    def filled(self, text: str) -> str:
        """Return a pattern with the words of the business, and with variables for those about the recipient."""
        tongue = self.tongue
        words = {
            "first": f"{{{{first_name|{tongue.there}}}}}", "company": f"{{{{company_name|{tongue.company}}}}}",
            "title": "{{position|right person}}", "opening": f"{{{{custom.opening|{tongue.opening}}}}}",
            "round": f"{{{{custom.round|{tongue.round}}}}}",
            "technology": f"{{{{custom.technology|{tongue.technology}}}}}",
            "news": f"{{{{custom.news|{tongue.news}}}}}", "name": self.name, "sells": self.sells, "short": self.short,
            "change": self.change, "proof": self.proof, "offer": _plain(self.brief.offer),
        }  # fmt: skip
        return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), text)


def voice(brief: Brief, angle: str) -> Voice:
    """Return the voice for a brief and a reason to write."""
    profile = brief.profile
    name = re.sub(r"^The (?=\S+ )", "the ", _plain(profile.name))
    sells = _plain(profile.sells)
    change, proof = (_plain(getattr(profile, name)) if profile.may_say(name) else "" for name in ("change", "proof"))
    parts = sells, short_of(sells), change, proof
    return Voice(brief, tongue_of(profile.language), angle, name, *parts)


def _plain(words: str) -> str:
    """Return the owner's words for the middle of a text: on one line, without braces and a mark at the end."""
    return " ".join(words.replace("{", "(").replace("}", ")").split()).rstrip(" .!?;:,")


def short_of(sells: str) -> str:
    """Return the first words of what is sold, for a subject: a phrase that is whole, and tells more than a word."""
    sells = _PRAISE.sub("", _ARTICLE.sub("", _POSSESSIVE.sub("", sells)))
    ends = sorted({found.start() for one in (_PLACED, _BREAK) for found in one.finditer(sells, 6)} | {len(sells)})
    commas = [found.start() for found in _COMMA.finditer(sells, 6)]
    if commas and commas[0] < ends[0]:  # of a list the first part, or else the whole list
        ends = [commas[0], *ends] if _tells(sells[: commas[0]]) else [*ends, *commas[::-1]]
    else:
        ends = sorted([*ends, *commas])
    told = [_whole(sells[:end]) for end in ends]
    fitting = [one for one in told if len(one) <= LONGEST_SHORT]
    best = next((one for one in fitting if _tells(one)), "")
    return best or (_cut(sells) if len(sells) > LONGEST_SHORT else _whole(sells))


def _tells(phrase: str) -> bool:
    return len(phrase.split()) > 1 or (len(phrase) >= _TOLD and not _WHO_ONLY.match(phrase))


def _whole(phrase: str) -> str:
    return _UNFINISHED.sub("", phrase.strip(" ,;:–—-|·(."))


def _cut(phrase: str) -> str:
    """Return the beginning of a long phrase, up to its last joint that fits, or else its last word."""
    joints = [found.start() for found in _JOINED.finditer(phrase, 6) if found.start() <= LONGEST_SHORT]
    told = [one for at in reversed(joints) if _tells(one := _whole(phrase[:at]))]
    return (
        told[0]
        if told
        else _whole(
            re.sub(r"(?:\s\d+)+$", "", phrase[: LONGEST_SHORT + 1].rpartition(" ")[0]) or phrase[:LONGEST_SHORT]
        )
    )


def raised(sentence: str) -> str:
    """Return a sentence with a capital, also in the words that stand in for an unknown value."""
    if sentence.startswith("{{"):
        name, bar, rest = sentence.partition("|")
        return f"{name}{bar}{capital(rest)}"
    return f"¿{capital(sentence[1:])}" if sentence.startswith("¿") else capital(sentence)


def steps(brief: Brief, angle: str) -> Sequence[PlayStep]:
    """Return the sequence for the channel, in the style and within the rules of the brief."""
    spoken = voice(brief, angle)
    plan: list[tuple[str, Wait, str, str, str]] = [
        ("reaction", Wait(0, "days"), "previous", "", ""),
        ("invite", Wait(1, "days"), "previous", note(spoken), ""),
        ("social", Wait(1, "days"), "accept", _first(spoken), ""),
        ("social", Wait(4, "days"), "no_reply", _second(spoken), ""),
    ]
    if brief.channel == "social_email":
        plan.append(("email", Wait(3, "days"), "no_reply", _letter(spoken), spoken.subject()))
        plan.append(("email", Wait(6, "days"), "no_reply", _last_letter(spoken), _last_subject(spoken)))
    else:
        plan.append(("social", Wait(7, "days"), "no_reply", _last_message(spoken), ""))
    made = [
        PlayStep(f"s{number}", kind, delay, after, text, subject, "like" if kind == "reaction" else "")
        for number, (kind, delay, after, text, subject) in enumerate(plan, 1)
    ]
    language, asked = spoken.tongue.code, style.read(brief.style)
    asked = replace(asked, tone=brief.profile.tone or asked.tone)
    return change_requests.obeyed(style.applied(made, asked, language), brief.rules, language)


def typical(text: str) -> str:
    """Return a text as a person with an ordinary name gets it."""
    return _VARIABLE.sub(lambda match: _TYPICAL.get(match[1], match[1]), text)


def note(spoken: Voice) -> str:
    """Return the longest note that fits into an invitation."""
    hello, wish = spoken.hello, spoken.says("wish")
    joined = f"{hello} {spoken.own('note').rstrip('.')} – {wish}{_mark(spoken, wish)}"
    who = "" if spoken.angle == "former_customers" else raised(spoken.who)
    candidates = [f"{joined} {who}".strip(), f"{hello} {spoken.own('note')} {who}".strip(), joined]
    fitting = (text for text in candidates if len(typical(text)) <= LONGEST_NOTE)
    return next(fitting, f"{hello} {wish}{_mark(spoken, wish)}")


def _mark(spoken: Voice, wish: str) -> str:
    """Return the mark that ends a wish: some are questions."""
    return "?" if wish.startswith(("shall", "may", "wollen", "zullen")) else "."


def _first(spoken: Voice) -> str:
    known = spoken.angle == "former_customers"
    ask = spoken.own("ask") if spoken.sells or known else raised(spoken.untold(0))
    if spoken.sells and not known:
        asked = ask if spoken.tongue.code == "de" else lowered(ask, spoken.tongue.code)
        ask = f"{spoken.says('topic')} {asked}"
    return f"{spoken.hello} {spoken.says('thanks')} – {spoken.own('first')}\n---\n{ask}"


def lowered(question: str, code: str) -> str:
    """Return a sentence as it stands after a colon or a dash."""
    if question.startswith("¿"):
        return f"¿{question[1:2].lower()}{question[2:]}"
    kept = {"en": r"I\b", "de": r"(?:Sie|Ihr\w*|Näheres)\b", "it": r"(?:Lei|Le|Suo|Sua)\b"}.get(code, r"(?!)")
    return question if re.match(rf"{kept}|\{{", question) else question[:1].lower() + question[1:]


def _second(spoken: Voice) -> str:
    told, ask = spoken.short_word, spoken.asks("call") if spoken.sells else ""
    if ask and spoken.brief.offer_kind == "call":
        return f"{spoken.hello} {told.rstrip('.')} – {lowered(ask, spoken.tongue.code)}"
    return f"{spoken.hello} {told} {ask}".strip()


def _letter(spoken: Voice) -> str:
    opening = raised(spoken.own("letter")) if spoken.tongue.raised else spoken.own("letter")
    known = spoken.angle == "former_customers"
    about = [] if known else [raised(spoken.who), *_more(spoken)]
    ask = spoken.asks("close_call") if spoken.sells or known else raised(spoken.untold(2))
    lines = [
        spoken.hello,
        _joined(opening, spoken.who_again, spoken.tongue.code) if about else opening,
        " ".join(about[1:]),
        " ".join([*([spoken.own("close")] if known else []), ask]),
        _farewell(spoken),
    ]
    return "\n\n".join(line for line in lines if line)


def _joined(opening: str, who: str, code: str) -> str:
    """Return the reason to write and who writes as one sentence, unless that would be a long one."""
    if not who:
        return opening
    return f"{opening} {raised(who)}" if "–" in opening else f"{opening.rstrip('.')} – {lowered(who, code)}"


def _more(spoken: Voice) -> list[str]:
    """Return what changes for the customer and one proof, as far as the owner gave them."""
    return [spoken.says(key) for key in ("change", "proof") if getattr(spoken, key)]


def _last_letter(spoken: Voice) -> str:
    told = spoken.own("last")
    told = raised(told) if spoken.tongue.raised else told
    return "\n\n".join((spoken.hello, told, _right(spoken), _farewell(spoken)))


def _right(spoken: Voice) -> str:
    """Return the question after the right person, with what it is about."""
    asked = spoken.says("right")
    end = re.search(r"\s?\?$", asked)
    about = f" ({spoken.short})" if spoken.sells and spoken.angle != "former_customers" else ""
    return asked[: end.start()] + about + end[0] if end else asked


def _last_message(spoken: Voice) -> str:
    return f"{spoken.hello} {spoken.own('last')}"


def _farewell(spoken: Voice) -> str:
    fallback = spoken.brief.sender_name or spoken.brief.profile.name or "—"
    return f"{spoken.tongue.common['farewell']},\n{{{{sender_name|{fallback}}}}}"


def _last_subject(spoken: Voice) -> str:
    """Return another subject of the same reason to write."""
    first = spoken.subject()
    fitting = [one for one in spoken.subjects() if one != first]
    return pick(fitting, spoken.seed, "last subject") if fitting else first

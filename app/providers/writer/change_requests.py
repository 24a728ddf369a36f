"""Parse change requests in plain words, and apply them to steps."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from app.ports.writer import PlayStep, Wait
from app.providers.writer import learnt_rules, style
from app.providers.writer.grammar import capital, sentences
from app.providers.writer.learnt_rules import LearntRule
from app.providers.writer.tongues import chosen, tongue_of

_LINK = re.compile(
    r"(?:https?://|www\.)\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|example|co|de|uk|fr|eu|app|dev)\b(?:/\S*)?"
)
_STANDING = re.compile(r"\b(never|always|don'?t ever|from now on|in every|no links?|do not ever)\b", re.IGNORECASE)
_QUOTED = r"[“\"'‘](?P<{name}>[^”\"’]+)[”\"'’]"
_WHICH = r"(?P<which>first|second|third|last|final)"
_LANGUAGES = {
    "english": "en", "englisch": "en", "german": "de", "deutsch": "de", "french": "fr", "französisch": "fr",
    "français": "fr", "spanish": "es", "español": "es", "spanisch": "es", "dutch": "nl", "nederlands": "nl",
    "italian": "it", "italiano": "it", "portuguese": "pt", "português": "pt",
}  # fmt: skip
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
           "fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30}  # fmt: skip
_MANY = r"(?P<count>\d{1,2}|" + "|".join(_COUNTS) + ")"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("language", rf"\b(?:in|into|auf|to|en)\s+(?P<words>{'|'.join(_LANGUAGES)})\b"),
    ("no_exclaim", r"\b(?:no|without|never|drop|remove|avoid|don'?t use|fewer)\b.{0,20}\bexclamations?\b"),
    ("signoff", r"\bsign(?:ing)?[ -]?off\b.{0,12}\b(?:with|as|to)\s+[“\"'‘]?(?P<words>[^”\"’.,]{2,40})"),
    ("short_name", r"\b(?:leave out|without|no|drop|remove|skip)\b.{0,12}\b(?:last|family|sur) ?name\b|"
                   r"\b(?:only|just) (?:my )?first name\b"),
    ("subject", rf"\bsubject\b.{{0,12}}\b(?:{_WHICH})\s+e-?mail\b.{{0,6}}{_QUOTED.format(name='words')}"),
    ("swap", rf"\breplace\s+{_QUOTED.format(name='old')}\s+(?:with|by)\s+{_QUOTED.format(name='words')}"),
    ("swap", rf"\b(?:say|write|use)\s+{_QUOTED.format(name='words')}\s+(?:instead of|not|"
             rf"for)\s+{_QUOTED.format(name='old')}"),
    ("cut_last", rf"\b(?:delete|remove|drop|"
                 rf"cut)\b.{{0,8}}\blast sentence\b(?:.{{0,8}}\b{_WHICH}\s+(?P<what>e-?mail|message))?"),
    ("drop_one", rf"\b(?:drop|remove|delete|skip|without|no|"
                 rf"leave out)\b.{{0,8}}\b{_WHICH}\s+(?P<what>e-?mail|message)\b"),
    ("only_some", rf"\bonly\s+{_MANY}\s+(?P<what>e-?mail|message|text)s?\b|"
                  rf"\b{_MANY.replace('count', 'many')}\s+messages?\s+(?:only|at most)\b"),
    ("wait_for", rf"\bwait\b.{{0,12}}\b{_MANY}\s+days?\s+before\b.{{0,6}}\b{_WHICH}\s+(?P<what>e-?mail|message)\b"),
    ("minutes", rf"\b{_MANY}[ -]min(?:ute)?s?\b.{{0,12}}\bcall\b|\bcall of\s+{_MANY.replace('count', 'many')}\s+min"),
    ("title", r"\b(?:use|mention|include|add)\b.{0,10}\b(?:their|the|his|her)\s+(?:job )?(?:title|position|role)\b"),
    ("email_first", r"\b(?:start|begin)\b.{0,8}\b(?:with )?(?:the |an )?e-?mail\b|\be-?mail first\b"),
    ("only_email", r"\b(only|just)\b.{0,12}\be-?mails?\b|\be-?mails? only\b|\b(drop|remove|without|"
                   r"no)\b.{0,20}\b(social|invites?|invitations?|network)\b(?!.*note)"),
    ("only_social", r"\b(drop|remove|delete|skip|without|no|leave out|never)\b.{0,20}\be-?mails?( steps?)?\b|"
                    r"\b(only|just)\b.{0,12}\bsocial\b|\bsocial only\b"),
    ("no_links", r"\b(no|without|never|remove|drop|don'?t|avoid)\b.{0,25}\b(links?|urls?)\b"),
    ("no_reaction", r"\b(no|without|drop|remove|skip|don'?t)\b.{0,20}\b(reactions?|likes?|liking)\b"),
    ("no_note", r"\b(no|without|drop|remove|empty)\b.{0,25}\bnote\b"),
    ("avoid", r"\b(?:(?:never|don'?t|do not|stop|avoid|not)\s+(?:ever\s+)?(?:mention(?:ing)?|say(?:ing)?|use|"
              r"using|write|writing|talk(?:ing)? about)|avoid|leave out|remove the words?)\s+(?P<words>.+)"),
    ("add_followup", r"\b(add|one more|another|extra)\b.{0,25}\b(follow-?ups?|step|message|reminder)\b"),
    ("wait_longer", r"\b(wait|space|longer|more time|slower|slow down)\b.{0,25}\b(longer|more|out|between|days?|"
                    r"steps?|down|slower)\b|\bslower\b"),
    ("wait_less", r"\b(wait|be)\b.{0,10}\b(less|faster|shorter|quicker)\b|\bfaster\b|\bquicker\b"),
    ("shorter", r"\b(short(?:er)?|briefer|brief|less text|fewer words|cut it|trim|concise|too long|kürzer|"
                r"plus court|más corto|korter|più breve|mais curto)\b"),
    ("casual", r"\b(less formal|more casual|casual|informal|friendlier|friendly|relaxed|warmer|less stiff|loosen)\b"),
    ("formal", r"\b(more formal|formal|politer|more polite|serious|professional|less casual)\b"),
    ("question", r"\b(ask|add|end|start)\b.{0,30}\bquestions?\b"),
    ("mention", r"\b(?:always\s+|also\s+|please\s+)*(?:mention|include|add that|say that|talk about|tell them(?: "
                r"that)?)\s+(?P<words>.+)"),
)  # fmt: skip
_VERBS = "never|don'?t|drop|add|make|more|less|no|ask|mention|wait|remove|be"
_BETWEEN = re.compile(rf"[;.!]+|,? and (?=(?:{_VERBS})\b)|, (?=(?:{_VERBS})\b)")
_HELLO = re.compile(r"\A([^\n.!?]{1,50})!(?=\n)")  # a greeting in a line of its own
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)


@dataclass(frozen=True)
class Wish:
    """One thing that was asked for; `standing` when it is meant for good."""

    kind: str
    words: tuple[str, ...] = ()
    standing: bool = False
    said: str = ""
    which: str = ""  # first, second, third, last or final, of `what`
    what: str = ""  # email or message
    count: int = 0
    language: str = "en"  # of the texts


def read(text: str) -> list[Wish]:
    """Return the wishes that a program can follow, in order; unreadable parts have the kind ''."""
    if rule := learnt_rules.read(text):
        return [Wish(rule.kind, (rule.words,), standing=True, said=" ".join(text.split()), what=rule.what)]
    found = []
    for part in _parts(text):
        wish = _wish(part)
        if wish not in found:
            found.append(wish)
    return found


def _parts(text: str) -> list[str]:
    pieces: list[str] = []
    for sentence in sentences(" ".join(text.split())[:1000]):
        rest = _BETWEEN.split(sentence)
        pieces += [piece.strip(" ,") for piece in rest if piece and piece.strip(" ,")]
    return pieces


def _wish(part: str) -> Wish:
    standing = bool(_STANDING.search(part))
    for kind, pattern in _COMPILED:
        match = pattern.search(part)
        if match:
            named = {name: words or "" for name, words in match.groupdict().items()}
            words = named.get("words", "")
            listed = _named(words) if kind == "avoid" else (_topic(words),) if words else ()
            if kind == "swap":
                listed = (named["old"], words)
            if kind in ("avoid", "mention") and not any(listed):
                continue
            count = _number(named.get("count") or named.get("many", ""))
            what = "email" if named.get("what", "").startswith("e") else "message" if named.get("what") else ""
            said = capital(part.strip()).rstrip(".") + "."
            return Wish(kind, listed, standing, said, named.get("which", "").lower(), what, count)
    return Wish("", (), False, part)


def _number(words: str) -> int:
    return int(words) if words.isdigit() else _COUNTS.get(words.lower(), 0)


def _named(words: str) -> tuple[str, ...]:
    parts = re.split(
        r",|;|\s+and\s+|\s+or\s+",
        re.sub(r"\b(the words?|anything about|please|any more|anymore|again|ever)\b", "", words),
    )
    return tuple(part.strip(" .!?\"'“”") for part in parts if part.strip(" .!?\"'“”"))


def _topic(words: str) -> str:
    plain = re.sub(
        r"\s+(in|at|on) (the )?(e-?mails?|first|last|every|all|second|messages?|invite|note)\b.*$",
        "",
        words,
        flags=re.IGNORECASE,
    )
    return re.sub(r"[{}<>]", "", plain).strip(" .!?\"'“”")[:160]


def language_of(wish: Wish) -> str:
    """Return the code of the language that a wish names."""
    return _LANGUAGES[wish.words[0].lower()]


def obeyed(steps: Iterable[PlayStep], rules: Sequence[str], language: str = "en") -> list[PlayStep]:
    """Return the steps changed by the standing rules."""
    made = list(steps)
    for rule in rules:
        for wish in read(rule):
            made = followed(made, wish, language)
    return made


def followed(steps: Sequence[PlayStep], wish: Wish, language: str = "en") -> list[PlayStep]:
    """Return the steps after a wish; the same ones when it changes nothing."""
    follow = _FOLLOW.get(wish.kind)
    if follow is None or (wish.kind in ENGLISH_ONLY and language != "en"):
        return list(steps)
    return follow(list(steps), replace(wish, language=language))


def _each(change: Callable[[PlayStep], PlayStep]) -> Callable[[list[PlayStep], Wish], list[PlayStep]]:
    return lambda steps, wish: [change(step) for step in steps]


def _avoid(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    return [style.without(step, wish.words, wish.language) for step in steps]


def _mention(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    sentence = f"I should also mention {wish.words[0]}."
    written = [step for step in steps if step.kind in ("social", "email") and step.text]
    if not written or any(wish.words[0].lower() in step.text.lower() for step in written):
        return steps
    target = next((step for step in written if step.kind == "email"), written[-1])
    blocks = target.text.split("\n\n")
    at = 1 if len(blocks) > 2 else len(blocks) - 1
    blocks[at] = f"{blocks[at]} {sentence}" if len(blocks) > 2 else f"{blocks[at].rstrip()} {sentence}"
    return [replace(step, text="\n\n".join(blocks)) if step is target else step for step in steps]


def _linkless(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    return [_without_links(step, wish.language) for step in steps]


def _without_links(step: PlayStep, language: str) -> PlayStep:
    if not _LINK.search(step.text):
        return step
    text = "\n".join(
        " ".join(one for one in sentences(line) if not _LINK.search(one)) for line in step.text.split("\n")
    )
    return replace(step, text=text.strip() if style.said(text) else style.least(step, language))


def _shorter(step: PlayStep) -> PlayStep:
    if not step.text or step.kind == "reaction":
        return step
    goal = max(12, int(style.length(step.text) * 0.75))
    return style.within(step, min(goal, style.length(step.text) - 1))


def _only_email(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    kept = [step for step in steps if step.kind == "email"]
    return [
        replace(step, after="no_reply" if at else "previous", delay=step.delay if at else Wait(0, "days"))
        for at, step in enumerate(kept)
    ]


def _only_social(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    return [step for step in steps if step.kind != "email"]


def _waits(factor: float) -> Callable[[list[PlayStep], Wish], list[PlayStep]]:
    def follow(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
        return [
            replace(step, delay=replace(step.delay, count=max(1, min(60, round(step.delay.count * factor)))))
            if step.delay.count and at
            else step
            for at, step in enumerate(steps)
        ]

    return follow


def _added(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    written = [step for step in steps if step.kind in ("social", "email")]
    if not written:
        return steps
    last, tongue = written[-1], tongue_of(wish.language)
    letter = last.kind == "email"
    there = f"{{{{first_name|{tongue.there}}}}}"
    hello = tongue.common["hello"].replace("{first}", there)
    company = f"{{{{company_name|{tongue.company}}}}}"
    asked = chosen(tongue.common["right"], last.text).replace("{company}", company)
    farewell = style.FAREWELL.search(last.text)
    text = f"{hello} {asked}"
    if letter:
        text = "\n\n".join([hello, asked, *([farewell[0]] if farewell else [])])
    number = max((int(digits) for step in steps if (digits := re.sub(r"\D", "", step.id)[:6])), default=len(steps)) + 1
    more = PlayStep(f"s{number}", last.kind, Wait(5, "days"), "no_reply", text, last.subject if letter else "")
    return [*steps, more]


def _ask(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    named = re.search(r"\b(first|second|last|final)\s+(e-?mail|message)", wish.said, re.IGNORECASE)
    if not named:
        return [_question(step) for step in steps]
    what = "email" if named[2].lower().startswith("e") else "message"
    return _changed(steps, _one(steps, replace(wish, which=named[1].lower(), what=what)), _question)


def _question(step: PlayStep) -> PlayStep:
    farewell = style.FAREWELL.search(step.text)
    body = step.text[: farewell.start()].rstrip() if farewell else step.text
    if step.kind not in ("social", "email") or not body or body.endswith("?"):
        return step
    return replace(step, text=f"{body} What do you think?" + (f"\n\n{farewell[0]}" if farewell else ""))


def _one(steps: list[PlayStep], wish: Wish) -> PlayStep | None:
    """Return the step that a wish speaks of, as the second email; without a number the first one."""
    kinds = ("email",) if wish.what == "email" else ("social", "email")
    several = [step for step in steps if step.kind in kinds]
    at = {"": 0, "first": 0, "second": 1, "third": 2, "last": len(several) - 1, "final": len(several) - 1}[wish.which]
    return several[at] if 0 <= at < len(several) else None


def _changed(steps: list[PlayStep], old: PlayStep | None, new: Callable[[PlayStep], PlayStep]) -> list[PlayStep]:
    return [new(step) if step is old else step for step in steps]


def _calm(step: PlayStep) -> PlayStep:
    quiet = [re.sub(r"\?!+|!+\?", "?", text.replace("¡", "")) for text in (step.text, step.subject)]
    greeted = _HELLO.sub(r"\1,", quiet[0])
    return replace(step, text=re.sub(r"\s?!+", ".", greeted), subject=re.sub(r"\s?!+", "", quiet[1]))


def _signed(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    words = re.sub(r"\s+(instead|please)$", "", wish.words[0]).strip(' ,”"’')
    signed = re.compile(r"^[^\n]+,?\n(?=\{\{sender)", re.MULTILINE)

    def sign(text: str) -> str:
        return signed.sub(f"{words},\n", text) if signed.search(text) else learnt_rules.signed(text, words)

    return [replace(step, text=sign(step.text)) if step.kind == "email" else step for step in steps]


def _swapped(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    old, new = wish.words
    pattern = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)

    def put(match: re.Match[str]) -> str:
        return capital(new) if match[0][:1].isupper() else new

    def swap(text: str) -> str:
        pieces = re.split(r"(\{\{[^{}]*\}\})", text)  # a variable's name is no word of the text
        return "".join(one if one.startswith("{{") else pattern.sub(put, one) for one in pieces)

    return [replace(step, text=swap(step.text), subject=swap(step.subject)) for step in steps]


def _cut_last(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    def cut(step: PlayStep) -> PlayStep:
        farewell = style.FAREWELL.search(step.text)
        end = farewell.start() if farewell else len(step.text)
        blocks = step.text[:end].rstrip().split("\n")
        parts = sentences(blocks[-1])
        blocks[-1] = " ".join(parts[:-1])
        text = re.sub(r"(\n---)?\s*$", "", "\n".join(blocks))
        return replace(step, text=text + step.text[end - 2 if farewell else end :]) if style.said(text) else step

    return _changed(steps, _one(steps, wish), cut)


def _only_some(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    kinds = ("email",) if wish.what == "email" else ("social", "email")
    several = [step for step in steps if step.kind in kinds]
    firsts = [
        next(step for step in several if step.kind == kind) for kind in dict.fromkeys(step.kind for step in several)
    ]
    kept = [*firsts, *(step for step in several if step not in firsts)][: wish.count] if wish.count else several
    return [step for step in steps if step in kept or step.kind not in kinds]


def _wait_for(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    return _changed(steps, _one(steps, wish), lambda step: replace(step, delay=Wait(max(1, wish.count), "days")))


def _subject(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    target = _one(steps, replace(wish, what="email"))
    return _changed(steps, target, lambda step: replace(step, subject=wish.words[0]))


def _call_of(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    """Ask for a call of so many minutes where the text asks for a call now."""
    asked = re.compile(r"[^.!?\n]*\b(?:call|conversation|phone|talk)\b[^.!?\n]*\?")
    question = f"Would a call of {wish.count} minutes make sense?"

    def put(step: PlayStep) -> PlayStep:
        return replace(
            step, text=asked.sub(lambda match: f" {question}" if match[0][:1] == " " else question, step.text)
        )

    return [put(step) for step in steps] if wish.count else steps


def _title(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    def put(step: PlayStep) -> PlayStep:
        if "{{position" in step.text:
            return step
        told = "I'm asking you as the {{position|right person}} at {{company_name|your company}}."
        first, cut, rest = step.text.partition("\n")
        return replace(
            step, text=f"{first} {told}{cut}{rest}" if step.kind == "social" else f"{first}\n\n{told}{cut}{rest}"
        )

    return _changed(steps, _one(steps, wish), put)


def _email_first(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    email = next((step for step in steps if step.kind == "email"), None)
    if email is None or steps[0] is email:
        return steps
    rest = [step for step in steps if step is not email]
    second = replace(rest[0], delay=Wait(max(1, rest[0].delay.count), "days"))
    return [replace(email, after="previous", delay=Wait(0, "days")), second, *rest[1:]]


def _learnt(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    return learnt_rules.followed(steps, LearntRule(wish.kind, wish.words[0], wish.what))


# What the built-in writer can do only with its English sentences.
ENGLISH_ONLY = frozenset(("casual", "formal", "mention", "question", "minutes", "title"))
_FOLLOW: dict[str, Callable[[list[PlayStep], Wish], list[PlayStep]]] = {
    "shorter": _each(_shorter),
    "casual": _each(lambda step: style.retold(step, style.casual)),
    "formal": _each(lambda step: style.retold(step, style.formal)),
    "avoid": _avoid,
    "mention": _mention,
    "no_links": _linkless,
    "no_reaction": lambda steps, wish: [step for step in steps if step.kind != "reaction"],
    "no_note": _each(lambda step: replace(step, text="") if step.kind == "invite" else step),
    "only_email": _only_email,
    "only_social": _only_social,
    "add_followup": _added,
    "wait_longer": _waits(1.6),
    "wait_less": _waits(0.6),
    "question": _ask,
    "no_exclaim": _each(_calm),
    "signoff": _signed,
    "short_name": _each(
        lambda step: replace(
            step, text=re.sub(r"\{\{sender_name\|([^{}\s]+)[^{}]*\}\}", r"{{sender_first_name|\1}}", step.text)
        )
    ),
    "subject": _subject,
    "swap": _swapped,
    "cut_last": _cut_last,
    "drop_one": lambda steps, wish: [step for step in steps if step is not _one(steps, wish)],
    "only_some": _only_some,
    "wait_for": _wait_for,
    "minutes": _call_of,
    "title": _title,
    "email_first": _email_first,
    **dict.fromkeys(learnt_rules.KINDS, _learnt),
}

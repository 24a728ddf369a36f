"""Parse change requests in plain words, and apply them to steps."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from app.ports.writer import PlayStep, Wait
from app.providers.writer import style
from app.providers.writer.grammar import capital, sentences

_LINK = re.compile(
    r"(?:https?://|www\.)\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|example|co|de|uk|fr|eu|app|dev)\b(?:/\S*)?"
)
_STANDING = re.compile(r"\b(never|always|don'?t ever|from now on|in every|no links?|do not ever)\b", re.IGNORECASE)
_PATTERNS: tuple[tuple[str, str], ...] = (
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
    ("shorter", r"\b(short(?:er)?|briefer|brief|less text|fewer words|cut it|trim|concise|too long)\b"),
    ("casual", r"\b(less formal|more casual|casual|informal|friendlier|friendly|relaxed|warmer|less stiff|loosen)\b"),
    ("formal", r"\b(more formal|formal|politer|more polite|serious|professional|less casual)\b"),
    ("question", r"\b(ask|add|end with|start with)\b.{0,20}\bquestions?\b"),
    ("mention", r"\b(?:always\s+|also\s+|please\s+)*(?:mention|include|add that|say that|talk about|tell them(?: "
                r"that)?)\s+(?P<words>.+)"),
)  # fmt: skip
_VERBS = "never|don'?t|drop|add|make|more|less|no|ask|mention|wait|remove|be"
_BETWEEN = re.compile(rf"[;.!]+|,? and (?=(?:{_VERBS})\b)|, (?=(?:{_VERBS})\b)")
_COMPILED = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)


@dataclass(frozen=True)
class Wish:
    """One thing that was asked for; `standing` when it is meant for good."""

    kind: str
    words: tuple[str, ...] = ()
    standing: bool = False
    said: str = ""


def read(text: str) -> list[Wish]:
    """Return the wishes that a program can follow, in order; unreadable parts have the kind ''."""
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
            words = match.groupdict().get("words") or ""
            listed = _named(words) if kind == "avoid" else (_topic(words),) if words else ()
            if kind in ("avoid", "mention") and not any(listed):
                continue
            return Wish(kind, listed, standing, capital(part.strip()).rstrip(".") + ".")
    return Wish("", (), False, part)


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


def obeyed(steps: Iterable[PlayStep], rules: Sequence[str]) -> list[PlayStep]:
    """Return the steps changed by the standing rules."""
    made = list(steps)
    for rule in rules:
        for wish in read(rule):
            made = followed(made, wish)
    return made


def followed(steps: Sequence[PlayStep], wish: Wish) -> list[PlayStep]:
    """Return the steps after a wish; the same ones when it changes nothing."""
    follow = _FOLLOW.get(wish.kind)
    return follow(list(steps), wish) if follow else list(steps)


def _each(change: Callable[[PlayStep], PlayStep]) -> Callable[[list[PlayStep], Wish], list[PlayStep]]:
    return lambda steps, wish: [change(step) for step in steps]


def _avoid(steps: list[PlayStep], wish: Wish) -> list[PlayStep]:
    return [style.without(step, wish.words) for step in steps]


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


def _linkless(step: PlayStep) -> PlayStep:
    if not _LINK.search(step.text):
        return step
    text = "\n".join(
        " ".join(one for one in sentences(line) if not _LINK.search(one)) for line in step.text.split("\n")
    )
    return replace(step, text=text.strip() or style._LEAST.get(step.kind, ""))


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
    last = written[-1]
    letter = last.kind == "email"
    hello = "Hi {{first_name|there}},"
    asked = "is this the wrong moment? If so, I can write again later." if letter else "is this the wrong moment?"
    farewell = last.text[last.text.rfind("\n\n") :] if letter and "\n\n" in last.text else ""
    text = f"{hello}\n\n{capital(asked)}{farewell}" if letter else f"{hello} {asked}"
    number = max((int(digits) for step in steps if (digits := re.sub(r"\D", "", step.id)[:6])), default=len(steps)) + 1
    more = PlayStep(f"s{number}", last.kind, Wait(5, "days"), "no_reply", text, "Wrong moment?" if letter else "")
    return [*steps, more]


def _question(step: PlayStep) -> PlayStep:
    if step.kind not in ("social", "email") or "?" in step.text or not step.text:
        return step
    blocks = step.text.split("\n\n")
    at = len(blocks) - 2 if step.kind == "email" and len(blocks) > 2 else len(blocks) - 1
    blocks[at] += " What do you think?"
    return replace(step, text="\n\n".join(blocks))


_FOLLOW: dict[str, Callable[[list[PlayStep], Wish], list[PlayStep]]] = {
    "shorter": _each(_shorter),
    "casual": _each(lambda step: style.retold(step, style.casual)),
    "formal": _each(lambda step: style.retold(step, style.formal)),
    "avoid": _avoid,
    "mention": _mention,
    "no_links": _each(_linkless),
    "no_reaction": lambda steps, wish: [step for step in steps if step.kind != "reaction"],
    "no_note": _each(lambda step: replace(step, text="") if step.kind == "invite" else step),
    "only_email": _only_email,
    "only_social": _only_social,
    "add_followup": _added,
    "wait_longer": _waits(1.6),
    "wait_less": _waits(0.6),
    "question": _each(_question),
}

"""The steps of a play: few, short, and each with one question."""

from collections.abc import Sequence

from app.ports.writing import Brief, PlayStep, Wait
from app.providers.writer import style, wishes
from app.providers.writer.english import capital
from app.providers.writer.taxonomy import GENERIC
from app.providers.writer.voice import COMPANY, FIRST, Voice, voice

LONGEST_NOTE, LONGEST_SUBJECT = 200, 60
OPENING, ROUND = "{{custom.opening|a new colleague}}", "{{custom.round|funding round}}"
TECHNOLOGY, NEWS = "{{custom.technology|several tools}}", "{{custom.news|in the news}}"
TYPICAL = {
    FIRST: "Alexandra",
    COMPANY: "Northwind Logistics",
    OPENING: "Customer Success Manager",
    ROUND: "funding round",
    TECHNOLOGY: "Google Workspace",
    NEWS: "launching a new product line",
}
_REASONS = {
    "cold": (
        f"Your role at {COMPANY} is why I got in touch.",
        f"I got in touch because of what you do at {COMPANY}.",
    ),
    "new_role": (
        "A new role is a good moment to look at {topic} with fresh eyes.",
        "The first months in a role are a good time to look at {topic} again.",
    ),
    "hiring": (
        "When a team grows, it is often time to look at {topic} again.",
        "New people in the team are often a reason to look at {topic} again.",
    ),
    "funded": (
        "After a funding round, it is often time to look at {topic} again.",
        "New funding often means new plans, and {topic} may be part of them.",
    ),
    "technology": (
        f"I got in touch because {COMPANY} works with {TECHNOLOGY}.",
        f"That {COMPANY} works with {TECHNOLOGY} is why I got in touch.",
    ),
    "news": (
        f"I got in touch because I read about {COMPANY} {NEWS}.",
        f"I read about {COMPANY} {NEWS}, and that is why I got in touch.",
    ),
    "site_visitors": (
        "I have the impression that {topic} may be on your mind at the moment.",
        "Perhaps you are looking into {topic} at the moment.",
    ),
    "former_customers": (
        f"{COMPANY} has worked with us before, so I will keep it short.",
        f"I remember that {COMPANY} used to work with us.",
    ),
}
_HELLOS = {
    "new_role": "congratulations on your new role at " + COMPANY,
    "hiring": f"I saw an open position at {COMPANY}: {OPENING}",
    "funded": f"congratulations on the {ROUND} at {COMPANY}",
    "technology": f"I saw that {COMPANY} works with {TECHNOLOGY}",
    "news": f"I read about {COMPANY} {NEWS}",
    "former_customers": f"{COMPANY} has worked with {{us}} before, and I'd like to stay in touch",
}


def steps(brief: Brief, angle: str) -> Sequence[PlayStep]:
    """The sequence for the channel, in the style and within the rules of the brief."""
    spoken = voice(brief, angle)
    plan: list[tuple[str, Wait, str, str, str]] = [
        ("reaction", Wait(0, "days"), "previous", "", ""),
        ("invite", Wait(1, "days"), "previous", note(spoken, angle), ""),
        ("social", Wait(1, "days"), "accept", _first(spoken, angle), ""),
        ("social", Wait(4, "days"), "no_reply", _second(spoken, angle), ""),
    ]
    if brief.channel == "social_email":
        plan.append(("email", Wait(3, "days"), "no_reply", _letter(brief, spoken, angle), _subject(spoken)))
        plan.append(("email", Wait(6, "days"), "no_reply", _last_letter(brief, spoken), _last_subject(spoken)))
    else:
        plan.append(("social", Wait(7, "days"), "no_reply", _last_message(spoken), ""))
    made = [
        PlayStep(f"s{number}", kind, delay, after, text, subject, "like" if kind == "reaction" else "")
        for number, (kind, delay, after, text, subject) in enumerate(plan, 1)
    ]
    return wishes.obeyed(style.applied(made, style.read(brief.style)), brief.rules)


def typical(text: str) -> str:
    """A text as somebody with an ordinary name gets it."""
    for variable, value in TYPICAL.items():
        text = text.replace(variable, value)
    return text


def note(spoken: Voice, angle: str) -> str:
    """The words that go with an invitation: the fullest ones that fit."""
    hello = _HELLOS.get(angle, "").replace("{us}", spoken.us)
    opening = f"Hi {FIRST}, {hello}." if hello else f"Hi {FIRST},"
    wish = spoken.one_of("I'd like to connect.", "It would be good to connect.", "Shall we connect?")
    about = spoken.one_of(
        f"I'd like to connect with people who look after {spoken.topic}.",
        f"I'm always glad to meet people who look after {spoken.topic}.",
    )
    known = spoken.topic != GENERIC.topic
    offer = f"we offer {spoken.offer}." if spoken.offer else wish
    candidates = [
        f"{opening} {_after(opening, spoken.who)} {about if known and not hello else wish}",
        f"{opening} {_after(opening, spoken.who)} {wish}",
        f"{opening} {_after(opening, offer)} {wish}",
        f"{opening} {_after(opening, f'I work for {spoken.name}.' if spoken.name else wish)} {wish}",
        f"{opening} {_after(opening, wish)}",
        f"Hi {FIRST}, I'd like to connect.",
    ]
    if angle == "former_customers":
        candidates = [opening, candidates[-1]]
    fitting = (text for text in candidates if len(typical(text)) <= LONGEST_NOTE and text.count(wish) < 2)
    return next(fitting, candidates[-1])


def _after(opening: str, sentence: str) -> str:
    """A sentence after a greeting that ends with a comma goes on with a small letter, except for I."""
    if opening.endswith(",") and not sentence.startswith(("I'm", "I ", "I'd")):
        return sentence[:1].lower() + sentence[1:]
    return capital(sentence) if opening.endswith(".") else sentence


def _reason(spoken: Voice, angle: str, again: bool = False) -> str:
    """Why we write; in other words when it is said `again`."""
    first, second = _REASONS.get(angle, _REASONS["cold"])
    chosen = spoken.one_of(first, second)
    if again:
        chosen = second if chosen == first else first
    return capital(chosen.replace("{topic}", spoken.topic))


def _question(spoken: Voice, turn: int) -> str:
    if spoken.topic == GENERIC.topic:
        return (f"Could that be of interest at {COMPANY}?", "May I tell you in two sentences what we do?")[not turn]
    pain = spoken.pains[turn % len(spoken.pains)]
    familiar = f"Does {pain} sound familiar to you?"
    if turn:
        return spoken.one_of(f"Is {pain} an issue at {COMPANY}?", familiar)
    return spoken.one_of(
        f"Who looks after {spoken.topic} at {COMPANY}: you, or somebody else?",
        f"How happy are you with {spoken.topic} at {COMPANY}?",
        familiar,
    )


def _first(spoken: Voice, angle: str) -> str:
    thanks = spoken.one_of(f"Thanks for connecting, {FIRST}.", f"Hi {FIRST}, thanks for connecting.")
    return f"{thanks} {_reason(spoken, angle)}\n---\n{_question(spoken, 0)}"


def _second(spoken: Voice, angle: str) -> str:
    ways = [
        f"{FIRST}, if {spoken.outcome} is on your list, we may be able to help. {spoken.ask}",
        f"Hi {FIRST}, one more thought: if {spoken.outcome} is on your list, it may be worth a look. {spoken.ask}",
    ]
    if spoken.offer and angle != "former_customers":
        ways.append(f"Hi {FIRST}, in short: {spoken.what} {spoken.ask}")
    return spoken.one_of(*ways)


def _last_message(spoken: Voice) -> str:
    return spoken.one_of(
        f"Hi {FIRST}, I'll leave it here. If {spoken.outcome} comes up at {COMPANY}, a short message is enough.",
        f"{FIRST}, this is my last message. If {spoken.outcome} comes up at {COMPANY}, just write back.",
    )


def _letter(brief: Brief, spoken: Voice, angle: str) -> str:
    lines = [
        f"Hi {FIRST},",
        f"{spoken.who} {_reason(spoken, angle, again=True)}",
        " ".join(part for part in (spoken.quote if spoken.quote not in spoken.who else "", spoken.proof) if part),
        f"{_question(spoken, 1)} {spoken.ask}",
        _farewell(brief),
    ]
    return "\n\n".join(line for line in lines if line)


def _last_letter(brief: Brief, spoken: Voice) -> str:
    lines = [
        f"Hi {FIRST},",
        spoken.one_of(
            f"I don't want to fill your inbox, so this is my last e-mail. If {spoken.outcome} comes up at {COMPANY}, "
            "a short reply is enough.",
            f"This is my last e-mail on this. If {spoken.outcome} comes up at {COMPANY}, just reply to this e-mail.",
        ),
        "If somebody else looks after this, a name would help me.",
        _farewell(brief),
    ]
    return "\n\n".join(lines)


def _farewell(brief: Brief) -> str:
    fallback = brief.sender_name or brief.profile.name or "Your contact"
    return f"Best regards,\n{{{{sender_name|{fallback}}}}}"


def _subject(spoken: Voice) -> str:
    if spoken.topic == GENERIC.topic:
        return "A short question"
    return spoken.one_of(f"{capital(spoken.topic)} at {COMPANY}", f"A question about {spoken.topic}")


def _last_subject(spoken: Voice) -> str:
    return spoken.one_of("Shall I close this?", "One last question", f"The right person at {COMPANY}?")

"""Write a play's sequence: few short messages, each with one question."""

from collections.abc import Sequence

from app.ports.writer import Brief, PlayStep, Wait
from app.providers.writer import change_requests, style
from app.providers.writer.grammar import capital
from app.providers.writer.taxonomy import GENERIC
from app.providers.writer.voice import COMPANY, FIRST, Voice, in_the_middle, voice

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
# Why we write: once on the network, once by email, so that no person reads a sentence twice. No sentence begins
# with a variable, because the fallback for an unknown name or company has a small first letter.
_REASONS = {
    "cold": (
        f"Your role at {COMPANY} is why I got in touch.",
        f"I thought that {{topic}} might be part of your work at {COMPANY}.",
    ),
    "new_role": (
        "A new role is a good moment to look at {topic} with fresh eyes.",
        f"As your role at {COMPANY} is new, {{topic}} may be one of many things on your desk.",
    ),
    "hiring": (
        "When a team grows, it is often time to look at {topic} again.",
        "With new colleagues often come new questions, and some may be about {topic}.",
    ),
    "funded": (
        "After a funding round, it is often time to look at {topic} again.",
        "New funding often means new plans, and {topic} may be part of them.",
    ),
    "technology": (
        f"Since you work with {TECHNOLOGY}, {{topic}} may be close to your daily work.",
        f"I got in touch because {COMPANY} works with {TECHNOLOGY}.",
    ),
    "news": (
        "News like that usually means a full desk, so I will keep it short.",
        f"I got in touch because I read about {COMPANY} {NEWS}.",
    ),
    "site_visitors": (
        "Perhaps you are taking a fresh look at {topic} at the moment.",
        "It may be a good moment to talk about {topic}.",
    ),
    "former_customers": (
        f"As {COMPANY} knows us already, I will keep it short.",
        f"Some time has passed since {COMPANY} worked with us, so I wanted to ask how things stand.",
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
    """Return the sequence for the channel, in the style and within the rules of the brief."""
    spoken = voice(brief, angle)
    invitation = note(spoken, angle)
    plan: list[tuple[str, Wait, str, str, str]] = [
        ("reaction", Wait(0, "days"), "previous", "", ""),
        ("invite", Wait(1, "days"), "previous", invitation, ""),
        ("social", Wait(1, "days"), "accept", _first(spoken, angle), ""),
        ("social", Wait(4, "days"), "no_reply", _second(spoken, angle, invitation), ""),
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
    return change_requests.obeyed(style.applied(made, style.read(brief.style)), brief.rules)


def typical(text: str) -> str:
    """Return a text as a person with an ordinary name gets it."""
    for variable, value in TYPICAL.items():
        text = text.replace(variable, value)
    return text


def note(spoken: Voice, angle: str) -> str:
    """Return the longest note that fits into an invitation."""
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
    """Start a sentence with a small letter after a greeting that ends with a comma."""
    return in_the_middle(sentence) if opening.endswith(",") else capital(sentence)


def _reason(spoken: Voice, angle: str, way: int) -> str:
    """Return why we write: on the network (0) or by email (1)."""
    if angle not in _REASONS:
        angle = "cold"
    if angle == "cold" and way and spoken.topic == GENERIC.topic:
        return f"I got in touch because of what you do at {COMPANY}."
    return _REASONS[angle][way].replace("{topic}", spoken.topic)


def _question(spoken: Voice) -> str:
    if spoken.topic == GENERIC.topic and not (spoken.activity or spoken.offer):
        return "May I tell you in two sentences what we do?"
    if spoken.topic == GENERIC.topic:
        return f"Who at {COMPANY} is the right person for this: you, or somebody else?"
    return spoken.one_of(
        f"Who looks after {spoken.topic} at {COMPANY}: you, or somebody else?",
        f"How happy are you with {spoken.topic} at {COMPANY}?",
        f"Does {spoken.pains[0]} sound familiar to you?",
    )


def _first(spoken: Voice, angle: str) -> str:
    return f"Hi {FIRST}, thanks for connecting. {_reason(spoken, angle, 0)}\n---\n{_question(spoken)}"


def _second(spoken: Voice, angle: str, invitation: str) -> str:
    ask = spoken.asks[0]
    if spoken.offer and spoken.offer not in invitation and angle != "former_customers":
        return f"Hi {FIRST}, in short: {spoken.name or 'our business'} offers {spoken.offer}. {ask}"
    if spoken.topic == GENERIC.topic:
        return f"Hi {FIRST}, if this could be of use at {COMPANY}, I'd be glad to tell you more. {ask}"
    return spoken.one_of(
        f"Hi {FIRST}, if {spoken.outcome} is on your list, we may be able to help. {ask}",
        f"Hi {FIRST}, one more thought: if {spoken.outcome} matters at {COMPANY}, we may have something for you. {ask}",
    )


def _last_message(spoken: Voice) -> str:
    return spoken.one_of(
        f"Hi {FIRST}, I'll leave it here. If {spoken.outcome} comes up at {COMPANY}, a short message is enough.",
        f"Hi {FIRST}, this is my last message. If {spoken.outcome} comes up at {COMPANY}, just write back.",
    )


def _letter(brief: Brief, spoken: Voice, angle: str) -> str:
    known = angle == "former_customers"
    about = "" if known else spoken.letterhead
    lines = [
        f"Hi {FIRST},",
        f"{about} {_reason(spoken, angle, 1)}".strip(),
        " ".join(part for part in (spoken.quote, "" if known else spoken.proof) if part),
        _closing(spoken),
        _farewell(brief),
    ]
    return "\n\n".join(line for line in lines if line)


def _closing(spoken: Voice) -> str:
    """Return a possible problem of theirs, worded as unknown to us, and one question."""
    if spoken.topic == GENERIC.topic:
        told = spoken.quote or spoken.activity or spoken.offer
        return spoken.asks[1] if told else f"What we do fits into two sentences. {spoken.asks[1]}"
    pain = spoken.pains[1 % len(spoken.pains)]
    unknown = spoken.one_of(
        f"I don't know whether {pain} is an issue at {COMPANY}.", f"Perhaps {pain} is no issue at {COMPANY}."
    )
    return f"{unknown} If it is, {in_the_middle(spoken.asks[1])}"


def _last_letter(brief: Brief, spoken: Voice) -> str:
    lines = [
        f"Hi {FIRST},",
        spoken.one_of(
            f"I don't want to fill your inbox, so this is my last email. If {spoken.outcome} comes up at {COMPANY}, "
            "a short reply is enough.",
            f"This is my last email on this. If {spoken.outcome} comes up at {COMPANY}, just reply to this email.",
        ),
        f"Or is there someone else at {COMPANY} I should ask?",
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
    return spoken.one_of("My last email on this", f"The right person at {COMPANY}?")

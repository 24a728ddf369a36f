"""Answers of the built-in writer: thanks and a next step, in the language of what they wrote, and no claim at all.

It accepts a time that they offer. It cannot answer a question, so nothing is suggested then.
"""

import re

from app.core import languages
from app.ports.writer import Asked, Sentence, SuggestedReply
from app.providers.writer.grammar import sentences
from app.providers.writer.sequences import LANGUAGES, Texts, raised, texts

FIRST = "{{first_name|there}}"
LINK = "{{meeting_link}}"
_THEIRS = (1,)  # the fact that they wrote, which comes first
_UNREAD = re.compile(r"\?|://|\d(?!\d*[\s-]?min)", re.IGNORECASE)  # a question, their calendar, or a date or time
NO_TONGUE = "The built-in writer does not write in this language."
NO_ANSWER = "The built-in writer can't answer this. Write it yourself, or set up a model."


def suggested(asked: Asked) -> SuggestedReply:
    """Return thanks and the next step for a yes or a no; nothing for all else."""
    language = languages.detected(asked.text) or "en"
    if language not in LANGUAGES:
        return SuggestedReply(note=NO_TONGUE)
    known = texts(language)["reply"]
    when = _offered(asked.text, known["times"]) if asked.sentiment == "positive" else ""
    if asked.sentiment not in ("positive", "negative") or when is None:
        return SuggestedReply(note=NO_ANSWER)
    names = ["thanks", "accepted" if when else "with_link" if asked.meeting_link else "without_link"]
    names = names if asked.sentiment == "positive" else ["farewell"]
    filled = {"{first}": FIRST, "{link}": LINK, "{when}": when}
    said = (re.sub(r"\{\w+\}", lambda slot: filled[slot[0]], known[name]) for name in names)
    return SuggestedReply([Sentence(raised(one), _THEIRS) for one in said])


def _offered(text: str, times: Texts) -> str | None:
    """Return the first time that they offer, '' where they name none; None for a question or a time that is unsure."""
    either = {name: "|".join(map(re.escape, words.split(", "))) for name, words in times.items()}
    hour = rf",? (?:{either['at']}) ?\d{{1,2}}(?:[:.h]\d\d)?(?: ?(?:{either['clock']}))?"
    time = rf"(?<!guten )(?<!goede )\b(?:{either['days']})(?:,? ?(?:{either['parts']}))?(?:{hour})?(?!\w)"
    found = ""
    for said in sentences(text.replace("’", "'")):
        named = re.search(time, said, re.IGNORECASE)
        offers, unsure = (re.search(rf"\b(?:{either[name]})(?!\w)", said, re.I) for name in ("offers", "unsure"))
        if named and not unsure and (offers or said.endswith("?")):
            found = found or named[0]
        elif named or _UNREAD.search(said):
            return None
    return found

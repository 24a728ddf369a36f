"""Answers of the built-in writer: thanks and a next step, in the language of what they wrote, and no claim at all.

It cannot answer a question, so it says so: nothing is suggested but to talk.
"""

from app.core import languages
from app.ports.writer import Asked, Sentence, SuggestedReply
from app.providers.writer.sequences import LANGUAGES, texts

FIRST = "{{first_name|there}}"
LINK = "{{meeting_link}}"
_THEIRS = (1,)  # the fact that they wrote, which comes first
NO_TONGUE = "The built-in writer does not write in this language."
NO_ANSWER = "The built-in writer can't answer this. Write it yourself, or set up a model."


def suggested(asked: Asked) -> SuggestedReply:
    """Return thanks and the next step for a yes or a no; nothing for all else."""
    language = languages.detected(asked.text) or "en"
    if language not in LANGUAGES:
        return SuggestedReply(note=NO_TONGUE)
    if asked.sentiment not in ("positive", "negative"):
        return SuggestedReply(note=NO_ANSWER)
    names = ["farewell"]
    if asked.sentiment == "positive":
        names = ["thanks", "with_link" if asked.meeting_link else "question" if "?" in asked.text else "without_link"]
    said = (texts(language)["reply"][name].replace("{first}", FIRST).replace("{link}", LINK) for name in names)
    return SuggestedReply([Sentence(one, _THEIRS) for one in said])

"""Answers of the built-in writer: thanks and a next step, in the language of what they wrote, and no claim at all.

It cannot answer a question, so it says so: nothing is suggested but to talk.
"""

from app.core import languages
from app.ports.writer import Asked, Sentence, SuggestedReply

FIRST = "{{first_name|there}}"
LINK = "{{meeting_link}}"
_THEIRS = (1,)  # the fact that they wrote, which comes first
# thanks, an offer to talk with a link and without one, a question to be answered by talking, and thanks for a no
TEXTS: dict[str, tuple[str, str, str, str, str]] = {
    "en": (
        "Thank you, {first}.",
        "Which time at {link} suits you?",
        "Which day suits you for a short call?",
        "Shall we talk about your question on a short call?",
        "Thank you for telling me, {first}.",
    ),
    "de": (
        "Vielen Dank, {first}.",
        "Welcher Termin unter {link} passt Ihnen?",
        "Welcher Tag passt Ihnen für ein kurzes Gespräch?",
        "Wollen wir Ihre Frage in einem kurzen Gespräch klären?",
        "Danke für die Rückmeldung, {first}.",
    ),
    "fr": (
        "Merci, {first}.",
        "Quel moment sur {link} vous convient ?",
        "Quel jour vous convient pour un court échange ?",
        "Voulez-vous que nous parlions de votre question lors d’un court échange ?",
        "Merci pour la réponse, {first}.",
    ),
    "es": (
        "Gracias, {first}.",
        "¿Qué momento en {link} le viene bien?",
        "¿Qué día le viene bien para una llamada corta?",
        "¿Le parece que hablemos de su pregunta en una llamada corta?",
        "Gracias por la respuesta, {first}.",
    ),
    "it": (
        "Grazie, {first}.",
        "Quale orario su {link} preferisce?",
        "Quale giorno va bene per una breve chiamata?",
        "Vuole che parliamo della sua domanda in una breve chiamata?",
        "Grazie per la risposta, {first}.",
    ),
    "nl": (
        "Bedankt, {first}.",
        "Welk moment op {link} past u?",
        "Welke dag past u voor een kort gesprek?",
        "Zullen we uw vraag in een kort gesprek bespreken?",
        "Bedankt voor het antwoord, {first}.",
    ),
    "pt": (
        "Obrigado, {first}.",
        "Qual horário em {link} lhe convém?",
        "Que dia lhe convém para uma conversa breve?",
        "Quer que falemos da sua pergunta numa conversa breve?",
        "Obrigado pela resposta, {first}.",
    ),
}
NO_TONGUE = "The built-in writer does not write in this language."
NO_ANSWER = "The built-in writer can't answer this. Write it yourself, or set up a model."


def suggested(asked: Asked) -> SuggestedReply:
    """Return thanks and the next step for a yes or a no; nothing for all else."""
    tongue = TEXTS.get(languages.detected(asked.text) or "en")
    if tongue is None:
        return SuggestedReply(note=NO_TONGUE)
    thanks, with_link, without, question, farewell = (
        one.replace("{first}", FIRST).replace("{link}", LINK) for one in tongue
    )
    if asked.sentiment == "negative":
        return SuggestedReply([Sentence(farewell, _THEIRS)])
    if asked.sentiment != "positive":
        return SuggestedReply(note=NO_ANSWER)
    offer = with_link if asked.meeting_link else question if "?" in asked.text else without
    return SuggestedReply([Sentence(one, _THEIRS) for one in (thanks, offer)])

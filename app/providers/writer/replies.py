"""Answers of the built-in writer: thanks and a next step, in the language of what they wrote, and no claim at all.

It cannot answer a question, so it says so: nothing is suggested but to talk.
"""

from app.core import languages
from app.ports.writer import Asked, Sentence, SuggestedReply

FIRST = "{{first_name|there}}"
LINK = "{{meeting_link}}"
_THEIRS = (1,)  # the fact that they wrote, which comes first
# thanks, an offer to talk with a link and without one, a question to be answered by talking, and good wishes
TEXTS: dict[str, tuple[str, str, str, str, str]] = {
    "en": (
        "Thank you, {first}.",
        "Here you can pick a time that suits you: {link}",
        "Which day suits you for a short call?",
        "Shall we talk about your question on a short call?",
        "Thank you for telling me, {first}. All the best to you.",
    ),
    "de": (
        "Vielen Dank, {first}.",
        "Hier finden Sie einen Termin, der Ihnen passt: {link}",
        "Welcher Tag passt Ihnen für ein kurzes Gespräch?",
        "Wollen wir Ihre Frage in einem kurzen Gespräch klären?",
        "Danke für die Rückmeldung, {first}. Alles Gute für Sie.",
    ),
    "fr": (
        "Merci, {first}.",
        "Vous pouvez choisir ici le moment qui vous convient : {link}",
        "Quel jour vous convient pour un court échange ?",
        "Voulez-vous que nous parlions de votre question lors d’un court échange ?",
        "Merci de votre réponse, {first}. Bonne continuation.",
    ),
    "es": (
        "Gracias, {first}.",
        "Aquí puede elegir el momento que le convenga: {link}",
        "¿Qué día le viene bien para una llamada corta?",
        "¿Le parece que hablemos de su pregunta en una llamada corta?",
        "Gracias por su respuesta, {first}. Le deseo lo mejor.",
    ),
    "it": (
        "Grazie, {first}.",
        "Qui può scegliere il momento che preferisce: {link}",
        "Quale giorno va bene per una breve chiamata?",
        "Vuole che parliamo della sua domanda in una breve chiamata?",
        "Grazie per la risposta, {first}. Le auguro il meglio.",
    ),
    "nl": (
        "Dank u wel, {first}.",
        "Hier kunt u een moment kiezen dat u past: {link}",
        "Welke dag past u voor een kort gesprek?",
        "Zullen we uw vraag in een kort gesprek bespreken?",
        "Dank u voor uw antwoord, {first}. Het beste gewenst.",
    ),
    "pt": (
        "Obrigado, {first}.",
        "Aqui pode escolher o horário que lhe convém: {link}",
        "Que dia lhe convém para uma conversa breve?",
        "Quer que falemos da sua pergunta numa conversa breve?",
        "Obrigado pela resposta, {first}. Desejo-lhe tudo de bom.",
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
    offer = [with_link] if asked.meeting_link else [] if "?" in asked.text else [without]
    several = [thanks, *([question] if "?" in asked.text else []), *offer]
    return SuggestedReply([Sentence(one, _THEIRS) for one in several])

"""Suggested replies of the built-in writer: an offered time is accepted, and a question gets no suggestion."""

import pytest

from app.ports.writer import Asked
from app.providers.writer import replies


def answer(text: str) -> str:
    """What is suggested to a friendly message."""
    return replies.suggested(Asked(text, "positive")).text


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("Absolutely, I am keen to learn more. Shall we say Monday at 10?", "Monday at 10 works for me."),
        ("Happy to chat. I’m free on Friday after 2:30 pm.", "Friday after 2:30 pm works for me."),
        ("I'd love to see a demo, ideally with my team. Wednesday afternoon?", "Wednesday afternoon works for me."),
        ("Klingt gut, passt es Ihnen am Montag um 10 Uhr?", "Montag um 10 Uhr passt mir gut."),
        ("Avec plaisir, disons jeudi à 14h30 pour un appel ?", "Jeudi à 14h30 me convient."),
        ("Me interesa. ¿Hablamos el martes por la tarde sobre esto?", "El martes por la tarde me viene bien."),
        ("Volentieri, sentiamoci giovedì alle 15 per una chiamata.", "Giovedì alle 15 va bene per me."),
        ("Graag! Heeft u dinsdagmiddag om 14.30 uur tijd?", "Dinsdagmiddag om 14.30 uur komt mij goed uit."),
        ("Com muito gosto, podemos falar na quinta-feira às 10h?", "Por mim, quinta-feira às 10h está bem."),
    ],
)
def test_a_time_that_they_offer_is_accepted_in_their_language(text: str, accepted: str) -> None:
    assert answer(text).endswith(accepted)
    assert "{when}" not in answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "Interested! What would a first conversation look like?",
        "Sounds great. What does it cost, and does Monday work?",
        "Great, but I'm away until Monday. Let's talk then.",
        "Sounds good, let's talk on 3 December.",
        "Sure, let's talk. Here is my calendar: https://calendar.example/lena. Pick any slot.",
        "Ich bin bis Montag nicht im Büro, dann gerne ein Gespräch.",
        "Interesse! Wie viel kostet das für unsere Schule?",
        "C'est intéressant. Quel est votre tarif pour une école ?",
    ],
)
def test_a_question_or_an_unsure_time_gets_no_suggestion(text: str) -> None:
    assert answer(text) == ""
    assert replies.suggested(Asked(text, "positive")).note == replies.NO_ANSWER


def test_a_plain_yes_is_asked_for_a_day() -> None:
    assert answer("Count me in for a short call, 20 minutes is fine.").endswith("Which day suits you for a short call?")
    assert "Welcher Tag" in answer("Guten Morgen, das klingt sehr interessant, gern mehr dazu.")

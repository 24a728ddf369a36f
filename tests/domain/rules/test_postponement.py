"""Postponements: which replies say "not now", and the day to come back."""

from datetime import UTC, date, datetime, timedelta

from app.domain.rules import postponement

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def test_a_day_or_a_period_that_is_named_is_when_to_come_back() -> None:
    for text, until in [
        ("Not now, ask me again in May.", date(2026, 5, 1)),
        ("We are busy with a launch. Please reach out again in two weeks.", date(2026, 3, 16)),
        ("Timing is bad for us, could you get back to me next quarter?", date(2026, 4, 1)),
        ("Maybe after the summer.", date(2026, 9, 1)),
        ("Our budget is frozen. Try us in Q3.", date(2026, 7, 1)),
        ("Nothing will be bought here until 2027.", date(2027, 1, 1)),
        ("Please follow up with me at the end of June.", date(2026, 6, 25)),
        ("Let's talk in September.", date(2026, 9, 1)),
        ("Im Moment leider nicht. Melden Sie sich gern nächsten Monat wieder.", date(2026, 4, 1)),
        ("Ce n'est pas le bon moment, recontactez-moi à la rentrée.", date(2026, 9, 1)),
        ("Ahora no es buen momento, escríbeme en septiembre.", date(2026, 9, 1)),
        ("Al momento non ci serve. Ci risentiamo a maggio.", date(2026, 5, 1)),
        ("Op dit moment niet, neem volgend jaar weer contact op.", date(2027, 1, 1)),
        ("Agora não, me procure em junho.", date(2026, 6, 1)),
        ("Na razie nie, proszę o kontakt w maju.", date(2026, 5, 1)),
        ("Inte just nu, återkom efter sommaren.", date(2026, 9, 1)),
        ("Ikke lige nu, men skriv til mig igen i august.", date(2026, 8, 1)),
    ]:
        found = postponement.read(text, NOW)
        assert found is not None, text
        assert (found.until, found.named) == (until, True), text
        assert found.said in " ".join(text.split()), text


def test_without_a_day_it_is_in_a_quarter() -> None:
    for text in ["Not right now, sorry.", "The timing isn't right for us.", "Pas maintenant, merci."]:
        found = postponement.read(text, NOW)
        assert found is not None, text
        assert (found.until, found.named) == (NOW.date() + timedelta(days=90), False), text


def test_a_yes_a_refusal_an_absence_and_our_own_words_are_none() -> None:
    for text in [
        "Sounds good, let's talk next week.", "I can't do Monday, Tuesday at 2pm works.", "Not interested, thank you.",
        "We already have a supplier and are happy with them.", "Do not contact me again.",
        "I am out of the office until 16 March.", "I may have a look.", "Talk to you soon.",
        "Yes, gladly.\n\nOn Mon, 2 Mar 2026 Ines Duarte wrote:\n> Not the right time? Tell me when to write again.",
    ]:  # fmt: skip
        assert postponement.read(text, NOW) is None, text


def test_the_day_that_is_told_next_to_the_request_counts() -> None:
    found = postponement.read("We are closing the budget 2026. Write to me in June and we will see.", NOW)
    assert found is not None
    assert found.until == date(2026, 6, 1)

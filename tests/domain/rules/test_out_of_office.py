"""Out-of-office notes: what is one, and the day on which it says that they are back."""

from datetime import UTC, date, datetime, timedelta

from app.domain.rules import out_of_office
from app.providers.sandbox import texts

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def test_an_absence_ends_on_the_date_it_names_or_in_two_weeks() -> None:
    for text, back in [
        ("I am out of office until 16 March.", date(2026, 3, 16)),
        ("Out of the office, back on March 9th, 2026", date(2026, 3, 9)),
        ("I'm on vacation until 2026-04-01, ask Bob.", date(2026, 4, 1)),
        ("OOO from 3 March to 12 March", date(2026, 3, 13)),
        ("On leave until 5 January", date(2026, 3, 16)),
        ("I am away for two weeks", date(2026, 3, 16)),
        ("Automatic reply: I am travelling, back on Thursday", date(2026, 3, 5)),
        ("I'm out of office with limited access to email.", date(2026, 3, 16)),
        ("Thank you. I have limited access to my inbox until 16 March.", date(2026, 3, 16)),
        ("Bin abwesend bis 20.03.2026", date(2026, 3, 20)),
        ("Ich bin bis einschließlich 20. März nicht im Büro.", date(2026, 3, 21)),
        ("Ich bin im Urlaub und ab Montag wieder da.", date(2026, 3, 9)),
        ("Je suis absente du bureau jusqu'au 16 mars inclus.", date(2026, 3, 17)),
        ("Je suis en congés, de retour le 1er avril 2026.", date(2026, 4, 1)),
        ("Estoy fuera de la oficina hasta el 16 de marzo de 2026.", date(2026, 3, 16)),
        ("Sono fuori ufficio fino al 16 marzo.", date(2026, 3, 16)),
        ("Ik ben afwezig tot 16 maart.", date(2026, 3, 16)),
        ("Estou de férias até 16/03/2026.", date(2026, 3, 16)),
        ("I am on annual leave from 03/05/2026 to 03/16/2026.", date(2026, 3, 17)),
        ("Bin für zwei Wochen nicht im Haus.", date(2026, 3, 16)),
        ("Jestem na urlopie do 16 marca.", date(2026, 3, 16)),
        ("Jag är på semester till och med 15 mars.", date(2026, 3, 16)),
        ("Jeg er på ferie og tilbage 16. marts.", date(2026, 3, 16)),
        ("I am on maternity leave until January 2027.", date(2027, 1, 1)),
        ("Out of office. Is it urgent? Call Bo. I am back on 16th of March.", date(2026, 3, 16)),
    ]:
        assert out_of_office.is_one(text), text
        assert out_of_office.back(text, NOW).date() == back, text


def test_a_person_who_mentions_a_holiday_has_written_themselves() -> None:
    for text in [
        "Thank you, that sounds good. I am on holiday until 16 March, let's talk then.",
        "I was out of office last week. Your proposal is interesting.", "I'm on vacation. Can you send me a price?",
        "We rent out of office space in Berlin.", "Bin im Urlaub, melden Sie sich danach.", "I like holidays.",
    ]:  # fmt: skip
        assert not out_of_office.is_one(text), text


def test_a_note_may_ask_whether_it_is_urgent_but_nothing_else() -> None:
    assert out_of_office.is_one("I am out of office. Urgent? Call Bo.")
    assert not out_of_office.is_one("I am out of office. What does it cost?")


def test_of_several_dates_the_latest_counts() -> None:
    assert out_of_office.back("OOO from 3 March to 12 March, written 1 March", NOW).date() == date(2026, 3, 13)


def test_a_date_without_a_year_is_the_next_one() -> None:
    december = datetime(2026, 12, 20, 10, tzinfo=UTC)
    assert out_of_office.back("Back on 7 January", december).date() == date(2027, 1, 7)


def test_dates_that_are_none_are_past_or_are_far_away_are_not_believed() -> None:
    for text in ["Out until 31 February 2026 or 1 January 2031", "Back on 1 March", "Out of office."]:
        assert out_of_office.back(text, NOW) == NOW + timedelta(days=14), text


def test_a_span_and_a_weekday_count_from_the_day_of_the_note() -> None:
    for text, day in [("for 3 days", 5), ("for a week", 9), ("until next Monday", 9)]:
        assert out_of_office.back(f"I am away {text}", NOW).date() == date(2026, 3, day), text


def test_a_note_says_it_at_its_beginning() -> None:
    """What stands far below is a mail that is quoted."""
    assert not out_of_office.is_one("a " * out_of_office.READ + "I am out of office.")


def test_every_note_of_absence_of_the_sandbox_is_one() -> None:
    for text in texts.AWAY:
        assert out_of_office.is_one(text.format(day="16 March", sender="Ines", me="Ada", colleague="Bo")), text

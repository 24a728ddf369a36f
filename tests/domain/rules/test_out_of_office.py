"""Out-of-office notes: what is one, and the day on which it says that they are back."""

from datetime import UTC, date, datetime, timedelta

from app.domain.rules import out_of_office
from app.providers.sandbox import texts
from tests.domain.rules.letters import texts_of

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def test_an_absence_ends_on_the_date_it_names_or_in_two_weeks() -> None:
    """A note may ask whether it is urgent but nothing else; who only mentions a holiday has written themselves."""
    known = texts_of("out_of_office")
    for text, back in known["notes"]:
        assert out_of_office.is_one(text), text
        assert out_of_office.back(text, NOW).date() == back, text
    assert [text for text in known["no_notes"] if out_of_office.is_one(text)] == []
    assert out_of_office.is_one("I am out of office. Urgent? Call Bo.")


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

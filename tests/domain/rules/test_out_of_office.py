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


def test_which_of_several_dates_counts_and_which_are_not_believed() -> None:
    """The latest; the next one without a year; none that is past or far away. Spans count from the day of the note."""
    assert out_of_office.back("OOO from 3 March to 12 March, written 1 March", NOW).date() == date(2026, 3, 13)
    december = datetime(2026, 12, 20, 10, tzinfo=UTC)
    assert out_of_office.back("Back on 7 January", december).date() == date(2027, 1, 7)
    for text in ["Out until 31 February 2026 or 1 January 2031", "Back on 1 March", "Out of office."]:
        assert out_of_office.back(text, NOW) == NOW + timedelta(days=14), text
    for text, day in [("for 3 days", 5), ("for a week", 9), ("until next Monday", 9)]:
        assert out_of_office.back(f"I am away {text}", NOW).date() == date(2026, 3, day), text


def test_a_note_says_it_at_its_beginning_and_all_of_the_sandbox_do() -> None:
    """What stands far below is a mail that is quoted."""
    assert not out_of_office.is_one("a " * out_of_office.READ + "I am out of office.")
    for text in texts.AWAY:
        assert out_of_office.is_one(text.format(day="16 March", sender="Ines", me="Ada", colleague="Bo")), text

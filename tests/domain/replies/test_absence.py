"""Out-of-office notes: what is one, and the day on which it says that they are back."""

from datetime import UTC, date, datetime, timedelta

from app.domain.replies import absence
from app.providers.sandbox import texts
from tests.domain.replies.letters import texts_of

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def back_of(text: str, at: datetime) -> datetime:
    return absence.back(text, at) or at + absence.AWAY_DEFAULT


def test_an_absence_ends_on_the_date_it_names_or_in_two_weeks() -> None:
    """A note may ask whether it is urgent but nothing else; who only mentions a holiday has written themselves."""
    known = texts_of("out_of_office")
    for text, back in known["notes"]:
        assert absence.is_note(text), text
        assert back_of(text, NOW).date() == back, text
    assert [text for text in known["no_notes"] if absence.is_note(text)] == []
    assert absence.is_note("I am out of office. Urgent? Call Bo.")


def test_which_of_several_dates_counts_and_which_are_not_believed() -> None:
    """The latest; the next one without a year; none that is past or far away. Spans count from the day of the note."""
    assert back_of("OOO from 3 March to 12 March, written 1 March", NOW).date() == date(2026, 3, 13)
    december = datetime(2026, 12, 20, 10, tzinfo=UTC)
    assert back_of("Back on 7 January", december).date() == date(2027, 1, 7)
    for text in ["Out until 31 February 2026 or 1 January 2031", "Back on 1 March", "Out of office."]:
        assert back_of(text, NOW) == NOW + timedelta(days=14), text
    for text, day in [("for 3 days", 5), ("for a week", 9), ("until next Monday", 9)]:
        assert back_of(f"I am away {text}", NOW).date() == date(2026, 3, day), text


def test_a_note_says_it_at_its_beginning_and_all_of_the_sandbox_do() -> None:
    """What stands far below is a mail that is quoted."""
    assert not absence.is_note("a " * absence.READ + "I am out of office.")
    for text in texts.AWAY:
        assert absence.is_note(text.format(day="16 March", sender="Ines", me="Ada", colleague="Bo")), text

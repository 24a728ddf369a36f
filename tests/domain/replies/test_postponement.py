"""Postponements: which replies say "not now", and the day to come back."""

from datetime import UTC, date, datetime, timedelta

from app.domain.replies import reading
from app.domain.replies.postponement import Postponement
from app.domain.replies.reading import Letter
from tests.domain.replies.letters import texts_of

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)  # a Monday


def postponed(text: str) -> Postponement | None:
    return reading.read(Letter(text, NOW)).postponement


def test_a_day_or_a_period_that_is_named_is_when_to_come_back_else_a_quarter() -> None:
    """A yes, a refusal, an absence and our own words are no postponement."""
    known = texts_of("postponement")
    for text, until in known["named"]:
        found = postponed(text)
        assert found is not None, text
        assert (found.until, found.named) == (until, True), text
        assert found.said in " ".join(text.split()), text
    for text in known["without_a_day"]:
        found = postponed(text)
        assert found is not None, text
        assert (found.until, found.named) == (NOW.date() + timedelta(days=90), False), text
    assert [text for text in known["none"] if postponed(text)] == []


def test_the_day_that_is_told_next_to_the_request_counts() -> None:
    found = postponed("We are closing the budget 2026. Write to me in June and we will see.")
    assert found is not None
    assert found.until == date(2026, 6, 1)

"""Plays with few people to show: each is found, judged and written to like the next."""

import pytest

from app.domain.autopilot import play_people


@pytest.fixture(autouse=True)
def _few_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half as many as usual, for the sake of time."""
    monkeypatch.setattr(play_people, "SHOWN", 4)

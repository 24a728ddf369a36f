"""Sessions of browsers: known by a token, ended by time, by hand, or all at once."""

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.workspace import sessions
from app.models.sessions import BrowserSession
from app.models.workspaces import Workspace
from tests.domain.workspace.test_team import kinds
from tests.support.members import owner
from tests.support.movable import Movable


def test_a_session_begins_is_found_and_ends(acme: Workspace) -> None:
    """A guess finds no one, whatever it looks like."""
    ada = owner(acme)
    token = sessions.begin(ada, "127.0.0.1", "Firefox")
    found = sessions.find(token)
    assert (found[0].email, found[1].agent, found[1].address) == ("ada@acme.example", "Firefox", "127.0.0.1")
    assert token.encode() not in found[1].digest
    for guess in ("", "x", "é" * 43, "x" * 43, "x" * 10_000):
        assert sessions.find(guess) is None
    sessions.end(ada, found[1].id)
    assert sessions.find(token) is None
    assert kinds(acme) == ["session.began", "session.ended"]


def test_an_idle_session_ends_after_hours_and_a_used_one_after_a_week(acme: Workspace, clock: Movable) -> None:
    """Twelve hours after it was used last; however often it is used."""
    token = sessions.begin(owner(acme))
    for _ in range(2):
        clock.forward(hours=11)
        assert sessions.find(token)
        end_read()  # each request reads anew
    clock.forward(hours=12)
    assert sessions.find(token) is None
    assert sessions.every(owner(acme)) == []
    token = sessions.begin(owner(acme))
    for _ in range(7 * 3 - 1):
        clock.forward(hours=8)
        assert sessions.find(token)
        end_read()
    clock.forward(hours=8)
    assert sessions.find(token) is None
    sessions.begin(owner(acme))
    assert session().scalar(sa.select(sa.func.count()).select_from(BrowserSession)) == 1


def test_being_here_is_noted_once_in_a_while(acme: Workspace, clock: Movable) -> None:
    token, began = sessions.begin(owner(acme)), clock.at
    clock.forward(minutes=4)
    sessions.find(token)
    assert sessions.every(owner(acme))[0].seen_at == began
    clock.forward(minutes=1)
    sessions.find(token)
    end_read()
    assert sessions.every(owner(acme))[0].seen_at == clock.at


def test_a_password_counts_for_ten_minutes_and_given_again_changes_the_token(acme: Workspace, clock: Movable) -> None:
    """Whoever saw the former one is out; only requests that were under way with it are still answered."""
    before = sessions.begin(owner(acme))
    (here,) = sessions.every(owner(acme))
    clock.forward(minutes=9)
    assert sessions.recently_confirmed(here)
    clock.forward(minutes=1)
    assert not sessions.recently_confirmed(here)
    after = sessions.confirm_password(here)
    assert sessions.recently_confirmed(sessions.every(owner(acme))[0])
    found = sessions.find(after)
    assert found[1].id == here.id
    clock.forward(seconds=29)
    assert sessions.find(before)
    clock.forward(seconds=1)
    assert sessions.find(before) is None
    assert sessions.find(after)
    end_read()
    sessions.confirm_password(here)
    assert sessions.find(before) is None


def test_everywhere_means_everywhere(acme: Workspace, rival: Workspace) -> None:
    tokens = [sessions.begin(owner(acme)) for _ in range(2)]
    other = sessions.begin(owner(rival))
    sessions.sign_out_everywhere(owner(acme))
    assert [sessions.find(token) for token in tokens] == [None, None]
    assert sessions.find(other)

"""Sessions: started with a password, known by a token, ended by time or on request."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.core import clock, crypto
from app.core.db import note, session, transaction
from app.core.errors import NotFound
from app.domain.platform import audit_log
from app.models.sessions import BrowserSession as BrowserSession
from app.models.workspaces import User

IDLE, LONGEST = timedelta(hours=12), timedelta(days=7)
NOTED_EVERY = timedelta(minutes=5)
FRESH = timedelta(minutes=10)
UNDER_WAY = timedelta(seconds=30)  # a former token stays valid this long: requests of the same page carry it
_LENGTH = 43  # of base 62: 256 bits


def begin(user: User, address: str = "", agent: str = "") -> str:
    """Start a session after the password check and return its token; delete the user's expired sessions."""
    token, at = crypto.random_base62(_LENGTH), clock.now()
    with transaction() as current:
        current.execute(sa.delete(BrowserSession).where(BrowserSession.user_id == user.id, _is_expired()))
        current.add(
            BrowserSession(
                user_id=user.id,
                digest=_digest(token),
                epoch=user.session_epoch,
                agent=agent[:300],
                address=address,
                created_at=at,
                seen_at=at,
                proven_at=at,
            )
        )
        audit_log.record_all(user, "session.began")
    return token


def find(token: str, *, attended: bool = True) -> tuple[User, BrowserSession] | None:
    """Return the user and session of a token if valid; update last-seen now and then, unless no one is there."""
    if len(token) != _LENGTH or not token.isascii():
        return None
    digest, begun_before = _digest(token), clock.now() - UNDER_WAY
    former = sa.and_(BrowserSession.former_digest == digest, BrowserSession.proven_at > begun_before)
    query = (
        sa.select(User, BrowserSession)
        .join(BrowserSession, BrowserSession.user_id == User.id)
        .where(
            sa.or_(BrowserSession.digest == digest, former), BrowserSession.epoch == User.session_epoch, ~_is_expired()
        )
    )
    found = session().execute(query).first()
    if found is None:
        return None
    user, here = found
    if attended and clock.now() - here.seen_at >= NOTED_EVERY:
        note(sa.update(BrowserSession).where(BrowserSession.id == here.id).values(seen_at=clock.now()))
    return user, here


def every(user: User) -> Sequence[BrowserSession]:
    """Return a user's sessions, latest first."""
    query = sa.select(BrowserSession).where(
        BrowserSession.user_id == user.id, BrowserSession.epoch == user.session_epoch, ~_is_expired()
    )
    return session().scalars(query.order_by(BrowserSession.seen_at.desc(), BrowserSession.id.desc())).all()


def last_seen(user_ids: Sequence[int]) -> dict[int, datetime]:
    """Return when each of these users was last seen, by their sessions."""
    latest = sa.select(BrowserSession.user_id, sa.func.max(BrowserSession.seen_at).label("at"))
    latest = latest.where(BrowserSession.user_id.in_(user_ids)).group_by(BrowserSession.user_id)
    return {row.user_id: row.at for row in session().execute(latest)}


def recently_confirmed(here: BrowserSession) -> bool:
    """Return whether the password was confirmed recently enough."""
    return clock.now() - here.proven_at < FRESH


def confirm_password(here: BrowserSession) -> str:
    """Record that the password was confirmed and return the session's new token."""
    token = crypto.random_base62(_LENGTH)
    with transaction() as current:
        row = current.get_one(BrowserSession, here.id)
        row.digest, row.former_digest, row.proven_at = _digest(token), row.digest, clock.now()
    return token


def end(user: User, session_id: int) -> None:
    """End that session of the user."""
    with transaction() as current:
        gone = current.execute(
            sa.delete(BrowserSession).where(BrowserSession.id == session_id, BrowserSession.user_id == user.id)
        )
        if not gone.rowcount:  # type: ignore[attr-defined]
            raise NotFound("Session not found.", recovery="The session may have ended already.")
        audit_log.record_all(user, "session.ended")


def end_current(user: User, session_id: int) -> None:
    """End that session of the user; do nothing if it ended a moment ago."""
    with suppress(NotFound):
        end(user, session_id)


def end_all(user: User, but: int | None = None) -> None:
    """End all of the user's sessions except the one with that id."""
    with transaction() as current:
        others = sa.delete(BrowserSession).where(BrowserSession.user_id == user.id)
        current.execute(others if but is None else others.where(BrowserSession.id != but))


def sign_out_everywhere(user: User) -> None:
    """End all of the user's sessions, this one too."""
    with transaction():
        end_all(user)
        audit_log.record_all(user, "session.ended_all")


def sign_out(user: User) -> None:
    """End all of a user's sessions, as the server's admin."""
    with transaction():
        end_all(user)
        audit_log.record_for_user(user, "session.closed")


def _is_expired() -> sa.ColumnElement[bool]:
    at = clock.now()
    return sa.or_(BrowserSession.seen_at <= at - IDLE, BrowserSession.created_at <= at - LONGEST)


def _digest(token: str) -> bytes:
    return crypto.keyring().sign("session", token.encode())

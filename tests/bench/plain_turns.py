"""Turns written plainly with SQLAlchemy Core: due senders choose, it is written down, they act, it is recorded."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

BATCH = 200
PAUSE, DELAY = timedelta(minutes=5), timedelta(days=1)
BODY = json.dumps({"type": "message_sent", "data": {"campaign": {"id": 1}, "lead": {"id": 1, "name": "A" * 200}}})

_metadata = sa.MetaData()
_sender = sa.Table(
    "sender",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("turn_at", sa.DateTime, index=True),
)
_person = sa.Table(
    "person",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sender_id", sa.ForeignKey("sender.id")),
    sa.Column("step", sa.Integer, nullable=False),
    sa.Column("due_at", sa.DateTime),
    sa.Index("ix_person_due", "sender_id", "due_at"),
)
_action = sa.Table(
    "action",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("person_id", sa.ForeignKey("person.id")),
    sa.Column("state", sa.Text),
    sa.Column("at", sa.DateTime),
)
_event = sa.Table(
    "event",
    _metadata,
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("body", sa.Text),
    sa.Column("at", sa.DateTime),
)
_stats = sa.Table(
    "stats",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sent", sa.Integer),
)
_DUE = sa.select(_sender.c.id).where(_sender.c.turn_at <= sa.bindparam("at")).order_by(_sender.c.turn_at).limit(BATCH)
_NEXT = (
    sa.select(_person.c.id)
    .where(_person.c.sender_id == sa.bindparam("sender"), _person.c.due_at <= sa.bindparam("at"))
    .order_by(_person.c.due_at)
    .limit(1)
)
_TURN = sa.update(_sender).where(_sender.c.id == sa.bindparam("sender")).values(turn_at=sa.bindparam("next"))
_SENT = sa.update(_action).where(_action.c.id == sa.bindparam("action")).values(state="sent")
_STEP = (
    sa.update(_person)
    .where(_person.c.id == sa.bindparam("person"))
    .values(step=_person.c.step + 1, due_at=sa.bindparam("next"))
)


class Turns:
    """So many people, all due, who wait for so many senders in a database of their own."""

    def __init__(self, file: Path, *, waiting: int, senders: int, at: datetime) -> None:
        self._engine = sa.create_engine(f"sqlite:///{file}")
        sa.event.listen(self._engine, "connect", _settings)
        _metadata.create_all(self._engine)
        with self._engine.begin() as connection:
            connection.execute(sa.insert(_stats), {"id": 1, "sent": 0})
            connection.execute(sa.insert(_sender), [{"id": one, "turn_at": at} for one in range(1, senders + 1)])
            people = ({"sender_id": number % senders + 1, "step": 0, "due_at": at} for number in range(waiting))
            connection.execute(sa.insert(_person), list(people))

    def run_due(self, at: datetime, act: Callable[[int], None]) -> int:
        """Every sender whose turn has come took it, at most a batch of them; how many."""
        with self._engine.begin() as connection:
            senders = connection.scalars(_DUE, {"at": at}).all()
            found = [connection.scalar(_NEXT, {"sender": sender, "at": at}) for sender in senders]
            chosen = [person for person in found if person is not None]
            if not chosen:
                return 0
            intents = [{"person_id": person, "state": "intended", "at": at} for person in chosen]
            wanted = sa.insert(_action).returning(_action.c.id, sort_by_parameter_order=True)
            actions = connection.scalars(wanted, intents).all()
            connection.execute(_TURN, [{"sender": sender, "next": at + PAUSE} for sender in senders])
        for person in chosen:
            act(person)
        with self._engine.begin() as connection:
            connection.execute(_SENT, [{"action": action} for action in actions])
            connection.execute(_STEP, [{"person": person, "next": at + DELAY} for person in chosen])
            connection.execute(sa.insert(_event), [{"body": BODY, "at": at} for _ in chosen])
            connection.execute(sa.update(_stats).values(sent=_stats.c.sent + len(chosen)))
        return len(chosen)

    def close(self) -> None:
        """Its connections are gone."""
        self._engine.dispose()


def _settings(connection: sa.engine.interfaces.DBAPIConnection, _: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        cursor.execute("PRAGMA " + pragma)
    cursor.close()

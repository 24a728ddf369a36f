"""What came in for an account since a cursor: who accepted, who wrote, and what its owner did by hand.

Conversations with news are read oldest first, a limited number at a look. `since` is the moment up to which everything
said is known, `done` the one up to which conversations have been read. What the network tells late is caught by reading
the last minutes again; `seen` says what of them was given out. Connections and invitations cost the network's patience,
so they are looked at every few hours only: the webhook is quicker.

What can't be read is set aside. A conversation whose messages the network can't give is asked for again for an hour.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from zlib import crc32

from app.ports import (
    Accepted,
    AccountRef,
    ByHand,
    Inbound,
    Incoming,
    ProviderError,
    Received,
    Refused,
    Unreachable,
    Unreadable,
)
from app.providers.unipile.api import Api
from app.providers.unipile.client import Garbled
from app.providers.unipile.members import Members
from app.providers.unipile.parsing import Chat, Json, Relation, Said, moment

LATE = timedelta(minutes=10)
MOST_CHATS, MOST_MESSAGES, MOST_RELATIONS, MOST_INVITATIONS, MOST_SEEN = 25, 200, 500, 100, 300
AGAIN_FOR, MOMENT = timedelta(hours=1), timedelta(milliseconds=1)
RELATIONS_EVERY, SPREAD = timedelta(hours=3), 7200  # and up to two hours more, so that accounts do not ask together


@dataclass(frozen=True)
class Cursor:
    """How far an account has been read."""

    since: datetime
    done: datetime
    relations: datetime
    invitations: datetime
    looked: datetime
    newest: str = ""  # the newest connection
    seen: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def read(cls, written: str) -> "Cursor":
        """Parse what `written` returned."""
        known = json.loads(written)
        since, done, relations, invitations, looked = (
            datetime.fromtimestamp(known[name] / 1000, UTC) for name in ("s", "d", "r", "i", "l")
        )
        return cls(since, done, relations, invitations, looked, known["n"], frozenset(known["k"]))

    @property
    def written(self) -> str:
        """Return the cursor as text, always the same."""
        moments = {"s": self.since, "d": self.done, "r": self.relations, "i": self.invitations, "l": self.looked}
        known = {name: round(at.timestamp() * 1000) for name, at in moments.items()}
        return json.dumps({**known, "n": self.newest, "k": sorted(self.seen)}, separators=(",", ":"))


def read(wire: Api, members: Members, account: AccountRef, cursor: str, aside: list[Json]) -> Inbound:
    """Return everything new, oldest first. Without a cursor, from now on: older items are private."""
    if not cursor:
        return Inbound([], Cursor(account.at, account.at, account.at, account.at, account.at).written)
    look = _Look(wire, members, account, Cursor.read(cursor))
    look.messages()
    look.connections()
    look.items.sort(key=lambda item: item.at)
    odd = {one.ref: one for one in [*map(look.odd, aside), *look.lost]}
    return Inbound(look.items, look.after.written, [*odd.values()])


class _Look:
    """One look at an account."""

    def __init__(self, wire: Api, members: Members, account: AccountRef, before: Cursor) -> None:
        self.wire, self.members, self.account = wire, members, account
        self.before = self.after = before
        self.items: list[Incoming] = []
        self.lost: list[Unreadable] = []
        self.late = account.at - LATE

    def messages(self) -> None:
        """Read the new messages."""
        found = list(self.wire.chats(self.account.provider_ref, min(self.before.done, self.late)))
        waiting = sorted((chat for chat in found if chat.alone), key=lambda chat: chat.at)
        taken = waiting[:MOST_CHATS]
        fresh, held = self._said_in(taken)
        self.items += [
            self._incoming(chat, one) for chat, one in fresh if not one.silent and _mark(one.id) not in self.before.seen
        ]
        done = max([self.before.done, *(chat.at for chat in taken)])
        if held:
            done = min(done, max(self.before.done, min(chat.at for chat in held) - MOMENT))
        complete = len(taken) == len(waiting) and not held
        recent = sorted((one for _, one in fresh if one.at > self.late), key=lambda one: one.at)[-MOST_SEEN:]
        kept = frozenset(_mark(one.id) for one in recent)
        self.after = replace(self.after, since=done if complete else self.before.since, done=done, seen=kept)

    def _said_in(self, chats: Sequence[Chat]) -> tuple[list[tuple[Chat, Said]], list[Chat]]:
        """Return the new messages, and the conversations to ask for again because the network failed at them alone."""
        fresh: list[tuple[Chat, Said]] = []
        failed: list[tuple[Chat, ProviderError]] = []
        since = min(self.before.since, self.late)
        for chat in chats:
            try:
                said = list(islice(self.wire.messages(self.account.provider_ref, chat, since), MOST_MESSAGES))
            except (Refused, Unreachable) as problem:
                failed.append((chat, problem))
            else:
                fresh += [(chat, one) for one in said]
        unreached = [problem for _, problem in failed if not isinstance(problem, Refused)]
        if unreached and len(failed) == len(chats):
            raise unreached[0]
        held = [chat for chat, problem in failed if _may_come(problem) and chat.at > self.account.at - AGAIN_FOR]
        self.lost += [self._lost(chat, problem) for chat, problem in failed if chat not in held]
        return fresh, held

    def odd(self, found: Json) -> Unreadable:
        """Return what is known of an item in an unknown format."""
        ref = "odd:" + sha256(json.dumps(found, sort_keys=True, default=str).encode()).hexdigest()[:40]
        at = moment(found, "timestamp", "last_message_timestamp", "created_at") or self.account.at
        return Unreadable(ref, min(at, self.account.at), why="Garbled")

    def _lost(self, chat: Chat, problem: ProviderError) -> Unreadable:
        at = min(chat.at, self.account.at)
        return Unreadable(
            f"chat:{chat.id}:{_mark(chat.at.isoformat())}", at, chat.member.name, why=type(problem).__name__
        )

    def _incoming(self, chat: Chat, said: Said) -> Incoming:
        person, alias = self.members.public(self.wire, self.account.provider_ref, chat.member)
        kind, at = "inmail" if chat.inmail else "message", min(said.at, self.account.at)
        if said.mine:
            return ByHand(person, kind, at, said.id, said.text, alias)
        return Received(person, kind, said.text, at, said.id, said.subject, alias=alias)

    def connections(self) -> None:
        """Read acceptances and the owner's own invitations, every few hours."""
        pause = RELATIONS_EVERY + timedelta(seconds=crc32(self.account.provider_ref.encode()) % SPREAD)
        if self.account.at - self.before.looked < pause:
            return
        fresh = self._relations()
        for one in fresh:
            person, alias = self.members.public(self.wire, self.account.provider_ref, one.member)
            at = min(one.at or self.account.at, self.account.at)
            self.items.append(Accepted(person, at, one.id, alias))
        known = self.before
        moments = [one.at for one in fresh if one.at]
        newest = fresh[0].id if fresh else known.newest
        self.after = replace(
            self.after, looked=self.account.at, newest=newest, relations=max([known.relations, *moments])
        )
        self._invitations()

    def _relations(self) -> list[Relation]:
        """Return the connections, newest first, up to the newest known one."""
        fresh = []
        for one in islice(self.wire.relations(self.account.provider_ref), MOST_RELATIONS):
            if one.id == self.before.newest or (one.at and one.at <= self.before.relations):
                break
            fresh.append(one)
            if one.at is None and not self.before.newest:
                break  # a network that does not say when: what was before is not new
        return fresh

    def _invitations(self) -> None:
        newest = self.before.invitations
        for one in islice(self.wire.invitations(self.account.provider_ref), MOST_INVITATIONS):
            if one.at is None or one.at <= self.before.invitations:
                break
            person, alias = self.members.public(self.wire, self.account.provider_ref, one.member)
            at = min(one.at, self.account.at)
            self.items.append(ByHand(person, "connection_request", at, one.id, alias=alias))
            newest = max(newest, one.at)
        self.after = replace(self.after, invitations=newest)


def _may_come(problem: ProviderError) -> bool:
    return not isinstance(problem, Refused | Garbled)


def _mark(ref: str) -> str:
    """Return a short mark of a message, enough to recognize it within some minutes of one account."""
    return f"{crc32(ref.encode()):08x}"

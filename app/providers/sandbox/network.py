"""The sandbox network behind the port of the real ones: durable, deterministic, and as strict as they are.

What an account does is one row per token in `sandbox_act`, each in a transaction of its own, so that the table proves
afterwards what was done. Special people are listed in `population.py`. An account that does more than the network takes
(`LIMITS`) is told to rest; one that goes on regardless is asked for proof of a person. After its first 30 days
any account is, rarely, told to rest for a day, and more rarely asked for proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

from app.core.db import end_read, fetch, transaction
from app.ports import (
    Accepted,
    AccountRef,
    AlreadyConnected,
    Bounced,
    ByHand,
    Inbound,
    Incoming,
    LoggedOut,
    ProviderError,
    Receipt,
    Received,
    Refused,
    SenderAction,
    Unknown,
)
from app.providers.sandbox import population, store
from app.providers.sandbox.population import Character, Person, challenged, daily, logged_out, weekly
from app.providers.sandbox.store import DAY

CONNECTED = "Already connected."
WRITING = ("message", "inmail", "email")
BLANK: dict[str, Any] = dict.fromkeys(("channel", "text", "subject", "token"), "") | dict.fromkeys(
    ("automatic", "final", "late"), False
)


@dataclass(frozen=True)
class Past:
    """The rows of the log about one person, as one account sees them at a moment."""

    account_id: int
    at: datetime
    acts: Sequence[Any]
    effects: Sequence[Any]

    @classmethod
    def of(cls, account: AccountRef, person: str) -> "Past":
        """Return the history of the workspace's accounts with a person."""
        keys = {"workspace_id": account.workspace_id, "person": person}
        rows = fetch(store.ABOUT, **keys)
        acts, effects = [row for row in rows if not row.is_effect], [row for row in rows if row.is_effect]
        return cls(account.id, account.at, acts, effects)

    def receipt(self, token: str) -> Receipt | None:
        """Return the receipt of an action already done."""
        for act in self.acts:
            if act.account_id == self.account_id and act.token == token:
                return Receipt(act.ref, act.at)
        return None

    def last(self, kind: str) -> datetime | None:
        """Return when the account last did this to them."""
        return max(
            (act.at for act in self.acts if act.account_id == self.account_id and act.kind == kind), default=None
        )

    @property
    def messages(self) -> int:
        """Return how often this workspace wrote to them."""
        return sum(act.kind in WRITING for act in self.acts)

    @property
    def answered(self) -> bool:
        """Return whether they replied, or will."""
        return any(effect.kind == "received" and not effect.automatic for effect in self.effects)

    @property
    def heard(self) -> int:
        """Return how many replies they have sent by now."""
        return sum(row.kind == "received" and not row.automatic and row.at <= self.at for row in self.effects)

    @property
    def talking(self) -> bool:
        """Return whether they accepted this account's invitation or wrote to it."""
        kinds = ("accepted", "received")
        return any(
            row.account_id == self.account_id and row.at <= self.at and row.kind in kinds for row in self.effects
        )

    @property
    def accepted(self) -> bool:
        """Return whether they accepted this account's invitation."""
        mine = (row for row in self.effects if row.account_id == self.account_id and row.kind == "accepted")
        return any(row.at <= self.at for row in mine)

    @property
    def pending(self) -> bool:
        """Return whether an invitation of this account is pending."""
        invited, withdrawn = self.last("connection_request"), self.last("withdraw")
        return bool(invited and (withdrawn is None or withdrawn < invited) and not self.accepted)


def refusal(person: Person, past: Past, action: SenderAction) -> str:
    """Return why the network always refuses this for this person; '' if it does not."""
    connected = person.connected or past.accepted
    withdrawn = past.last("withdraw")
    if sentence := person.refusal(action.kind):
        return sentence
    match action.kind:
        case "connection_request" if connected:
            return CONNECTED
        case "connection_request" if past.pending:
            return "A connection request to this person is already pending."
        case "connection_request" if withdrawn and past.at - withdrawn < timedelta(days=21):
            return "You withdrew a connection request to this person less than three weeks ago."
        case "withdraw" if not past.pending:
            return "No pending connection request to this person."
        case "message" if not (connected or past.talking):
            return "Only connections can be messaged. Send a connection request first."
        case "inmail" if person.closed:
            return "This person doesn't accept InMail."
        case "like_post" if not person.posts:
            return "This person has no posts."
    return ""


def effects(account: AccountRef, action: SenderAction, person: Person, past: Past) -> list[dict[str, Any]]:
    """Return the future effects of the act."""
    row = BLANK | {"person": action.person.person, "token": action.token}
    if action.kind == "connection_request":
        acceptance = person.accepts(account.at)
        if acceptance is None:
            return []
        at, late = acceptance
        return [row | {"kind": "accepted", "at": at, "late": late, "ref": store.ref(account, "accept", action.token)}]
    if action.kind not in WRITING:
        return []
    number = past.messages + 1
    if action.kind == "email" and (bounce := person.bounce(number)):
        final, sentence = bounce
        at = account.at + timedelta(minutes=1 + 4 * person.chance("bounces after"))
        return [
            row
            | {
                "kind": "bounced",
                "at": at,
                "text": sentence,
                "final": final,
                "ref": store.ref(account, "bounce", action.token),
            }
        ]
    subject = f"Re: {action.subject}" if action.subject else ""
    answers = person.answers(account, action.kind, number, past.answered, account.at, past.heard)
    return [
        row
        | {"kind": "received", "channel": action.kind, "at": answer.at, "text": answer.text, "subject": subject}
        | {"automatic": answer.automatic, "ref": store.ref(account, f"answer{place}", action.token)}
        for place, answer in enumerate(answers)
    ]


BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Cursor:
    """Everything that is both not after `at` and not after `seq` has been given out; nothing else has.

    A moment alone would lose what is written down later for an earlier moment, a number alone what comes due later.
    """

    at: datetime = BEGINNING
    seq: int = 0

    @classmethod
    def read(cls, written: str) -> "Cursor":
        """Parse a cursor; an unreadable one is the beginning, since all items have stable ids."""
        moment, _, seq = written.partition("~")
        if not (moment.isdigit() and seq.isdigit()):
            return cls()
        return cls(BEGINNING + timedelta(microseconds=int(moment)), int(seq))

    @property
    def written(self) -> str:
        """Return the cursor as text."""
        return f"{(self.at - BEGINNING) // timedelta(microseconds=1)}~{self.seq}"


class SandboxNetwork:
    """The network as a sender sees it; a `ports.Sender`."""

    quarantine = 0
    lateness = 0
    patience = 5
    parallel = 1

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Do it, once per token."""
        end_read()
        with transaction():
            outcome = self._act(account, action)
        if isinstance(outcome, ProviderError):
            raise outcome
        return outcome

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """Return what the sandbox's table of acts says about the token."""
        self._require_login(account)
        known = population.character(action.person.person)
        if known and known.hidden:
            end_read()
            raise Unknown("The network can't confirm whether this action happened.")
        keys = {"account_id": account.id, "token": action.token}
        row = next(iter(fetch(store.BY_TOKEN, **keys)), None)
        end_read()
        return Receipt(row.ref, row.at) if row else None

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """Return everything that arrived since the cursor."""
        end_read()
        seen = Cursor.read(cursor)
        rows = fetch(store.INBOX, account_id=account.id, seen_at=seen.at, seq=seen.seq, by=account.at)
        end_read()
        if rows and rows[0].state:
            raise _locked(rows[0].state)
        arrived = sorted((row for row in rows if row.seq is not None), key=lambda row: (row.at, row.seq))
        if not arrived or account.at < seen.at:  # asked from an earlier moment than before: nothing is new yet
            return Inbound([], cursor)
        return Inbound([_incoming(row) for row in arrived], Cursor(account.at, arrived[0].last_seq).written)

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
        """Return when the next item after the cursor arrives; None when none is on its way."""
        end_read()
        seen = Cursor.read(cursor)
        keys = {"account_id": account.id, "seen_at": seen.at, "seq": seen.seq}
        moments = [row[0] for row in fetch(store.NEXT, **keys) if row[0]]
        end_read()
        return min(moments, default=None)

    def status(self, account: AccountRef) -> None:
        """Raise LoggedOut while a human has to act."""
        self._require_login(account)
        end_read()

    def reconnect(self, account: AccountRef) -> None:
        """Reconnect the account after a human helped."""
        end_read()
        with transaction():
            store.enter(account)
            store.change(account, state="", strikes=0, cleared_at=account.at)

    def happens(self, account: AccountRef, item: Incoming) -> None:
        """Add an event of its own: a person writes first, or the account's owner acts manually."""
        end_read()
        row = BLANK | {"person": item.person, "at": item.at, "ref": item.ref}
        match item:
            case Accepted():
                row |= {"kind": "accepted"}
            case Received():
                row |= {"kind": "received", "channel": item.kind, "text": item.text, "subject": item.subject}
                row |= {"automatic": item.automatic}
            case Bounced():
                row |= {"kind": "bounced", "text": item.sentence, "final": item.final, "token": item.token}
            case ByHand():
                row |= {"kind": "by_hand", "channel": item.kind}
        with transaction():
            store.add_effects(account, store.enter(account).seq, [row])

    def _require_login(self, account: AccountRef) -> None:
        """Raise LoggedOut unless the account is logged in, or has done nothing yet. The read stays open."""
        end_read()
        found = next(iter(fetch(store.STANDING, account_id=account.id)), None)
        if found and found.state:
            end_read()
            raise _locked(found.state)

    def _act(self, account: AccountRef, action: SenderAction) -> Receipt | ProviderError:
        standing = store.enter(account, action.kind)
        past = Past.of(account, action.person.person)
        if done := past.receipt(action.token):
            return done
        if standing.state:
            return _locked(standing.state)
        person = Person.of(account.seed, action.person)
        if sentence := refusal(person, past, action):
            return AlreadyConnected(sentence) if sentence == CONNECTED else Refused(sentence)
        if error := _trouble(account, action, standing, past, person.special):
            return error
        receipt = store.add_act(account, action)
        if action.kind == "withdraw":
            store.take_back(account, action.person.person)
        store.add_effects(account, standing.seq, effects(account, action, person, past))
        lost = person.special and person.special.happens and person.special.failure
        return lost() if lost else receipt


def _incoming(row: Any) -> Incoming:
    match row.kind:
        case "accepted":
            return Accepted(row.person, row.at, row.ref)
        case "bounced":
            return Bounced(row.person, row.at, row.ref, row.text, row.final, row.token)
        case "by_hand":
            return ByHand(row.person, row.channel, row.at, row.ref)
    return Received(row.person, row.channel, row.text, row.at, row.ref, row.subject, row.automatic)


LIMITS: dict[str, tuple[int, int]] = {  # in 24 hours, in 7 days
    "connection_request": (40, 100),
    "message": (150, 500),
    "inmail": (50, 200),
    "view_profile": (150, 700),
    "follow": (60, 300),
    "like_post": (60, 300),
    "email": (400, 2000),
}
STRIKES = 3  # tries in a day over a limit, after which the network asks for proof of a person
HEALTHY = timedelta(days=30)
RESTS, CHALLENGES = 0.04, 0.005  # per account and week after the healthy days
TRY = "try"  # the kind of an act that had no effect on anyone; remembered so that the next try succeeds


def _locked(state: str) -> ProviderError:
    """Return the error of an account in that state."""
    return challenged() if state == "challenged" else logged_out()


def _trouble(
    account: AccountRef, action: SenderAction, standing: Any, past: Past, known: Character | None
) -> ProviderError | None:
    """Return the failure of the act, stored if the next try depends on it; None without one."""
    error = _from_person(account, action, past, known)
    if error is None and (error := _over_limit(action.kind, standing)):
        again = standing.struck_at and account.at - standing.struck_at < DAY
        strikes = standing.strikes + 1 if again else 1
        store.change(account, strikes=strikes, struck_at=account.at)
        error = challenged() if strikes > STRIKES else error
    error = error or _rare_trouble(account, action, standing)
    if isinstance(error, LoggedOut):
        store.change(account, state="challenged" if error.challenged else "logged_out")
    return error


def _from_person(
    account: AccountRef, action: SenderAction, past: Past, known: Character | None
) -> ProviderError | None:
    """Return the failure special people cause: at the first try of each action, or at every one."""
    if not known or not known.failure or known.happens:
        return None
    if known.always:
        return known.failure()
    token = f"{TRY}|{action.token}"
    if past.receipt(token):
        return None
    store.add_act(account, replace(action, kind=TRY, token=token))
    return known.failure()


def _over_limit(kind: str, standing: Any) -> ProviderError | None:
    if kind not in LIMITS:
        return None
    if standing.week >= LIMITS[kind][1]:
        return weekly()
    return daily() if standing.day >= LIMITS[kind][0] else None


def _rare_trouble(account: AccountRef, action: SenderAction, standing: Any) -> ProviderError | None:
    age = account.at - standing.since
    if age < HEALTHY or (standing.cleared_at and account.at - standing.cleared_at < HEALTHY):
        return None
    week, days = divmod(age.days, 7)
    draws = blake2b(f"{account.seed}|{account.provider_ref}|{week}".encode(), digest_size=8).digest()
    chance, chosen_day = int.from_bytes(draws[:6], "big") / 2**48, draws[7] % 7
    if chance < CHALLENGES and days >= chosen_day:
        return challenged()
    if chance < CHALLENGES + RESTS and days == chosen_day and action.kind == "connection_request":
        return daily()
    return None

"""What an account and a person have behind them, and what follows: what is refused, and what comes of an act."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from app.core.db import fetch
from app.ports import AccountRef, Receipt, SenderAction
from app.providers.sandbox import store
from app.providers.sandbox.population import Person

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
    if person.refusal:
        return person.refusal
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
            return "Only connections can be messaged."
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

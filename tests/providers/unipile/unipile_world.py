"""The network behind the contract server: members who behave by their names, accounts, and a log that only grows.

accepts-…     accepts an invitation after an hour
replies-…     accepts, and answers a message after two hours
connected-…   is a connection already
refuses-…     cannot be invited or written to
no one-…      does not exist
anyone else  is silent
"""

import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

Row = dict[str, Any]
KEY = "right-key"


class Problem(Exception):
    def __init__(self, status: int, kind: str, detail: str = "", **headers: str) -> None:
        super().__init__(kind)
        self.status, self.kind, self.detail, self.headers = status, kind, detail, headers


@dataclass(frozen=True)
class Done:
    """One thing that really happened on the network."""

    kind: str
    account: str
    person: str
    text: str
    at: datetime


@dataclass
class Account:
    """An account there, with everything it has."""

    id: str
    public_id: str
    name: str
    created_at: datetime
    status: str = "running"
    invitations: list[Row] = field(default_factory=list)
    relations: list[Row] = field(default_factory=list)
    chats: dict[str, Row] = field(default_factory=dict)

    @property
    def user_id(self) -> str:
        return member_id(self.public_id)


def member_id(public_id: str) -> str:
    return "ACoAA" + blake2b(public_id.encode(), digest_size=12).hexdigest()


class World:
    """Everything the server knows. `now` is the network's clock."""

    def __init__(self, now: Callable[[], datetime] | None = None) -> None:
        self.now = now or (lambda: datetime.now(UTC))
        self.lock = threading.RLock()
        self.accounts: dict[str, Account] = {}
        self.people: dict[str, str] = {}  # public ids by the network's own
        self.log: list[Done] = []
        self.asked: list[str] = []  # every request line
        self.troubles: deque[str] = deque()  # what befalls the next actions, one each
        self.hooks: dict[str, Row] = {}
        self.links: dict[str, dict[str, str]] = {}
        self.told: list[tuple[str, dict[str, str], bytes]] = []  # calls to us: address, headers, body
        self.refused_events: set[str] = set()
        self.posts: dict[str, list[Row]] = {}
        self.page = 20
        self._later: list[tuple[datetime, Callable[[], None]]] = []
        self._number = 0
        self.on_event: Callable[[str, Account, Row], None] = lambda kind, account, about: None

    def account(self, name: str = "Ines Duarte", account_id: str = "acc_ines") -> Account:
        public_id = name.lower().replace(" ", "-")
        made = Account(account_id, public_id, name, self.now())
        self.accounts[account_id] = made
        self.people[made.user_id] = public_id
        return made

    def find(self, account_id: str) -> Account:
        if account_id not in self.accounts:
            raise Problem(404, "errors/resource_not_found", "Account not found.")
        return self.accounts[account_id]

    def live(self, account_id: str) -> Account:
        found = self.find(account_id)
        if found.status == "disconnected":
            raise Problem(401, "errors/disconnected_account", "The account is disconnected.")
        if found.status == "partial":
            raise Problem(401, "errors/checkpoint_error", "A checkpoint must be solved.")
        return found

    def name(self, what: str) -> str:
        self._number += 1
        return f"{what}_{self._number:06d}"

    def public(self, name: str) -> str:
        """The public id of a member by either name, or the error of one that is unknown."""
        public_id = self.people.get(name, name)
        if public_id.startswith("nobody-") or (name.startswith("ACoAA") and name not in self.people):
            raise Problem(404, "errors/resource_not_found", "Profile not found.")
        self.people[member_id(public_id)] = public_id
        return public_id

    def happened(self, kind: str, account: Account, person: str, text: str = "") -> None:
        self.log.append(Done(kind, account.id, person, text, self.now()))

    def later(self, delay: timedelta, what: Callable[[], None]) -> None:
        self._later.append((self.now() + delay, what))

    def settle(self) -> None:
        """What has come due has happened, at its own moment."""
        now = self.now
        while due := sorted((one for one in self._later if one[0] <= now()), key=lambda one: one[0])[:1]:
            moment, what = due[0]
            self._later.remove(due[0])
            self.now = lambda moment=moment: moment
            try:
                what()
            finally:
                self.now = now

    def connected(self, account: Account, person: str) -> bool:
        return person.startswith("connected-") or any(one["person"] == person for one in account.relations)

    def invite(self, account: Account, person: str, note: str) -> str:
        if len(note) > 300:
            raise Problem(400, "errors/too_many_characters", "Too long.")
        if person.startswith("refuses-"):
            raise Problem(422, "errors/cannot_invite_attendee", "This person cannot be invited.")
        if self.connected(account, person):
            raise Problem(422, "errors/already_connected", "Already connected.")
        if any(one["person"] == person for one in account.invitations):
            raise Problem(422, "errors/already_invited_recently", "Already invited.")
        made = {"id": self.name("inv"), "person": person, "at": self.now(), "text": note}
        account.invitations.insert(0, made)
        self.happened("invite", account, person, note)
        if person.startswith(("accepts-", "replies-")):
            self.later(timedelta(hours=1), lambda: self.accept(account, person))
        return str(made["id"])

    def accept(self, account: Account, person: str) -> None:
        """They are connections from now on, if the invitation is still open."""
        if not any(one["person"] == person for one in account.invitations):
            return
        account.invitations = [one for one in account.invitations if one["person"] != person]
        relation: Row = {"id": self.name("rel"), "person": person, "at": self.now()}
        account.relations.insert(0, relation)
        self.on_event("relation", account, relation)

    def withdraw(self, account: Account, invitation: str) -> None:
        found = next((one for one in account.invitations if one["id"] == invitation), None)
        if found is None:
            raise Problem(404, "errors/resource_not_found", "No such connection request.")
        account.invitations.remove(found)
        self.happened("withdraw", account, str(found["person"]))

    def chat(self, account: Account, person: str, inmail: bool = False) -> Row:
        for one in account.chats.values():
            if one["person"] == person and one["inmail"] == inmail:
                return one
        made: Row = {"id": self.name("chat"), "person": person, "inmail": inmail, "said": []}
        account.chats[str(made["id"])] = made
        return made

    def write(self, account: Account, person: str, text: str, subject: str = "", inmail: bool = False) -> Row:
        """They have the message, and answer if they are the sort of person who does."""
        if person.startswith("refuses-"):
            raise Problem(422, "errors/blocked_recipient", "Blocked.")
        if not inmail and not self.connected(account, person):
            raise Problem(422, "errors/no_connection_with_recipient", "Not connected.")
        said = self.say(account, person, text, mine=True, subject=subject, inmail=inmail)
        self.happened("inmail" if inmail else "message", account, person, text)
        if person.startswith("replies-"):
            answer = "Sounds great, tell me more."
            self.later(timedelta(hours=2), lambda: self.say(account, person, answer, inmail=inmail))
        return said

    def say(
        self, account: Account, person: str, text: str, *, mine: bool = False, subject: str = "", inmail: bool = False
    ) -> Row:
        """A message stands in the conversation; `mine` without a line in the log is by hand, in the network's own."""
        self.people[member_id(person)] = person
        chat = self.chat(account, person, inmail)
        said: Row = {
            "id": self.name("msg"), "chat": chat["id"], "person": person, "mine": mine, "text": text,
            "subject": subject, "at": self.now(),
        }  # fmt: skip
        chat["said"].insert(0, said)
        self.on_event("message", account, said)
        return said

    def stands(self, account: Account, status: str) -> None:
        account.status = status
        self.on_event("status", account, {})

    def link(self, **wanted: str) -> str:
        token = secrets.token_urlsafe(12)
        self.links[token] = wanted
        return token

    def sign_in(self, token: str, name: str = "Marek Novák") -> Account:
        wanted = self.links[token]
        if known := wanted.get("account"):
            account = self.find(known)
            account.status = "running"
        else:
            account = self.account(name, self.name("acc"))
        self.on_event("signed_in", account, {"state": wanted["state"], "again": bool(known)})
        return account

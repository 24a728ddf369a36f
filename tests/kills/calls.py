"""Requests with keys to a server that is killed meanwhile, each repeated until it is answered; what is left of them."""

import itertools
import math
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
import sqlalchemy as sa

from app import create_app
from app.core.db import db, end_read, session, transaction
from app.domain.billing import credits
from app.domain.installation import doctor
from app.domain.senders import accounts
from app.domain.workspace import api_keys, workspaces
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Message
from app.models.leads import Lead, LeadImport
from app.models.people import Person
from app.models.platform.requests import IdempotencyKey
from app.models.signals import Enrichment, Signal
from app.models.workspaces import Workspace
from tests.bench.stock import PASSWORD, profile
from tests.domain.outreach import ALWAYS, INVITE, a_campaign, a_list, forward, message
from tests.support import processes, spending

THREADS, LISTS = 6, 60
PATIENCE = 120.0
PLENTY = 100_000  # credits: the quicker the server, the more is asked of it
Json = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One request: its number is in its key and in what it does, so that its effect can be told from all others."""

    kind: str
    number: int
    path: str
    body: Json = field(hash=False)

    @property
    def key(self) -> str:
        """Its Idempotency-Key."""
        return f"{self.kind}-{self.number}"


@dataclass
class Siege:
    """A server on one database, callers that never give up, and someone who kills it."""

    url: str
    folder: Path
    chance: random.Random
    port: int = field(default_factory=processes.free_port)
    stop: threading.Event = field(default_factory=threading.Event)
    answered: dict[Call, bytes] = field(default_factory=dict)
    tries: Counter[str] = field(default_factory=Counter)
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _secret: str = ""
    _places: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        settings = {"OVERTURE_INSTANCE": str(self.folder), "OVERTURE_LOG_LEVEL": "error"}
        self._app = create_app(DATABASE_URL=self.url, SECRET_KEY=processes.SECRET, **settings)

    def prepare(self) -> None:
        """A workspace with a conversation, lists to look up, and a script of its own."""
        with self._app.app_context():
            workspace = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
            credits.grant(workspace, PLENTY, ref="chaos")
            a_campaign(workspace, ["replies-positive-cleo"], [INVITE, message()], name="Talk")
            forward(workspace, days=6)
            addressless = [
                [{"publicId": f"known-{n}-{m}", "companyName": "Engine"} for m in "ab"] for n in range(LISTS)
            ]
            self._places = {
                "lists": [a_list(workspace, people, f"List {number}") for number, people in enumerate(addressless)],
                "conversation": session().scalars(sa.select(Conversation.id)).one(),
                "account": accounts.every(workspace)[0].id,
            }
            self._secret = api_keys.create(workspace, "Caller", ["all"])[1]
            end_read()
            self._let_go()

    def run(self, kills: int) -> None:
        """The server is killed so many times with requests under way; afterwards every one of them is answered."""
        env = processes.environment(self.url, self.folder, OVERTURE_RATE_LIMIT="off", OVERTURE_LOG_LEVEL="error")
        with ThreadPoolExecutor(THREADS) as pool:
            callers = [pool.submit(self._call_on) for _ in range(THREADS)]
            try:
                for _ in range(kills):
                    with processes.serve(env, self.port) as server:
                        time.sleep(self.chance.uniform(0.1, 1.0))
                        server.signal(signal.SIGKILL)
                        assert server.ended() == -signal.SIGKILL, server.output
                    self._let_a_minute_pass()
            finally:
                self.stop.set()
            with processes.serve(env, self.port):
                for one in callers:
                    one.result()
                for call, body in self.answered.items():
                    assert self._send(call).content == body, call
            self._let_a_minute_pass()

    def _call_on(self) -> None:
        while not self.stop.is_set():
            call = self._next()
            self.answered[call] = self._insist(call).content

    def _next(self) -> Call:
        number, places = next(self._numbers), self._places
        kind = ("leads", "campaign", "signal", "enrich", "message", "import")[number % 6]
        if kind == "enrich" and not places["lists"][number // 6 + 1 :]:
            kind = "signal"
        into = f"lists/{places['lists'][0]}"
        sequence = [INVITE, message(days=1)]
        chosen = {"listId": places["lists"][0], "accountIds": [places["account"]], "schedule": ALWAYS}
        path, body = {
            "leads": (f"{into}/leads", {"profiles": [profile(number * 3 + each) for each in range(3)]}),
            "campaign": ("campaigns", {"name": f"Campaign {number}", "sequence": sequence, **chosen}),
            "signal": ("signals", {"kind": "hiring", "domain": f"known-{number}.example"}),
            "enrich": (f"lists/{places['lists'][min(number // 6 + 1, LISTS - 1)]}/enrich", {"what": "email"}),
            "message": (f"conversations/{places['conversation']}/messages", {"text": f"Word {number}."}),
            "import": (f"{into}/imports", {"csv": f"publicId\nrow-{number}\n", "fileName": f"{number}.csv"}),
        }[kind]
        return Call(kind, number, path, body)

    def _insist(self, call: Call) -> requests.Response:
        """The answer, once there is one. As long as servers die no one gives up; then each has so much patience."""
        until = math.inf
        while True:
            self.tries[call.kind] += 1
            try:
                answer = self._send(call)
            except requests.RequestException:
                answer = None
            if answer is not None and answer.ok:
                return answer
            assert answer is None or answer.status_code in (409, 503), answer.text
            assert answer is None or "Retry-After" in answer.headers, answer.text
            if self.stop.is_set():
                until = min(until, time.monotonic() + PATIENCE)
            assert time.monotonic() < until, f"{call} is never answered, but {answer and answer.text}"
            time.sleep(0.05)

    def _send(self, call: Call) -> requests.Response:
        headers = {"Authorization": f"Bearer {self._secret}", "Idempotency-Key": call.key}
        return requests.post(
            f"http://127.0.0.1:{self.port}/v1/{call.path}", json=call.body, headers=headers, timeout=120
        )

    def _let_a_minute_pass(self) -> None:
        """For what a dead process holds, keys and senders, which no one can hold for longer."""
        with self._app.app_context(), transaction() as current:
            running = sa.update(IdempotencyKey).where(IdempotencyKey.status.is_(None))
            current.execute(running.values(claimed_until=IdempotencyKey.created_at))
            current.execute(sa.update(Account).values(claimed_until=None))

    def hold(self) -> None:
        """Every request had one effect; every credit is accounted for, and every number is right."""
        with self._app.app_context():
            effects = self._effects()
            for call, body in self.answered.items():
                assert effects[call.kind][self._mark(call)] == 1, (call, body)
            workspace = session().scalars(sa.select(Workspace)).one()
            forward(workspace, hours=1)
            spending.check()
            wells = [finding.sentence for finding in doctor.examine(self.folder) if not finding.well]
            end_read()
            self._let_go()
        assert wells == [], wells

    @staticmethod
    def _mark(call: Call) -> Any:
        """By what its effect is known."""
        return {
            "leads": f"person-{call.number * 3}",
            "campaign": f"Campaign {call.number}",
            "signal": f"known-{call.number}.example",
            "enrich": int(call.path.split("/")[1]) if call.kind == "enrich" else 0,
            "message": f"Word {call.number}.",
            "import": f"{call.number}.csv",
        }[call.kind]

    @staticmethod
    def _effects() -> dict[str, Counter[Any]]:
        columns = {
            "leads": Person.public_id,
            "campaign": Campaign.name,
            "signal": Signal.domain,
            "enrich": Enrichment.list_id,
            "message": Message.text,
            "import": LeadImport.file_name,
        }
        queries = {kind: sa.select(column) for kind, column in columns.items()}
        queries["leads"] = queries["leads"].join(Lead)
        return {kind: Counter(session().scalars(query)) for kind, query in queries.items()}

    @staticmethod
    def _let_go() -> None:
        db.session.remove()
        db.engine.dispose()

"""A CRM that is read and written by a worker that is killed again and again, and what must hold afterwards."""

import random
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import sqlalchemy as sa

from app import create_app
from app.core import clock
from app.core.db import db, end_read, session, transaction
from app.domain.enrichment.crm import connection, lists
from app.domain.leads import edit, leads
from app.domain.leads import lists as lead_lists
from app.domain.platform import services
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.domain.workspace import workspaces
from app.models.crm import CrmActivity, CrmContact, CrmFlow, CrmList
from app.models.leads import Lead
from app.models.people import Person
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from tests.bench.stock import PASSWORD
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support import processes
from tests.support.processes import OVERTURE, Running

BATCH = 500
TYPED_THERE, TYPED_HERE = "Typed in HubSpot", "Typed in Overture"


@dataclass
class Flows:
    """One database, one CRM with contacts of a list, people of our own, and the worker that is killed meanwhile.

    `lost` is the share of answers that never arrive.
    """

    url: str
    folder: Path
    server: HubSpotServer
    chance: random.Random
    contacts: int
    own: int
    lost: float = 0.02
    list_id: int = 0
    told: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._app = create_app(DATABASE_URL=self.url, SECRET_KEY=processes.SECRET, **self._settings())

    def _settings(self) -> dict[str, str]:
        return {
            "OVERTURE_INSTANCE": str(self.folder),
            "OVERTURE_LOG_LEVEL": "error",
            "OVERTURE_HUBSPOT_URL": self.server.url,
            "OVERTURE_ALLOW_PRIVATE_NETWORK": "1",
        }

    def prepare(self) -> None:
        """Contacts there, people here, and a list that is followed."""
        ids = [
            self.server.add("contacts", email=f"c{number}@acme.example", firstname=f"C{number}", jobtitle=TYPED_THERE)
            for number in range(self.contacts)
        ]
        self.server.put_in_list("31", "Everyone", ids)
        with self._app.app_context():
            workspace = workspaces.create("Live", "ada@live.example", PASSWORD)
            own = lead_lists.create_list(workspace, "Own").id
            for start in range(0, self.own, BATCH):
                some = range(start, min(start + BATCH, self.own))
                given = [{"email": f"o{number}@own.example", "firstName": f"O{number}"} for number in some]
                leads.add(workspace, own, given, by_email=True)
            services.connect(workspace, "hubspot", {"token": "good"})
            connection.change(workspace, {"create": "all"})
            self.list_id = lists.follow(workspace, "31").list_id or 0
            self._let_go()
        self.server.lose = lambda path: self.chance.random() < self.lost

    def worker(self) -> Running:
        """A process that reads and writes."""
        return Running(processes.environment(self.url, self.folder, **self._more()), OVERTURE, "worker")

    def _more(self) -> dict[str, str]:
        settings = self._settings()
        return {name: settings[name] for name in settings if name != "OVERTURE_INSTANCE"}

    def kill(self, times: int, least: float, most: float) -> None:
        """So many workers die, each after some seconds, while people here and there work on."""
        for _ in range(times):
            with self.worker() as worker:
                time.sleep(self.chance.uniform(least, most))
                self.work_on()
                worker.signal(signal.SIGKILL)
                assert worker.ended() == -signal.SIGKILL, worker.output
            self._release()

    def work_on(self) -> None:
        """Something happens with some people who are here; an owner types a value, here and there."""
        with self._app.app_context():
            workspace = session().scalars(sa.select(Workspace)).one()
            heard = sa.select(Event.lead_id).where(Event.lead_id.is_not(None))
            fresh = sa.select(Lead.id).where(Lead.id.not_in(heard)).order_by(Lead.id).limit(BATCH)
            happenings = [self._happening(workspace, lead_id) for lead_id in session().scalars(fresh)]
            with transaction():
                events.record(workspace.id, happenings)
            for happening in happenings[:3]:
                edit.change(workspace, happening.data["lead"]["id"], {"lastName": TYPED_HERE})
            self._let_go()

    def _happening(self, workspace: Workspace, lead_id: int) -> NewEvent:
        data = events.sample("message_sent")
        data["lead"] = data["lead"] | {"id": lead_id}
        data["message"] = data["message"] | {"text": f"To {lead_id}"}
        return NewEvent("message_sent", workspace.now(), None, data)

    def finish(self, patience: float) -> None:
        """Another worker does the rest: nothing hangs. Then everything is read once more."""
        until = time.monotonic() + patience
        self.server.lose = lambda path: False
        self._release()
        with self.worker() as worker:
            while not self._is_done():
                assert time.monotonic() < until, (self._stands(), worker.output)
                self.work_on()
                time.sleep(0.5)
            worker.signal()
            assert worker.ended() == 0, worker.output

    def _is_done(self) -> bool:
        with self._app.app_context():
            workspace = session().scalars(sa.select(Workspace)).one()
            known = connection.get(workspace)
            open_ones = sa.select(sa.func.count()).where(CrmActivity.state.in_(["waiting", "sending"]))
            read = session().scalars(sa.select(CrmList.read_at)).one()
            all_here = (session().scalar(sa.select(sa.func.count()).select_from(Lead)) or 0) == self.contacts + self.own
            told = (session().scalar(sa.select(sa.func.count()).select_from(Event)) or 0) >= self.contacts + self.own
            heard = known.event_cursor == workspace.event_sequence
            done = bool(read) and all_here and told and heard and not session().scalar(open_ones)
            self._let_go()
            return done

    def _stands(self) -> list[tuple[str, str, str, str]]:
        with self._app.app_context():
            found = [(one.way, one.stage, one.note, one.error) for one in session().scalars(sa.select(CrmFlow))]
            self._let_go()
            return found

    def _release(self) -> None:
        """A dead process holds its flow for two minutes, and what waits for the CRM waits on; both pass."""
        with self._app.app_context():
            with transaction() as current:
                current.execute(sa.update(CrmFlow).values(claimed_until=None, due_at=clock.now()))
            self._let_go()

    @staticmethod
    def _let_go() -> None:
        end_read()
        db.session.remove()
        db.engine.dispose()

    def hold(self) -> None:
        """No one is lost, no activity is lost or doubled, and no value that an owner typed was replaced."""
        with self._app.app_context():
            here = set(session().scalars(sa.select(Person.email).join(Lead).where(Lead.list_id == self.list_id)))
            assert here == {f"c{number}@acme.example" for number in range(self.contacts)}
            query = sa.select(Event.ref, Person.email).join(Lead, Lead.id == Event.lead_id)
            wanted = dict(iter(session().execute(query.join(Person, Person.id == Lead.person_id))))  # type: ignore[arg-type]
            typed = set(session().scalars(sa.select(Person.last_name).where(Person.last_name != "")))
            linked = session().scalar(sa.select(sa.func.count()).select_from(CrmContact))
            states = Counter(session().scalars(sa.select(CrmActivity.state)))
            self._let_go()
        assert states == {"sent": len(wanted)}
        assert typed == {TYPED_HERE}
        assert linked == self.contacts + self.own == len(self.server.records["contacts"])
        there = {key: one["properties"] for key, one in self.server.records["contacts"].items()}
        addresses = Counter(one["email"] for one in there.values())
        assert max(addresses.values()) == 1
        told = self.server.activities()
        assert Counter(one["overture_key"] for one in told) == Counter(list(wanted))
        for one in told:
            [contact] = one["contacts"]
            assert there[contact]["email"] == wanted[one["overture_key"]]
        assert all(one["jobtitle"] == TYPED_THERE for one in there.values() if one["email"].endswith("@acme.example"))

"""After an erasure is finished, no byte of the database's files, and of a backup made then, names the person."""

import io
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from flask import current_app

from app.core import database_copy
from app.core.db import alone, db, disconnect, end_read, is_sqlite, session, transaction
from app.domain.billing import credits
from app.domain.conversations import notes
from app.domain.enrichment import signals
from app.domain.installation import backup
from app.domain.leads import csv_import, tags
from app.domain.people.exclusions import never_contact
from app.domain.privacy import erasure
from app.domain.tasks import marked_answers
from app.domain.webhooks import dispatcher, endpoints
from app.domain.workspace.workspaces import Workspace
from app.models.conversations import Conversation
from app.models.platform.audit import AuditEntry
from tests.databases import Database
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, only
from tests.domain.privacy.test_erasure import PERSON, WHO, drain, receiver
from tests.support.clients import Api
from tests.support.movable import Movable
from tests.support.receivers import Receiver

__all__ = ["receiver"]

NEEDLES = (b"kanarienvogel", b"zwitscher", b"2719281", WHO.encode())


def a_life(workspace: Workspace, api: Api, receiver: Receiver) -> int:
    """The lead of a person about whom everything was stored that can be."""
    endpoints.create(workspace, name="CRM", url=receiver.url, event="every_reply")
    campaign = a_campaign(workspace, [PERSON], [INVITE, message("Hello {{first_name}}, a word on {{custom.pet}}?")])
    forward(workspace, days=14)
    dispatcher.deliver_due()
    lead = only(campaign)
    talk = session().scalars(sa.select(Conversation).where(Conversation.person_id == lead.person_id)).one()
    end_read()
    notes.add(workspace, talk.id, "Kanarienvogel prefers the phone: +49 30 2719281.")
    marked_answers.mark(workspace, lead.person_id, "not_now")
    again = a_list(workspace, [PERSON | {"headline": "Zwitscher, now in Bonn"}], "Again")
    tags.tag(workspace, [lead.lead_id], add=["Zwitscher"])
    never_contact.add(workspace, [PERSON["profileUrl"], "wool.example"])
    named = {"fullName": "Kanarienvogel Zwitscher", "companyName": "Wool Ltd"}
    signals.look_up(workspace, "jobChange", full_name=named["fullName"], company_name=named["companyName"])
    credits.grant(workspace, 5, ref="gift", note="For the trouble with Kanarienvogel Zwitscher")
    api.post("never-contact", {"entries": ["kanarienvogel@"]}, idempotency_key="one")
    api.post(f"conversations/{talk.id}/messages", {"text": "Dear Kanarienvogel Zwitscher, {{"}, idempotency_key="two")
    api.get("leads", q=PERSON["email"], limit="0")
    refused = f"publicId,email,Title\n{WHO},{PERSON['email']},{'x' * 5000}\n".encode()
    csv_import.start(workspace, csv_import.create(workspace, again, "p.csv", io.BytesIO(refused)).id)
    drain()
    return lead.lead_id


def is_clean(clock: Movable, tries: int) -> bool:
    """Whether the job that cleans the files has done it, trying again."""
    done = sa.select(AuditEntry.id).where(AuditEntry.kind == "person.erasure_finished")
    for _ in range(tries):
        clock.forward(minutes=2)
        drain()
        if session().scalar(done):
            return True
    return False


@contextmanager
def someone_reads() -> Iterator[None]:
    """Another connection looks at the database as it is now, all the while."""
    with db.engine.connect() as connection:
        if not is_sqlite():
            connection.execution_options(isolation_level="REPEATABLE READ")
        connection.exec_driver_sql("SELECT count(*) FROM lead").scalar_one()
        yield


def named_in(content: bytes) -> list[bytes]:
    lowered = content.lower()
    return [needle for needle in NEEDLES if needle in lowered]


def files_of(database: Database) -> list[Path]:
    """Every file of the database; of Postgres those of its tables and indexes."""
    if is_sqlite():
        file = database_copy.sqlite_file(database.url)
        return sorted(file.parent.glob(file.name + "*"))
    with alone() as connection:
        connection.exec_driver_sql("CHECKPOINT")
        folder = connection.exec_driver_sql("SHOW data_directory").scalar_one()
        oid = connection.exec_driver_sql("SELECT oid FROM pg_database WHERE datname = current_database()").scalar_one()
    found = Path(folder) / "base" / str(oid)
    return [file for file in found.iterdir() if file.name[0].isdigit()] if os.access(found, os.R_OK) else []


def log_much() -> None:
    """The request log, which names them too, is a large table: 66 MB that no server can compress."""
    letters = "(SELECT string_agg(md5(n::text || g), '') FROM generate_series(1, 2500) n)"
    if not is_sqlite():
        with transaction() as current:
            current.execute(
                sa.text(
                    "INSERT INTO api_request (workspace_id, key_id, ref, method, path, status, refused, code,"
                    " milliseconds, sent, answered, created_at)"
                    " SELECT workspace_id, key_id, ref || g, method, path, status, refused, code, milliseconds,"
                    f" {letters}, '', created_at"
                    " FROM (SELECT * FROM api_request LIMIT 1) one, generate_series(1, 830) g"
                )
            )


def look_at_values() -> None:
    """Postgres has taken down what is frequent in each column, as it does by itself from time to time."""
    with alone() as connection:
        connection.exec_driver_sql("ANALYZE")


def forget_the_network() -> None:
    """What the invented network holds is not ours to erase; here it must not be found."""
    with transaction() as current:
        for name in sa.inspect(db.engine).get_table_names():
            if name.startswith("sandbox_"):
                current.execute(sa.text(f'DELETE FROM "{name}"'))


def test_no_byte_names_an_erased_person(
    acme: Workspace, api: Api, receiver: Receiver, clock: Movable, database: Database, tmp_path: Path
) -> None:
    lead_id = a_life(acme, api, receiver)
    log_much()
    look_at_values()
    assert any(named_in(file.read_bytes()) for file in files_of(database))
    with someone_reads():
        assert not erasure.erase(acme, lead_id).finished
        forget_the_network()
        assert not is_clean(clock, tries=3)
    assert is_clean(clock, tries=20)
    end_read()
    disconnect()
    assert {file.name: found for file in files_of(database) if (found := named_in(file.read_bytes()))} == {}
    how = backup.Plan(database.url, tmp_path / "backups", "on", 3, current_app.config["SECRET_KEY"])
    with zipfile.ZipFile(backup.make(how)) as archive:
        assert {name: found for name in archive.namelist() if (found := named_in(archive.read(name)))} == {}

"""Every check of the doctor finds what it is there to find, and nothing in a healthy installation."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core import installation, migrations
from app.core.clock import now
from app.core.db import database_files, db, end_read, is_sqlite, session, transaction
from app.domain.conversations import snippets
from app.domain.installation import doctor, engine_processes
from app.domain.installation.doctor_checks import schema
from app.domain.ledger import recount
from app.domain.webhooks import endpoints, events
from app.domain.webhooks.events import NewEvent
from app.domain.workspace import server_admins, user_emails
from app.models.accounts import Account
from app.models.billing import Wallet
from app.models.campaigns import (
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignStats,
    CampaignStatus,
    Connection,
    LeadState,
)
from app.models.conversations import Conversation
from app.models.leads import Lead, LeadList
from app.models.ledger import Action, ActionState
from app.models.people import Person, PersonValue
from app.models.platform.jobs import Job
from app.models.webhooks import Delivery, Event, Webhook
from app.models.workspaces import Workspace
from tests.domain.outreach import person_id
from tests.support.clients import Client
from tests.support.members import owner
from tests.support.movable import Movable

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
QUEUE = "procrastinate_jobs_queueing_lock_idx_v1"
Wrong = Callable[[], list[str]]


@pytest.fixture
def wrong(clock: Movable, acme: Workspace, tmp_path: Path) -> Callable[[], list[str]]:
    """The checks that find something. Those that read all columns of all tables take long, and have tests below."""
    quick = {name: check for name, (_, check) in doctor.CHECKS.items() if name not in ("schema", "values", "tenants")}

    def look() -> list[str]:
        found = [(name, *problem) for name, check in quick.items() for problem in check(tmp_path)]
        assert all(sentence.endswith(".") and remedy.endswith(".") for _, sentence, remedy in found)
        return [name for name, *_ in found]

    return look


@pytest.fixture
def campaign(acme: Workspace) -> Campaign:
    """A campaign with three people: one accepted and answered, one was invited, one is left."""
    known = [person_id(acme, f"p{number}") for number in range(3)]
    ours: dict[str, Any] = {"workspace_id": acme.id}
    with transaction() as current:
        people = LeadList(name="People", lead_count=3, created_at=AT, **ours)
        current.add(people)
        current.flush()
        for value in ("CTO", 5):  # of any kind, as custom fields are
            former = PersonValue(person_id=known[0], field="custom.x", value=value, known_at=AT, ended_at=AT, **ours)
            current.add(former)
        made = Campaign(name="Hello", status="running", list_id=people.id, account_ids=[first(Account)], **ours)
        made.sequence = [{"type": "connection_request", "key": 0}, {"type": "message", "message": "Hi", "key": 1}]
        made.timezone, made.days, made.created_at = "UTC", [1], AT
        made.start_time, made.end_time = "09:00", "17:00"
        current.add(made)
        current.flush()
        current.add(CampaignAccount(campaign_id=made.id, account_id=first(Account), **ours))
        there: list[CampaignLead] = []
        for number, (state, connection) in enumerate(
            [
                (LeadState.FINISHED, Connection.ACCEPTED),
                (LeadState.AWAITING_ACCEPT, Connection.SENT),
                (LeadState.PENDING, Connection.NONE),
            ]
        ):
            lead = Lead(list_id=people.id, person_id=known[number], created_at=AT, **ours)
            current.add(lead)
            current.flush()
            one = CampaignLead(campaign_id=made.id, lead_id=lead.id, person_id=lead.person_id, state=state, **ours)
            one.account_id, one.contacted, one.connection = first(Account), number < 2, connection
            one.sender_id, one.due_at, one.next_budget = one.account_id, None if number == 0 else AT, "invite"
            if number == 0:
                one.accepted_at, one.replied, one.sentiment = AT, True, "positive"
            there.append(one)
        current.add_all(there)
        current.flush()
        for one, kind, step, state in (
            (there[0], "connection_request", 0, ActionState.SENT),
            (there[1], "connection_request", 0, ActionState.SENT),
            (there[0], "message", 1, ActionState.UNKNOWN),
            (there[1], "message", 1, ActionState.FAILED),
        ):
            action = Action(campaign_lead_id=one.id, person_id=one.person_id, step=step, kind=kind, state=state, **ours)
            action.sender_id, action.campaign_id, action.budget = first(Account), made.id, "invite"
            action.token, action.at = f"{one.id}.{step}", AT
            current.add(action)
        counts = {"leads": 3, "finished": 1, "awaiting_accept": 1, "pending": 1, "contacted": 2, "accepted": 1}
        counted = {"invites_sent": 2, "messages_sent": 1, "replies": 1, "positive": 1}
        current.add(CampaignStats(campaign_id=made.id, **ours, **counts, **counted))
    return made


def first(model: type[Account | Action]) -> int:
    return session().scalar(sa.select(sa.func.min(model.id))) or 0


def oldest(model: type[Account | Action]) -> sa.ColumnElement[bool]:
    return model.id == first(model)


def change(statement: sa.Executable) -> None:
    """Change the database as someone with a database client might."""
    with transaction() as current:
        current.execute(statement)


def test_wrong_counts_are_found_and_put_right_but_money_is_left_alone(
    wrong: Wrong, campaign: Campaign, rival: Workspace
) -> None:
    assert wrong() == []
    wrong_by = {counter: number for number, counter in enumerate(recount.COUNTERS, 1)}
    change(sa.update(CampaignStats).values({name: getattr(CampaignStats, name) + by for name, by in wrong_by.items()}))
    assert {*wrong()} == {"statistics"}
    assert {one.column: one.kept - one.counted for one in recount.repair()} == wrong_by
    assert wrong() == []
    change(sa.delete(CampaignStats))  # as after a restore of some tables
    assert "statistics" in wrong()
    recount.repair()
    assert session().get_one(CampaignStats, campaign.id).invites_sent == 2
    change(sa.update(LeadList).values(lead_count=4))
    assert wrong() == ["lists"]
    recount.repair()
    assert wrong() == []
    change(sa.update(Wallet).where(Wallet.workspace_id == campaign.workspace_id).values(posted=Wallet.posted + 1))
    assert wrong() == ["credits"]
    assert recount.repair() == []


def test_a_missing_event_is_found(wrong: Wrong, acme: Workspace) -> None:
    with transaction():
        events.record(acme.id, [NewEvent("invite_sent", AT, None, {})] * 3)
    assert wrong() == []
    change(sa.delete(Event).where(Event.sequence == 2))
    assert wrong() == ["events"]
    change(sa.update(Event).where(Event.sequence == 3).values(sequence=2))
    assert wrong() == ["events"]
    change(sa.delete(Event))
    assert wrong() == ["events"]


def test_senders_leases_and_jobs_that_stand_still_and_a_clock_that_went_back_are_found(
    wrong: Wrong, acme: Workspace, clock: Movable
) -> None:
    """A sender that someone has to reconnect takes no turns; a lease runs minutes, not hours."""
    first_one = sa.update(Account).where(oldest(Account))
    change(first_one.values(turn_at=clock.at, claimed_until=clock.at + timedelta(minutes=10)))
    assert wrong() == []
    change(first_one.values(claimed_until=clock.at + timedelta(days=1)))
    assert wrong() == ["leases"]
    change(first_one.values(claimed_until=None))
    clock.forward(hours=2)
    assert wrong() == ["turns"]
    change(first_one.values(status="challenged"))
    assert wrong() == []
    with transaction() as current:
        current.add(Job(workspace_id=acme.id, kind="keep_forecast", open_key="a", due_at=AT, created_at=AT))
    assert wrong() == ["waiting"]
    clock.forward(days=-1)
    assert "clock" in wrong()


def test_another_version_of_the_schema_and_a_proxy_that_no_setting_names_are_found(
    wrong: Wrong, tmp_path: Path
) -> None:
    """The schema before all else, as the other checks would only fail."""
    change(sa.text("UPDATE alembic_version SET version_num = '0000'"))
    found = [finding.check for finding in doctor.examine(tmp_path)]
    change(sa.text(f"UPDATE alembic_version SET version_num = '{migrations.newest()}'"))
    assert found == ["database"]
    change(sa.text("INSERT INTO alembic_version VALUES ('0000')"))
    assert wrong() == ["database"]
    change(sa.text("DELETE FROM alembic_version WHERE version_num = '0000'"))
    try:
        for proxies, expected in ((0, ["proxy"]), (1, [])):
            installation.serve_at("https://outreach.example.com", proxies)
            assert wrong() == expected
    finally:
        installation.serve_at("http://127.0.0.1:8000", 0)


def test_links_that_recipients_of_emails_cannot_open_are_found(wrong: Wrong, acme: Workspace) -> None:
    change(sa.update(Account).values(provider="smtp"))
    assert "links" not in wrong()
    change(sa.update(Workspace).values(sandbox=False))
    assert "links" in wrong()
    try:
        installation.serve_at("https://outreach.example.com", 1)
        assert "links" not in wrong()
    finally:
        installation.serve_at("http://127.0.0.1:8000", 0)


DAMAGES = (
    ("ALTER TABLE message DROP COLUMN error", "schema"),
    ("CREATE TRIGGER spy AFTER INSERT ON message BEGIN UPDATE message SET id = id; END", "schema"),
    ("DROP TRIGGER fulltext_conversation_i", "schema"),
    ("UPDATE campaign SET sequence = '[{'", "values"),
    ("UPDATE account SET limits = '[]'", "values"),
    ("UPDATE campaign_lead SET due_at = 'soon'", "values"),
    ("UPDATE campaign SET status = 'runing'", "values"),
    ("UPDATE account SET timezone = 'Mars/One'", "settings"),
    ("UPDATE workspace SET clock_offset = 100000000000000", "values"),
    ("UPDATE workspace SET undo_seconds = -5", "values"),
    ("UPDATE workspace SET plan = 'platinum'", "values"),
    ("UPDATE campaign SET pick_winner_at = '2099-01-01 00:00:00.000000'", "values"),
    ("UPDATE account SET polled_at = '2099-01-01 00:00:00.000000'", "turns"),
    ("REPLACE INTO engine_seat (name, until) VALUES ('engine', '2099-01-01 00:00:00.000000')", "turns"),
    ("UPDATE campaign SET sequence = '[{\"type\": \"message\", \"mesage\": \"Hi\"}]'", "settings"),
    ("UPDATE campaign SET sequence = '[{\"type\": \"message\", \"message\": \"Hi {{first_name|\"}]'", "settings"),
    ("UPDATE campaign SET sequence = '[{\"type\": \"follow\", \"delay\": {\"value\": -7, \"unit\": \"days\"}}]'",
     "settings"),
    ("UPDATE person SET tags = '[\"vip\"]'", "rows"),
    ("INSERT INTO conversation_words (conversation_id, workspace_id, names, said) VALUES (1, 1, 'a', 'b');"
     " INSERT INTO fulltext_conversation (fulltext_conversation) VALUES ('delete-all')", "schema"),
    ("UPDATE campaign SET account_ids = '[999]'", "work"),
    ("UPDATE campaign SET sequence = '[{\"type\": \"fax\"}]'", "settings"),
    ("UPDATE campaign_lead SET step = 77", "work"),
    ("DELETE FROM campaign_account", "work"),
    ("UPDATE campaign SET days = '[\"mon\"]'", "settings"),
    ("UPDATE account SET limits = '{\"invite\": \"many\"}'", "settings"),
    ("UPDATE campaign_lead SET due_at = NULL", "work"),
    ("UPDATE campaign SET windows = '[{\"days\": [1], \"start\": \"nine\", \"end\": \"17:00\"}]'", "settings"),
    ("UPDATE workspace SET blackouts = '[{\"firstDay\": \"soon\"}]'", "settings"),
    ("UPDATE campaign SET branches = '[{\"at\": 9}]'", "settings"),
    ("UPDATE campaign SET on_reply = '[{\"sentiment\": \"positive\", \"do\": \"fly\"}]'", "settings"),
    ("INSERT INTO never_contact (workspace_id, kind, value, label, reason, created_at, source, run) SELECT id, 'email',"
     " 'Ada@B.example', '?', '', created_at, '', 0 FROM workspace", "work"),
    ("DELETE FROM person_identity", "work"),
    ("DELETE FROM membership", "rights"),
    ("UPDATE campaign_lead SET sender_id = 3", "work"),
    ("UPDATE campaign_lead SET reason = 'gone_fishing'", "values"),
    ("UPDATE person_identity SET kind = 'fax'", "values"),
    ("UPDATE action SET at = '2099-01-01 00:00:00.000000'", "clock"),
    ("UPDATE lead_list SET workspace_id = workspace_id + 1", "tenants"),
    ("UPDATE user_account SET server_admin = 1", "rights"),
    ("UPDATE user_account SET email = upper(email)", "rights"),
    ("UPDATE user_account SET password_hash = 'secret'", "rights"),
    ("UPDATE campaign SET account_ids = '[3]', mailbox_ids = '[1]'", "work"),
    ("UPDATE campaign SET contact_rules = '{\"contacted_days\": \"ninety\"}'", "settings"),
    ("UPDATE workspace SET contact_rules = '{\"replyed\": true}'", "settings"),
    ("UPDATE workspace SET contact_caps = '{\"touches\": \"four\"}'", "settings"),
    ("UPDATE workspace SET retention = '{\"letters\": 5}'", "settings"),
    ("INSERT INTO campaign_template (workspace_id, name, sequence, created_at) SELECT id, 'T', '[{\"type\": \"fax\"}]',"
     " created_at FROM workspace", "settings"),
    ("UPDATE campaign_lead SET due_at = '2099-01-01 00:00:00.000000'", "work"),
    ("UPDATE account SET turn_at = '2099-01-01 00:00:00.000000'", "turns"),
    ("UPDATE campaign_lead SET next_budget = 'fax'", "values"),
    ("UPDATE person SET origins = '{\"email\": {\"source\": 99}}'", "rows"),
    ("INSERT INTO attachment (workspace_id, name, media_type, size) SELECT id, 'a.pdf', 'application/pdf', 9"
     " FROM workspace", "rows"),
    ("UPDATE action SET person_id = (SELECT max(id) FROM person)", "rows"),
    ("UPDATE campaign_lead SET person_id = (SELECT max(id) FROM person)", "rows"),
    ("UPDATE person SET email = 'other@b.example'", "rows"),
    ("UPDATE workspace SET sandbox = 0", "rows"),
    ("INSERT INTO event (workspace_id, sequence, ref, kind, body, created_at) SELECT id, 1, id, 'invite_sent', '{',"
     " created_at FROM workspace", "rows"),
    ("INSERT INTO conversation (workspace_id, sender_id, person_id, channel, unread, sentiment, last_message_at,"
     " last_direction, created_at) SELECT workspace_id, 1, min(id), 'social', -1, '', created_at, 'in', created_at"
     " FROM person", "rows"),
    ("INSERT INTO api_key (workspace_id, name, lookup, digest, last4, scopes, created_at) SELECT workspace_id, 'k',"
     " 'lookup', x'00', 'abcd', '[\"sudo\"]', created_at FROM membership LIMIT 1", "rights"),
    ("UPDATE membership SET created_at = '2030-01-01 00:00:00.000000'", "rights"),
    ("INSERT INTO api_key (workspace_id, name, lookup, digest, last4, scopes, created_at) SELECT workspace_id, 'k',"
     " 'lookup', x'00', 'abcd', '[\"all\"]', '2030-01-01 00:00:00.000000' FROM membership LIMIT 1", "rights"),
    ("UPDATE person SET first_name = CAST(x'ff' AS TEXT)", "values"),
    ("UPDATE campaign SET status = ''", "values"),
    ("UPDATE credit_entry SET kind = 'theft'", "values"),
    ("UPDATE campaign_stats SET contacted = -3", "values"),
    ("UPDATE campaign SET created_at = '1999-01-01 00:00:00.000000'", "values"),
    ("UPDATE account SET limits = '{\"invite\": 100000}'", "settings"),
    ("UPDATE account SET absences = '[{\"firstDay\": \"2026-05-02\", \"lastDay\": \"2026-05-01\"}]'", "settings"),
    ("UPDATE account SET rests = '{\"invite\": \"soon\"}'", "settings"),
    ("UPDATE account SET reply_to = 'not an address'", "settings"),
    ("UPDATE workspace SET contact_caps = '{\"touches\": 100000}'", "settings"),
    ("UPDATE workspace SET blackouts = '[{\"name\": \"x\", \"firstDay\": \"2026-05-02\","
     " \"lastDay\": \"2026-05-01\"}]'", "settings"),
    ("UPDATE campaign SET start_date = '2026-05-02 00:00:00.000000', end_date = '2026-05-01 00:00:00.000000'",
     "settings"),
    ("UPDATE campaign SET windows = '[{\"days\": [1], \"start\": \"18:00\", \"end\": \"09:00\"}]'", "settings"),
    ("UPDATE webhook SET url = 'ftp://nowhere'", "settings"),
    ("UPDATE webhook SET more_events = '[\"nonsense\"]'", "settings"),
    ("UPDATE snippet SET text = '{{first_name'", "settings"),
    ("UPDATE webhook SET campaign_ids = '[999]'", "tenants"),
    ("UPDATE campaign_lead SET hand_over_to = 999", "tenants"),
    ("UPDATE campaign SET status = 'finished'", "rows"),
    ("UPDATE person SET erased_at = created_at", "rows"),
    ("UPDATE person_identity SET person_id = (CASE person_id WHEN 1 THEN 2 WHEN 2 THEN 1 ELSE person_id END)", "rows"),
    ("UPDATE sqlite_sequence SET seq = 0", "schema"),
    ("DROP TABLE snippet", "schema"),
    ("CREATE UNIQUE INDEX one_name ON campaign (name)", "schema"),
)  # fmt: skip


def test_damage_done_by_hand_is_named_and_breaks_no_check(
    acme: Workspace, campaign: Campaign, rival: Workspace, tmp_path: Path
) -> None:
    """Each on a healthy copy, by its own check; what all checks say of all damage together, they say to people."""
    if not is_sqlite():
        pytest.skip("Postgres takes few of these.")
    endpoints.create(acme, name="W", url="https://x.example", event="invite_sent")
    snippets.add(acme, "Greeting", "Hi {{first_name|there}}")
    end_read()
    (file, *_), kept = database_files(db.engine), tmp_path / "kept"
    database = sqlite3.connect(file)
    database.execute("VACUUM INTO ?", (str(kept),))
    missed = []

    def damage(*statements: str) -> None:
        end_read()
        db.engine.dispose()
        sqlite3.connect(kept).backup(database)
        with database:
            for statement in statements:
                database.executescript(statement)

    for statement, check in DAMAGES:
        damage(statement)
        if not list(doctor.CHECKS[check][1](tmp_path)):
            missed.append(statement)
        session().expunge_all()
    damage(*(statement for statement, _ in DAMAGES))
    damaged = [finding for finding in doctor.examine(tmp_path) if not finding.well]
    damage("UPDATE campaign SET account_ids = '[1, 3]'")  # a mailbox may be chosen like any other sender
    assert not [sentence for sentence, _ in doctor.CHECKS["work"][1](tmp_path) if "can't use" in sentence]
    damage()
    healthy = [finding for finding in doctor.examine(tmp_path) if not finding.well]
    assert missed == healthy == []
    assert {finding.check for finding in damaged} >= {check for _, check in DAMAGES}
    assert all(finding.sentence.endswith(".") and finding.remedy.endswith(".") for finding in damaged)


ON_POSTGRES = (
    "CREATE RULE hidden AS ON INSERT TO audit_entry DO INSTEAD NOTHING",
    "ALTER TABLE message ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE lead DISABLE TRIGGER ALL",
    "ALTER TABLE message ALTER COLUMN id DROP DEFAULT",
    "DROP SEQUENCE snippet_id_seq CASCADE",
    "DROP TABLE procrastinate_jobs CASCADE",
    "ALTER TABLE crm_activity SET UNLOGGED",
    "ALTER TABLE message ADD CONSTRAINT brief CHECK (length(text) < 10000)",
    "ALTER TABLE snippet ADD CONSTRAINT alone UNIQUE (name)",
    "ALTER TABLE snippet ADD CONSTRAINT ours FOREIGN KEY (id) REFERENCES workspace NOT VALID",
    "ALTER TABLE person_tag DROP CONSTRAINT pk_person_tag",
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_campaign_lead_queue'::regclass",
    "UPDATE campaign SET contact_rules = '{\"contacted_days\": 100000}', status = 'finished'",
)


@pytest.mark.postgres
def test_what_only_postgres_knows_of_tables_is_compared_too(campaign: Campaign, tmp_path: Path) -> None:
    """Each is taken back with its transaction."""
    if is_sqlite():
        pytest.skip("SQLite has none of these.")
    missed = []
    for statement in ON_POSTGRES:
        end_read()
        session().execute(sa.text(statement))
        if not [one for name in ("schema", "rows") for one in doctor.CHECKS[name][1](tmp_path)]:
            missed.append(statement)
        session().rollback()
    assert missed == []


def test_a_broken_file_is_restored_and_a_deleted_row_shows_no_one_anything(
    acme: Workspace, campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_sqlite():
        pytest.skip("Postgres keeps references right, and has no file.")
    (file, *_) = database_files(db.engine)
    end_read()
    with sqlite3.connect(file) as other:  # which doesn't keep references right
        other.execute("DELETE FROM account")
    said = [sentence for sentence, _ in doctor.CHECKS["tenants"][1](tmp_path)]
    assert len(said) == 1
    assert all("A deleted row of account" in sentence for sentence in said)

    def broken() -> bool:
        raise sa.exc.DatabaseError("SELECT 1", {}, sqlite3.DatabaseError("database disk image is malformed"))

    monkeypatch.setattr(migrations, "is_newer", broken)
    (found,) = doctor.CHECKS["database"][1](tmp_path)
    assert found == ("The SQLite file is damaged: database disk image is malformed", schema.RESTORE)


def test_where_campaigns_run_in_workers_it_is_said_since_when_none_does(
    wrong: Wrong, clock: Movable, client: Client
) -> None:
    installation.serve_at("http://127.0.0.1:8000", 0, workers=True)
    try:
        assert wrong() == ["engine"]
        assert "No worker has run yet" in client.get("/healthz").json["idle"]
        engine_processes.join("worker", "procrastinate")
        assert wrong() == []
        since = f"{now():%Y-%m-%d %H:%M}"
        clock.forward(minutes=5)
        assert f"No worker has run since {since} UTC" in client.get("/healthz").json["idle"]
        assert wrong() == ["engine"]
    finally:
        installation.serve_at("http://127.0.0.1:8000", 0)
    assert "idle" not in client.get("/healthz").json


@pytest.mark.postgres
def test_what_is_safe_is_mended(campaign: Campaign, clock: Movable, tmp_path: Path) -> None:
    """Indexes, those of no model too; words of conversations; counters of ids; what waits for a time years ahead."""
    with transaction() as current:
        sender, person = first(Account), session().scalar(sa.select(sa.func.min(Person.id)))
        talk = Conversation(workspace_id=campaign.workspace_id, sender_id=sender, person_id=person, channel="social")
        talk.last_message_at = talk.created_at = talk.updated_at = AT
        talk.last_direction = "in"
        current.add(talk)
    change(sa.update(Account).where(oldest(Account)).values(turn_at=AT + timedelta(days=9999)))
    gone = ["TABLE fulltext_conversation"] if is_sqlite() else ["INDEX fulltext_conversation", f"INDEX {QUEUE}"]
    for one in ("INDEX ix_campaign_lead_queue", *gone):
        change(sa.text(f"DROP {one}"))
    back = (
        "UPDATE sqlite_sequence SET seq = 0 WHERE name = 'person'"
        if is_sqlite()
        else "SELECT setval('person_id_seq', 1)"
    )
    change(sa.text(back))
    looks = [doctor.CHECKS[name][1] for name in ("schema", "rows", "turns")]
    found = [sentence for look in looks for sentence, remedy in look(tmp_path) if remedy == schema.MEND]
    assert len(found) == len(list(doctor.mend(tmp_path))) == 4 + len(gone)
    assert [problem for look in looks for problem in look(tmp_path)] == []


def test_an_action_whose_outcome_no_one_looks_up_is_found(wrong: Wrong, campaign: Campaign, clock: Movable) -> None:
    change(sa.update(Action).where(oldest(Action)).values(state=ActionState.SENDING, check_at=clock.at))
    change(sa.update(CampaignStats).values(invites_sent=1))
    assert wrong() == []
    clock.forward(minutes=70)
    assert wrong() == ["waiting"]
    change(sa.update(Account).where(oldest(Account)).values(status="disconnected"))
    assert wrong() == []
    change(sa.update(Action).where(oldest(Action)).values(check_at=None))
    assert wrong() == ["actions"]


def test_work_that_no_look_takes_is_found(wrong: Wrong, campaign: Campaign, clock: Movable) -> None:
    """The process lives and its other work goes on: only what waits tells that a look fails each time."""
    change(sa.update(Campaign).values(status=CampaignStatus.SCHEDULED, start_date=clock.at))
    clock.forward(minutes=50)
    assert wrong() == []
    clock.forward(minutes=20)
    assert wrong() == ["waiting"]
    change(sa.update(Workspace).values(clock_offset=3600))
    assert wrong() == []


def test_deliveries_that_do_not_leave_are_found(wrong: Wrong, acme: Workspace, clock: Movable) -> None:
    """Unless their endpoint is off, or known not to answer."""
    webhook, _ = endpoints.create(acme, name="W", url="https://x.example", event="invite_sent")
    with transaction() as current:
        current.add(Delivery(workspace_id=acme.id, webhook_id=webhook.id, due_at=AT, created_at=AT))
    clock.forward(minutes=50)
    assert wrong() == []
    clock.forward(minutes=20)
    assert wrong() == ["deliveries"]
    change(sa.update(Webhook).values(probe_at=clock.at))
    assert wrong() == []
    change(sa.update(Webhook).values(probe_at=None, active=False))
    assert wrong() == []


def test_a_secret_or_a_database_that_others_can_read_is_found(wrong: Wrong, tmp_path: Path) -> None:
    """The database is the file, and what SQLite keeps beside it."""
    (tmp_path / "secret_key").write_text("s")
    files = [file for file in database_files(db.engine) if file.exists()]
    assert len(files) == (3 if is_sqlite() else 0)
    for file in (tmp_path / "secret_key", *files):
        file.chmod(0o640)
        assert wrong() == ["instance"]
        file.chmod(0o600)
    assert wrong() == []


def test_an_admins_address_that_no_user_confirmed_is_named(wrong: Wrong, acme: Workspace, tmp_path: Path) -> None:
    server_admins.use({"ada@acme.example", "ops@example.com"})
    ada = owner(acme)
    user_emails.confirm(ada, user_emails.link(ada))
    assert wrong() == ["admins"]
    ((sentence, _),) = doctor.CHECKS["admins"][1](tmp_path)
    assert sentence == "OVERTURE_OPERATORS lists ops@example.com, which no user has confirmed."
    server_admins.use(())
    assert wrong() == []
    server_admins.dismiss(ada)
    assert wrong() == ["admins"]

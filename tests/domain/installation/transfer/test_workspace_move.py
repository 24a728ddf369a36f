"""One workspace moves in a file: nothing of another one is in it, and nothing is sent where it arrives."""

import gzip
import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import app.providers.sandbox.store  # noqa: F401  the tables
from app.core import clock, crypto, installation
from app.core.crypto import keyring
from app.core.db import Base, db, session, transaction
from app.core.errors import AppError, Conflict
from app.domain.billing import credits
from app.domain.installation import table_rows, workspace_rows
from app.domain.installation.transfer import workspace_export, workspace_import
from app.domain.leads import lists
from app.domain.platform import audit_log, jobs, secret_rotation
from app.domain.webhooks import events
from app.domain.workspace import user_emails, workspaces
from app.models.accounts import Account
from app.models.billing import Wallet
from app.models.campaigns import Campaign
from app.models.conversations import Message
from app.models.ledger import Action
from app.models.platform.jobs import Job
from app.models.webhooks import Delivery, Event, Webhook
from app.models.workspaces import User, Workspace
from tests.domain.outreach import a_campaign
from tests.support.members import owner
from tests.support.moved import content

WORDS = "many words that only two people know"
# Numbers that count or say how far, and name no row. One that names a row says so in its model.
COUNTS = set(
    """
    accepted active added alerts_event all_tokens amount approve_first attempts audience awaiting_accept bad bounced
    clock_offset contacted credits credits_per_lead daily_budget delivered done drafts edits event_sequence excluded
    failed failures finished former_customers found good header_row held invalid invites_sent joined_to joins_per_day
    last_status lead_count
    leads looked max_credits messages_sent milliseconds missed monthly_notes most most_per_day negative neutral
    new_per_day next_key number opted_out pages part paused payload_version payloads_gone_to pending people
    place_after place_before position positive posted problems queued rank read remaining replies revision rewritten
    row run run_found run_read sandbox_seed seq sequence session_epoch size skipped spent status step stopped strikes
    texts total turns unanswered undo_seconds undoes undone_by unread updated used version
    """.split()
)
# JSON in which no row is named. Where one is, its column says so in its model.
WITHOUT_IDS = set(
    """
    account.health account.limits account.rests account.work_days approval.facts approval.opener approval.warnings
    audit_entry.after audit_entry.before autopilot_setup.alerts autopilot_setup.alerts_quiet
    autopilot_setup.customer_types autopilot_setup.offer autopilot_setup.profile autopilot_setup.progress
    autopilot_setup.rules autopilot_setup.targets campaign.blackouts campaign.branches campaign.days
    campaign.sequence campaign.windows campaign_lead.kept campaign_lead.let_in campaign_lead.route
    campaign_lead.skip_steps campaign_revision.effect campaign_template.branches campaign_template.sequence
    company_reading.quotes import_refusal.cells kept_forecast.body
    lead_import.consent lead_import.header lead_import.mapping lead_import.opt_outs mailbox_login.checks
    mailbox_login.settings membership.key_scopes monitor.run_left_out monitor.targeting monitor_person.found
    person.company_by_hand person.custom_fields person.tags person_value.value play.build play.chips play.launch
    play.log play.steps play.written play_sample.found play_sample.messages play_template.steps
    play.proposed play.written_from service_login.shown signal.answer
    variant_choice.shares webhook.more_events workspace.blackouts workspace.contact_caps workspace.contact_rules
    workspace.notices workspace.retention
    """.split()
)
# Tables whose rows have no text that could be marked.
WITHOUT_TEXTS = set(
    """
    campaign_account campaign_list campaign_stats lead mention not_same_person person_merge sandbox_standing
    search_read webhook_hour
    """.split()
)
UNIQUE_ON_A_SERVER = {"event.ref", "user_account.email"}  # made anew, and found again
ONE_IN_A_WORKSPACE = ("workspace", "user_account", "wallet", "membership")


def ids_of(column: sa.Column[Any]) -> Any:
    return column.info.get("ids")


def test_every_model_says_what_is_special_about_it() -> None:
    """A new table or column of which nothing is said fails here, and its author decides."""
    unknown = []
    for table in workspace_rows.tables():
        if "workspace_id" not in table.c and table.name not in ("workspace", "user_account"):
            unknown.append(table.name)  # whose rows are these?
        for column in table.columns:
            name, kind = str(column), column.type
            if isinstance(kind, sa.JSON):
                known = name in WITHOUT_IDS or bool(ids_of(column))
            elif isinstance(kind, sa.LargeBinary):
                known = bool({"sealed", "blank"} & {*column.info}) or column.name == "content"
            elif isinstance(kind, sa.BigInteger) and column.name != "id":
                known = bool(workspace_rows.named_table(column)) or column.name in COUNTS
            else:
                known = True
            if not known:
                unknown.append(name)
    assert unknown == []


def test_what_is_unique_on_a_server_is_made_anew() -> None:
    """Otherwise the same workspace could not be imported twice."""
    alone = set()
    for table in workspace_rows.tables():
        keys = [key for key in table.constraints if isinstance(key, sa.UniqueConstraint)]
        for key in keys:
            if not any(workspace_rows.named_table(column) for column in key.columns):
                alone |= {str(column) for column in key.columns}
    assert alone == UNIQUE_ON_A_SERVER


def fill(workspace: Workspace, mark: str) -> None:
    """The workspace has a row in every table that moves, with a mark in every text."""
    at = clock.now()
    with transaction() as current:
        connection = current.connection()
        tables = workspace_rows.tables()
        highest = table_rows.last_ids(connection)
        ids = {table.name: highest.get(table.name, 0) + 1 for table in tables}
        member = Base.metadata.tables["membership"]
        mine = sa.select(member.c.user_id).where(member.c.workspace_id == workspace.id)
        ids |= {"workspace": workspace.id, "user_account": connection.scalar(mine) or 0}
        for table in tables:
            if table.name in ONE_IN_A_WORKSPACE:
                continue
            row = {column.name: value(column, mark, ids, at) for column in table.columns}
            if "id" in table.c:
                row["id"] = ids[table.name]
            row |= CHOSEN.get(table.name, {})
            for column in table.columns:
                if "sealed" in column.info:
                    place = secret_rotation.associated_data(column, **row)
                    row[column.name] = keyring().seal(f"secret of {mark} in {column}".encode(), place)
            connection.execute(sa.insert(table), [row])
        table_rows.set_last_ids(connection, table_rows.last_ids(connection))
        audit_log.sign_again(workspace.id)


CHOSEN: dict[str, dict[str, Any]] = {
    "account": {"provider": "smtp", "status": "connected", "active": True, "turn_at": clock.now()},
    "action": {"state": "again", "step": 1},
    "audit_entry": {"number": 1, "kind": "workspace.changed"},
    "autopilot_setup": {"status": "active"},
    "campaign": {"status": "running"},
    "event": {"kind": "approval_waiting", "sequence": 1000},
    "delivery": {"state": "pending"},
    "message": {"status": "queued"},
    "never_contact": {"kind": "erased"},
    "play": {"status": "running", "launch": {}},
    "webhook": {"active": True},
}


def value(column: sa.Column[Any], mark: str, ids: dict[str, int], at: Any) -> Any:
    """Something that belongs in the column, and that shows whose it is."""
    name, kind = str(column), column.type
    if named := workspace_rows.named_table(column):
        return [ids[named]] if isinstance(kind, sa.JSON) else ids[named]
    if isinstance(ids_of(column), tuple):
        pattern, tables = ids_of(column)[0]
        return pattern.replace(r"(\d+)", str(ids[tables[0]]))
    if name == "event.ref":
        return f"evt_{mark}"
    if name == "event.body":
        data = events.sample("approval_waiting")
        data["campaign"] = {"id": ids["campaign"], "name": mark}
        data["account"] = {"id": ids["account"], "name": mark}
        data["lead"] |= {
            "id": ids["lead"],
            "list": {"id": ids["lead_list"], "name": mark},
            "conversationUrl": installation.address(f"/conversations/{ids['conversation']}"),
        }
        data["approval"] |= {"id": ids["approval"], "url": installation.address(f"/approvals/{ids['approval']}")}
        return events.body(f"evt_{mark}", "approval_waiting", at, ids["workspace"], data, sequence=1000)
    if name == "delivery.test_body":
        return ""
    if isinstance(kind, sa.JSON):
        return {"mark": mark}
    if isinstance(kind, sa.LargeBinary):
        return mark.encode()
    if isinstance(kind, sa.Boolean):
        return True
    if isinstance(kind, sa.Float):
        return 0.5
    if isinstance(kind, sa.BigInteger):
        return 0
    return f"{mark} {name}" if isinstance(kind, sa.Text) else at


@pytest.fixture
def both(acme: Workspace, rival: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both workspaces have something everywhere, also where only some words can stand; ours has the later ids."""
    monkeypatch.setattr(workspace_import, "_impossible", lambda: iter(()))
    fill(rival, "mark-of-rival")
    fill(acme, "mark-of-acme")


def url() -> str:
    return db.engine.url.render_as_string(hide_password=False)


def lines(file: Path) -> list[str]:
    return gzip.decompress(file.read_bytes()).decode().splitlines()


def rows_of(workspace: Workspace) -> dict[str, list[Any]]:
    found = {}
    for table in workspace_rows.tables():
        mine = sa.select(table).where(workspace_rows.of_workspace(table, workspace.id))
        found[table.name] = [tuple(row) for row in session().execute(mine.order_by(*table.primary_key))]
    return found


def test_nothing_of_another_workspace_is_in_the_file(both: None, acme: Workspace, tmp_path: Path) -> None:
    """With a mark in every table, a single forgotten condition would show. Nor is a secret in it that opens."""
    workspace_export.export(acme, tmp_path / "w")
    whole = "\n".join(lines(tmp_path / "w"))
    marked = {json.loads(line)[0] for line in lines(tmp_path / "w")[1:-1] if "mark-of-acme" in line}
    expected = {table.name for table in workspace_rows.tables()} - {
        *ONE_IN_A_WORKSPACE,
        *workspace_export.ONLY_WITH_SECRET,
        *WITHOUT_TEXTS,
    }
    assert expected <= marked
    assert "mark-of-rival" not in whole
    assert "rob@rival.example" not in whole
    assert "secret of" not in whole
    hashed = session().scalar(sa.select(User.password_hash).where(User.email == "ada@acme.example")) or "?"
    assert hashed not in whole
    assert (tmp_path / "w").stat().st_mode & 0o777 == 0o600


def test_a_round_trip_gives_the_same_content(both: None, acme: Workspace, rival: Workspace, tmp_path: Path) -> None:
    """Twice gives two workspaces, and what was here before is as it was.

    Secrets move only with the passphrase, and open at their new place; then the sender keeps its login.
    """
    made = []
    for words in ("", WORDS):
        assert (workspace_export.export(acme, tmp_path / f"w{words}", words).connect == []) == bool(words)
        told = content(url(), acme.id)
        told["monitor"][0]["cursor"] = ""
        if not words:
            told["service_login"] = []
            for table in ("mailbox_login", "source_connection"):
                told[table][0]["sealed"] = False
            told["autopilot_setup"][0]["alerts_sealed"] = told["webhook"][0]["former_secret"] = False
        before = {each.id: rows_of(each) for each in (acme, rival)}
        for _ in range(2):
            made.append(workspace_import.take_in(tmp_path / f"w{words}", words, with_billing=True).workspace)
            found = content(url(), made[-1].id)
            noted = [found["audit_entry"].pop()["kind"] for _ in range(2)]
            assert noted == ["workspace.imported", "campaign.paused"]
            news = [found["event"].pop()["kind"] for _ in range(found["workspace"][0]["event_sequence"])]
            assert news == ["campaign_paused"]
            found["workspace"][0]["event_sequence"] = 0
            assert found == told
        assert {each.id: rows_of(each) for each in (acme, rival)} == before
    assert len({acme.id, rival.id, *(each.id for each in made)}) == 6
    assert [*audit_log.verify_chain()] == []
    some = session().connection()
    for table in workspace_rows.tables():
        if "id" in table.c and table.name != "user_account":
            given = [
                {*some.scalars(sa.select(table.c.id).where(workspace_rows.of_workspace(table, each)))}
                for each in (acme.id, rival.id, *(one.id for one in made))
            ]
            assert sum(map(len, given)) == len(set.union(*given)), table.name
    assert opened_secrets(made[-1]) == set(
        "autopilot_setup.alerts_sealed mailbox_login.sealed service_login.sealed source_connection.sealed "
        "webhook.secret webhook.former_secret".split()
    )
    theirs = sa.select(Account.status, Account.active).where(Account.provider == "smtp")
    assert session().execute(theirs.where(Account.workspace_id == made[-1].id)).all() == [("connected", False)]
    new = lists.create_list(made[1], "New").id
    assert new == table_rows.last_ids(session().connection())["lead_list"]


def opened_secrets(workspace: Workspace) -> set[str]:
    """The columns whose secrets open in their rows, as they were at acme."""
    opened = set()
    for column in secret_rotation.sealed_columns():
        table = column.table
        if table in workspace_rows.tables():
            for row in session().execute(sa.select(table).where(table.c.workspace_id == workspace.id)).mappings():
                place = secret_rotation.associated_data(column, **row)
                assert keyring().unseal(row[column.key], place) == f"secret of mark-of-acme in {column}".encode()
                opened.add(str(column))
    return opened


def test_an_imported_workspace_is_at_rest(both: None, acme: Workspace, tmp_path: Path) -> None:
    """Senders are off, campaigns and the autopilot are paused, nothing waits, and a webhook has a new secret."""
    workspace_export.export(acme, tmp_path / "w")
    done = workspace_import.take_in(tmp_path / "w")
    mine = done.workspace.id

    def only(model: Any) -> Any:
        return session().scalars(sa.select(model).where(model.workspace_id == mine).order_by(model.id.desc())).first()

    account = only(Account)
    assert (account.status, account.turn_at, account.claimed_until) == ("disconnected", None, None)
    assert account.status_reason == "This workspace was moved to this server. Connect it again."
    assert only(Campaign).status == "paused"
    assert (only(Message).status, only(Message).due_at) == ("failed", None)
    assert (only(Delivery).state, only(Delivery).due_at) == ("canceled", None)
    assert (only(Webhook).active, only(Webhook).probe_at, only(Webhook).former_secret) == (False, None, None)
    place = secret_rotation.associated_data(Webhook.secret, id=only(Webhook).id, workspace_id=mine)
    assert keyring().unseal(only(Webhook).secret, place).startswith(b"whsec_")
    assert only(Action).token != "mark-of-acme action.token"
    assert json.loads(only(Event).body)["id"] == only(Event).ref
    assert only(Event).ref != "evt_mark-of-acme"
    assert done.connect == [
        "sender mark-of-acme account.name",
        "service mark-of-acme service_login.service",
        "source mark-of-acme source_connection.kind",
        "the chat for your notifications",
        "webhook mark-of-acme webhook.name (its signing secret is a new one)",
    ]


def test_a_file_proves_nothing_about_money(both: None, acme: Workspace, tmp_path: Path) -> None:
    """Its plan and credits are taken only when told; then still not whom Stripe bills."""
    with transaction() as current:
        paid = {"plan": "scale", "billing_customer": "cus_1", "period_ends_at": acme.now() + timedelta(days=300)}
        current.execute(sa.update(Workspace).where(Workspace.id == acme.id).values(paid))
        current.execute(sa.update(Wallet).where(Wallet.workspace_id == acme.id).values(posted=90_000))
    session().expire_all()
    workspace_export.export(acme, tmp_path / "w")
    plain = workspace_import.take_in(tmp_path / "w")
    believed = workspace_import.take_in(tmp_path / "w", with_billing=True)
    assert (plain.plan, plain.credits) == ("scale", 90_000)
    new = workspaces.create("New", "new@new.example", "a password that is long", sandbox=True)
    expected = [(new.plan, credits.balance(new).posted, ""), ("scale", 90_000, "")]
    made = [plain.workspace, believed.workspace]
    assert [(one.plan, credits.balance(one).posted, one.billing_customer) for one in made] == expected
    assert plain.workspace.period_ends_at != acme.period_ends_at


def test_members_are_found_by_their_address(both: None, acme: Workspace, tmp_path: Path) -> None:
    """Known users keep their password; a new one has none that anybody knows, until they choose one."""
    workspace_export.export(acme, tmp_path / "w")
    former = session().scalars(sa.select(User).where(User.email == "ada@acme.example")).one()
    with transaction() as current:
        current.execute(sa.update(User).where(User.id == former.id).values(email="ada@elsewhere.example"))
    first = workspace_import.take_in(tmp_path / "w")
    assert first.new_users == ["ada@acme.example"]
    again = workspace_import.take_in(tmp_path / "w", unconfirmed=True)
    assert again.new_users == []
    made = session().scalars(sa.select(User).where(User.email == "ada@acme.example")).one()
    assert made.id != former.id
    assert made.password_hash != former.password_hash


def test_a_user_who_took_a_members_address_gets_no_imported_workspace(
    both: None, acme: Workspace, rival: Workspace, tmp_path: Path
) -> None:
    """Anyone may write it into their profile; it counts once they confirmed it, or the command line says so."""
    workspace_export.export(acme, tmp_path / "w")
    user_emails.change(owner(acme), "Ada", "ada@elsewhere.example")
    rob = user_emails.change(owner(rival), "Rob", "ada@acme.example")
    with pytest.raises(Conflict, match="never confirmed it"):
        workspace_import.take_in(tmp_path / "w")
    assert [workspace.id for workspace, _ in workspaces.of_user(rob)] == [rival.id]
    user_emails.confirm(rob, user_emails.link(rob))
    workspace_import.take_in(tmp_path / "w")
    assert len(workspaces.of_user(rob)) == 2


def test_erased_people_are_recognized_only_with_the_same_key(
    both: None, acme: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace_export.export(acme, tmp_path / "w")
    assert workspace_import.take_in(tmp_path / "w").forgotten == 0
    crypto.use_secret("quite another key, as long as a key must be")
    try:
        assert workspace_import.take_in(tmp_path / "w").forgotten == 1
    finally:
        crypto.use_secret("a key for tests, as long as a key must be", kept=secret_rotation.signing_keys)


def test_an_export_waits_for_jobs_and_overwrites_nothing(
    acme: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(AppError, match="already exists"):
        workspace_export.export(acme, tmp_path / "mine")
    assert (tmp_path / "mine").read_text() == "mine"
    with pytest.raises(AppError, match="can't be written: No such file"):
        workspace_export.export(acme, tmp_path / "none" / "w")
    monkeypatch.setitem(jobs.KINDS, "measure", jobs.Kind(lambda workspace, payload, job: None))
    jobs.add(acme, "measure", "1")
    jobs.add(acme, "measure", "2")
    with pytest.raises(AppError, match=r"^This workspace has jobs in progress: measure \(2\)\.$"):
        workspace_export.export(acme, tmp_path / "w")
    assert not (tmp_path / "w").exists()


def rewritten(file: bytes, change: Callable[[list[str]], list[str]]) -> bytes:
    """The file with other lines, which says that they are right."""
    *body, last = change(gzip.decompress(file).decode().splitlines())
    end = json.loads(last)
    end["end"]["sha256"] = hashlib.sha256("".join(line + "\n" for line in body).encode()).hexdigest()
    end["end"]["rows"] = len(body) - 1
    return gzip.compress("".join(line + "\n" for line in (*body, json.dumps(end))).encode())


def of_header(**other: Any) -> Callable[[list[str]], list[str]]:
    return lambda before: [json.dumps(json.loads(before[0]) | other), *before[1:]]


DAMAGED = "This file is damaged, or it is not a workspace export."


def test_a_damaged_or_foreign_file_is_refused_before_anything_is_changed(
    acme: Workspace, rival: Workspace, tmp_path: Path
) -> None:
    """Also one that someone changed by hand, whose digest is right, and one whose passphrase is not given."""
    file = tmp_path / "w"
    workspace_export.export(acme, file)
    whole = file.read_bytes()
    newer, older = (f"This file is from {age} version of Overture" for age in ("a newer", "an older"))
    by_hand: list[tuple[Callable[[list[str]], list[str]], str]] = [
        (of_header(revision="9999", version="9.0"), f"{newer} (9.0)."),
        (of_header(format=2, version="9.0"), f"{newer} (9.0)."),
        (of_header(revision="0001", version="0.1"), f"{older} (0.1)."),
        (of_header(kind="recipe"), DAMAGED),
        (of_header(lastIds={}), DAMAGED),
        (of_header(lastIds={"account": 2**53}), "The ids in this file are too large."),
        (of_header(lastIds=[1]), DAMAGED),
        (of_header(salt="?", proof=7), DAMAGED),
        (lambda before: [*before[:-1], '["nothing", {}]', before[-1]], DAMAGED),
        (lambda before: [*before[:-1], "[" * 100_000, before[-1]], DAMAGED),
        (lambda before: [before[0], *(line for line in before[1:] if '["workspace"' not in line)], DAMAGED),
        (lambda before: [line.replace('"sandbox":true', '"sandbox":"no"') for line in before], DAMAGED),
        (lambda before: [line.replace('"workspace_id":1,', '"workspace_id":2,') for line in before], DAMAGED),
    ]
    files = [(rewritten(whole, change), "", sentence) for change, sentence in by_hand]
    other_name = gzip.compress(gzip.decompress(whole).replace(b"Acme", b"Adme"))
    bomb = gzip.compress(gzip.decompress(whole) + b" " * 2**27)
    files.append((bomb, "", "This file unpacks to far more data than a workspace can have."))
    for damaged in (b"", b"a recipe", whole[: len(whole) // 2], other_name, whole + gzip.compress(b"[]\n")):
        files.append((damaged, "", DAMAGED))
    workspace_export.export(acme, tmp_path / "sealed", WORDS)
    sealed = (tmp_path / "sealed").read_bytes()
    files.append((sealed, "", "The secrets in this file are encrypted."))
    files.append((sealed, WORDS + "!", "The passphrase doesn't match this file."))
    failures = []
    for number, (content_, words, sentence) in enumerate(files):
        file.write_bytes(content_)
        with pytest.raises(AppError) as refused:
            workspace_import.take_in(file, words)
        if refused.value.message != sentence:
            failures.append((number, refused.value.message))
    assert failures == []
    assert {*session().scalars(sa.select(Workspace.id))} == {acme.id, rival.id}


@pytest.mark.parametrize(
    ("table", "values", "named"),
    [
        ("workspace", {"clock_offset": 10**14}, "workspace.clock_offset"),
        ("workspace", {"undo_seconds": -9}, "workspace.undo_seconds"),
        ("workspace", {"notices": 5}, "workspace.notices"),
        ("workspace", {"contact_rules": {"x": 1}}, "contact rules"),
        ("membership", {"role": "king"}, "membership.role"),
        ("campaign", {"status": "flying"}, "campaign.status"),
        ("campaign", {"sequence": "x"}, "campaign.sequence"),
        ("campaign", {"sequence": [{"type": "fax"}]}, "sequence[0].type"),
        ("campaign_lead", {"state": "x"}, "campaign_lead.state"),
    ],
)
def test_a_file_with_a_value_that_no_page_stores_is_refused_with_its_place(
    acme: Workspace, tmp_path: Path, table: str, values: dict[str, Any], named: str
) -> None:
    a_campaign(acme)
    with transaction() as current:
        current.execute(sa.delete(Job))
    file = tmp_path / "w"
    workspace_export.export(acme, file)

    def changed(line: str) -> str:
        read = json.loads(line)
        return json.dumps([table, read[1] | values]) if isinstance(read, list) and read[0] == table else line

    file.write_bytes(rewritten(file.read_bytes(), lambda before: [changed(line) for line in before]))
    with pytest.raises(AppError, match="values that Overture can't use") as refused:
        workspace_import.take_in(file)
    assert named in refused.value.message
    assert list(session().scalars(sa.select(Workspace.id))) == [acme.id]

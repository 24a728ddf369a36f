"""The audit log: what is told, what is hidden, and that no one changes it unseen."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core.actor import Actor, actor
from app.core.db import session, transaction
from app.domain.installation import doctor
from app.domain.platform import audit_heads, audit_log
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.support.clients import Api
from tests.support.members import owner

pytestmark = pytest.mark.postgres


def entries(workspace: Workspace, **filters: str) -> list[AuditEntry]:
    return list(session().scalars(audit_log.page(workspace, **filters).order_by("number")))


def test_an_entry_says_who_what_and_where_in_its_workspaces_chain(acme: Workspace, rival: Workspace) -> None:
    """Without secrets, found by kind and by name; an act that is undone was never told."""
    before = actor.set(Actor("Ada", 1, "10.0.0.1"))
    audit_log.record(acme, "key.created", "Zapier", after={"scopes": "lists:read"})
    actor.reset(before)
    audit_log.record(rival, "key.created", "Theirs")
    with pytest.raises(ZeroDivisionError), transaction():
        audit_log.record(acme, "key.created", "x")
        raise ZeroDivisionError
    (entry,) = entries(acme)
    assert (entry.number, entry.actor, entry.address, entry.subject) == (1, "Ada", "10.0.0.1", "Zapier")
    assert entry.after == {"scopes": "lists:read"}
    assert list(audit_log.verify_chain()) == []
    audit_log.record(acme, "source.connected", "x", after={"apiKey": "abc", "password": "p", "note": "Bearer abcdef"})
    assert entries(acme)[1].after == {"apiKey": "…", "password": "…", "note": "Bearer …"}
    audit_log.record(acme, "member.invited", "bo", by=owner(acme))
    assert [entry.kind for entry in entries(acme, kind="member")] == ["member.invited"]
    assert [entry.kind for entry in entries(acme, who="ADA@")] == ["member.invited"]
    assert entries(acme, who="%") == []
    assert {kind.partition(".")[0] for kind in audit_log.WORDS} == set(audit_log.KINDS)


@pytest.mark.parametrize(
    "change",
    [
        sa.update(AuditEntry).where(AuditEntry.number == 2).values(actor="Eve"),
        sa.update(AuditEntry).where(AuditEntry.number == 2).values(after={"role": "owner"}),
        sa.delete(AuditEntry).where(AuditEntry.number == 2),
        sa.delete(AuditEntry).where(AuditEntry.number == 1),
    ],
)
def test_a_change_or_a_gap_shows(acme: Workspace, rival: Workspace, tmp_path: Path, change: sa.Executable) -> None:
    for _ in range(3):
        audit_log.record(acme, "member.role", "bo", before={"role": "reviewer"}, after={"role": "operator"})
    with transaction() as current:
        current.execute(change)
        current.expire_all()
    assert [workspace_id for workspace_id, _ in audit_log.verify_chain()] == [acme.id]
    (sentence,) = told(tmp_path)
    assert f"workspace {acme.id}" in sentence


def test_what_a_script_did_names_its_key(api: Api, acme: Workspace) -> None:
    assert api.post("billing/cancel", {"reason": "other", "feedback": "Confirm cancellation"}).status_code == 200
    assert [entry.actor for entry in entries(acme, kind="billing")] == ["API key “Tests”"]


@pytest.fixture
def heads(tmp_path: Path) -> Iterator[Path]:
    """The file of heads, which tests leave out otherwise."""
    file = tmp_path / "heads"
    audit_heads.use(file)
    yield file
    audit_heads.use(None)


def told(tmp_path: Path) -> list[str]:
    return [sentence for sentence, _ in doctor.CHECKS["audit"][1](tmp_path)]


@pytest.mark.parametrize(("kept", "first"), [(2, 3), (0, 1)], ids=["the last", "all"])
def test_the_last_entries_cannot_be_deleted_unseen(
    acme: Workspace, rival: Workspace, tmp_path: Path, heads: Path, kept: int, first: int
) -> None:
    for workspace in (acme, rival):
        for number in range(4):
            audit_log.record(workspace, "key.created", str(number))
    assert told(tmp_path) == []
    with transaction() as current:
        current.execute(sa.delete(AuditEntry).where(AuditEntry.workspace_id == acme.id, AuditEntry.number > kept))
    gone = f"The audit log of workspace {acme.id} is missing entries: {{}} to 4."
    assert told(tmp_path) == [gone.format(first)]
    for number in range(4 - kept):
        audit_log.record(acme, "key.created", f"another {number}")
    assert told(tmp_path) == [gone.format(4)]


def test_a_copied_database_is_compared_with_what_is_known_of_its_original(acme: Workspace, tmp_path: Path) -> None:
    audit_heads.use(tmp_path / "audit_heads_original")
    for number in range(3):
        audit_log.record(acme, "key.created", str(number))
    audit_heads.use(tmp_path / "audit_heads_copy")
    assert told(tmp_path) == []
    with transaction() as current:
        current.execute(sa.delete(AuditEntry).where(AuditEntry.number == 3))
    assert told(tmp_path) == [f"The audit log of workspace {acme.id} is missing entries: 3 to 3."]
    (tmp_path / "audit_heads_copy").touch()  # as after a restore
    assert told(tmp_path) == []
    audit_heads.use(None)


def test_an_act_that_is_undone_leaves_no_head(acme: Workspace, tmp_path: Path, heads: Path) -> None:
    with pytest.raises(ZeroDivisionError), transaction():
        audit_log.record(acme, "key.created", "x")
        raise ZeroDivisionError
    audit_log.record(acme, "key.created", "y")
    assert told(tmp_path) == []


def test_heads_are_private_signed_and_stay_short(
    acme: Workspace, tmp_path: Path, heads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_heads, "MOST_BYTES", 500)
    for number in range(9):
        audit_log.record(acme, "key.created", str(number))
    assert heads.stat().st_mode & 0o077 == 0
    assert heads.stat().st_size < 1000
    with heads.open("a") as opened:
        opened.write(f"{acme.id} 99 {'0' * 64} {'0' * 32}\nno line of ours\n")
    assert told(tmp_path) == []


def test_what_leaves_a_list_or_the_server_and_what_rules_writing_is_recorded(api: Api, acme: Workspace) -> None:
    list_id = a_list(acme, ["ada", "bob"])
    ids = [one["id"] for one in api.get(f"lists/{list_id}/leads").json["data"]]
    hook = api.post("webhooks", {"name": "CRM", "url": "https://crm.example.com/in", "event": "message_sent"}).json
    assert api.post(f"lists/{list_id}/leads/remove", {"leadIds": ids}).status_code == 200
    for _ in range(2):  # the same rules again are no change
        assert api.put("autopilot/rules", {"rules": ["Never mention AI."]}).status_code == 200
    assert api.post(f"webhooks/{hook['id']}/replay", {"since": "2020-01-01T00:00:00Z"}).status_code in (200, 202)
    kinds = [entry.kind for entry in entries(acme)]
    assert [kinds.count(one) for one in ("list.people_removed", "document.rules", "webhook.replayed")] == [1, 1, 1]
    (removed,) = (entry for entry in entries(acme) if entry.kind == "list.people_removed")
    assert (removed.subject, removed.after) == ("People", {"people": 2})

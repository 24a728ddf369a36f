"""What was done and is taken back: once, in time, in its workspace, and written down."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import session
from app.core.errors import Conflict
from app.domain.leads import leads, lists, tags
from app.domain.platform import jobs
from app.models.leads import Lead
from app.models.platform.audit import AuditEntry
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from tests.support.movable import Movable


def tagged(workspace: Workspace) -> str:
    """Tag one person; return the name of the undo."""
    found = lists.create_list(workspace, "Founders")
    leads.add(workspace, found.id, [{"publicId": "ada"}])
    ids = session().scalars(sa.select(Lead.id).where(Lead.list_id == found.id)).all()
    return tags.tag_for_now(workspace, ids, ["VIP"], [])[1]


def test_two_presses_at_once_take_back_once_and_the_audit_log_says_so(app: Flask, acme: Workspace) -> None:
    name, workspace_id = tagged(acme), acme.id

    def press(_: int) -> bool:
        with app.app_context():
            try:
                tags.TAGGED.undo(session().get_one(Workspace, workspace_id), name)
            except Conflict:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(press, range(4))) == [False, False, False, True]
    session().expire_all()
    assert session().scalars(sa.select(Lead).where(Lead.workspace_id == acme.id)).one().tags == []
    written = session().execute(sa.select(AuditEntry.kind, AuditEntry.subject)).all()
    assert [tuple(one) for one in written if one.kind.startswith("undo.")] == [("undo.done", "tags of people (1)")]


def test_no_other_workspace_takes_it_back_and_in_the_end_nothing_is_kept(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    name = tagged(acme)
    with pytest.raises(Conflict, match="too late"):
        tags.TAGGED.undo(rival, name)
    clock.forward(hours=24)
    jobs.run_due()
    with pytest.raises(Conflict, match="too late"):
        tags.TAGGED.undo(acme, name)
    assert session().scalars(sa.select(Job.payload).where(Job.kind == tags.TAGGED.kind)).all() == [{}]

"""Retention: owners choose for how long things are kept; what is too old goes, of that workspace alone."""

import pytest

from app.core.db import end_read, session
from app.core.errors import InvalidRequest
from app.domain.platform import request_log, retention
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.platform.test_request_log import a_line, logged
from tests.support.movable import Movable


def fresh(workspace: Workspace) -> Workspace:
    end_read()
    return session().get_one(Workspace, workspace.id, populate_existing=True)


def test_only_what_differs_from_the_usual_is_kept_and_a_change_is_audited(acme: Workspace) -> None:
    """A time that is no choice is refused."""
    assert retention.change(acme, {"requests": 30, "deliveries": 30}).retention == {"requests": 30}
    assert retention.all_days(fresh(acme)) == {"requests": 30, "deliveries": 30, "payloads": retention.FOREVER}
    retention.change(acme, {"requests": 30})
    (entry,) = session().query(AuditEntry).filter_by(workspace_id=acme.id, kind="workspace.retention")
    assert (entry.before["requests"], entry.after["requests"]) == ("7 days", "30 days")
    assert retention.change(acme, {"requests": 7}).retention is None
    for days in (-1, 0, 2, 3650):
        with pytest.raises(InvalidRequest) as refusal:
            retention.change(acme, {"requests": days, "payloads": 1})
        assert [(field.path, field.message) for field in refusal.value.fields] == [
            ("requests", "Choose one of 1 day, 7 days, 30 days, 90 days."),
            ("payloads", "Choose one of 90 days, 180 days, 365 days, until you delete the workspace."),
        ]


def test_requests_go_after_the_time_their_workspace_chose(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """The other workspace keeps them for a week, as usual, and neither waits for the other."""
    retention.change(acme, {"requests": 30})
    request_log.log(a_line(acme))
    request_log.log(a_line(rival))
    request_log.flush()
    clock.forward(days=6, hours=23)
    assert request_log.purge() == 0
    clock.forward(hours=2)
    assert request_log.purge() == 1
    assert (len(logged(acme)), len(logged(rival))) == (1, 0)
    clock.forward(days=23)
    assert (request_log.purge(), request_log.purge()) == (1, 0)
    assert logged(acme) == []

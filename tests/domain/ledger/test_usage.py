"""What a sender did lately, counted from its ledger."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import db, end_read, is_sqlite, session, transaction
from app.domain.ledger import usage
from app.domain.rules.limits import Usage, WindowUsage
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace
from tests.domain.outreach import person_id, the_account

pytestmark = pytest.mark.usefixtures("clock")
HOUR = timedelta(hours=1)


def did(
    workspace: Workspace, budget: str, at: datetime, *, follow_up: bool = False, state: str = ActionState.SENT
) -> None:
    """The first sender did it at that moment."""
    sender = the_account(workspace).id
    kinds = {"kind": budget, "budget": budget, "state": state, "token": f"{budget}|{at.isoformat()}"}
    zoe = person_id(workspace, "zoe")
    with transaction() as current:
        current.add(
            Action(workspace_id=workspace.id, sender_id=sender, person_id=zoe, at=at, follow_up=follow_up, **kinds)
        )


def used(workspace: Workspace) -> Usage:
    """How much the first sender is taken to have done by now."""
    sender = the_account(workspace)
    return usage.usage_of([sender], workspace.now())[sender.id]


def test_usage_is_counted_by_budget_over_a_day_and_a_week(acme: Workspace, rival: Workspace) -> None:
    """By budget over a day, with those to people who were reached before; invitations over a week; a stranger's not."""
    at = acme.now()
    for hours, follow_up in ((1, False), (2, True), (23, True), (25, False)):
        did(acme, "message", at - hours * HOUR, follow_up=follow_up)
    for hours in (3, 100, 169):
        did(acme, "invite", at - hours * HOUR)
    did(rival, "message", at - HOUR)
    assert used(acme) == Usage(
        {"message": WindowUsage(3, 2, at - 23 * HOUR), "invite": WindowUsage(1, 0, at - 3 * HOUR)},
        WindowUsage(2, 0, at - 100 * HOUR),
        {(at.date(), "message"): 2, (at.date(), "invite"): 1},
    )


def test_only_what_surely_had_no_effect_is_not_counted(acme: Workspace) -> None:
    at = acme.now()
    for hours, state in enumerate(ActionState, 1):
        did(acme, "visit", at - hours * HOUR, state=state)
    assert used(acme).day == {"visit": WindowUsage(3, 0, at - 4 * HOUR)}


def test_the_index_alone_tells_it(acme: Workspace) -> None:
    """A busy sender has hundreds of rows in a week, each elsewhere in the file: no turn looks at them."""
    if not is_sqlite():
        pytest.skip("What Postgres reads depends on how lately it has tidied up.")
    at, asked, sender = acme.now(), list[tuple[str, Any]](), the_account(acme)
    end_read()

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        asked.append((statement, parameters))

    sa.event.listen(db.engine, "before_cursor_execute", note)
    try:
        usage.usage_of([sender], at)
    finally:
        sa.event.remove(db.engine, "before_cursor_execute", note)
    [(statement, parameters)] = asked
    plan = str(session().connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all())
    looks = re.findall(r"(?:SEARCH|SCAN) action USING (COVERING INDEX ix_action_(?:usage|invites)) ", plan)
    assert len(looks) == 2 == len(re.findall(r"(?:SEARCH|SCAN) action", plan)), plan
    assert "'invite'" in statement  # else it would be planned anew each time

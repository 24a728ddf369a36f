"""Moving the clock of a sandbox workspace: what happens on the way, and that it lasts."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import db, is_sqlite, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.installation.sandbox import sandbox_clock
from app.domain.workspace import workspaces
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.databases import Database
from tests.domain.outreach import ALWAYS, INVITE, a_campaign, acts, message, only
from tests.support.unruled import unruled


def test_what_falls_due_is_done_while_time_is_skipped(acme: Workspace) -> None:
    """A forecast is of the moment at which its campaign began, also of one that begins on the way."""
    campaign, before = a_campaign(acme), acme.now()
    tomorrow = dict(ALWAYS, startDate=before + timedelta(days=1))
    later = a_campaign(acme, ["accepts-bo"], name="Later", schedule=tomorrow)
    goal = sandbox_clock.advance(acme, 24 * 5)
    assert timedelta(0) <= goal - before - timedelta(days=5) < timedelta(minutes=1)
    assert acme.now() >= goal
    assert acts(acme)[0] == ("connection_request", "accepts-ada")
    invited = only(campaign).invited_at
    assert invited is not None
    assert before <= invited <= goal
    for one, at in ((campaign, before), (later, before + timedelta(days=1))):
        (forecast,) = kept_forecasts.of_campaign(one.id)
        assert abs(forecast.made_at - at) < timedelta(minutes=1)
    with pytest.raises(Conflict):
        sandbox_clock.advance(Workspace(sandbox=False), 1)
    for hours in (0, -1, sandbox_clock.MOST_HOURS + 1):
        with pytest.raises(InvalidRequest):
            sandbox_clock.advance(acme, hours)


def test_on_the_way_nothing_waits_for_the_disk_and_at_the_end_all_of_it_lasts(acme: Workspace) -> None:
    """Each step is a handful of commits; what the last one waits for is everything before it."""
    if not is_sqlite():
        pytest.skip("The server of the tests never waits.")
    a_campaign(acme)
    session().commit()
    waited: list[int] = []

    def commit(connection: sa.Connection) -> None:
        driver = connection.connection.driver_connection
        waited.append(driver.execute("PRAGMA synchronous").fetchone()[0])

    sa.event.listen(db.engine, "commit", commit)
    try:
        sandbox_clock.advance(acme, 24 * 5)
    finally:
        sa.event.remove(db.engine, "commit", commit)
    lasting, later = 2, 1
    assert set(waited[1:-1]) == {later}
    assert waited[-1] == lasting


def test_two_sandboxes_with_the_same_seed_run_the_same_way(app: Flask, database: Database, clock: Any) -> None:
    """Each is the first of an installation: everything that happens to anyone happens at the same moment."""
    told = []
    for seed in (7, 7, 8):
        made = unruled(workspaces.create("Quay", "quinn@quay.example", PASSWORD, sandbox=True, seed=seed))
        texts = [INVITE, message(), message("Again", days=2)]
        a_campaign(made, [f"person-{number}" for number in range(25)], texts, senders=2, schedule={"timezone": "UTC"})
        sandbox_clock.advance(made, 24 * 14)
        events = session().execute(sa.select(Event.created_at, Event.lead_id, Event.kind)).all()
        told.append(sorted((at, lead_id or 0, kind) for at, lead_id, kind in events))
        db.session.remove()
        database.clean()
    assert {kind for _, _, kind in told[0]} >= {"invite_sent", "invite_accepted", "message_sent", "message_reply"}
    assert told[0] == told[1]
    assert told[0] != told[2]

"""Every check of the doctor finds what it is there to find, and nothing in a healthy installation."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core import clock as time
from app.core import migrations, reverse_proxy
from app.core.clock import Movable
from app.core.db import database_files, db, is_sqlite, session, transaction
from app.domain.ledger import recount
from app.domain.operations import doctor
from app.domain.webhooks import endpoints, events
from app.domain.webhooks.events import NewEvent
from app.domain.workspace import server_admins, user_emails
from app.models.accounts import Account
from app.models.billing import Wallet
from app.models.campaigns import Campaign, CampaignLead, CampaignStats, CampaignStatus, Connection, LeadState
from app.models.leads import Lead, LeadList
from app.models.ledger import Action, ActionState
from app.models.platform.jobs import Job
from app.models.webhooks import Delivery, Event, Webhook
from app.models.workspaces import Workspace
from tests.domain.outreach import person_id
from tests.support.members import owner

pytestmark = pytest.mark.postgres

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def wrong(clock: Movable, acme: Workspace, tmp_path: Path) -> Callable[[], list[str]]:
    """The names of the checks that find something."""
    return lambda: [finding.check for finding in doctor.examine(tmp_path) if not finding.well]


@pytest.fixture
def campaign(acme: Workspace) -> Campaign:
    """A campaign with three people: one accepted and answered, one was invited, one is left."""
    known = [person_id(acme, f"p{number}") for number in range(3)]
    with transaction() as current:
        people = LeadList(workspace_id=acme.id, name="People", lead_count=3, created_at=AT)
        current.add(people)
        current.flush()
        made = Campaign(
            workspace_id=acme.id,
            name="Hello",
            status="running",
            list_id=people.id,
            account_ids=[first(Account)],
            sequence=[],
            timezone="UTC",
            days=[1],
            start_time="09:00",
            end_time="17:00",
            created_at=AT,
        )
        current.add(made)
        current.flush()
        there: list[CampaignLead] = []
        states = [LeadState.FINISHED, LeadState.AWAITING_ACCEPT, LeadState.PENDING]
        for number, state in enumerate(states):
            lead = Lead(workspace_id=acme.id, list_id=people.id, person_id=known[number], created_at=AT)
            current.add(lead)
            current.flush()
            there.append(_person(made, lead, state, number))
        current.add_all(there)
        current.flush()
        current.add_all([_action(one, "connection_request") for one in there[:2]])
        current.add(_action(there[0], "message", step=1, state=ActionState.UNKNOWN))
        current.add(_action(there[1], "message", step=1, state=ActionState.FAILED))
        counts = {"leads": 3, "finished": 1, "awaiting_accept": 1, "pending": 1, "contacted": 2, "accepted": 1}
        counted = {"invites_sent": 2, "messages_sent": 1, "replies": 1, "positive": 1}
        current.add(CampaignStats(campaign_id=made.id, workspace_id=acme.id, **counts, **counted))
    return made


def first(model: type[Account | Action]) -> int:
    """The id of the oldest row."""
    return session().scalar(sa.select(sa.func.min(model.id))) or 0


def oldest(model: type[Account | Action]) -> sa.ColumnElement[bool]:
    """The condition that a row is the oldest one."""
    return model.id == first(model)


def _person(campaign: Campaign, lead: Lead, state: str, number: int) -> CampaignLead:
    return CampaignLead(
        workspace_id=campaign.workspace_id,
        campaign_id=campaign.id,
        lead_id=lead.id,
        person_id=lead.person_id,
        account_id=first(Account),
        state=state,
        contacted=number < 2,
        connection=[Connection.ACCEPTED, Connection.SENT, Connection.NONE][number],
        accepted_at=AT if number == 0 else None,
        replied=number == 0,
        sentiment="positive" if number == 0 else "",
    )


def _action(of: CampaignLead, kind: str, *, step: int = 0, state: str = ActionState.SENT) -> Action:
    return Action(
        workspace_id=of.workspace_id,
        sender_id=first(Account),
        campaign_id=of.campaign_id,
        campaign_lead_id=of.id,
        person_id=of.person_id,
        step=step,
        kind=kind,
        budget="invite",
        state=state,
        token=f"{of.id}.{step}",
        at=AT,
    )


def change(statement: sa.Executable) -> None:
    """As someone with a database client might."""
    with transaction() as current:
        current.execute(statement)


def test_every_check_passes_on_a_healthy_installation(
    wrong: Callable[[], list[str]], campaign: Campaign, rival: Workspace
) -> None:
    """All is well, and every check says so."""
    assert wrong() == []


@pytest.mark.parametrize("counter", recount.COUNTERS)
def test_a_wrong_counter_of_a_campaign_is_found_and_put_right(
    wrong: Callable[[], list[str]], campaign: Campaign, counter: str
) -> None:
    """Each of them."""
    change(sa.update(CampaignStats).values({counter: getattr(CampaignStats, counter) + 1}))
    assert wrong() == ["statistics"]
    (difference,) = recount.repair()
    assert (difference.column, difference.kept - difference.counted) == (counter, 1)
    assert wrong() == []


def test_a_campaign_without_its_row_of_statistics_gets_one(wrong: Callable[[], list[str]], campaign: Campaign) -> None:
    """As after a restore of some tables."""
    change(sa.delete(CampaignStats))
    assert "statistics" in wrong()
    recount.repair()
    assert session().get_one(CampaignStats, campaign.id).invites_sent == 2


def test_a_list_that_says_a_wrong_size_is_found_and_put_right(
    wrong: Callable[[], list[str]], campaign: Campaign
) -> None:
    """One person was deleted behind its back."""
    change(sa.update(LeadList).values(lead_count=4))
    assert wrong() == ["lists"]
    recount.repair()
    assert wrong() == []


def test_a_balance_that_its_entries_do_not_explain_is_found_and_left_alone(wrong: Callable[[], list[str]]) -> None:
    """Money needs a human."""
    change(sa.update(Wallet).values(posted=Wallet.posted + 1))
    assert wrong() == ["credits"]
    assert recount.repair() == []


def test_a_missing_event_is_found(wrong: Callable[[], list[str]], acme: Workspace) -> None:
    """In the middle and at the end."""
    with transaction():
        events.record(acme.id, [NewEvent("invite_sent", AT, None, {})] * 3)
    assert wrong() == []
    change(sa.delete(Event).where(Event.sequence == 2))
    assert wrong() == ["events"]
    change(sa.update(Event).where(Event.sequence == 3).values(sequence=2))
    assert wrong() == ["events"]
    change(sa.delete(Event))
    assert wrong() == ["events"]


def test_an_action_whose_outcome_no_one_looks_up_is_found(
    wrong: Callable[[], list[str]], campaign: Campaign, clock: Movable
) -> None:
    """A little lateness is usual."""
    change(sa.update(Action).where(oldest(Action)).values(state=ActionState.SENDING, check_at=clock.at))
    change(sa.update(CampaignStats).values(invites_sent=1))
    assert wrong() == []
    clock.forward(minutes=20)
    assert wrong() == ["actions"]
    change(sa.update(Account).where(oldest(Account)).values(status="disconnected"))
    assert wrong() == []
    change(sa.update(Action).where(oldest(Action)).values(check_at=None))
    assert wrong() == ["actions"]


def test_senders_that_take_no_turns_are_found(wrong: Callable[[], list[str]], clock: Movable) -> None:
    """Unless someone has to reconnect them first."""
    change(sa.update(Account).where(oldest(Account)).values(turn_at=clock.at))
    assert wrong() == []
    clock.forward(hours=2)
    assert wrong() == ["turns"]
    change(sa.update(Account).where(oldest(Account)).values(status="challenged"))
    assert wrong() == []


def test_work_that_no_look_takes_is_found(wrong: Callable[[], list[str]], campaign: Campaign, clock: Movable) -> None:
    """The process lives and its other work goes on: only what waits tells that a look fails each time."""
    change(sa.update(Campaign).values(status=CampaignStatus.SCHEDULED, start_date=clock.at))
    clock.forward(minutes=50)
    assert wrong() == []
    clock.forward(minutes=20)
    assert wrong() == ["waiting"]
    change(sa.update(Workspace).values(clock_offset=3600))
    assert wrong() == []


def test_a_lease_that_was_granted_by_a_wrong_clock_is_found(wrong: Callable[[], list[str]], clock: Movable) -> None:
    """A lease runs minutes, not hours."""
    change(sa.update(Account).where(oldest(Account)).values(claimed_until=clock.at + timedelta(minutes=10)))
    assert wrong() == []
    change(sa.update(Account).where(oldest(Account)).values(claimed_until=clock.at + timedelta(days=1)))
    assert wrong() == ["leases"]


def test_deliveries_that_do_not_leave_are_found(
    wrong: Callable[[], list[str]], acme: Workspace, clock: Movable
) -> None:
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


def test_jobs_that_no_one_runs_are_found(wrong: Callable[[], list[str]], acme: Workspace, clock: Movable) -> None:
    """An import would wait for ever."""
    with transaction() as current:
        current.add(Job(workspace_id=acme.id, kind="import", open_key="a", due_at=AT, created_at=AT))
    clock.forward(hours=2)
    assert wrong() == ["jobs"]


def test_a_clock_that_went_back_is_found(wrong: Callable[[], list[str]], clock: Movable) -> None:
    """Everything that waits would wait too long."""
    clock.forward(days=-1)
    assert "clock" in wrong()


def test_a_schema_of_another_version_is_found_before_all_else(wrong: Callable[[], list[str]]) -> None:
    """The other checks would only fail."""
    change(sa.text("UPDATE alembic_version SET version_num = '0000'"))
    found = wrong()
    change(sa.text(f"UPDATE alembic_version SET version_num = '{migrations.newest()}'"))
    assert found == ["database"]
    assert wrong() == []


def test_a_secret_that_others_can_read_is_found(wrong: Callable[[], list[str]], tmp_path: Path) -> None:
    """On a shared machine."""
    secret = tmp_path / "secret_key"
    secret.write_text("s")
    secret.chmod(0o644)
    assert wrong() == ["instance"]
    secret.chmod(0o600)
    assert wrong() == []


def test_a_database_that_others_can_read_is_found(wrong: Callable[[], list[str]]) -> None:
    """The file, or what SQLite keeps beside it."""
    files = [file for file in database_files(db.engine) if file.exists()]
    assert len(files) == (3 if is_sqlite() else 0)
    for file in files:
        file.chmod(0o640)
        assert wrong() == ["instance"]
        file.chmod(0o600)
        assert wrong() == []


def test_an_address_of_an_admin_that_no_user_has_confirmed_is_named(
    wrong: Callable[[], list[str]], acme: Workspace, tmp_path: Path
) -> None:
    server_admins.use({"ada@acme.example", "ops@example.com"})
    ada = owner(acme)
    user_emails.confirm(ada, user_emails.link(ada))
    (found,) = (finding for finding in doctor.examine(tmp_path) if not finding.well)
    assert (found.check, found.sentence) == (
        "admins",
        "OVERTURE_OPERATORS names ops@example.com, which no user has confirmed.",
    )
    server_admins.use(())
    assert wrong() == []
    server_admins.dismiss(ada)
    assert wrong() == ["admins"]


def test_a_proxy_that_no_setting_names_is_found(wrong: Callable[[], list[str]]) -> None:
    reverse_proxy.expect("https://outreach.example.com", 0)
    try:
        assert wrong() == ["proxy"]
        reverse_proxy.expect("https://outreach.example.com", 1)
        assert wrong() == []
    finally:
        reverse_proxy.expect("http://127.0.0.1:8000", 0)


def test_every_finding_says_what_to_do(acme: Workspace, campaign: Campaign, tmp_path: Path) -> None:
    """A sentence each."""
    time.use(Movable(AT + timedelta(days=1)))
    change(sa.update(CampaignStats).values(leads=9))
    change(sa.update(Action).where(oldest(Action)).values(state=ActionState.SENDING))
    found = [finding for finding in doctor.examine(tmp_path) if not finding.well]
    time.use(None)
    assert found
    assert all(finding.sentence.endswith(".") and finding.remedy.endswith(".") for finding in found)

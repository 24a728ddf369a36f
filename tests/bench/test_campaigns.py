"""T12: two weeks of a campaign in seconds, foretold at once."""

from pathlib import Path

from app.core.db import end_read
from app.domain.campaigns import campaigns, forecast
from app.domain.leads import leads, lists
from app.domain.operations import sandbox_clock
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Channel
from app.models.workspaces import Workspace
from tests.bench import stock
from tests.bench.measure import Report, Target, seconds

SEQUENCE = [
    {"type": "view_profile"},
    {"type": "connection_request", "delay": {"value": 4, "unit": "hours"}, "message": "Hello {{first_name|there}}"},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Thank you, {{first_name|there}}."},
    {"type": "message", "delay": {"value": 3, "unit": "days"}, "message": "Still curious."},
    {"type": "email", "delay": {"value": 3, "unit": "days"}, "subject": "A question", "message": "Hello again"},
]


def test_two_weeks(tmp_path: Path, report: Report, quick: bool) -> None:
    """A thousand people, two senders and a mailbox on the sandbox network."""
    people, days = (50, 3) if quick else (1000, 14)
    with stock.at_work(stock.empty(tmp_path / "weeks.db")):
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD, sandbox=True)
        _start(workspace, people)
        foretold = seconds(lambda: forecast.forecast(workspace, 1))
        end_read()
        took = seconds(lambda: sandbox_clock.advance(workspace, days * 24))
        end_read()
        done = next(iter(campaigns.stats(workspace, [1]).values()))
        acts = done.invites_sent + done.messages_sent
        assert acts > 10
    figures = {"took": took, "forecast": foretold, "invites and messages": acts}
    targets = [Target("seconds", took, most=10), Target("seconds of the forecast", foretold, most=1)]
    report.add("T12", f"{days} days of {people:,} people", figures, "s", targets)


def _start(workspace: Workspace, people: int) -> None:
    found = lists.create_list(workspace, "People")
    leads.add(workspace, found.id, [stock.profile(number) for number in range(people)])
    senders = [each.id for each in accounts.every(workspace) if each.channel == Channel.SOCIAL]
    draft = campaigns.create(workspace, name="Weeks", list_id=found.id, account_ids=senders, sequence=SEQUENCE)
    campaigns.start(workspace, draft.id)

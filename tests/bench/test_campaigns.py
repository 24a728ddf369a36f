"""T7: statistics do not depend on the number of people. T12: two weeks of a campaign in seconds, foretold at once."""

from pathlib import Path

import sqlalchemy as sa

from app.core.db import db, end_read
from app.domain.campaigns import campaigns, forecast
from app.domain.leads import leads, lists
from app.domain.operations import sandbox_clock
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.accounts import Channel
from app.models.campaigns import Campaign, CampaignLead
from app.models.workspaces import Workspace
from tests.bench import engine_stock, stock
from tests.bench.engine_stock import VISITS
from tests.bench.measure import Report, Target, in_turn, seconds

COUNT = sa.select(
    CampaignLead.campaign_id,
    CampaignLead.state,
    sa.func.count(),
    *(sa.func.count(column) for column in (CampaignLead.invited_at, CampaignLead.accepted_at)),
    sa.func.sum(CampaignLead.messages_sent),
).group_by(CampaignLead.campaign_id, CampaignLead.state)
SEQUENCE = [
    {"type": "view_profile"},
    {"type": "connection_request", "delay": {"value": 4, "unit": "hours"}, "message": "Hello {{first_name|there}}"},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Thank you, {{first_name|there}}."},
    {"type": "message", "delay": {"value": 3, "unit": "days"}, "message": "Still curious."},
    {"type": "email", "delay": {"value": 3, "unit": "days"}, "subject": "A question", "message": "Hello again"},
]


def test_statistics(tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """A page of campaigns with their counters, with few people and with many; plainly, the people are counted."""
    sizes = {"few": 1_000, "many": 20_000 if quick else 1_000_000}
    engines = {
        name: engine_stock.engine(tmp_path, waiting=size, senders=1000, sequence=VISITS) for name, size in sizes.items()
    }

    def milliseconds(name: str) -> float:
        with engines[name].app.app_context():
            workspace = workspaces.get(1)
            page = campaigns.page(workspace).order_by(Campaign.id.desc()).limit(25)

            def look() -> None:
                found = db.session.scalars(page).all()
                assert len(campaigns.stats(workspace, [campaign.id for campaign in found])) == 20
                end_read()

            look()
            return seconds(lambda: [look() for _ in range(20)]) / 20 * 1000

    def counted() -> float:
        with engines["many"].app.app_context():
            took = seconds(lambda: db.session.execute(COUNT).all())
            end_read()
            return took * 1000

    figures = in_turn(rounds, few=lambda: milliseconds("few"), many=lambda: milliseconds("many"), plain=counted)
    for engine in engines.values():
        engine.close()
    targets = [
        Target("ms", figures["many"], most=5),
        Target("growth", figures["many"] / figures["few"], most=1.5),
    ]
    title = f"a page of 20 campaigns with their counters, {sizes['few']:,} and {sizes['many']:,} people"
    report.add("T7", title, figures, "ms", targets)


def test_two_weeks(tmp_path: Path, report: Report, quick: bool) -> None:
    """A thousand people, two senders and a mailbox on the sandbox network."""
    people, days = (50, 3) if quick else (1000, 14)
    app = stock.empty(tmp_path / "weeks.db")
    with app.app_context():
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD, sandbox=True)
        _start(workspace, people)
        foretold = seconds(lambda: forecast.forecast(workspace, 1))
        end_read()
        took = seconds(lambda: sandbox_clock.advance(workspace, days * 24))
        end_read()
        done = next(iter(campaigns.stats(workspace, [1]).values()))
        acts = done.invites_sent + done.messages_sent
        assert acts > 10
        db.session.remove()
        db.engine.dispose()
    figures = {"took": took, "forecast": foretold, "invites and messages": acts}
    targets = [Target("seconds", took, most=10), Target("seconds of the forecast", foretold, most=1)]
    report.add("T12", f"{days} days of {people:,} people", figures, "s", targets)


def _start(workspace: Workspace, people: int) -> None:
    found = lists.create_list(workspace, "People")
    leads.add(workspace, found.id, [stock.profile(number) for number in range(people)])
    senders = [each.id for each in accounts.every(workspace) if each.channel == Channel.SOCIAL]
    draft = campaigns.create(workspace, name="Weeks", list_id=found.id, account_ids=senders, sequence=SEQUENCE)
    campaigns.start(workspace, draft.id)

"""What all campaigns sent and what came of it, by campaign, sender and week."""

from datetime import date

import pytest

from app.core.db import session
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import overall
from app.domain.campaigns.forecasts.overall import COUNTS
from app.domain.leads.campaign_leads import filters
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.domain.privacy import unsubscribe
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, email, everyone, forward, message
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres
PEOPLE = ["ignores-bob", "bounces-eve"]


def people(campaign: Campaign, name: str) -> int:
    workspace = session().get_one(Workspace, campaign.workspace_id)
    return filters.count(workspace, campaign, LeadFilter(name))


def test_each_number_of_all_campaigns_is_the_sum_of_theirs_by_campaign_sender_and_week(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    mails = [email(), email("Again", days=3)]
    social = a_campaign(acme, ["replies-positive-cleo"], [INVITE, message("Hello", days=1)])
    mine = [social, a_campaign(acme, PEOPLE, mails, senders=3, name="Emails")]
    a_campaign(rival, PEOPLE, mails, senders=3)
    forward(acme, days=20)
    left = everyone(mine[1])["ignores-bob"]
    for address in ("bob@example.test", "b@example.test"):  # who says it twice counts once
        unsubscribe.leave(unsubscribe.Wish(acme, left.id, address))
    found = overall.find(acme)
    assert found.totals["sent"] > found.totals["replied"] > 0
    assert (found.totals["bounced"], found.totals["unsubscribed"]) == (1, 1)
    for rows in (found.campaigns, found.senders, found.weeks):
        assert {name: sum(row.counts[name] for row in rows) for name in COUNTS} == {
            name: found.totals[name] for name in COUNTS
        }
    by_campaign = {row.key: row.counts for row in found.campaigns}
    for one in mine:
        kept, told = campaigns.stats(acme, [one.id])[one.id], by_campaign[one.id]
        assert told["sent"] == kept.invites_sent + kept.messages_sent
        assert (told["replied"], told["positive"]) == (kept.replies, kept.positive)
        reached = (told["contacted"], told["invited"], told["accepted"])
        assert reached == (kept.contacted, kept.invites_sent, kept.accepted)
        assert (told["bounced"], told["unsubscribed"]) == (people(one, "bounced"), people(one, "unsubscribed"))
    assert [row.key for row in found.weeks] == [date(2026, 3, day) for day in (16, 9, 2)]
    assert overall.find(acme, 1).totals["sent"] == 0
    assert overall.find(rival).totals["unsubscribed"] == 0

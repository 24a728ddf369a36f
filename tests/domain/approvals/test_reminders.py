"""Drafts that wait are reminded of once a day, after the first day; those that expire soon are counted."""

from datetime import timedelta

import pytest

from app.domain.approvals import reminders
from app.domain.campaigns import campaigns
from app.models.workspaces import Workspace
from tests.domain.outreach import email, forward
from tests.domain.reviewing import held

pytestmark = pytest.mark.usefixtures("clock")


def test_nothing_is_said_on_the_first_day_and_then_once_a_day(acme: Workspace, rival: Workspace) -> None:
    held(acme, ["quiet-ada", {"publicId": "bob", "email": "b@b.example"}], [email("Hello", "One")])
    assert reminders.look(acme, None) is None
    forward(acme, days=1, hours=1)
    found = reminders.look(acme, None)
    assert found is not None
    assert (found.drafts, found.expiring) == (2, 0)
    assert reminders.look(rival, None) is None
    told = acme.now()
    forward(acme, hours=23)
    assert reminders.look(acme, told) is None
    forward(acme, hours=2)
    assert reminders.look(acme, told) is not None


def test_what_expires_within_two_days_is_counted_but_not_of_a_paused_campaign(acme: Workspace) -> None:
    campaign = held(acme, ["quiet-ada"], [email("Hello", "One")])
    forward(acme, days=11)
    found = reminders.look(acme, None)
    assert found is not None
    assert found.expiring == 0
    forward(acme, days=2)
    found = reminders.look(acme, None)
    assert found is not None
    assert found.expiring == 1
    assert found.first_expiry - acme.now() <= timedelta(days=2)
    campaigns.pause(acme, campaign.id)
    assert reminders.look(acme, None) is None

"""What happened with one person, from many books."""

import pytest

from app.core.db import end_read
from app.core.paging import Window
from app.domain.leads import tags, timeline
from app.domain.leads.timeline import Entry
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, only

pytestmark = pytest.mark.postgres


def whole(workspace: Workspace, lead_id: int, limit: int = 100) -> list[Entry]:
    found: list[Entry] = []
    window = Window(limit, "", "test")
    while True:
        page = timeline.for_lead(workspace, lead_id).page(window)
        found += page.rows
        if not page.next_cursor:
            end_read()
            return found
        window = Window(limit, page.next_cursor, "test")


def test_a_timeline_spans_lists_and_campaigns_newest_first(acme: Workspace, rival: Workspace) -> None:
    a_campaign(rival, ["replies-positive-ada"], [INVITE, message("Theirs")])
    forward(rival, days=3)
    campaign = a_campaign(acme, ["replies-positive-ada"], [INVITE, message("Ours")], name="Spring")
    forward(acme, days=3)
    a_list(acme, ["replies-positive-ada"], "Second")
    found = whole(acme, only(campaign).lead_id)
    kinds = [one.kind for one in found]
    assert kinds[0] == "added"
    assert set(kinds) == {
        "added", "enrolled", "connection_request", "accepted", "message", "replied", "tagged", "ended"
    }  # fmt: skip
    assert [one.at for one in found] == sorted((one.at for one in found), reverse=True)
    assert [one.text for one in found if one.kind == "message"] == ["Ours"]
    assert {one.list_name for one in found if one.kind == "added"} == {"Spring", "Second"}
    assert {one.campaign_name for one in found} == {"Spring", ""}


def test_pages_of_any_size_hold_the_same(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"])
    a_list(acme, ["accepts-ada"], "Second")
    forward(acme, days=4)
    lead_id = only(campaign).lead_id
    for number in range(5):
        tags.set_tags(acme, lead_id, [f"tag {number}"])
    found = whole(acme, lead_id)
    assert len(found) > 8
    assert [limit for limit in (1, 2, 3, 7) if whole(acme, lead_id, limit) != found] == []

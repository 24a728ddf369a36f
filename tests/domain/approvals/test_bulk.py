"""Many drafts at once: approved, skipped, sent without approval, expired."""

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals, bulk
from app.models.workspaces import Workspace
from tests.domain.outreach import acts, email, forward
from tests.domain.reviewing import drafts, held, sent, the_draft

pytestmark = pytest.mark.usefixtures("clock")


def test_switched_off_it_releases_nothing_by_itself(acme: Workspace) -> None:
    campaign = held(acme, ["quiet-ada", {"publicId": "bob", "email": "b@b.example"}], [email("Dear {{first_name}}")])
    with pytest.raises(Conflict):
        approvals.send_without(acme, campaign.id)
    bulk.switch(acme, campaign.id, False)
    forward(acme, days=1)
    assert acts(acme) == []
    assert approvals.count(acme) == 2
    assert approvals.send_without(acme, campaign.id) == (1, 1)
    forward(acme, hours=2)
    assert sent(acme) == ["Dear Ada"]
    assert the_draft(acme).text == "Dear {{first_name}}"


def test_many_are_decided_at_once_but_none_with_a_warning(acme: Workspace) -> None:
    held(acme, ["quiet-ada", "quiet-cleo", {"publicId": "bob", "email": "b@b.example"}], [email("Dear {{first_name}}")])
    ids = [draft.id for draft in drafts(acme)]
    found = bulk.bulk(acme, [*ids, ids[0], 10**9], "approve")
    assert [one.outcome for one in found] == ["approved", "approved", "has_warnings", "not_found"]
    assert "{{first_name}}" in found[2].message
    again = bulk.bulk(acme, ids, "skip")
    assert [one.outcome for one in again] == ["not_waiting", "not_waiting", "skipped"]
    with pytest.raises(InvalidRequest):
        bulk.bulk(acme, [], "approve")
    with pytest.raises(InvalidRequest):
        bulk.bulk(acme, list(range(1, 102)), "delete")

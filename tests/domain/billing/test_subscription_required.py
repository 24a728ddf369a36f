"""What contacts people or spends credits is refused in the same words once the subscription has ended."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import NotFound, SubscriptionRequired, WorkspaceSuspended
from app.domain.approvals import approvals, bulk
from app.domain.billing import subscriptions
from app.domain.campaigns import campaigns
from app.domain.engine.manual import compose
from app.domain.enrichment import enrichment, signals
from app.models.approvals import Approval
from app.models.campaigns import Campaign
from app.models.leads import Lead, LeadList
from app.models.workspaces import Subscription, Workspace
from tests.domain.outreach import a_campaign
from tests.domain.reviewing import opener


def first(model: type) -> int:
    """The id of the first row of a table."""
    return session().scalars(sa.select(sa.func.min(model.id))).one()


VERBS: dict[str, Callable[[Workspace], object]] = {
    "start": lambda workspace: campaigns.start(workspace, first(Campaign)),
    "resume": lambda workspace: campaigns.resume(workspace, first(Campaign)),
    "enrol more": lambda workspace: campaigns.enrol_more(workspace, first(Campaign), [first(Lead)]),
    "look up a signal": lambda workspace: signals.look_up(workspace, "news", domain="acme.com"),
    "enrich": lambda workspace: enrichment.start(workspace, first(LeadList), "both"),
    "write": lambda workspace: compose.write(workspace, 1, "Hello"),
    "approve": lambda workspace: approvals.edit(workspace, first(Approval), text="Dear Ada", approve=True),
    "approve many": lambda workspace: bulk.bulk(workspace, [first(Approval)], "approve"),
    "send without approval": lambda workspace: approvals.send_without(workspace, first(Campaign)),
}


@pytest.fixture
def reviewed(acme: Workspace) -> Workspace:
    opener(acme)
    return acme


def test_every_verb_asks_first(reviewed: Workspace) -> None:
    """Suspension and the end of the subscription have a code each; drafting a campaign contacts no one."""
    subscriptions.require(reviewed)
    for suspended, refusal in ((False, SubscriptionRequired), (True, WorkspaceSuspended)):
        with transaction() as current:
            found = current.get_one(Workspace, reviewed.id)
            found.subscription = Subscription.ENDED
            found.suspended_at = found.now() if suspended else None
        for verb in VERBS.values():
            with pytest.raises(refusal):
                verb(found)
    assert a_campaign(found, start=False, name="Second").status == "draft"


def test_what_only_reads_or_stops_goes_on(reviewed: Workspace) -> None:
    """Drafts can be read, edited and skipped; campaigns can be canceled."""
    with transaction() as current:
        current.get_one(Workspace, reviewed.id).subscription = Subscription.ENDED
    draft = first(Approval)
    assert approvals.edit(reviewed, draft, text="Dear Ada, hello").edited
    approvals.skip(reviewed, draft)
    campaigns.cancel(reviewed, first(Campaign))
    with pytest.raises(NotFound):
        signals.get(reviewed, 1)

"""What tests of the engine are about: people, a campaign to them, and what was really done on the network."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, fetch, in_batches, session, transaction
from app.domain.campaigns import campaigns
from app.domain.campaigns.changes import changes
from app.domain.campaigns.changes.revision_effects import Effect
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.engine import turns
from app.domain.engine.inbound import effects
from app.domain.engine.outbound.begin import Intent
from app.domain.engine.turns import Batch
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import leads, lists
from app.domain.ledger import campaign_counters, recount
from app.domain.people import people
from app.domain.senders import accounts, provider_credentials, wake
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead, CampaignStats
from app.models.ledger import Action
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import AccountRef, Inbound, Incoming, Receipt, SenderAction
from app.providers.sandbox.network import SandboxNetwork
from app.providers.sandbox.store import SandboxAct

INVITE = {"type": "connection_request"}
VIEW = {"type": "view_profile"}
ALWAYS = {"timezone": "UTC", "days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59"}


def message(text: str = "Hello {{first_name|there}}", days: int = 0) -> dict[str, Any]:
    """A message step after so many days."""
    return {"type": "message", "message": text, "delay": {"value": days, "unit": "days"}}


def email(text: str = "Dear {{first_name|reader}}", subject: str = "A question", days: int = 0) -> dict[str, Any]:
    """An e-mail step after so many days."""
    return {"type": "email", "message": text, "subject": subject, "delay": {"value": days, "unit": "days"}}


def a_list(workspace: Workspace, people: Sequence[str | dict[str, Any]], name: str = "People") -> int:
    """The id of a list of these people; a text is a public id, whose last part becomes the first name."""
    found = lists.create_list(workspace, name)
    for batch in in_batches(list(people), 1000):
        leads.add(
            workspace,
            found.id,
            [
                {"publicId": one, "firstName": one.split("-")[-1].title(), "email": f"{one}@example.com"}
                if isinstance(one, str)
                else one
                for one in batch
            ],
            by_email=True,
        )
    return found.id


def a_campaign(
    workspace: Workspace,
    people: int | Sequence[str | dict[str, Any]] = ("accepts-ada",),
    sequence: Sequence[dict[str, Any]] = (INVITE, message()),
    *,
    start: bool = True,
    senders: int | Sequence[int] = 1,
    schedule: dict[str, Any] | None = None,
    name: str = "First",
    **more: Any,
) -> Campaign:
    """A campaign to these people, or to the list with that id, started unless told otherwise.

    By the first social accounts of the workspace, or by the senders with these ids; `more` is what a draft has besides.
    """
    if isinstance(senders, int):
        senders = [account.id for account in accounts.every(workspace)[:senders]]
    campaign = campaigns.create(
        workspace,
        name=name,
        list_id=people if isinstance(people, int) else a_list(workspace, people, name),
        account_ids=senders,
        sequence=sequence,
        schedule=ALWAYS if schedule is None else schedule,
        **more,
    )
    return campaigns.start(workspace, campaign.id) if start else campaign


def revise(
    workspace: Workspace, campaign_id: int, sequence: Sequence[Any], apply_to: str, chosen: Sequence[int] = ()
) -> Campaign:
    """Change the steps of a campaign on its way."""
    return changes.apply(workspace, campaign_id, Wanted(sequence=sequence, apply_to=apply_to, chosen=chosen))


def effect_of(
    workspace: Workspace, campaign_id: int, sequence: Sequence[Any], apply_to: str, chosen: Sequence[int] = ()
) -> Effect:
    """What a change of the steps would do."""
    wanted = Wanted(sequence=sequence, apply_to=apply_to, chosen=chosen)
    found: Effect = changes.preview(workspace, campaign_id, wanted)[0].effect
    return found


def forward(workspace: Workspace, *, hours: float = 0, days: float = 0) -> None:
    """So much later in the workspace, with everything that fell due done."""
    sandbox_clock.advance(workspace, hours + 24 * days)


def begun(workspace: Workspace) -> Batch:
    """A turn that stands in the ledger and has not reached the network: what happens next happens during the call."""
    with transaction():
        return turns.begin_round(workspace.id, workspace.now())


def the_intent(found: Batch) -> Intent:
    """The one thing that the turn intends."""
    (intent,) = found.intended
    return intent


def do_it(workspace: Workspace, intent: Intent) -> Receipt:
    """The network does it, and its answer is in our hands but not recorded."""
    return ports.sender("sandbox").act(
        provider_credentials.to_account_ref(intent.account, workspace.now()), intent.action
    )


class Meanwhile(SandboxNetwork):
    """The sandbox network, with something that happens whenever an inbox is read, or while an action is done."""

    def __init__(self, *, reading: Callable[[], object] = int, acting: Callable[[], object] = int) -> None:
        self.reading, self.acting = reading, acting

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """What came in, after what happens meanwhile."""
        self.reading()
        return super().inbound(account, cursor)

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Done, and then something happens before anyone hears of it."""
        receipt = super().act(account, action)
        self.acting()
        return receipt


def network(network: SandboxNetwork) -> None:
    """This is the sandbox network until the end of the test."""
    ports.connect({"sandbox": network})


def happens(workspace: Workspace, sender: Account, item: Incoming) -> None:
    """Something happens by itself in the sandbox network."""
    SandboxNetwork().happens(provider_credentials.to_account_ref(sender, workspace.now()), item)


def takes_in(workspace: Workspace, sender: Account, *items: Incoming) -> None:
    """These came in for the sender and have had their effect."""
    with transaction() as current:
        effects.apply_inbound(current.get_one(Account, sender.id), items, workspace.now())


def put(campaign: Campaign, **columns: Any) -> CampaignLead:
    """The one person of the campaign stands there, is counted there, and their sender knows."""
    person_id = only(campaign).id
    with transaction() as current:
        person = current.get_one(CampaignLead, person_id)
        tally = campaign_counters.Tally()
        tally.move(campaign.id, person.state, columns.get("state", person.state))
        tally.write()
        for name, value in columns.items():
            setattr(person, name, value)
        if person.due_at:
            wake.wake_senders([person.sender_id], person.due_at)
        return person


def everyone(campaign: Campaign) -> dict[str, CampaignLead]:
    """The people of the campaign as they stand now, by public id."""
    query = sa.select(CampaignLead).where(CampaignLead.campaign_id == campaign.id).order_by(CampaignLead.id)
    found = session().scalars(query.execution_options(populate_existing=True)).all()
    end_read()
    return {person.person.handle: person for person in found}


def only(campaign: Campaign) -> CampaignLead:
    (person,) = everyone(campaign).values()
    return person


def fresh(campaign: Campaign) -> Campaign:
    session().refresh(campaign)
    end_read()
    return campaign


def the_account(workspace: Workspace, number: int = 0) -> Account:
    """A sender as it is in the database."""
    account = accounts.every(workspace)[number]
    session().refresh(account)
    end_read()
    return account


def acts(workspace: Workspace) -> list[tuple[str, str]]:
    """What the network itself says was done: (kind, person), in order; tries that had no effect are left out."""
    query = sa.select(SandboxAct.kind, SandboxAct.person).where(
        SandboxAct.workspace_id == workspace.id, SandboxAct.kind != "try"
    )
    done = [(row.kind, row.person) for row in fetch(query.order_by(SandboxAct.id))]
    end_read()
    return done


def ledger(workspace: Workspace) -> list[Action]:
    """Our own book of what was done."""
    query = sa.select(Action).where(Action.workspace_id == workspace.id).order_by(Action.id)
    found = list(session().scalars(query.execution_options(populate_existing=True)))
    end_read()
    return found


def events(workspace: Workspace) -> Counter[str]:
    """How many events of each kind were recorded."""
    found = Counter(session().scalars(sa.select(Event.kind).where(Event.workspace_id == workspace.id)))
    end_read()
    return found


def told(workspace: Workspace, kind: str) -> list[dict[str, Any]]:
    """The data of the events of that kind, in their order."""
    mine = (Event.workspace_id == workspace.id, Event.kind == kind)
    found = [
        json.loads(body)["data"] for body in session().scalars(sa.select(Event.body).where(*mine).order_by(Event.id))
    ]
    end_read()
    return found


def assert_counters_hold(campaign: Campaign) -> CampaignStats:
    """The counters equal a recount of the people."""
    stats = session().get_one(CampaignStats, campaign.id, populate_existing=True)
    for name, number in recount.campaigns(campaign.id)[campaign.id].items():
        assert getattr(stats, name) == number, name
    end_read()
    return stats


def person_id(workspace: Workspace, handle: str) -> int:
    """The id of the person with that public id or address, who is made when unknown."""
    with transaction():
        return people.ensure(workspace, handle)

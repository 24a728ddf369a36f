"""One thing of every kind that an id names in `/v1`, made by the product's own verbs, and requests that name them."""

import io
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import sqlalchemy as sa
from pydantic.alias_generators import to_camel

from app.api.framework.csv_bodies import BINARY
from app.api.framework.declarations import ENDPOINTS, PLACES, Endpoint
from app.api.framework.openapi import document
from app.core import clock
from app.core.crypto import hash_password, random_base62
from app.core.db import session, transaction
from app.domain.autopilot import documents, plays, templates
from app.domain.autopilot.monitors import found_people, monitors, reading
from app.domain.conversations import attachments, messages, notes, snippets
from app.domain.engine import test_send
from app.domain.engine.manual import compose
from app.domain.enrichment import enrichment, signals
from app.domain.enrichment.crm import lists as crm_lists
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import csv_import, listed_companies, lists, search_import
from app.domain.people.exclusions import company_holds, never_contact
from app.domain.replies.referral import Referral as Named
from app.domain.senders import accounts, hosted_sign_in
from app.domain.tasks import referrals, tasks
from app.domain.webhooks import endpoints
from app.domain.workspace import api_keys, saved_views, team, workspaces
from app.models.campaigns import Campaign
from app.models.conversations import Conversation, Message
from app.models.hosted_sign_ins import SignIn
from app.models.meetings import Meeting
from app.models.people import Person
from app.models.webhooks import Delivery
from app.models.workspaces import Membership, Role, User, Workspace
from app.ports import File
from tests.domain.autopilot.steering import understood, with_play, work
from tests.domain.outreach import INVITE, a_campaign, a_list, everyone, message
from tests.domain.reviewing import opener
from tests.support.clients import Api, Client
from tests.support.crms import tame
from tests.support.members import owner
from tests.support.unruled import unruled

Json = dict[str, Any]
UNKNOWN_ID = 987_654_321
WORD = "finder"
PASSWORD = "four unrelated quiet words"
ADDRESSLESS = [{"publicId": "known-eve", "companyName": "Engine"}]
DOCUMENT = document(ENDPOINTS, "http://localhost")
OPERATIONS = {found["operationId"]: found for path in DOCUMENT["paths"].values() for found in path.values()}


def entered(name: str) -> Workspace:
    """A new sandbox workspace without contact rules, for tests that need one for each of many operations."""
    return unruled(workspaces.create(name, f"ada@{name.replace('_', '-')}.example", PASSWORD, sandbox=True))


def script(client: Client, workspace: Workspace) -> Api:
    """A script of that workspace's owner, whose key may do everything."""
    return Api(client, api_keys.create(workspace, "Tests", ["all"], created_by=owner(workspace))[1])


class Stock:
    """What one workspace has, each made when it is first asked for."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @cached_property
    def campaign(self) -> Campaign:
        a_campaign(self.workspace, ["accepts-ada", "never-bob"])
        mine = sa.select(Campaign).where(Campaign.workspace_id == self.workspace.id)
        return session().scalars(mine.order_by(Campaign.id.desc())).first()  # type: ignore[return-value]

    @cached_property
    def firms(self) -> int:
        return lists.create_list(self.workspace, "Firms", "companies").id

    @cached_property
    def lead_of_no_campaign(self) -> int:
        """Someone who can become someone else."""
        list_id = a_list(self.workspace, ["known-fay"], "In no campaign")
        return int(session().scalars(lists.query_list(self.workspace, list_id)).first().id)  # type: ignore[union-attr]

    @cached_property
    def customer_type(self) -> str:
        return str(understood(self.workspace).customer_types[0]["id"])

    def of(self, one: Endpoint, name: str) -> int:
        """The id that stands at that place of the endpoint's path."""
        special = f"{one.name}.{name}"
        return self.id_of(special if special in MAKERS else name)

    def id_of(self, name: str) -> int:
        """The id of its thing of that kind; a kind without a maker fails."""
        made: dict[str, int] = self.__dict__.setdefault("made", {})
        if name not in made:
            made[name] = int(MAKERS[name](self))  # as a program has it
        return made[name]


def _webhook(stock: Stock) -> int:
    hook, _ = endpoints.create(stock.workspace, name="n", url="https://example.com/x", event="every_reply")
    return hook.id


def _delivery(stock: Stock) -> int:
    found = endpoints.send_test(stock.workspace, stock.id_of("webhook_id"))
    assert isinstance(found, Delivery)
    return found.id


def _import(stock: Stock) -> int:
    content = io.BytesIO(b"First Name,publicId\nEve,eve\n")
    return csv_import.create(stock.workspace, stock.id_of("list_id"), "people.csv", content).id


SEARCH = "https://www.linkedin.com/search/results/people/?keywords=founder"


def _search_import(stock: Stock) -> int:
    return search_import.start(stock.workspace, stock.id_of("list_id"), stock.id_of("account_id"), SEARCH).id


def _followed(stock: Stock) -> int:
    """After everything else: a CRM makes the workspace a live one, whose time nobody moves."""
    for name in MAKERS:
        if name != "crm_list_id":
            stock.id_of(name)
    tame(stock.workspace)
    return crm_lists.follow(workspaces.get(stock.workspace.id), "31").id


def _sign_in(stock: Stock) -> int:
    """Nobody has come to the network's page yet."""
    begun = clock.now()
    with transaction() as current:
        found = SignIn(
            workspace_id=stock.workspace.id,
            provider="unipile",
            state=random_base62(40),
            created_at=begun,
            expires_at=begun + hosted_sign_in.LASTS,
        )
        current.add(found)
    return found.id


def _member(stock: Stock) -> int:
    with transaction() as current:
        email = f"bo-{stock.workspace.id}@people.example"
        user = User(email=email, password_hash=hash_password("word"), created_at=clock.now())
        current.add(user)
        current.flush()
        made = Membership(workspace_id=stock.workspace.id, user_id=user.id, role=Role.REVIEWER, created_at=clock.now())
        current.add(made)
    return made.id


def _invitation(stock: Stock) -> int:
    email = f"eve-{stock.workspace.id}@people.example"
    return team.invite(stock.workspace, owner(stock.workspace), email, "reviewer")[0].id


def _monitor(stock: Stock) -> int:
    """It has found people who wait for a decision."""
    chosen = {"list_id": stock.id_of("list_id"), "account_id": stock.id_of("account_id")}
    made = monitors.create(stock.workspace, kind="search", address=SEARCH, **chosen)
    reading.run(made.id)
    return made.id


def _found(stock: Stock) -> int:
    found = found_people.page(stock.workspace, stock.id_of("monitor_id"))
    return int(session().scalars(found).first().id)  # type: ignore[union-attr]


def _company(stock: Stock) -> int:
    listed_companies.add(stock.workspace, stock.firms, [{"name": "Engine Ltd", "website": "engine.example"}])
    found = session().scalars(listed_companies.of_list(stock.workspace, stock.firms)).first()
    return int(found.id)  # type: ignore[union-attr]


def _entry(stock: Stock) -> int:
    never_contact.add(stock.workspace, ["nobody@example.com"])
    return int(session().scalars(never_contact.page(stock.workspace)).first().id)  # type: ignore[union-attr]


def _conversation(stock: Stock) -> int:
    a_campaign(stock.workspace, ["replies-positive-cleo"], [INVITE, message()], name="Talk")
    sandbox_clock.advance(stock.workspace, 24 * 6)
    mine = sa.select(Conversation.id).where(Conversation.person.has(public_id="replies-positive-cleo"))
    return session().scalars(mine.where(Conversation.workspace_id == stock.workspace.id)).first() or 0


def _approval(stock: Stock) -> int:
    return opener(stock.workspace).id


def _play(stock: Stock) -> int:
    return with_play(stock.workspace).id


def _template(stock: Stock) -> int:
    templates.save(stock.workspace, stock.id_of("play_id"), "Ours")
    return templates.every(stock.workspace)[0].id


def _sample(stock: Stock) -> int:
    plays.build(stock.workspace, stock.id_of("play_id"))
    work()
    return int(plays.get(stock.workspace, stock.id_of("play_id"))[1][0].id)


def _signal(stock: Stock) -> int:
    signals.look_up(stock.workspace, "hiring", domain="known-engine.example")
    return int(session().scalars(signals.page(stock.workspace)).first().id)  # type: ignore[union-attr]


def _enrichment(stock: Stock) -> int:
    list_id = a_list(stock.workspace, ADDRESSLESS, "Without addresses")
    enrichment.start(stock.workspace, list_id, "email")
    found = enrichment.latest(stock.workspace, list_id)
    return found.id if found else 0


def _version(stock: Stock) -> int:
    """Versions are counted per document: a later workspace has more of them, so that its last is no one else's."""
    for number in range(stock.workspace.id):
        documents.save(stock.workspace, "icp", f"# Version {number} of {stock.workspace.name}")
    return int(documents.get(stock.workspace, "icp").version)


def _hold(stock: Stock) -> int:
    person_id = _person(stock).person_id
    with transaction():
        person = session().get_one(Person, person_id)
        company_holds.hold(person, None, stock.workspace.now())
    return int(company_holds.open_holds(stock.workspace.id).at(person).id)  # type: ignore[union-attr]


def _message(stock: Stock) -> int:
    return compose.write(stock.workspace, stock.id_of("conversation_id"), "Hello").id


def _attachment(stock: Stock) -> int:
    message = session().get_one(Message, stock.id_of("message_id"))
    with transaction():
        attachments.keep(message, [File("offer.pdf", "application/pdf", 5, b"Offer")])
    return int((message.letter or {})["files"][0]["id"])


def _meeting(stock: Stock) -> int:
    with transaction() as current:
        found = Meeting(workspace_id=stock.workspace.id, service="cal", ref=random_base62(12), at=stock.workspace.now())
        current.add(found)
    return found.id


def _task(stock: Stock) -> int:
    person_id = stock.id_of("person_id")
    with transaction():
        person = session().get_one(Person, person_id)
        day = tasks.default_day(stock.workspace)
        return tasks.come_back(stock.workspace, person, None, day, "In autumn, please.", guessed=True).id


def _referral(stock: Stock) -> int:
    person_id, named = stock.id_of("person_id"), Named("Anna", "anna@wool.example", "", "Head of Sales", "Ask Anna.")
    with transaction():
        return referrals.note(stock.workspace, person_id, None, named).id  # type: ignore[union-attr]


def _person(stock: Stock) -> Any:
    return next(iter(everyone(stock.campaign).values()))


OF_COMPANIES = (
    "companies_page add_companies remove_companies export_companies company_people_page find_people restore_companies"
).split()
# By the name that an id has in a path, in a body or in a query. A new kind of id needs a line here; an endpoint that
# takes only some things of a kind may have a line of its own.
MAKERS: dict[str, Callable[[Stock], int]] = {
    "campaign_id": lambda stock: stock.campaign.id,
    "number": lambda stock: 1,
    "by": lambda stock: accounts.every(stock.workspace)[1].id,
    "campaign_lead_id": lambda stock: int(_person(stock).id),
    "lead_id": lambda stock: int(_person(stock).lead_id),
    "person_id": lambda stock: int(_person(stock).person_id),
    "list_id": lambda stock: int(stock.campaign.list_id or 0),
    "account_id": lambda stock: accounts.every(stock.workspace)[0].id,
    "mailbox_id": lambda stock: next(one.id for one in accounts.every(stock.workspace) if one.channel == "email"),
    "test_id": lambda stock: (
        test_send.send(
            stock.workspace,
            stock.campaign.id,
            1,
            stock.id_of("lead_id"),
            stock.id_of("mailbox_id"),
            owner(stock.workspace).email,
        ).id
    ),
    "test_send.send.body.account_id": lambda stock: stock.id_of("mailbox_id"),
    "key_id": lambda stock: api_keys.create(stock.workspace, "Old", ["lists:read"])[0].id,
    "member_id": _member,
    "invitation_id": _invitation,
    "view_id": lambda stock: (
        saved_views.save(stock.workspace, owner(stock.workspace), "people", "Ours", "sort=name").id
    ),
    "sender_id": lambda stock: accounts.every(stock.workspace)[0].id,
    "sign_in_id": _sign_in,
    "other_id": lambda stock: max(one.person_id for one in everyone(stock.campaign).values()),
    "webhook_id": _webhook,
    "delivery_id": _delivery,
    "hold_id": _hold,
    "import_id": _import,
    "search_import_id": _search_import,
    "monitor_id": _monitor,
    "crm_list_id": _followed,
    "found_id": _found,
    "company_id": _company,
    "entry_id": _entry,
    "conversation_id": _conversation,
    "meeting_id": _meeting,
    "task_id": _task,
    "referral_id": _referral,
    "message_id": _message,
    "attachment_id": _attachment,
    "snippet_id": lambda stock: (
        snippets.add(stock.workspace, f"Prices {len(snippets.every(stock.workspace))}", "On one page.").id
    ),
    "note_id": lambda stock: notes.add(stock.workspace, stock.id_of("conversation_id"), "Call them").id,
    "approval_id": _approval,
    "play_id": _play,
    "template_id": _template,
    "campaign_template_id": lambda stock: (
        templates.save_sequence(stock.workspace, stock.id_of("campaign_id"), "Ours").id
    ),
    "signal_id": _signal,
    "enrichment_id": _enrichment,
    "version": _version,
    "plays.vote.lead_id": _sample,
    "enrichment.start.list_id": lambda stock: a_list(stock.workspace, ADDRESSLESS, "To look up"),
    **{f"lists.{verb}.list_id": lambda stock: stock.firms for verb in OF_COMPANIES},
    "lists.find_people.body.list_id": lambda stock: int(stock.campaign.list_id or 0),
    "conversations.classify.message_id": lambda stock: messages.last_reply(stock.id_of("conversation_id")),
    "leads.change.lead_id": lambda stock: stock.lead_of_no_campaign,
    "campaigns.start.campaign_id": lambda stock: a_campaign(stock.workspace, start=False, name="To start").id,
    "campaigns.change.campaign_id": lambda stock: a_campaign(stock.workspace, start=False, name="Draft").id,
}
# Ids in bodies whose field does not say of what they are.
BARE_IDS = {"approvals.bulk": [("ids", "approval_id", True)], "monitors.decide": [("ids", "found_id", True)]}
KINDS = [name for name in MAKERS if "." not in name]


def path_of(one: Endpoint, ids: Mapping[str, int]) -> str:
    """The address with these ids, and the first of the words that may stand in it."""
    return PLACES.sub(
        lambda found: str(ids[found[1]]) if found[1] in ids else (one.words[found[1]] or (WORD,))[0], one.path
    )


def options_of(one: Endpoint) -> Json:
    """A body that fits the published schema, as options of a request."""
    content = OPERATIONS[one.name].get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return {"json": content["application/json"]["example"]}
    return {"data": content[BINARY]["example"], "content_type": BINARY} if content else {}


def ids_in_body(one: Endpoint) -> list[tuple[str, str, bool]]:
    """Every id at the top of the body: its field, its kind, and whether the field is a list of them."""
    found = []
    for name in one.body.model_fields if one.body else ():
        kind = name.removesuffix("s") if name.endswith("_ids") else name
        if kind.endswith("_id") and kind in MAKERS:
            found.append((to_camel(name), kind, kind != name))
    return found + BARE_IDS.get(one.name, [])

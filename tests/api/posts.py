"""What each POST of `/v1` needs in order to succeed: a thing in the right state, and a body."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any

from app import ports
from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.core.db import Base, end_read, session, transaction
from app.domain.approvals import approvals
from app.domain.autopilot import draft_rewrite, play_changes, plays, setup, setup_stages, sources
from app.domain.autopilot.monitors import monitors
from app.domain.billing import subscriptions
from app.domain.campaigns import campaigns, variants
from app.domain.campaigns.changes import changes
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.conversations import inbox, threads
from app.domain.leads import block, merge_people, removals
from app.domain.leads.campaign_leads import campaign_leads, company_decisions
from app.domain.notifications import destinations
from app.domain.people import duplicates
from app.domain.platform import services
from app.domain.senders import accounts, mailbox_logins
from app.domain.tasks import tasks
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.tasks import Task, TaskKind
from app.models.webhooks import Delivery, DeliveryState
from app.models.workspaces import Subscription, Workspace
from tests.api.stock import SEARCH, Stock, ids_in_body, options_of, path_of
from tests.domain.autopilot.steering import launched, understood, work
from tests.domain.autopilot.writers import NoOne
from tests.domain.outreach import ALWAYS, INVITE, a_list, message
from tests.support.clients import Api
from tests.support.crms import tame
from tests.support.finders import RIGHT, offered
from tests.support.members import owner

Json = dict[str, Any]
ALERTS = "ada@example.com"
REASON = ("other", "It is over for this year.")
POSTS = [one for one in ENDPOINTS if one.method == "POST"]


@dataclass(frozen=True)
class Post:
    """How a request to it succeeds. `again`: a second one has an effect of the same kind, as often as it is sent."""

    ready: Callable[[Stock], object] = lambda stock: None
    body: Callable[[Stock], Json] | None = None
    again: bool = False


class Proven:
    """Every website holds the snippet."""

    def holds(self, address: str, key: str) -> bool:
        return True


class Door:
    """A network on whose page people sign in."""

    def page(self, credentials: ports.Credentials, wanted: ports.SignInPage) -> str:
        return f"https://network.example/sign-in/{wanted.state}"

    def subscribe(self, credentials: ports.Credentials, url: str, secret: str) -> ports.Subscription:
        return ports.Subscription("word", ["hook"])


class NoRecords:
    """The names of no domain are known, and no mail is signed."""

    def mail_servers(self, domain: str) -> list[str]:
        return []

    texts = addresses = mail_servers

    def signature(self, account: ports.AccountRef) -> str:
        return ""


def _network(stock: Stock) -> None:
    offered("unipile")
    ports.hosted.connect(Door())  # type: ignore[arg-type]
    with transaction() as current:
        current.get_one(Workspace, stock.workspace.id).sandbox = False
    services.connect(workspaces.get(stock.workspace.id), "unipile", {"api_key": RIGHT})


def _with_domain(stock: Stock) -> None:
    ports.domain_records.connect(NoRecords())
    ports.signed_mail.connect(NoRecords())
    mailbox_id = stock.id_of("mailbox_id")
    with transaction() as current:
        mailbox = current.get_one(Account, mailbox_id)
        mailbox.provider = "smtp"
        mailbox_logins.store(mailbox, mailbox_logins.Servers("smtp.acme.example", "imap.acme.example", "ines", "word"))


def _ended(stock: Stock) -> None:
    with transaction() as current:
        current.get_one(Workspace, stock.workspace.id).subscription = Subscription.ENDED


def _connected(stock: Stock) -> None:
    offered()
    with transaction() as current:
        current.get_one(Workspace, stock.workspace.id).sandbox = False
    services.connect(workspaces.get(stock.workspace.id), "finder", {"api_key": RIGHT})


def _crm(stock: Stock) -> None:
    stock.id_of("person_id")
    tame(stock.workspace)


def _resting(stock: Stock) -> None:
    launched(stock.workspace)
    setup.pause(stock.workspace)


def _failed(stock: Stock) -> None:
    play, search = stock.id_of("play_id"), ports.sandbox_people()
    plays.build(stock.workspace, play)
    ports.sandbox_people.connect(NoOne())
    work()
    ports.sandbox_people.connect(search)


def _proposed(stock: Stock) -> None:
    play_changes.ask(stock.workspace, stock.id_of("play_id"), "Wait longer", preview=True)


def _longer(stock: Stock) -> None:
    play_changes.ask(stock.workspace, stock.id_of("play_id"), "Wait longer")


def _running(stock: Stock) -> None:
    made: dict[str, int] = stock.__dict__.setdefault("made", {})
    made["play_id"] = launched(stock.workspace).id


def _with_site(stock: Stock) -> None:
    ports.site_proof.connect(Proven())
    setup_stages.analyze(stock.workspace, "https://tidemark.example")
    work()


def _lost(stock: Stock) -> None:
    delivery = stock.id_of("delivery_id")
    with transaction() as current:
        current.get_one(Delivery, delivery).state = DeliveryState.FAILED


def _rewritten(stock: Stock) -> None:
    draft = stock.id_of("approval_id")
    approvals.edit(stock.workspace, draft, text="We plan. Shall we talk? It is quick.")
    draft_rewrite.rewrite(stock.workspace, draft, "shorter")


def _read(stock: Stock) -> None:
    sources.connect_analytics(stock.workspace, "phx_readonly")
    work()


def _pause_person(stock: Stock) -> None:
    campaign_leads.pause(stock.workspace, stock.id_of("campaign_id"), stock.id_of("campaign_lead_id"))


def _new_campaign(stock: Stock) -> Json:
    sender = accounts.every(stock.workspace)[0].id
    chosen = {"listId": stock.id_of("list_id"), "accountIds": [sender]}
    return {"name": "Ours", "sequence": [INVITE, message(days=1)], **chosen}


def _removed(stock: Stock) -> Json:
    return {"undo": removals.remove_people(stock.workspace, stock.id_of("list_id"), [stock.id_of("lead_id")])[1]}


def _removed_company(stock: Stock) -> Json:
    firms, company = stock.firms, stock.id_of("company_id")
    return {"undo": removals.remove_companies(stock.workspace, firms, [company])[1]}


def _first_message(stock: Stock) -> Json:
    return {"personId": stock.id_of("person_id"), "accountId": stock.id_of("account_id"), "text": "Hello"}


def _blocked(stock: Stock) -> Json:
    return {"undo": block.block_leads(stock.workspace, stock.id_of("list_id"), [stock.id_of("lead_id")], "Test.")[1]}


def _left_out(stock: Stock) -> None:
    campaign_lead_id = stock.id_of("campaign_lead_id")
    with transaction() as current:
        left_out = current.get_one(CampaignLead, campaign_lead_id)
        left_out.state, left_out.reason = LeadState.EXCLUDED, "contacted_lately"


def vary(stock: Stock) -> None:
    """The first step of the campaign has two texts."""
    campaign_id = stock.id_of("campaign_id")
    with transaction() as current:
        campaign = current.get_one(Campaign, campaign_id)
        texts = [{"key": key, "message": "", "subject": "", "share": 50} for key in "AB"]
        campaign.sequence = [{**campaign.sequence[0], "variants": texts}, *campaign.sequence[1:]]


def _chosen(stock: Stock) -> None:
    vary(stock)
    variants.choose(stock.workspace, stock.id_of("campaign_id"), 0, "B")


def _apart(stock: Stock) -> None:
    duplicates.tell_apart(stock.workspace, stock.id_of("person_id"), stock.id_of("other_id"))


def _decided(stock: Stock) -> None:
    company_decisions.decide(stock.workspace, stock.id_of("hold_id"), "go_on")


def _merged(stock: Stock) -> Json:
    return {"undo": merge_people.merge_people(stock.workspace, stock.id_of("person_id"), stock.id_of("other_id"))}


def _searched(stock: Stock) -> Json:
    return {"accountId": stock.id_of("account_id"), "address": SEARCH}


def _watched(stock: Stock) -> Json:
    return {"kind": "search", "listId": stock.id_of("list_id"), **_searched(stock)}


def _more(stock: Stock) -> Json:
    return {"listId": a_list(stock.workspace, ["accepts-zoe", "never-yan"], "More")}


def _tested(stock: Stock) -> Json:
    to = owner(stock.workspace).email
    return {"step": 1, "leadId": stock.id_of("lead_id"), "accountId": stock.id_of("mailbox_id"), "to": to}


def _changed(stock: Stock) -> None:
    schedule = {**ALWAYS, "endTime": "20:00"}
    changes.apply(stock.workspace, stock.id_of("campaign_id"), Wanted(schedule=schedule))


def _written_again(stock: Stock) -> None:
    play = stock.id_of("play_id")
    setup.save(stock.workspace, profile={"pitch": "We make rubber ducks."})
    end_read()
    play_changes.rewrite(stock.workspace, play)


def _guest(stock: Stock) -> Json:
    return {"email": f"new-{stock.workspace.id}@people.example", "role": "reviewer"}


def _asked(stock: Stock) -> None:
    """A member is asked whether a sentence is a wish to hear no more."""
    task_id = stock.id_of("task_id")
    with transaction():
        session().get_one(Task, task_id).kind = TaskKind.OPT_OUT


# A new POST needs a place here or in READY. These need nothing but the example of their schema.
PLAIN = """
approvals.skip approvals.rewrite approvals.bulk api_keys.revoke autopilot.analyze
billing.extend_trial campaign_leads.pause campaign_leads.stop
campaign_leads.exclude campaign_leads.decide_company_hold campaigns.start campaigns.pause campaigns.cancel
campaign_statistics.forecast campaign_statistics.sequence_preview conversations.retry conversations.read
conversations.unread conversations.mute conversations.mark_done conversations.book meetings.dismiss
enrichment.cancel enrichment.check_addresses
lists.add_leads lists.add_companies lists.remove_companies lists.find_people imports.cancel imports.cancel_search
leads.erase members.resend monitors.pause monitors.decide never_contact.add never_contact.add_file people.merge_other
tasks.finish tasks.record_outcome tasks.skip
tasks.add_referral plays.ask plays.build plays.vote plays.approve plays.skip plays.launch plays.save_template
plays.apply_template saved_views.save senders.connect_account senders.cancel_sign_in senders.connect_mailbox
senders.reconnect senders.read_inbox senders.dismiss_unreadable settings.reset_contact_rules sources.connect_analytics
sources.connect_payments webhooks.rotate_secret webhooks.replay
""".split()
PLAIN_AGAIN = """
api_keys.rotate campaigns.duplicate conversations.send docs.restore lists.create imports.start monitors.run
templates.save webhooks.create webhooks.send_test
""".split()
READY: dict[str, Post] = {
    **dict.fromkeys(PLAIN, Post()),
    **dict.fromkeys(PLAIN_AGAIN, Post(again=True)),
    "approvals.undo": Post(lambda stock: approvals.skip(stock.workspace, stock.id_of("approval_id"))),
    "approvals.take_back": Post(_rewritten),
    "api_keys.create": Post(body=lambda stock: {"name": "CRM sync", "scopes": ["events:read"]}, again=True),
    "autopilot.stop": Post(lambda stock: setup.analyze(stock.workspace, "https://tidemark.example")),
    "autopilot.pause": Post(lambda stock: launched(stock.workspace)),
    "autopilot.resume": Post(_resting),
    "autopilot.suggest": Post(lambda stock: understood(stock.workspace), again=True),
    "billing.cancel": Post(body=lambda stock: {"reason": REASON[0], "feedback": REASON[1]}),
    "billing.undo_cancel": Post(lambda stock: subscriptions.cancel(stock.workspace, *REASON)),
    "billing.renew": Post(_ended),
    "campaign_leads.enrol": Post(body=_more),
    "campaign_leads.resume": Post(_pause_person),
    "campaign_leads.let_in": Post(_left_out),
    "campaign_leads.undo_company_decision": Post(_decided),
    "campaigns.create": Post(body=_new_campaign, again=True),
    "campaigns.resume": Post(lambda stock: campaigns.pause(stock.workspace, stock.id_of("campaign_id"))),
    "campaign_statistics.preview_changes": Post(body=lambda stock: {"schedule": {"endTime": "20:00"}}, again=True),
    "campaign_statistics.undo_revision": Post(_changed),
    "campaign_statistics.preview": Post(body=lambda stock: {"leadId": stock.id_of("lead_id")}),
    "campaign_statistics.choose_variant": Post(vary, lambda stock: {"step": 0, "variant": "B"}),
    "campaign_statistics.undo_variant": Post(_chosen, lambda stock: {"step": 0}),
    "conversations.start": Post(body=_first_message),
    "test_send.send": Post(body=_tested, again=True),
    "conversations.unmute": Post(
        lambda stock: threads.mute(stock.workspace, stock.id_of("conversation_id"), muted=True)
    ),
    "conversations.reopen": Post(lambda stock: inbox.finish(stock.workspace, stock.id_of("conversation_id"))),
    "conversations.remind": Post(body=lambda stock: {"day": str(stock.workspace.now().date() + timedelta(days=3))}),
    "conversations.assign": Post(body=lambda stock: {"email": None}),
    "conversations.add_snippet": Post(body=lambda stock: {"name": "New prices", "text": "On one page."}),
    "conversations.add_note": Post(body=lambda stock: {"text": "Call them"}, again=True),
    "conversations.classify": Post(body=lambda stock: {"sentiment": "positive"}),
    "meetings.assign": Post(body=lambda stock: {"personId": stock.id_of("person_id")}),
    "enrichment.start": Post(body=lambda stock: {"what": "email"}),
    "lists.restore_companies": Post(body=_removed_company),
    "list_leads.remove": Post(body=lambda stock: {"leadIds": [stock.id_of("lead_id")]}),
    "list_leads.restore": Post(body=_removed),
    "list_leads.block_leads": Post(body=lambda stock: {"leadIds": [stock.id_of("lead_id")]}),
    "list_leads.unblock": Post(body=_blocked),
    "list_leads.tag": Post(body=lambda stock: {"leadIds": [stock.id_of("lead_id")], "add": ["vip"]}),
    "imports.start_search": Post(body=_searched),
    "crm.sync": Post(_crm, again=True),
    "crm.follow": Post(_crm, lambda stock: {"id": "31"}),
    "crm.retry": Post(_crm),
    "members.invite": Post(body=_guest),
    "monitors.create": Post(body=_watched, again=True),
    "monitors.resume": Post(lambda stock: monitors.pause(stock.workspace, stock.id_of("monitor_id"))),
    "people.tell_apart": Post(body=lambda stock: {"otherId": stock.id_of("other_id")}),
    "people.suggest_again": Post(_apart, body=lambda stock: {"otherId": stock.id_of("other_id")}),
    "tasks.create": Post(body=lambda stock: {"personId": stock.id_of("person_id"), "text": "Call them."}, again=True),
    "tasks.decide": Post(_asked),
    "tasks.reopen": Post(lambda stock: tasks.finish(stock.workspace, stock.id_of("task_id"))),
    "people.unmerge": Post(body=_merged),
    "people.mark": Post(body=lambda stock: {"answer": "met"}),
    "plays.design": Post(lambda stock: stock.id_of("play_id")),
    "plays.preview_again": Post(lambda stock: stock.id_of("play_id"), again=True),
    "plays.use_again": Post(_written_again, lambda stock: {}),
    "plays.leave_change": Post(_proposed),
    "plays.retry": Post(_failed),
    "plays.stop": Post(_running),
    "plays.undo_change": Post(_longer),
    "plays.use_change": Post(_proposed),
    "senders.begin_sign_in": Post(_network, lambda stock: {}),
    "senders.check_domain": Post(_with_domain, again=True),
    "services.check": Post(_connected),
    "services.move": Post(_connected),
    "signals.look_up": Post(body=lambda stock: {"kind": "hiring", "domain": "known-dynamo.example"}),
    "sources.test_alert": Post(lambda stock: destinations.set_destination(stock.workspace, "email", ALERTS)),
    "sources.refresh": Post(_read),
    "sources.verify_site": Post(_with_site),
    "webhooks.redeliver": Post(_lost),
    "workspaces.create": Post(body=lambda stock: {"name": f"Live of {stock.workspace.name}"}),
}


class Asked:
    """One request that succeeds, of one workspace, to be sent as often as one likes."""

    def __init__(self, one: Endpoint, stock: Stock) -> None:
        post = READY[one.name]
        post.ready(stock)
        self.path = path_of(one, {name: stock.of(one, name) for name in one.ids})
        self.options = options_of(one)
        if post.body is not None:
            self.options = {"json": post.body(stock)}
        elif found := ids_in_body(one):
            own = {field: [stock.id_of(kind)] if many else stock.id_of(kind) for field, kind, many in found}
            self.options = {"json": self.options["json"] | own}
        end_read()

    def send(self, api: Api, key: str | None) -> Any:
        return api.call("POST", self.path, headers={"Idempotency-Key": key} if key else {}, **self.options)

    def send_changed(self, api: Api, key: str) -> Any:
        if "data" in self.options:
            changed = {**self.options, "data": self.options["data"] + "changed"}
        else:
            changed = {"json": {**self.options.get("json", {}), "changed": 1}}
        return api.call("POST", self.path, headers={"Idempotency-Key": key}, **changed)


def count_rows(*without: str) -> dict[str, int]:
    """How many rows each table has, apart from what is noted of every request."""
    counted = session().connection().exec_driver_sql(_count("api_request", "rate_bucket", *without))
    found = {name: int(number) for name, number in counted}
    end_read()
    return found


@cache
def _count(*without: str) -> str:
    names = [table.name for table in Base.metadata.sorted_tables if table.name not in without]
    return " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in names)


def added(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """By how many rows each table has grown, where it has."""
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}

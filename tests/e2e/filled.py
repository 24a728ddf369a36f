"""A workspace with something of everything, some of it much too long, and the addresses of all its pages."""

import io
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from flask import Flask

from app.core.db import end_read, session, transaction
from app.domain.autopilot import plays, setup
from app.domain.autopilot.monitors import found_people, monitors, reading
from app.domain.engine import test_send
from app.domain.enrichment import enrichment, signals
from app.domain.installation.sandbox import demo
from app.domain.leads import csv_import, leads, listed_companies, lists, search_import, search_reading
from app.domain.people.exclusions import company_holds, never_contact, unsubscribe_token
from app.domain.platform import audit_log, jobs
from app.domain.replies.referral import Referral as Named
from app.domain.tasks import referrals, tasks
from app.domain.webhooks import endpoints
from app.domain.webhooks.events import EVENTS
from app.domain.workspace import api_keys, passwords, team, user_emails
from app.models.accounts import Account
from app.models.approvals import Approval
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation, Message
from app.models.exclusions import CompanyHold
from app.models.hosted_sign_ins import SignIn
from app.models.leads import Lead, LeadImport, LeadList, ListedCompany, SearchImport
from app.models.ledger import Action
from app.models.meetings import Meeting
from app.models.monitors import FoundState, Monitor, MonitorPerson
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.sessions import LinkOrigin
from app.models.signals import Enrichment
from app.models.tasks import Referral
from app.models.webhooks import Delivery, Webhook
from app.models.workspaces import Membership, User, Workspace
from app.pages.autopilot.wizard import SAMPLE
from app.pages.framework import settings_rail
from tests.conftest import PASSWORD

LONG_NAME = "Bartholomew Oyelaran-Fitzgerald-Montgomery III"
RIGHT_TO_LEFT, EMOJI = "محمد عبد الرحمن بن سليمان الفارسي", "🦊 Renée 🧑‍🚀"
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
LONG_CAMPAIGN = ("Everybody who leads operations in northern Europe and has asked about planning twice " * 3)[
    :199
] + "!"
LONG_MESSAGE = (f"Thank you for writing. {LONG_WORD} https://{'very-long-' * 20}.example/path " * 20)[:4000]

# Pages that no test opens by address, each with the reason.
SKIPPED = {
    "static": "a file",
    "pages.assets.file": "a file",
    "pages.assets.icon": "a file",
    "pages.mailboxes.login": "of a live mailbox; test_mailboxes.py opens it",
    "pages.components.index": "for development only; test_shell.py looks at it",
    "pages.auth.setup": "there until somebody has set up; test_shell.py looks at it",
    "pages.sign_ins.back": "a redirect for who comes back from Unipile; test_sign_ins.py follows it",
    "pages.consents.back": "a redirect for who comes back from a provider of mailboxes; test_consents.py follows it",
    "health.healthz": "not a page: a word for the load balancer",
    "pages.campaigns.people_csv": "a file to keep",
    "pages.files.show": "a file of an email; test_files.py opens it",
    "pages.lists.export": "a file to keep",
    "pages.lists.changes.show": "of a change under way; test_tables.py sees it",
    "pages.lists.imports.refused": "a file to keep",
    "pages.lists.people.export": "a file to keep",
    "pages.lists.companies.export": "a file to keep",
    "pages.never_contact.export": "a file to keep",
    "pages.lists.merging.preview": "of two people in its query; test_people.py opens it",
}
# Pieces of other pages, which only htmx asks for.
PIECES = {
    "pages.sandbox.card",
    "pages.statistics.plan",
    "pages.statistics.senders",
    "pages.autopilot.reading",
    "pages.campaigns.row",
    "pages.conversations.drafted",
    "pages.conversations.earlier",
    "pages.conversations.news",
    "pages.developers.webhooks.live",
}


def fill() -> Workspace:
    """The demonstration workspace, with every kind of thing in it, and names and texts too long for their places."""
    workspace = demo.fill(PASSWORD)
    _people(workspace)
    _monitors(workspace)
    _members(workspace)
    _developers(workspace)
    _plays(workspace)
    _variants(workspace)
    _long(workspace)
    _after_replies(workspace)
    _sign_in(workspace)
    _tested(workspace)
    end_read()
    return workspace


def _people(workspace: Workspace) -> None:
    few = lists.create_list(workspace, LONG_CAMPAIGN)
    given = [("bart", LONG_NAME, ""), ("rtl", RIGHT_TO_LEFT, ""), ("emoji", EMOJI, LONG_WORD), ("nameless", "", "")]
    leads.add(
        workspace,
        few.id,
        [
            {
                "publicId": name,
                "firstName": first,
                "lastName": last,
                "companyName": LONG_WORD,
                "headline": LONG_MESSAGE[:200],
                "tags": [LONG_WORD[:50], "VIP"],
                "customFields": {"Fleet": LONG_WORD},
            }
            for name, first, last in given
        ],
    )
    lists.create_list(workspace, "Nobody yet")
    firms = lists.create_list(workspace, LONG_WORD, "companies")
    listed_companies.add(workspace, firms.id, [{"name": LONG_NAME, "website": "known.example"}, {"name": LONG_WORD}])
    rows = f"First name,Last name,Profile\n{LONG_NAME},Ng,https://x.example/in/bart-ng\n{LONG_WORD},,\n"
    csv_import.create(workspace, few.id, f"{LONG_WORD}.csv", io.BytesIO(rows.encode()))
    reader = search_reading.readers(workspace)[0]
    search_import.start(
        workspace, few.id, reader.id, f"https://network.example/search/results/people/?keywords={LONG_WORD}"
    )
    enrichment.start(workspace, few.id, "both")
    never_contact.add(workspace, ["someone@blocked.example", f"{'long-' * 10}.example"])
    signals.look_up(workspace, "hiring", domain="known-acme.com")


def _variants(workspace: Workspace) -> None:
    """The first texts of a draft and of a campaign under way are compared, one of them too long for its place."""
    texts = [("A", "Hello {{first_name|there}}", 50), ("B", LONG_MESSAGE[:1500], 30), ("C", f"{{{LONG_WORD}|b}}", 0)]
    several = [{"key": key, "message": text, "subject": "", "share": share} for key, text, share in texts]
    with transaction() as current:
        for campaign in current.scalars(sa.select(Campaign).where(Campaign.workspace_id == workspace.id)):
            kinds = [step["type"] for step in campaign.sequence]
            if "message" in kinds:
                place = kinds.index("message")
                steps = [*campaign.sequence]
                steps[place] = {**steps[place], "message": several[0]["message"], "variants": several}
                campaign.sequence = steps
                either = sa.case((Action.id % 2 == 0, "A"), else_="B")
                of_step = sa.and_(Action.campaign_id == campaign.id, Action.step == place)
                current.execute(sa.update(Action).where(of_step).values(variant=either))


def _monitors(workspace: Workspace) -> None:
    """One with people in every state, long names and words; one that stopped."""
    into = lists.create_list(workspace, LONG_WORD)
    reader = search_reading.readers(workspace)[0]
    watched = {"kind": "search", "address": "https://network.example/search/results/people/?keywords=founder"}
    words = {"titles": ["Founder", LONG_WORD[:60]], "location": ["Germany", "Atlantis"]}
    made = monitors.create(
        workspace, **watched, account_id=reader.id, list_id=into.id, name=LONG_CAMPAIGN, targeting=words
    )
    for _ in range(9):
        reading.run_all_of(workspace)
    held = [row.id for row in session().scalars(found_people.page(workspace, made.id, "held"))]
    found_people.decide(workspace, made.id, True, held[:2])
    found_people.decide(workspace, made.id, False, held[2:4])
    with transaction() as current:
        left_out = current.get_one(MonitorPerson, held[4])
        left_out.state, left_out.reason = FoundState.LEFT_OUT, "company_contacted"
    signal = monitors.create(workspace, kind="signal", signal="hiring", targeting=words, list_id=into.id)
    with transaction() as current:
        stopped = current.get_one(Monitor, signal.id)
        stopped.state, stopped.due_at, stopped.error = "paused", None, f"The list was deleted. {LONG_WORD}"


def _sign_in(workspace: Workspace) -> None:
    at = workspace.now()
    with transaction() as current:
        current.add(
            SignIn(
                workspace_id=workspace.id,
                provider="unipile",
                state="of-nobody",
                status="failed",
                error=f"{LONG_WORD}.",
                created_at=at,
                expires_at=at,
            )
        )


def _tested(workspace: Workspace) -> None:
    """A test of the first campaign's message, to the one who looks at it."""
    ours = sa.select(Campaign).where(Campaign.workspace_id == workspace.id)
    campaign = session().scalars(ours.order_by(Campaign.id)).first()
    assert campaign
    lead_id = session().scalars(sa.select(Lead.id).where(Lead.list_id == campaign.list_id).order_by(Lead.id)).first()
    assert lead_id
    step = [one["type"] for one in campaign.sequence].index("message")
    mailbox = test_send.choices(workspace)[0][0]
    test_send.send(workspace, campaign.id, step, lead_id, mailbox.id, demo.EMAIL)


def _members(workspace: Workspace) -> None:
    """A reviewer who has joined, what they are known to have done, and a plan that was bought."""
    owner = session().scalars(sa.select(User).join(Membership).where(Membership.workspace_id == workspace.id)).one()
    _, token = team.invite(workspace, owner, "reviewer@acme.example", "reviewer")
    with transaction() as current:  # bought, so that it can be canceled
        current.get_one(Workspace, workspace.id).billing_subscription = "sub_of_ours"
    team.accept(token, PASSWORD, LONG_CAMPAIGN[:100])
    audit_log.record(workspace, "key.created", LONG_CAMPAIGN, after={"scopes": "lists:read, " * 20})


def _developers(workspace: Workspace) -> None:
    api_keys.create(workspace, LONG_NAME, ["all"])
    hook, _ = endpoints.create(
        workspace, name=LONG_NAME, url="http://127.0.0.1:9/" + "path" * 40, event=next(iter(EVENTS))
    )
    endpoints.send_test(workspace, hook.id)


def _plays(workspace: Workspace) -> None:
    setup.analyze(workspace, description=SAMPLE)
    _work()
    setup.save(workspace, customer_type_id=setup.view(workspace).setup.customer_types[0]["id"])
    _work()
    setup.save(workspace, channel="social_email", country="", offer={"kind": "call"})
    _work()


def _work() -> None:
    end_read()
    while jobs.run_due():
        pass


def _long(workspace: Workspace) -> None:
    """What was short is long: names of campaigns and people, a message heard, an error."""
    ours = Campaign.workspace_id == workspace.id
    with transaction() as current:
        first = current.scalars(sa.select(Campaign).where(ours).order_by(Campaign.id)).first()
        assert first
        first.name = LONG_CAMPAIGN
        talk = current.scalars(sa.select(Conversation).order_by(Conversation.last_message_at.desc())).first()
        assert talk
        said = current.scalars(
            sa.select(Message).where(Message.conversation_id == talk.id).order_by(Message.id.desc())
        ).first()
        assert said
        said.text = LONG_MESSAGE
        spoken = current.get(Lead, talk.lead_id)
        assert spoken
        spoken.person.first_name, spoken.person.last_name = LONG_NAME, LONG_WORD
        held = current.scalars(sa.select(Approval).where(Approval.status == "pending")).first()
        assert held
        written_to = current.get(Lead, held.lead_id)
        assert written_to
        written_to.person.first_name, written_to.person.company_name = RIGHT_TO_LEFT, LONG_WORD


def _after_replies(workspace: Workspace) -> None:
    """A company that is held, a person to come back to, a contact they named, and meetings with long names."""
    query = sa.select(Conversation).where(Conversation.workspace_id == workspace.id)
    talk = session().scalars(query.order_by(Conversation.last_message_at.desc())).first()
    assert talk
    with transaction():
        company_holds.hold(talk.person, talk.id, workspace.now())
        day = workspace.now().date() + timedelta(days=30)
        tasks.come_back(workspace, talk.person, talk.id, day, LONG_MESSAGE[:300], guessed=True)
        named = Named(LONG_NAME, "anna@named.example", "+49 30 1234567", LONG_WORD, LONG_MESSAGE[:300])
        referrals.note(workspace, talk.person_id, talk.id, named)
    told = {"service": "cal", "name": LONG_NAME, "email": f"{LONG_WORD}@example.com", "title": LONG_MESSAGE[:300]}
    theirs = {"person_id": talk.person_id, "conversation_id": talk.id}
    with transaction() as current:
        for ref, more in (("unmatched", {}), ("booked", theirs), ("canceled", {**theirs, "state": "canceled"})):
            made = Meeting(workspace_id=workspace.id, ref=ref, at=workspace.now(), **told, **more)
            made.starts_at = workspace.now() + timedelta(days=2)
            current.add(made)


def signed_in_pages(app: Flask, workspace: Workspace) -> dict[str, list[str]]:
    """The addresses to open of every page that takes a GET, by endpoint; KeyError when no one decided what it needs."""
    found: dict[str, list[str]] = {}
    known = _values(workspace)
    for rule in app.url_map.iter_rules():
        endpoint = rule.endpoint
        if "GET" not in (rule.methods or ()) or rule.rule.startswith("/v1") or endpoint in SKIPPED:
            continue
        values = known.get(endpoint) or [known[name] for name in sorted(rule.arguments)]
        addresses = [rule.build(one)[1] for one in _together(sorted(rule.arguments), values)]  # type: ignore[index]
        found.setdefault(endpoint, []).extend(addresses)
    return found


def _together(names: list[str], values: list[list[Any]]) -> list[dict[str, Any]]:
    """The values side by side: the first of each, the second of each; the last one stands in where one runs out."""
    most = max((len(each) for each in values), default=1)
    return [
        {name: each[min(at, len(each) - 1)] for name, each in zip(names, values, strict=True)} for at in range(most)
    ]


def _values(workspace: Workspace) -> dict[str, list[Any]]:
    """What stands in the addresses, by the name of the argument, or by the endpoint when it must fit together."""
    current = session()

    def ids(model: Any, *where: Any, most: int = 1, newest: bool = False) -> list[Any]:
        chosen = sa.select(model.id).where(model.workspace_id == workspace.id, *where)
        return list(current.scalars(chosen.order_by(model.id.desc() if newest else model.id).limit(most)))

    campaigns = ids(Campaign, most=2)
    person = current.execute(
        sa.select(CampaignLead.campaign_id, CampaignLead.id).order_by(CampaignLead.id).limit(1)
    ).one()
    held = ids(LeadList, LeadList.name == LONG_CAMPAIGN)
    firms = ids(LeadList, LeadList.type == "companies")
    member = (
        sa.select(User)
        .join(Membership, Membership.user_id == User.id)
        .where(Membership.workspace_id == workspace.id)
        .order_by(User.id)
    )
    owner = current.scalars(member).first()
    assert owner
    return {
        "pages.settings.group": [[*settings_rail.SLUGS]],
        "slug": ["campaigns", "campaigns.create", "events-we-send", "on_invite_sent"],
        "campaign_id": campaigns,
        "step": [2],
        "pages.campaigns.show_test": [campaigns[:1], ids(Job, Job.kind == test_send.KIND)],
        "pages.campaigns.person": [[person[0]], [person[1]]],
        "pages.campaigns.left_out": [ids(Campaign, Campaign.status == "draft")],
        "pages.campaigns.left_out_people": [ids(Campaign, Campaign.status == "draft"), ["replied_before"]],
        "list_id": held,
        "pages.lists.show": [held + firms],
        **{f"pages.lists.companies.{name}": [firms] for name in ("add", "ask")},
        "pages.lists.companies.show": [ids(ListedCompany, most=2), firms],
        "lead_id": ids(Lead, Lead.person.has(Person.public_id.in_(["bart", "emoji"])), most=2)
        + ids(Lead, Lead.person.has(first_name=LONG_NAME)),
        "import_id": ids(LeadImport),
        "search_import_id": ids(SearchImport),
        "monitor_id": ids(Monitor, most=2),
        "run_id": ids(Enrichment),
        "referral_id": ids(Referral),
        "hold_id": ids(CompanyHold),
        "approval_id": ids(Approval, Approval.status == "pending", most=2),
        "conversation_id": list(
            current.scalars(
                sa.select(Conversation.id)
                .where(Conversation.workspace_id == workspace.id)
                .order_by(Conversation.last_message_at.desc())
                .limit(1)
            )
        ),
        "webhook_id": ids(Webhook),
        "delivery_id": ids(Delivery, newest=True),
        "kind": ["icp", "style"],
        "pages.autopilot.reading": [["analytics", "payments"]],
        "play_id": [play.id for play in plays.every(workspace)[:1]],
        "account_id": ids(Account),
        "sign_in_id": ids(SignIn),
        "pages.invitations.reset": [[passwords.link(owner, LinkOrigin.SHELL)]],
        "pages.profile.confirm": [[user_emails.link(owner)]],
        "pages.unsubscribing.show": [[unsubscribe_token.token(workspace.id, person[1], "ada@acme.example")]],
        "token": [team.invite(workspace, owner, "new@acme.example", "operator")[1]],
    }

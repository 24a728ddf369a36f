"""The doctor's look at rows that contradict each other, and at settings that can't be followed as they are stored."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from app.core.db import is_sqlite, session
from app.domain.autopilot import play_steps
from app.domain.operations.doctor_checks.remote import Problem
from app.domain.operations.doctor_checks.schema import MEND, RESTORE, number
from app.domain.platform import retention
from app.domain.rules.contact_rules import Caps, ContactRules
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Account
from app.models.autopilot import Play, PlayTemplate
from app.models.campaigns import LIVE, Campaign, CampaignLead, CampaignStatus, CampaignTemplate
from app.models.conversations import Attachment, Conversation, ConversationWords, Message
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import DataSource, IdentityKind, Person, PersonIdentity
from app.models.webhooks import Event
from app.models.workspaces import Workspace

_TOO_MANY = "people who should be left out may be contacted, or nothing is sent"
_OWN_RULES = "Set the exclusions again on the campaign's page."
_ADDRESS = sa.exists().where(  # it may be another's: two people share an address
    PersonIdentity.workspace_id == Person.workspace_id,
    PersonIdentity.kind == IdentityKind.EMAIL,
    PersonIdentity.value == Person.email,
)
_SEQUENCES = (  # steps that no campaign takes people through, with the word of each that names its kind
    ("Campaign", Campaign.sequence, "type", STEPS),
    ("Template", CampaignTemplate.sequence, "type", STEPS),
    ("Play", Play.steps, "kind", play_steps.KINDS),
    ("Play template", PlayTemplate.steps, "kind", play_steps.KINDS),
)
# A table, when a row of it is wrong, what that means, and what to do instead of restoring a backup.
_AT_ODDS: tuple[tuple[Any, ...], ...] = (
    (
        CampaignLead,
        sa.exists().where(Lead.id == CampaignLead.lead_id, Lead.person_id != CampaignLead.person_id),
        "the person differs from the one on the list, so messages may go to someone else",
    ),
    (
        Action,
        sa.exists().where(CampaignLead.id == Action.campaign_lead_id, Action.person_id != CampaignLead.person_id),
        "the person differs from the one in the campaign, so people may get a message twice",
    ),
    (
        Message,
        sa.exists().where(
            CampaignLead.id == Message.campaign_lead_id,
            Conversation.id == Message.conversation_id,
            Conversation.person_id != CampaignLead.person_id,
        ),
        "the person differs from the one in the conversation, so replies are shown under the wrong person",
    ),
    (
        Conversation,
        Conversation.unread < 0,
        "the number of unread messages is below 0, so the inbox shows a wrong count",
        "In the inbox, open the conversation, mark it as unread, and open it again.",
    ),
    (
        Conversation,
        ~sa.exists().where(ConversationWords.conversation_id == Conversation.id),
        "no words are indexed, so search doesn't find these conversations",
        MEND,
    ),
    (
        Event,
        sa.and_(Event.body != "", ~Event.body.like("{%}")),
        "the content can't be read, so webhooks and `GET /v1/events` fail",
    ),
    (
        Account,
        sa.exists().where(Workspace.id == Account.workspace_id, Workspace.sandbox != (Account.provider == "sandbox")),
        "a sandbox sender is in a live workspace, or the reverse, so nothing is really sent",
    ),
    (
        Person,
        sa.and_(Person.email != "", ~_ADDRESS),
        "the email address isn't indexed, so do-not-contact entries don't protect it",
    ),
    (
        Attachment,
        sa.and_(Attachment.size > 0, Attachment.content.is_(None)),
        "the file is gone, so no one can open or send it",
        "Open the emails in the mailbox, or restore the newest backup.",
    ),
)


def problems() -> Iterator[Problem]:
    """Yield rows that say something else than those they belong to, and settings that can't be followed."""
    for table, wrong, what, *remedy in _AT_ODDS:
        if count := session().scalar(sa.select(sa.func.count()).select_from(table).where(wrong)):
            yield f"In {number(count, 'row')} of {table.__tablename__}, {what}.", *(remedy or [RESTORE])
    yield from _origins()
    yield from _unknown_steps()
    yield from _rules()


def _origins() -> Iterator[Problem]:
    """Yield people of whom a value says that it came from a source that is not there."""
    text = sa.cast(Person.origins, sa.Text()) if is_sqlite() else None
    read = sa.case((sa.func.json_valid(text) == 1, text), else_="{}") if text is not None else Person.origins
    one = sa.func.json_each(read).table_valued("key", "value").alias("origin")
    source = sa.func.json_extract(one.c.value, "$.source") if is_sqlite() else one.c.value.op("->>")("source")
    known = sa.select(DataSource.id).where(DataSource.workspace_id == Person.workspace_id)
    query = sa.select(sa.func.count(Person.id.distinct()), sa.func.min(Person.id)).join(one, sa.true())
    count, first = session().execute(query.where(sa.cast(source, sa.BigInteger).not_in(known))).one()
    if count:
        where = f"In {number(count, 'row')} of person (the first is {first})"
        yield f"{where}, the source of a value is missing, so exports of personal data lack it.", RESTORE


def _unknown_steps() -> Iterator[Problem]:
    """Yield drafts, templates and plays with a step of an unknown kind."""
    for what, column, word, kinds in _SEQUENCES:
        idle = Campaign.status == CampaignStatus.DRAFT if what == "Campaign" else sa.true()
        for one_id, steps in session().execute(sa.select(column.class_.id, column).where(idle)):
            if not all(isinstance(one, Mapping) and one.get(word) in kinds for one in steps):
                yield f"{what} {one_id} has a step of an unknown kind, so it can't be shown or started.", RESTORE


def _rules() -> Iterator[Problem]:
    """Yield rules about contacts and deletion that can't be followed as they are stored."""
    known = {kind: one.choices for kind, one in retention.KINDS.items()}
    rules, caps = ContactRules()._asdict() | {"company_stop": True}, Caps()._asdict()
    for row in session().scalars(sa.select(Workspace).order_by(Workspace.id)):
        if not (_follows(row.contact_rules, rules) and _follows(row.contact_caps, caps)):
            yield (
                f"The contact rules of workspace {row.id} can't be read, so {_TOO_MANY}.",
                "Set the contact rules again in Settings → Contact rules.",
            )
        if not all(days in known.get(kind, ()) for kind, days in (row.retention or {}).items()):
            yield (
                f"The retention times of workspace {row.id} can't be read, so too much is deleted or kept.",
                "Set the retention times again in Settings → Trust.",
            )
    query = sa.select(Campaign.id, Campaign.contact_rules).where(Campaign.status.in_([*LIVE, CampaignStatus.PAUSED]))
    for campaign_id, own in session().execute(query):
        if not _follows(own, rules):
            yield f"The exclusions of campaign {campaign_id} can't be read, so {_TOO_MANY}.", _OWN_RULES


def _follows(given: Mapping[str, Any] | None, usual: Mapping[str, Any]) -> bool:
    """Return whether each of the stored rules exists, and has a value of its kind."""
    kinds = {name: list if isinstance(value, tuple) else type(value) for name, value in usual.items()}
    return all(kinds.get(name) is type(value) for name, value in (given or {}).items())

"""The doctor's look at rows that contradict each other, and at settings that can't be followed as they are stored."""

from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from app.core.db import is_sqlite, session
from app.core.text import counted
from app.domain.autopilot import play_steps
from app.domain.campaigns import branch_validation, validation
from app.domain.operations.doctor_checks.remote import Problem
from app.domain.operations.doctor_checks.schema import MEND, RESTORE
from app.domain.platform import retention
from app.domain.rules.contact_rules import Caps, ContactRules
from app.models.accounts import Account
from app.models.autopilot import Play, PlayTemplate
from app.models.campaigns import LIVE, Campaign, CampaignLead, CampaignStatus, CampaignTemplate
from app.models.conversations import Attachment, Conversation, ConversationWords, Message
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import DataSource, IdentityKind, Person, PersonIdentity, PersonTag
from app.models.webhooks import Event
from app.models.workspaces import Workspace

_LENGTH_OF_TAGS = sa.func.length(sa.cast(sa.type_coerce(Person.tags, sa.JSON()), sa.Text())) - 2  # of `[]`
_TOO_MANY = "people who should be left out may be contacted, or nothing is sent"
_OWN_RULES = "Set the exclusions again on the campaign's page."
_ADDRESS = sa.exists().where(  # it may be another's: two people share an address
    PersonIdentity.workspace_id == Person.workspace_id,
    PersonIdentity.kind == IdentityKind.EMAIL,
    PersonIdentity.value == Person.email,
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
        Person,
        sa.and_(_LENGTH_OF_TAGS > 0, ~sa.exists().where(PersonTag.person_id == Person.id)),
        "the tags aren't indexed, so filters don't find these people",
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
            yield f"In {counted(count, 'row')} of {table.__tablename__}, {what}.", *(remedy or [RESTORE])
    yield from _origins()
    yield from sequences(CampaignStatus.DRAFT)
    yield from rules()


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
        where = f"In {counted(count, 'row')} of person (the first is {first})"
        yield f"{where}, the source of a value is missing, so exports of personal data lack it.", RESTORE


def unreadable(sequence: Any, branches: Any) -> str:
    """Return the first place of these steps that the application's own check refuses; '' when it takes all."""
    found = validation.Problems()
    try:
        sound = branch_validation.check_branches(branches, len(sequence), found.add)
        validation.check_sequence(sequence, [], found, branches=sound)
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return "sequence"
    return found.fields[0].path if found.fields else ""


def sequences(*statuses: str) -> Iterator[Problem]:
    """Yield campaigns in these states, templates and plays with steps that can't be read."""
    template, wanted = CampaignTemplate, Campaign.status.in_(statuses)
    drafts = sa.select(sa.literal("Campaign"), Campaign.id, Campaign.sequence, Campaign.branches).where(wanted)
    templates = sa.select(sa.literal("Template"), template.id, template.sequence, template.branches)
    for what, one_id, sequence, branches in [*session().execute(drafts), *session().execute(templates)]:
        if wrong := unreadable(sequence, branches) if sequence else "":
            yield f"{what} {one_id} has a step that can't be read ({wrong}), so it can't be shown or started.", RESTORE
    for what, column in (("Play", Play.steps), ("Play template", PlayTemplate.steps)):
        for one_id, steps in session().execute(sa.select(column.class_.id, column)):
            if not all(isinstance(one, Mapping) and one.get("kind") in play_steps.KINDS for one in steps):
                yield f"{what} {one_id} has a step of an unknown kind, so it can't be shown or started.", RESTORE


def rules() -> Iterator[Problem]:
    """Yield rules about contacts and deletion that can't be followed as they are stored."""
    known = {kind: one.choices for kind, one in retention.KINDS.items()}
    usual, caps = ContactRules()._asdict() | {"company_stop": True}, Caps()._asdict()
    for row in session().scalars(sa.select(Workspace).order_by(Workspace.id)):
        if not (_follows(row.contact_rules, usual) and _follows(row.contact_caps, caps)):
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
        if not _follows(own, usual):
            yield f"The exclusions of campaign {campaign_id} can't be read, so {_TOO_MANY}.", _OWN_RULES


def _follows(given: Mapping[str, Any] | None, usual: Mapping[str, Any]) -> bool:
    """Return whether each of the stored rules exists, and has a value of its kind."""
    kinds = {name: list if isinstance(value, tuple) else type(value) for name, value in usual.items()}
    return all(kinds.get(name) is type(value) for name, value in (given or {}).items())

"""The doctor's check of stored data: readable values, references that work depends on, and roles in the audit log."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, get_args

import sqlalchemy as sa

from app.core.db import MAX_ID, Base, UTCDateTime, db, is_sqlite, session
from app.core.errors import InvalidRequest
from app.core.text import counted
from app.domain.autopilot.monitors import monitors
from app.domain.billing.plans import PLANS
from app.domain.campaigns.reply_actions import DO, TONES
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.conversations.inbox_settings import LONGEST_UNDO
from app.domain.installation import table_rows, workspace_rows
from app.domain.installation.doctor_checks.remote import Problem
from app.domain.installation.doctor_checks.schema import RESTORE
from app.domain.installation.sandbox import clock_jumps
from app.domain.people.exclusions import never_contact
from app.domain.people.people import Merge
from app.domain.platform import jobs
from app.domain.rules.contact_rules import Answer
from app.domain.rules.reasons import OF_TEXTS, REASONS
from app.domain.rules.schedules import quiet_hours
from app.domain.rules.step_kinds import STEPS, TASK_TYPES
from app.domain.webhooks.events import EVENTS
from app.domain.workspace import api_keys
from app.models.accounts import Account, Budget, Channel
from app.models.approvals import Approval
from app.models.autopilot import Setup
from app.models.billing import CreditEntry
from app.models.campaigns import (
    LIVE,
    OPEN_STATES,
    TIMERS,
    Campaign,
    CampaignAccount,
    CampaignLead,
    CampaignStatus,
    KeptForecast,
    ReplyAction,
)
from app.models.conversations import Conversation, Message, MessageStatus, Sentiment
from app.models.leads import LeadImport, LeadList, NeverContact, NeverContactKind
from app.models.ledger import Action
from app.models.monitors import Monitor
from app.models.people import IdentityKind, Person, PersonIdentity
from app.models.platform.audit import AuditEntry
from app.models.platform.jobs import Job, JobState
from app.models.signals import AddressCheck, ContactLookup
from app.models.tasks import MarkedAnswer, Task
from app.models.webhooks import Event, Webhook
from app.models.workspaces import ApiKey, Membership, Role, User, Workspace
from app.ports import Verdict

_MOMENT = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9]*"
_DAY = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]"
_WORDS: dict[Any, Any] = {  # the allowed words of columns that don't name them in their default or their `info`
    Action.kind: [*STEPS, "withdraw"],
    Action.budget: [*Budget, "withdraw"],
    AddressCheck.verdict: Verdict,
    Approval.kind: STEPS,
    Approval.reason: REASONS,
    CampaignLead.next_budget: [*Budget, "withdraw", *TIMERS],
    CampaignLead.reason: REASONS,
    CampaignLead.sentiment: Sentiment,
    ContactLookup.verdict: Verdict,
    Conversation.channel: Channel,
    Event.kind: EVENTS,
    KeptForecast.cause: get_args(kept_forecasts.Cause),
    LeadImport.merge: Merge,
    MarkedAnswer.answer: Answer,
    Message.kind: ("message", "inmail", "email"),
    Monitor.every: monitors.EVERY,
    Person.answer: Answer,
    ReplyAction.do: DO,
    ReplyAction.sentiment: TONES,
    Setup.alerts_digest: quiet_hours.DIGESTS,
    Task.task_type: TASK_TYPES,
    Webhook.event: EVENTS,
    Workspace.merge: Merge,
    Workspace.plan: PLANS,
}
_BETWEEN = {  # the range of values that pages and API calls can set
    (Workspace, "clock_offset"): (-clock_jumps.LONGEST_OFFSET, clock_jumps.LONGEST_OFFSET),
    (Workspace, "undo_seconds"): (0, LONGEST_UNDO),
    (Workspace, "approve_first"): (0, MAX_ID),
}
_BELOW_ZERO = {(Action, "step"), (Action, "part"), (CreditEntry, "amount"), (CreditEntry, "held")}
_EARLY = datetime(2000, 1, 1, tzinfo=UTC)
_BEYOND_ASCII = "*[^\x01-\x7f]*"
_WORDS_OF = {(one.class_, one.key): words for one, words in _WORDS.items()}
_WITHOUT_A_TIME = ("in_flight", "task_open", "awaiting_approval", "no_profile", *OF_TEXTS)
_FAR = timedelta(days=3660)  # ahead of every clock; only dates set by people and other programs are later
_DATED_BY_OTHERS = "start_date end_date expires_at starts_at ends_at meeting_at start_at at due_at".split()
_RUNNING = [*LIVE, CampaignStatus.PAUSED]
_BY_HAND = "Check who can write to the database, then correct the member in Settings → Team, or the key in Developers."
_RESUME = "Pause and resume the campaign, or restore a backup."
_ENTRY = "Remove the entry and add it again, then check who was contacted in the meantime."
_CHOOSE = "Choose the senders again on the campaign's page."
_SIGN_IN = "Check who can write to the database, and run `overture user reset-password`."
_TOLD = (
    *("workspace.imported", "member.joined", "member.role", "member.granted", "member.changed"),
    *("member.server_admin", "key.created", "key.rolled"),
)


def values() -> Iterator[Problem]:
    """Yield columns with impossible values: no JSON, no number, an unknown word, no moment or one far in the future."""
    look, late = sa.inspect(session().connection()), clock_jumps.furthest() + _FAR
    if is_sqlite():  # SQLite stores any bytes as text; Postgres refuses invalid ones
        driver: Any = session().connection().connection.driver_connection
        driver.create_function("is_utf8", 1, _is_utf8, deterministic=True)
    for mapper in Base.registry.mappers:
        table, model = mapper.local_table, mapper.class_
        if not isinstance(table, sa.Table) or not look.has_table(table.name):
            continue
        there = {one["name"] for one in look.get_columns(table.name)}
        wrong = {column.name: _wrong(model, column, late) for column in table.c if column.name in there}
        tests = {name: test for name, test in wrong.items() if test is not None}
        if not tests:
            continue
        counts = session().execute(sa.select(*(sa.func.count(sa.case((test, 1))) for test in tests.values()))).one()
        for (name, test), count in zip(tests.items(), counts, strict=True):
            if count:
                first = session().scalar(sa.select(sa.func.min(next(iter(table.primary_key)))).where(test))
                rows = f"{counted(count, 'row')} (the first is {first})"
                yield (
                    f"{table.name}.{name} has an impossible value in {rows}. Pages and work that need it fail.",
                    "Correct the value, using another row as a model, or restore the newest backup.",
                )


def _wrong(model: type[Any], column: sa.Column[Any], late: datetime) -> sa.ColumnElement[bool] | None:
    """Return the condition of impossible values; None if the database itself prevents them."""
    tests = [one for one in (_unreadable(model, column), _beyond(model, column, late)) if one is not None]
    return sa.and_(column.is_not(None), sa.or_(*tests)) if tests else None


def _unreadable(model: type[Any], column: sa.Column[Any]) -> sa.ColumnElement[bool] | None:
    """Return the condition of values of another type than the column's, or of words it doesn't know."""
    usual, named = getattr(column.default, "arg", None), column.info.get("words", _WORDS_OF.get((model, column.name)))
    if isinstance(column.type, sa.JSON):
        return _no_json(model, column)
    if words := type(usual) if isinstance(usual, StrEnum) else named:
        return column.not_in([*words, *([usual] if usual == "" else [])])
    return _mistyped(column, sa.type_coerce(column, sa.Text())) if is_sqlite() else None


def _beyond(model: type[Any], column: sa.Column[Any], late: datetime) -> sa.ColumnElement[bool] | None:
    """Return the condition of numbers and times that no page, call or engine sets."""
    of = (model, column.name)
    if of in _BETWEEN:
        return ~column.between(*_BETWEEN[of])
    if isinstance(column.type, sa.Integer) and of not in _BELOW_ZERO:
        return column < 0
    others = {*_DATED_BY_OTHERS, *clock_jumps.NAMES}
    if isinstance(column.type, UTCDateTime) and column.name not in others and column.server_default is None:
        return ~column.between(_EARLY, late)
    return None


def _no_json(model: type[Any], column: sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Return the condition of what is no JSON, or JSON of another kind than the model says."""
    annotation = model.__annotations__.get(column.name)
    shape = "array" if "list[" in str(annotation) else "object"
    allowed = [shape, *(["null"] if column.nullable else [])]
    is_any = get_args(annotation) == (Any,)  # `Mapped[Any]`
    plain = sa.type_coerce(column, sa.Text())
    if not is_sqlite():
        return sa.false() if is_any else sa.func.json_typeof(column).not_in(allowed)
    other = sa.false() if is_any else sa.func.json_type(plain).not_in(allowed)
    return sa.case((sa.func.json_valid(plain) == 1, other), else_=sa.true())


def _mistyped(column: sa.Column[Any], plain: Any) -> Any:
    """Return the condition of values of another type, which SQLite would take into any column."""
    if isinstance(column.type, UTCDateTime | sa.DateTime):
        return plain.op("NOT GLOB")(_MOMENT)
    if isinstance(column.type, sa.Date):
        return plain.op("NOT GLOB")(_DAY)
    kind = sa.func.typeof(column)
    if isinstance(column.type, sa.Boolean):
        return sa.cast(plain, sa.Text()).not_in(["0", "1"])
    if isinstance(column.type, sa.Integer):
        return kind != "integer"
    if isinstance(column.type, sa.LargeBinary):
        return kind != "blob"
    if isinstance(column.type, sa.Float):
        return kind.not_in(["real", "integer"])
    if not isinstance(column.type, sa.Text):
        return None
    other = plain.op("GLOB")(_BEYOND_ASCII)  # checked first, as it is fast and most texts are ASCII
    return sa.or_(kind != "text", sa.and_(other, sa.func.is_utf8(sa.cast(plain, sa.LargeBinary)) == 0))


def _is_utf8(value: bytes | None) -> bool:
    try:
        return value is None or value.decode() is not None
    except UnicodeDecodeError:
        return False


def tenants() -> Iterator[Problem]:
    """Yield rows that refer to a row of another workspace, or to one that is gone."""
    tables = sa.inspect(session().connection()).get_table_names()
    gone: dict[str, list[str]] = {}
    for table in db.metadata.sorted_tables:
        for key in table.foreign_keys if table.name in tables else ():
            other = key.column.table.alias()
            if other.name == table.name or key.column.table.name not in tables:
                continue
            joined = table.outerjoin(other, key.parent == other.c[key.column.name])
            both = "workspace_id" in table.c and "workspace_id" in other.c
            theirs = other.c.workspace_id != table.c.workspace_id if both else sa.false()
            nowhere = other.c[key.column.name].is_(None)
            query = sa.select(sa.func.count(sa.case((nowhere, 1))), sa.func.count(sa.case((theirs, 1))))
            lost, mixed = session().execute(query.select_from(joined).where(key.parent.is_not(None))).one()
            if lost:
                gone.setdefault(key.column.table.name, []).append(f"{key.parent} in {counted(lost, 'row')}")
            if mixed:
                rows = f"In {counted(mixed, 'row')}, {key.parent} points to a row of another workspace"
                yield f"{rows}, so people may see or receive other people's data.", RESTORE
    for name, which in gone.items():
        yield f"A deleted row of {name} is still needed, so pages and work fail: {', '.join(which)}.", RESTORE
    if {*table_rows.numbered()} <= {*tables}:
        yield from _never_given()


def _never_given() -> Iterator[Problem]:
    """Yield ids without a foreign key that are higher than any id ever given out, so no deleted row explains them."""
    last = table_rows.last_ids(session().connection())
    for column in (column for table in db.metadata.sorted_tables for column in table.c if "ids" in column.info):
        named = workspace_rows.named_table(column)
        most = last.get(named, 0)
        if named and isinstance(column.type, sa.JSON):
            found = session().scalars(sa.select(column).where(column.is_not(None))).all()
            count = sum(any(type(one) is int and one > most for one in ids) for ids in found)
        elif named:
            count = session().scalar(sa.select(sa.func.count()).where(column > most, column < MAX_ID)) or 0
        if named and count:
            yield f"In {counted(count, 'row')}, {column} names a row that never was there, so work stops.", RESTORE


def references() -> Iterator[Problem]:
    """Yield references of running campaigns and jobs to what is missing: lists, senders, steps, positions, handlers."""
    known = sa.select(Account.id, Account.workspace_id, Account.channel)
    senders = {one.id: (one.workspace_id, one.channel == Channel.EMAIL) for one in session().execute(known)}
    lanes: dict[int, set[int]] = {}
    for campaign_id, account_id in session().execute(
        sa.select(CampaignAccount.campaign_id, CampaignAccount.account_id)
    ):
        lanes.setdefault(campaign_id, set()).add(account_id)
    columns = (Campaign.id, Campaign.workspace_id, Campaign.account_ids, Campaign.mailbox_ids, Campaign.list_id)
    query = sa.select(*columns, Campaign.sequence, LeadList.id.label("list"), LeadList.deleted_at)
    query = query.outerjoin(LeadList, LeadList.id == Campaign.list_id).where(Campaign.status.in_(_RUNNING))
    for row in session().execute(query):
        wanted = [*row.account_ids, *row.mailbox_ids]
        ours = {one for one, (workspace_id, _) in senders.items() if workspace_id == row.workspace_id}
        gone = [one for one in dict.fromkeys(wanted) if one not in ours]
        gone += [one for one in row.mailbox_ids if one in ours and not senders[one][1]]  # chosen ones may be mailboxes
        if gone:
            yield (
                f"Campaign {row.id} has senders it can't use ({_list(gone)}), so its people are waiting.",
                _CHOOSE,
            )
        elif idle := sorted(set(wanted) - lanes.get(row.id, set())):
            yield f"Campaign {row.id} never schedules sender {_list(idle)}, so its people are waiting.", _CHOOSE
        if row.list is None or row.deleted_at is not None:
            yield f"Campaign {row.id}'s list was deleted, so no one can join.", "End the campaign, or restore a backup."
        yield from _steps(row.id, row.sequence)
    yield from _stuck()
    yield from _unprotected()
    unknown = sa.select(Job.kind, sa.func.count()).where(Job.state == JobState.OPEN, Job.kind.not_in(list(jobs.KINDS)))
    for kind, count in session().execute(unknown.group_by(Job.kind)):
        yield f"No worker handles jobs of the kind {kind}, so {count} are waiting.", "Upgrade Overture, or report this."


def _list(ids: Sequence[int]) -> str:
    return ", ".join(str(one) for one in ids[:5])


def _steps(campaign_id: int, sequence: Sequence[Any]) -> Iterator[Problem]:
    """Yield people whose current step number is beyond the last step."""
    beyond = sa.select(sa.func.count()).where(
        CampaignLead.campaign_id == campaign_id,
        CampaignLead.state.in_(OPEN_STATES),
        sa.or_(CampaignLead.step > len(sequence), CampaignLead.step < 0),
    )
    if count := session().scalar(beyond):
        who = counted(count, "person", "people")
        yield f"Campaign {campaign_id} has {who} past its last step, waiting forever.", RESTORE


def _stuck() -> Iterator[Problem]:
    """Yield people and messages that the engine never picks up, however much time passes."""
    person = CampaignLead
    is_lane = sa.and_(CampaignAccount.campaign_id == person.campaign_id, CampaignAccount.account_id == person.sender_id)
    due, has_sender = person.due_at.is_not(None), person.sender_id.is_not(None)
    for why, remedy, *conditions in (
        ("have no sender", _CHOOSE, due, ~has_sender, person.next_budget.not_in(["", *TIMERS])),
        ("have a sender that isn't in the campaign", _CHOOSE, due, CampaignAccount.account_id.is_(None), has_sender),
        ("have no time for their next step", _RESUME, ~due, person.reason.not_in(_WITHOUT_A_TIME)),
        ("are only due years from now", _RESUME, person.due_at > clock_jumps.furthest()),
    ):
        query = (
            sa.select(person.campaign_id, sa.func.count())
            .join(Campaign, Campaign.id == person.campaign_id)
            .outerjoin(CampaignAccount, is_lane)
            .where(Campaign.status.in_(_RUNNING), person.state.in_(OPEN_STATES), *conditions)
        )
        for campaign_id, count in session().execute(query.group_by(person.campaign_id)):
            yield f"In campaign {campaign_id}, {counted(count, 'person', 'people')} {why}, so they are stuck.", remedy
    unsent = sa.select(sa.func.count()).where(Message.status == MessageStatus.QUEUED, Message.due_at.is_(None))
    if messages := session().scalar(unsent):
        yield f"{counted(messages, 'queued message')} will never be sent.", "Send a new message in the conversation."


def _unprotected() -> Iterator[Problem]:
    """Yield do-not-contact entries that can match no one as stored, and people whom no entry can match."""
    value, kind = NeverContact.value, NeverContact.kind
    odd = sa.or_(
        value != sa.func.lower(value),
        sa.and_(kind == NeverContactKind.EMAIL, ~value.contains("@")),
        sa.and_(kind == NeverContactKind.DOMAIN, value.contains("@")),
    )
    query = sa.select(NeverContact.id, kind, value, NeverContact.label).where(odd, kind.in_(never_contact.GIVEN))
    for row in session().execute(query.order_by(NeverContact.id).execution_options(yield_per=500)):
        if (row.kind, row.value) not in (_matched(row.value, row.kind), _matched(row.label, row.kind)):
            yield f"Do-not-contact entry {row.id} protects no one: its value was changed.", _ENTRY
    unknown = sa.select(sa.func.count(), sa.func.min(Person.id)).where(
        Person.public_id != "",
        Person.id.not_in(sa.select(PersonIdentity.person_id).where(PersonIdentity.kind != IdentityKind.EMAIL)),
    )
    count, first = session().execute(unknown).one()
    if count:
        yield (
            f"{counted(count, 'person', 'people')} (the lowest id is {first}) can't be matched by their LinkedIn"
            " profile, so do-not-contact entries don't protect them.",
            RESTORE,
        )


def _matched(line: str, kind: str) -> tuple[str, str]:
    try:
        return never_contact.match(line, kind)
    except InvalidRequest:
        return "", ""


@dataclass
class _OnRecord:
    """The latest state of roles, scopes, keys (by their last characters) and server admins in the audit logs."""

    begins: dict[int, datetime] = field(default_factory=dict)
    roles: dict[tuple[int, str], str] = field(default_factory=dict)
    scopes: dict[tuple[int, str], str] = field(default_factory=dict)
    keys: dict[tuple[int, str], tuple[str, bool]] = field(default_factory=dict)
    admins: set[str] = field(default_factory=set)

    def hear(self, one: AuditEntry) -> None:
        """Update the state with the next audit log entry."""
        who, before, after = (one.workspace_id, one.subject), one.before, one.after
        if one.kind == "workspace.imported":
            self.begins[one.workspace_id] = one.at
        elif one.kind in ("member.joined", "member.role"):
            self.roles[who], self.scopes[who] = after.get("role", ""), ""
        elif one.kind == "member.granted":
            self.scopes[who] = after.get("scopes", "")
        elif one.kind == "member.changed" and before.get("email") != after.get("email"):
            for known in (self.roles, self.scopes):
                if (value := known.pop((one.workspace_id, before.get("email", "")), None)) is not None:
                    known[one.workspace_id, after.get("email", "")] = value
            if before.get("email") in self.admins:
                self.admins.add(after.get("email", ""))
        elif one.kind == "member.server_admin":
            self.admins.add(one.subject)
        elif one.kind == "key.created":
            told = after.get("scopes", ""), after.get("without_approval") == "yes"
            self.keys[one.workspace_id, after.get("last4", "")] = told
        elif one.kind == "key.rolled" and (told_before := self.keys.get((one.workspace_id, before.get("last4", "")))):
            self.keys[one.workspace_id, after.get("last4", "")] = told_before


def rights() -> Iterator[Problem]:
    """Yield roles, server admins and scopes of keys that the audit log does not explain.

    Members present when a workspace was created or imported are taken as legitimate.
    """
    known = _OnRecord({one.id: one.created_at for one in session().scalars(sa.select(Workspace))})
    entries = sa.select(AuditEntry).where(AuditEntry.kind.in_(_TOLD)).order_by(AuditEntry.id)
    for entry in session().scalars(entries.execution_options(yield_per=500)):
        known.hear(entry)
    users = {one.id: one for one in session().scalars(sa.select(User).order_by(User.id))}
    for user in list(users.values())[1:]:  # the first user is a server admin without an entry
        if user.server_admin and user.email not in known.admins:
            yield f"{user.email} is a server admin, and the audit log doesn't say who made them one.", _BY_HAND
    for user in users.values():
        if user.email != user.email.lower() or not user.password_hash.startswith("$argon2"):
            yield f"{user.email} can't sign in: the stored email or password was changed.", _SIGN_IN
    owned = sa.select(Membership.workspace_id).where(Membership.role == Role.OWNER)
    for workspace_id in session().scalars(sa.select(Workspace.id).where(Workspace.id.not_in(owned))):
        yield f"Workspace {workspace_id} has no owner, so no one can add members or change the plan.", _BY_HAND
    for one in session().scalars(sa.select(Membership).order_by(Membership.id)):
        yield from _member(known, one, users[one.user_id].email if one.user_id in users else "")
    for key in session().scalars(sa.select(ApiKey).where(ApiKey.revoked_at.is_(None)).order_by(ApiKey.id)):
        told = known.keys.get((key.workspace_id, key.last4))
        if len(key.digest) != len(api_keys.NO_DIGEST):
            yield f"API key {key.id} is refused: its stored digest was changed.", _BY_HAND
        if unknown := sorted({*key.scopes} - {*api_keys.SCOPES, "all"}):
            yield f"API key {key.id} has an unknown scope ({unknown[0]}), so its calls are refused.", _BY_HAND
        if _is_later(known, key) and told != (", ".join(key.scopes), key.without_approval):
            yield f"API key {key.id} of workspace {key.workspace_id} has scopes missing from the audit log.", _BY_HAND


def _is_later(known: _OnRecord, row: Membership | ApiKey) -> bool:
    begins = known.begins.get(row.workspace_id)
    return begins is not None and row.created_at > begins + timedelta(minutes=1)


def _member(known: _OnRecord, one: Membership, email: str) -> Iterator[Problem]:
    who, where = (one.workspace_id, email), f"in workspace {one.workspace_id}"
    role = known.roles.get(who, "" if _is_later(known, one) else one.role)
    if not role:
        yield f"{email} is a member {where}, and the audit log doesn't say who let them in.", _BY_HAND
    elif role != one.role:
        yield f"{email} is {one.role} {where}; according to the audit log, they are {role}.", _BY_HAND
    if ", ".join(one.key_scopes or ()) != known.scopes.get(who, ""):
        yield f"Keys of {email} {where} have more or fewer permissions than the audit log says.", _BY_HAND

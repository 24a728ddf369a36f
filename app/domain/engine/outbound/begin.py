"""Write the intent to the ledger before the network is called."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any, NamedTuple

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.crypto import keyring
from app.core.db import by_dialect, execute_many, fetch_by_id, insert, session, update_each
from app.domain.approvals import drafting, release
from app.domain.approvals.release import Release
from app.domain.conversations import meeting_links
from app.domain.engine.outbound import mail_threads
from app.domain.engine.outbound.doubt import Doubt, doubts
from app.domain.engine.outbound.selection import Candidate
from app.domain.leads.campaign_leads import campaign_leads, open_tasks
from app.domain.ledger import usage, variants
from app.domain.people.exclusions import facts, gate, never_contact, unsubscribe_token
from app.domain.people.exclusions.facts import PersonNow
from app.domain.people.exclusions.gate import Asked
from app.domain.platform import restore_hold
from app.domain.rules import message_templates, planner
from app.domain.rules.contact_rules import TOUCHES, Caps, Verdict
from app.domain.rules.message_templates import Draw
from app.domain.rules.sequences.branches import Route
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.step_kinds import STEPS, Step, longest_text
from app.domain.rules.variants.assignment import NONE, any_in, text_for, with_kept
from app.models.accounts import Account, Budget
from app.models.campaigns import Campaign, CampaignLead, CampaignStatus
from app.models.leads import Lead
from app.models.ledger import WITHDRAWAL_STEP, Action, ActionState
from app.models.people import Person
from app.models.platform.installation import Restore
from app.models.workspaces import Workspace
from app.ports import PersonRef, SenderAction

LOG = logging.getLogger(__name__)
LOOK_AGAIN = timedelta(days=1)  # when a person's text cannot be filled in
MARGIN = timedelta(seconds=10)
USUAL = 0.1  # the usual length of a call, as a share of the provider's time-out
_PEOPLE: Any = CampaignLead.__table__
_LEADS: Any = Lead.__table__
_ACTIONS: Any = Action.__table__


class Intent(NamedTuple):
    """An action recorded in the ledger as `sending`; `parts` is how many messages its text has."""

    action_id: int
    account: Any
    campaign: Any
    campaign_lead_id: int
    lead: Any
    step: int
    part: int
    parts: int
    action: SenderAction
    at: datetime
    attempts: int = 1
    until: datetime | None = None  # the end of our lease on the sender, in real time
    latest: datetime | None = None  # a call that has not begun by then is left to a later turn
    approval_id: int | None = None  # the approval whose text is sent, if a person approved it
    doubt: Doubt | None = None  # set in a restored copy if the original server may have done the action
    first_at: datetime | None = None  # when the first attempt was, if this is a later one


class Running(NamedTuple):
    """A running campaign as it is now."""

    id: int
    revision: int
    approval: bool
    timezone: str
    new_per_day: int | None


class Text(NamedTuple):
    """The text to send: the part that is next, the subject, the number of parts, or why it cannot be sent."""

    body: str = ""
    subject: str = ""
    parts: int = 1
    problem: str = ""
    sentence: str = ""
    variant: str = ""


def record_intents(
    chosen: Sequence[tuple[Any, Candidate]], at: datetime, quarantine: dict[str, int], patience: dict[str, int]
) -> list[Intent]:
    """Record an intent for each (account, candidate) that may still be contacted. Inside a transaction.

    This is the suppression check: a person who replied, was stopped or is on the do-not-contact list is left out.
    """
    people_now = fetch_by_id(_THE_PEOPLE, (candidate.campaign_lead_id for _, candidate in chosen))
    copy = restore_hold.refuse_to_contact() if any(row.restored for row in people_now.values()) else None
    leads = {row.lead_id: _lead_of(row) for row in people_now.values()}
    running = {
        row.campaign_id: Running(row.campaign_id, row.revision, row.approval, row.timezone, row.new_per_day)
        for row in people_now.values()
        if row.status == CampaignStatus.RUNNING
    }
    drafts = release.load(row.approval_id for row in people_now.values())
    queued: defaultdict[str, int] = defaultdict(int)
    places_left = _places_left(running.values(), at)
    intents = []
    for some in _one_of_a_company(chosen, people_now, leads):
        answers = _ask_gate(some, people_now, leads, at)
        had = _had(some)
        planned = []
        for account, candidate in some:
            row = people_now.get(candidate.campaign_lead_id)
            known = running.get(candidate.campaign.id)
            if row is None or known is None or not _unchanged(row, candidate, at):
                continue
            if known.revision != candidate.campaign.revision:  # the steps changed since the person was chosen
                continue
            begins = known.id in places_left and usage.is_new(row)
            if begins and places_left[known.id] <= 0:  # another sender had the last place of the day
                continue
            lead = leads[row.lead_id]
            asked = answers[row.id]
            if row.replied or (asked.verdict and _stands_in_the_way(asked.verdict, candidate)):
                _keep_from(candidate.campaign_lead_id, None if row.replied else asked.verdict, at)
                continue
            draft = drafts.get(row.approval_id)
            if draft:
                text = _approved(candidate, draft, account, at)
            else:
                text = render(candidate, lead, account, row.kept, row.route, had.get(row.id, NONE))
            if text is None or (draft is None and known.approval and _needs_decision(candidate, text)):
                drafting.reconcile(row.campaign_id, at, CampaignLead.id == row.id)
                continue
            if text.problem:
                _hold_back(candidate.campaign_lead_id, text, at)
                continue
            if candidate.budget == Budget.INVITE and text.body and usage.notes_left(account, at) == 0:
                text = Text()
            if begins:
                places_left[known.id] -= 1
            planned.append((account, candidate, row, lead, text))
        _hand_over([plan for plan in planned if plan[1].budget == Budget.TASK], answers, at)
        to_send = [plan for plan in planned if plan[1].budget != Budget.TASK]
        intents += _record(to_send, answers, at, quarantine, patience, queued)
    return _doubted(intents, doubts(copy, people_now)) if copy else intents


def _places_left(running: Iterable[Any], at: datetime) -> dict[int, int]:
    """Return how many new people may still begin today, by campaign that counts them. The workspace is locked."""
    counting = {campaign.id: campaign for campaign in running if campaign.new_per_day is not None}
    begun = usage.begun_today(counting.values(), at)
    return {campaign_id: one.new_per_day - begun[campaign_id][1] for campaign_id, one in counting.items()}


def _one_of_a_company(
    chosen: Sequence[tuple[Any, Candidate]], people_now: Mapping[int, Any], leads: Mapping[int, Any]
) -> Iterator[Sequence[tuple[Any, Candidate]]]:
    """Yield groups without two of one person or company, so that the first one's action is counted for the second."""
    waiting = chosen
    while waiting:
        group: list[tuple[Any, Candidate]] = []
        later: list[tuple[Any, Candidate]] = []
        seen: set[Any] = set()
        for one in waiting:
            row = people_now.get(one[1].campaign_lead_id)
            lead = leads[row.lead_id] if row else None
            marks = {row.person_id, lead.company_domain, lead.company_key} - {""} if row and lead else set()
            (group if seen.isdisjoint(marks) else later).append(one)
            seen |= marks
        yield group
        waiting = later


def _doubted(intents: list[Intent], known: dict[int, Doubt]) -> list[Intent]:
    """Return the intents with their doubts; a sandbox has none, as no other server acts on its simulated network."""
    return [
        intent if intent.account.provider == "sandbox" else intent._replace(doubt=known.get(intent.campaign_lead_id))
        for intent in intents
    ]


def _has_text(candidate: Candidate) -> bool:
    """Return whether the step's kind can have a text."""
    return candidate.budget not in planner.FREE_BUDGETS and _kind(candidate).name in release.TEXTS


def _needs_decision(candidate: Candidate, text: Text) -> bool:
    """Return whether the text needs approval; one with a part already sent and an invitation without a note don't."""
    if not _has_text(candidate) or candidate.part:
        return False
    return _kind(candidate).is_message or bool(text.body or text.problem)


def _key(candidate: Candidate) -> int:
    return key_of(candidate.campaign.sequence, candidate.step)


def _kind(candidate: Candidate) -> Step:
    return STEPS[candidate.campaign.sequence[candidate.step]["type"]]


def _approved(candidate: Candidate, draft: Release, account: Any, at: datetime) -> Text | None:
    """Return the approved text unchanged; None when it may not go now."""
    if not (_has_text(candidate) and draft.may_go(_key(candidate), at)):
        return None
    parts, most = draft.parts, longest_text(draft.kind, account.has_sales_navigator)
    if any(len(part) > most for part in parts):  # the sender lost Sales Navigator since
        sentence = f"The approved text is too long for this sender; the maximum is {most} characters."
        return Text(problem="too_long", sentence=sentence)
    body = parts[candidate.part] if candidate.part < len(parts) else ""
    subject = draft.subject if _kind(candidate).max_subject else ""
    return Text(body, subject, max(1, len(parts)), variant=draft.variant)


def _had(chosen: Sequence[tuple[Any, Candidate]]) -> Mapping[int, Mapping[int, str]]:
    """Return the variants that these people had by step, where the campaign has any."""
    ids = [one.campaign_lead_id for _, one in chosen if any_in(one.campaign.sequence)]
    return variants.had(ids) if ids else {}


def render(
    candidate: Candidate,
    lead: Any,
    account: Any,
    kept: dict[str, Any] | None = None,
    route: Route | None = None,
    had: Mapping[int, str] = NONE,
) -> Text:
    """Render the candidate's step for this person.

    `kept` is the step before a revision, for those who keep it; `had` holds the variants of the texts they got or have,
    by the step's key: a retry, and the second message of a text, stay with theirs.
    """
    if candidate.budget == "withdraw":
        return Text()
    step = with_kept(candidate.campaign.sequence[candidate.step], _key(candidate), kept)
    step, variant = text_for(step, lead.person_id, _key(candidate), had)
    kind = STEPS[step["type"]]
    if kind.text == "none":
        return Text()
    known, draw = message_templates.values(lead, account.name, account.address), Draw(lead.person_id, _key(candidate))
    if message_templates.asks_for_meeting(step.get("message", "")):
        place = (candidate.campaign, candidate.step, variant)
        known[message_templates.MEETING] = meeting_links.of_campaign(*place, lead.person_id, account.channel)
    body, subject = (
        message_templates.fill(step.get("message", ""), known, draw),
        message_templates.fill_line(step.get("subject", ""), known, draw),
    )
    if broken := body.broken or subject.broken:
        return Text(problem="broken_text", sentence=f"The text has an error. {broken}")
    missing = [*body.missing, *subject.missing]
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        return Text(problem="missing_value", sentence=f"No value for {names}, and no fallback.")
    if kind.text == "required" and not all(body.parts):
        return Text(problem="broken_text", sentence="The text is empty for this person.")
    longest = max((len(part) for part in body.parts), default=0)
    limit = longest_text(kind.name, account.has_sales_navigator)
    if longest > limit:
        return Text(
            problem="too_long",
            sentence=f"The text has {longest} characters with variables filled in; the maximum is {limit}.",
        )
    if len(subject.parts[0]) > kind.max_subject:
        length = len(subject.parts[0])
        sentence = f"The subject has {length} characters with variables filled in; the maximum is {kind.max_subject}."
        return Text(problem="too_long", sentence=sentence)
    part = body.parts[candidate.part] if candidate.part < len(body.parts) else ""
    title = subject.parts[0] or mail_threads.subject_of(candidate, known, lead.person_id, route, had)
    return Text(part, title, max(1, len(body.parts)), variant=variant)


def idempotency_token(workspace_id: int, campaign_lead_id: int, step: int, part: int) -> str:
    """Return the action's token for the provider: the same for every attempt, and unique."""
    return keyring().sign("action", f"{workspace_id}|{campaign_lead_id}|{step}|{part}".encode()).hex()[:32]


def to_person_ref(person: Any) -> PersonRef:
    """Return a person, or a lead, as providers know them."""
    handle = person.public_id or person.email
    return PersonRef(handle, person.profile_url, person.first_name, person.last_name, person.company_name, person.email)


_IDS: Any = sa.bindparam("ids", expanding=True)
_SEEN = (
    "id workspace_id campaign_id lead_id person_id sender_id state step part due_at replied kept route approval_id"
    " enrolled_at last_action_at begun_at accepted_at connection contacted let_in"
).split()
_OF_PERSON = (
    "public_id profile_url first_name last_name headline position company_name company_url company_domain company_key"
    " location email custom_fields"
).split()
_CAMPAIGNS: Any = Campaign.__table__
_PERSONS: Any = Person.__table__
THE_LEADS = (
    sa.select(_LEADS.c.id, _LEADS.c.workspace_id, _LEADS.c.person_id, *(_PERSONS.c[name] for name in _OF_PERSON))
    .join(_PERSONS, _PERSONS.c.id == _LEADS.c.person_id)
    .where(_LEADS.c.id.in_(_IDS))
)
_OF_LEAD = (
    *THE_LEADS.selected_columns,
    *(column for column in facts.OF_PERSON if column.name not in _OF_PERSON),
)
# Locks the campaign lead, its campaign, workspace and lead, as everything that changes them does.
_THE_PEOPLE = (
    sa.select(
        *(_PEOPLE.c[name] for name in _SEEN),
        *(_CAMPAIGNS.c[name] for name in "status revision approval timezone new_per_day contact_rules".split()),
        *(Workspace.contact_rules.label("workspace_rules"), Workspace.contact_caps),
        sa.exists().where(Restore.id > 0).label("restored"),
        *_OF_LEAD,
    )
    .join(_CAMPAIGNS, _CAMPAIGNS.c.id == _PEOPLE.c.campaign_id)
    .join(Workspace, Workspace.id == _PEOPLE.c.workspace_id)
    .join(_LEADS, _LEADS.c.id == _PEOPLE.c.lead_id)
    .join(_PERSONS, _PERSONS.c.id == _LEADS.c.person_id)
    .where(_PEOPLE.c.id.in_(_IDS))
    .order_by(_PEOPLE.c.id)
    .with_for_update(of=_PEOPLE)
)


def _lead_of(row: Any) -> Any:
    """Return the lead that comes with a campaign lead, with the columns _OF_LEAD."""
    return SimpleNamespace(**dict(zip([column.name for column in _OF_LEAD], row[-len(_OF_LEAD) :], strict=True)))


def _ask_gate(
    chosen: Sequence[tuple[Any, Candidate]], people_now: dict[int, Any], leads: Mapping[int, Any], at: datetime
) -> dict[int, Asked]:
    """Return the gate's answer for each of these campaign leads."""
    campaigns = {candidate.campaign.id: candidate.campaign for _, candidate in chosen}
    theirs: defaultdict[int, list[Any]] = defaultdict(list)
    for _, candidate in chosen:
        if row := people_now.get(candidate.campaign_lead_id):
            theirs[row.campaign_id].append(row)
    answers: dict[int, Asked] = {}
    for campaign_id, rows in theirs.items():
        people = {row.person_id: PersonNow.of(row.person_id, leads[row.lead_id]) for row in rows}
        rules = gate.merged_rules(rows[0].workspace_rules, rows[0].contact_rules)
        asked = gate.ask(
            campaigns[campaign_id],
            [row.person_id for row in rows],
            at,
            reached={row.person_id: row.contacted for row in rows},
            let_in={row.person_id: row.let_in for row in rows},
            loaded=gate.Loaded(rules, Caps.of(rows[0].contact_caps), people),
        )
        answers.update((row.id, asked[row.person_id]) for row in rows)
    return answers


def _stands_in_the_way(verdict: Verdict, candidate: Candidate) -> bool:
    """Return whether the verdict stops this action; caps hold only what reaches a person, and a text's first part."""
    if candidate.budget == "withdraw":
        return verdict.code == "never_contact"
    return verdict.effect != "wait" or (_kind(candidate).reaches and candidate.part == 0)


def _unchanged(row: Any, candidate: Candidate, at: datetime) -> bool:
    return (
        row.state == candidate.state
        and row.sender_id == candidate.sender_id
        and (row.step, row.part) == (candidate.step, candidate.part)
        and row.due_at is not None
        and row.due_at <= at
    )


def _bar(campaign_lead_id: int, at: datetime) -> None:
    person = session().get_one(CampaignLead, campaign_lead_id, populate_existing=True)
    if campaign_lead_id in never_contact.held_leads(
        person.workspace_id
    ):  # a member, or the end of a wait, resumed them
        campaign_leads.pause_for(person, "never_contact")
    else:
        campaign_leads.finish(person, "exclude", "never_contact", at)


def _keep_from(campaign_lead_id: int, verdict: Verdict | None, at: datetime) -> None:
    """Apply the verdict to the campaign lead; without a verdict the person replied, so end it."""
    if verdict is not None and verdict.effect == "wait":
        held = {"reason": verdict.code, "error": "", "due_at": verdict.until}
        session().execute(sa.update(_PEOPLE).where(_PEOPLE.c.id == campaign_lead_id).values(held))
        return
    person = session().get_one(CampaignLead, campaign_lead_id, populate_existing=True)
    if verdict is None:  # if they stayed due, their sender would choose them again and again
        campaign_leads.finish(person, "finish", "replied", at)
    elif verdict.effect == "hold":
        campaign_leads.pause_for(person, verdict.code)
    elif verdict.code == "never_contact":
        _bar(campaign_lead_id, at)
    else:
        campaign_leads.finish(person, "exclude", verdict.code, at)


def _hold_back(campaign_lead_id: int, text: Text, at: datetime) -> None:
    session().execute(
        sa.update(_PEOPLE)
        .where(_PEOPLE.c.id == campaign_lead_id)
        .values(reason=text.problem, error=text.sentence, due_at=at + LOOK_AGAIN)
    )


def _record(
    planned: Sequence[Any],
    answers: Mapping[int, Asked],
    at: datetime,
    quarantine: dict[str, int],
    patience: dict[str, int],
    queued: defaultdict[str, int],
) -> list[Intent]:
    if not planned:
        return []
    leases = _leases([account for account, *_ in planned], patience, queued)
    drafts = [
        _draft(plan, answers[plan[2].id], at, lease + timedelta(seconds=quarantine[plan[0].provider]))
        for plan, lease in zip(planned, leases, strict=True)
    ]
    begun = _insert(drafts)
    former = mail_threads.former(planned)
    execute_many(_IN_FLIGHT, [{"of": row.id, "at": at, "why": "in_flight"} for _, _, row, _, _ in planned])
    held = zip(planned, leases, strict=True)
    update_each(Account, ({"id": account.id, "claimed_until": lease} for (account, *_), lease in held))
    intended = []
    for (account, candidate, row, lead, text), draft, lease in zip(planned, drafts, leases, strict=True):
        if draft["token"] not in begun:
            _ask_a_human(row.id)
            continue
        action_id, attempts, first_at = begun[draft["token"]]
        thread = former.get(row.id, ())
        way_out = unsubscribe_token.token(row.workspace_id, row.id, lead.email) if draft["kind"] == "email" else ""
        said = (text.body, text.subject, at, thread[-1] if thread else "", thread, way_out)
        action = SenderAction(draft["kind"], to_person_ref(lead), draft["token"], *said)
        step = WITHDRAWAL_STEP if candidate.budget == "withdraw" else candidate.step
        place = (step, draft["part"], text.parts)
        latest = lease - timedelta(seconds=patience[account.provider])
        until = (lease, latest)
        intended.append(
            Intent(
                action_id,
                account,
                candidate.campaign,
                row.id,
                lead,
                *place,
                action,
                at,
                attempts,
                *until,
                approval_id=row.approval_id,
                first_at=first_at,
            )
        )
    return intended


def _hand_over(planned: Sequence[Any], answers: Mapping[int, Asked], at: datetime) -> None:
    """Create a task for each step that a member does by hand; the sender is free for other people."""
    if not planned:
        return
    drafts = [_draft(plan, answers[plan[2].id], at, open_tasks.NEVER_ASKED) for plan in planned]
    begun = _insert(drafts)
    execute_many(_IN_FLIGHT, [{"of": row.id, "at": at, "why": "task_open"} for _, _, row, _, _ in planned])
    for (_, candidate, row, _, text), draft in zip(planned, drafts, strict=True):
        if draft["token"] in begun:
            session().add(open_tasks.new(row, candidate.campaign.sequence[candidate.step], text.body, at))
        else:
            _ask_a_human(row.id)


def _leases(accounts: Sequence[Any], patience: dict[str, int], queued: defaultdict[str, int]) -> list[datetime]:
    """Return when each sender's lease ends, later for senders whose calls are queued behind others of the provider."""
    real, ends = clock.now(), []
    for account in accounts:
        longest = timedelta(seconds=patience[account.provider])
        before = queued[account.provider] // max(1, ports.sender(account.provider).parallel)
        queued[account.provider] += 1
        ends.append(real + MARGIN + longest + before * longest * USUAL)
    return ends


def _ask_a_human(campaign_lead_id: int) -> None:
    """Pause the person until a member decides: the ledger already has an entry for this step."""
    LOG.error("A step stands in the ledger already", extra={"fields": {"campaignLead": campaign_lead_id}})
    person = session().get_one(CampaignLead, campaign_lead_id, populate_existing=True)
    campaign_leads.pause_for(person, "unknown_outcome")


_IN_FLIGHT = (
    sa.update(_PEOPLE)
    .where(_PEOPLE.c.id == sa.bindparam("of"))
    .values(
        due_at=None,
        reason=sa.bindparam("why"),
        error="",
        begun_at=sa.func.coalesce(
            _PEOPLE.c.begun_at, _PEOPLE.c.last_action_at, sa.bindparam("at", type_=_PEOPLE.c.begun_at.type)
        ),
    )
)


def _draft(plan: Any, asked: Asked, at: datetime, check_at: datetime) -> dict[str, Any]:
    """Return the ledger row of an intent."""
    account, candidate, row, lead, text = plan
    withdrawal = candidate.budget == "withdraw"
    step = WITHDRAWAL_STEP if withdrawal else _key(candidate)
    part = 0 if withdrawal else candidate.part
    kind = "withdraw" if withdrawal else candidate.campaign.sequence[candidate.step]["type"]
    return {
        "workspace_id": row.workspace_id,
        "sender_id": account.id,
        "campaign_id": row.campaign_id,
        "campaign_lead_id": row.id,
        "lead_id": lead.id,
        "person_id": row.person_id,
        "step": step,
        "part": part,
        "follow_up": not withdrawal and not usage.is_new(row),
        "kind": kind,
        "budget": candidate.budget,
        "state": ActionState.SENDING,
        "token": idempotency_token(row.workspace_id, row.id, step, part),
        "variant": text.variant,
        "text": text.body,
        "subject": text.subject,
        "at": at,
        "check_at": check_at,
        "attempts": 1,
        "provider_ref": "",
        "error": "",
        "asked": asked.told() if kind in TOUCHES and part == 0 else None,
    }


def _insert(drafts: list[dict[str, Any]]) -> dict[str, tuple[int, int, datetime | None]]:
    """Insert the intents; return (id, attempt, when the first of several was) by token.

    A row whose action surely had no effect is used again. A token whose row is in any other state is left out.
    """
    begun = session().connection().execute(_upsert_intents(), drafts)
    return {row.token: (row.id, row.attempts, row.first_at) for row in begun}


@by_dialect
def _upsert_intents() -> Any:
    statement = insert(Action)
    again = ("state", "at", "check_at", "text", "subject", "variant", "sender_id", "asked")
    return statement.on_conflict_do_update(
        index_elements=["campaign_lead_id", "step", "part"],
        set_={
            **{name: statement.excluded[name] for name in again},
            "first_at": sa.func.coalesce(_ACTIONS.c.first_at, _ACTIONS.c.at),
            "attempts": _ACTIONS.c.attempts + 1,
            "error": "",
        },
        where=_ACTIONS.c.state == ActionState.AGAIN,
    ).returning(_ACTIONS.c.token, _ACTIONS.c.id, _ACTIONS.c.attempts, _ACTIONS.c.first_at)

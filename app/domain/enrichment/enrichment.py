"""Enrichment: look up missing email addresses and phone numbers of a list; pay for what is found.

The most it can cost is held before the first lookup. Each answer, its charge and the person's new value are written
together, so that work that is taken up again after a crash pays for nothing twice.
"""

import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import joinedload

from app import ports
from app.core import text
from app.core.db import change_rows, get_owned, in_batches, in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported
from app.domain.billing import credits, subscriptions
from app.domain.enrichment import waterfall
from app.domain.leads import lists
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people import people
from app.domain.people.exclusions import never_contact
from app.domain.people.sources import Source
from app.domain.platform import jobs, locks
from app.domain.webhooks import events
from app.models.leads import Lead, LeadList
from app.models.people import Person, SourceKind
from app.models.platform.jobs import Job
from app.models.signals import ENRICHMENT, ContactLookup, Enrichment, EnrichmentState, LookupState
from app.models.workspaces import Workspace
from app.ports import Contact, ContactQuestion, ContactSource, ProviderError, Refused, Throttled, Verdict
from app.resources.event_data import EventEnrichment

WHAT = {"email": ("email",), "phone": ("phone",), "both": ("email", "phone")}
NOUNS = {"email": "Email address", "phone": "Phone number"}
CHUNK, TURN = 20, 5.0
LEAST_WAIT, LONGEST_WAIT = 5, 3600  # seconds to wait for a source that takes no more requests
PRICES = credits.CONTACT_PRICES
_COLUMNS = {"email": Person.email, "phone": Person.phone}
_S = LookupState
_OF_LEADS = sa.select(Lead).join(Lead.person)
Question = tuple[int, ContactQuestion | None]
Answer = tuple[int, Contact | None]


def _ref(run_id: int) -> str:
    return f"enrichment:{run_id}"


def _without_value(
    workspace: Workspace, list_id: int, kind: str, chosen: sa.Select[Any] | None
) -> list[sa.ColumnElement[bool]]:
    """Return the conditions for people of the list, or those chosen, without the value and a pending lookup."""
    under_way = sa.exists().where(
        ContactLookup.lead_id == Lead.id, ContactLookup.kind == kind, ContactLookup.state == _S.WAITING
    )
    return [
        Lead.workspace_id == workspace.id,
        Lead.list_id == list_id,
        Lead.deleted_at.is_(None),
        _COLUMNS[kind] == "",
        ~under_way,
        *([] if chosen is None else [Lead.id.in_(chosen.with_only_columns(Lead.id))]),
    ]


def quote(workspace: Workspace, list_id: int, chosen: sa.Select[Any] | None = None) -> dict[str, int]:
    """Count how many people of the list, or of those chosen, lack each value, people on do-not-contact included."""
    return {
        kind: session().scalar(
            _OF_LEADS.with_only_columns(sa.func.count()).where(*_without_value(workspace, list_id, kind, chosen))
        )
        or 0
        for kind in PRICES
    }


def start(
    workspace: Workspace, list_id: int, what: str, max_credits: int | None = None, chosen: sa.Select[Any] | None = None
) -> tuple[int, int]:
    """Start looking up the list's missing values; return the number of lookups and their maximum cost."""
    run = begin(workspace, list_id, what, max_credits, chosen)
    return (run.queued, run.max_credits) if run else (0, 0)


def begin(
    workspace: Workspace, list_id: int, what: str, max_credits: int | None = None, chosen: sa.Select[Any] | None = None
) -> Enrichment | None:
    """Start looking up the list's missing values; return the run, or None when there is nothing to look up.

    With `max_credits` the run ends when that is spent; with `chosen` it is about those leads of the list alone.
    """
    lists.require_people(lists.get_list(workspace, list_id))
    if what not in WHAT:
        raise InvalidRequest.of(("what", "Use email, phone or both."))
    if max_credits is not None and max_credits < least_credits(what):
        raise InvalidRequest.of(("maxCredits", f"Use at least {least_credits(what)}, for one lookup."))
    subscriptions.require(workspace)
    _source(workspace, WHAT[what])
    with transaction() as current:
        found = lists.get_list(workspace, list_id, lock=True)
        run = Enrichment(workspace_id=workspace.id, list_id=list_id, what=what, created_at=workspace.now())
        current.add(run)
        current.flush()
        for kind in WHAT[what]:
            _queue(workspace, run, kind, chosen)
        _leave_out_blocked(workspace, run)
        counted = dict(_waiting(run.id))
        if not counted:
            current.delete(run)
            return None
        run.queued = sum(counted.values())
        run.max_credits = _price(counted)
        if max_credits is not None:
            run.max_credits = min(run.max_credits, max_credits)
        least = min(PRICES[kind] for kind in counted)
        if run.max_credits < least:
            raise Conflict(
                f"Each remaining lookup costs {least} credits.", recovery="Raise maxCredits, or leave it out."
            )
        name = text.shorten(found.name, 80)
        credits.hold(workspace, run.max_credits, ref=_ref(run.id), purpose="enrichment", note=f"Lookups in {name}")
        jobs.add(workspace, "enrichment", str(run.id), {"enrichment": run.id})
        return run


def least_credits(what: str) -> int:
    """Return the lowest price of one such lookup, in credits."""
    return min(PRICES[kind] for kind in WHAT[what])


def _source(workspace: Workspace, kinds: Sequence[str]) -> ContactSource:
    source: ContactSource = ports.sandbox_contacts() if workspace.sandbox else waterfall.Waterfall(workspace)
    if not source.kinds:
        raise NotSupported(
            "No service for email addresses or phone numbers is connected.",
            recovery="Connect a service in Settings → Services, or try a sandbox workspace.",
        )
    if missing := [kind for kind in kinds if kind not in source.kinds]:
        raise NotSupported(
            f"No connected service finds {' or '.join(waterfall.NOUNS[kind] for kind in missing)}.",
            recovery=f"Your services only find {' and '.join(waterfall.NOUNS[kind] for kind in source.kinds)}.",
        )
    return source


def _queue(workspace: Workspace, run: Enrichment, kind: str, chosen: sa.Select[Any] | None) -> None:
    """Queue one lookup for every person without the value."""
    common = (sa.literal(workspace.id), sa.literal(run.id), sa.literal(kind), sa.literal(str(_S.WAITING)))
    blank = (sa.literal(""), sa.literal(""), sa.literal(0))
    assert run.list_id is not None
    columns_of = _OF_LEADS.with_only_columns(*common, *blank, Lead.id)
    found = columns_of.where(*_without_value(workspace, run.list_id, kind, chosen)).order_by(Lead.id)
    columns = ["workspace_id", "enrichment_id", "kind", "state", "value", "source", "credits", "lead_id"]
    session().execute(sa.insert(ContactLookup).from_select(columns, found))


def _leave_out_blocked(workspace: Workspace, run: Enrichment) -> None:
    """Drop the lookups of people who must not be contacted."""
    if never_contact.is_empty(workspace.id):
        return
    mine = ContactLookup.enrichment_id == run.id
    query = sa.select(Lead.id, Lead.person_id).where(Lead.id.in_(sa.select(ContactLookup.lead_id).where(mine)))
    blocked = []
    for batch in in_batches(list(session().execute(query.order_by(Lead.id))), 1000):
        named = never_contact.blocked_people(workspace.id, {row.person_id for row in batch})
        blocked += [row.id for row in batch if row.person_id in named]
    change_rows(sa.delete(ContactLookup).where(mine, in_list(ContactLookup.lead_id, blocked)))


def _waiting(run_id: int) -> list[tuple[str, int]]:
    """Return the number of remaining lookups of each kind."""
    where = (ContactLookup.enrichment_id == run_id, ContactLookup.state == _S.WAITING)
    query = sa.select(ContactLookup.kind, sa.func.count()).where(*where).group_by(ContactLookup.kind)
    return [(kind, number) for kind, number in session().execute(query)]


def _price(counted: dict[str, int]) -> int:
    return sum(PRICES[kind] * number for kind, number in counted.items())


def fail_run(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Fail a run whose source failed repeatedly."""
    locks.lock_workspaces([workspace.id])
    run = session().get(Enrichment, payload["enrichment"], with_for_update=True, populate_existing=True)
    if run and ENRICHMENT.allows(run, "fail"):
        run.error = sentence
        _end(workspace, run, "fail")


def _end(workspace: Workspace, run: Enrichment, move: str) -> None:
    """End the run: drop the remaining lookups and release their credits."""
    ENRICHMENT.move(run, move)
    run.finished_at = workspace.now()
    rest = sa.update(ContactLookup).where(ContactLookup.enrichment_id == run.id, ContactLookup.state == _S.WAITING)
    change_rows(rest.values(state=_S.CANCELED))
    credits.release_rest(workspace, _ref(run.id))
    current = session()
    shown = EventEnrichment.of(run, current.get(LeadList, run.list_id or 0))
    events.record(workspace.id, [events.new("enrichment_finished", workspace.now(), {"enrichment": shown})])


def look_up(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Look up values until none is left, the credits are spent, the run is canceled or the turn is over."""
    until = time.monotonic() + TURN
    while questions := _take(workspace, payload["enrichment"]):
        answers, failure = _ask(workspace, questions)
        _record(workspace, payload["enrichment"], answers)
        if isinstance(failure, Throttled):
            return _wait(workspace, payload["enrichment"], failure)
        if failure is not None:
            raise failure
        jobs.renew_lease(job)
        if time.monotonic() > until:
            return jobs.RESCHEDULE
    return None


def _wait(workspace: Workspace, run_id: int, failure: Throttled) -> timedelta:
    """Postpone the run until the source accepts requests again, and record why."""
    with transaction():
        mine = sa.update(Enrichment).where(Enrichment.id == run_id, Enrichment.state == EnrichmentState.RUNNING)
        change_rows(mine.values(error=failure.sentence))
    return timedelta(seconds=min(max(failure.retry_after, LEAST_WAIT), LONGEST_WAIT))


def _take(workspace: Workspace, run_id: int) -> list[Question]:
    """Return the next lookups the held credits can pay for; finish the run when none is left."""
    with locks.changing(workspace.id) as current:
        run = current.get(Enrichment, run_id, with_for_update=True, populate_existing=True)
        if run is None or not ENRICHMENT.allows(run, "run"):
            return []
        current.refresh(workspace)
        subscriptions.require(workspace)
        ENRICHMENT.move(run, "run")
        run.error = ""
        left, questions = credits.remaining(workspace, _ref(run_id)), list[Question]()
        credits.keep(workspace, _ref(run_id))
        for lookup, lead in current.execute(_next(run_id)):
            if PRICES[lookup.kind] <= left:
                left -= PRICES[lookup.kind]
                questions.append((lookup.id, _question(workspace, lookup.kind, lead)))
        if not questions:
            _end(workspace, run, "finish")
        return questions


def _next(run_id: int) -> sa.Select[ContactLookup, Lead]:
    return (
        sa.select(ContactLookup, Lead)
        .outerjoin(Lead, Lead.id == ContactLookup.lead_id)
        .options(joinedload(Lead.person, innerjoin=False))
        .where(ContactLookup.enrichment_id == run_id, ContactLookup.state == _S.WAITING)
        .order_by(ContactLookup.id)
        .limit(CHUNK)
    )


def _question(workspace: Workspace, kind: str, lead: Lead | None) -> ContactQuestion | None:
    if lead is None:
        return None
    return ContactQuestion(
        kind=kind,
        person=lead.person.handle,
        first_name=lead.first_name,
        last_name=lead.last_name,
        company_name=lead.company_name,
        company_domain=text.domain(lead.company_url),
        profile_url=lead.profile_url,
        seed=workspace.sandbox_seed,
    )


def _ask(workspace: Workspace, questions: Sequence[Question]) -> tuple[list[Answer], ProviderError | None]:
    """Call the source until the first failure or the end of the turn; skip people deleted meanwhile."""
    answers: list[Answer] = []
    until = time.monotonic() + TURN
    for lookup_id, question in questions:
        if answers and time.monotonic() > until:
            break
        try:
            source = _source(workspace, [question.kind]) if question else None
            contact = source.find(question) if source and question else None
        except Refused:
            contact = None
        except ProviderError as failure:
            return answers, failure
        answers.append((lookup_id, contact))
    return answers, None


def _record(workspace: Workspace, run_id: int, answers: Sequence[Answer]) -> None:
    """Store and charge the answers; drop those of a run that was canceled meanwhile."""
    if not answers:
        return
    with locks.changing(workspace.id) as current:
        run = current.get(Enrichment, run_id, with_for_update=True, populate_existing=True)
        if run is None or run.state != EnrichmentState.RUNNING:
            return
        changed = [_settle(workspace, run, lookup_id, contact) for lookup_id, contact in answers]
        current.flush()
        excess = credits.remaining(workspace, _ref(run_id)) - _price(dict(_waiting(run_id)))
        if excess > 0:
            credits.release(workspace, _ref(run_id), excess, part=f"missed:{answers[-1][0]}")
        campaign_leads.refresh_changed(workspace, [person_id for person_id in changed if person_id])


def _settle(workspace: Workspace, run: Enrichment, lookup_id: int, contact: Contact | None) -> int | None:
    """Settle one lookup; return the id of the person who got a new value."""
    current = session()
    lookup = current.get(ContactLookup, lookup_id, with_for_update=True, populate_existing=True)
    if lookup is None or lookup.state != _S.WAITING:
        return None
    lead = current.get(Lead, lookup.lead_id or 0, with_for_update=True, populate_existing=True)
    value = _usable(lookup.kind, contact)
    lookup.answered_at = workspace.now()
    if lead is None or lead.deleted_at is not None or getattr(lead, lookup.kind) or _is_blocked(lead, lookup, value):
        lookup.state = _S.SKIPPED
        run.skipped += 1
        return None
    if contact is None or not value:
        lookup.state = _S.MISSED
        run.missed += 1
        return None
    price, part = PRICES[lookup.kind], f"{lookup.kind}:{lookup.id}"
    note = f"{NOUNS[lookup.kind]} of {text.shorten(lead.name, 80)}"
    if not credits.capture(workspace, _ref(run.id), price, part=part, purpose=lookup.kind, note=note):
        raise Conflict("The lookups made no progress for a day, so their credits were released.")
    found_by = Source(SourceKind.ENRICHMENT, text.shorten(contact.source, 100))
    people.change(workspace, lead.person, {lookup.kind: value}, found_by)
    lookup.state, lookup.value, lookup.source = _S.FOUND, value, text.shorten(contact.source, 100)
    lookup.credits = price
    if contact.verdict != Verdict.UNCHECKED:
        lookup.verdict, lookup.verified_by, lookup.verified_at = contact.verdict, contact.verified_by, workspace.now()
    run.found += 1
    run.credits += price
    return lead.person_id


def _usable(kind: str, contact: Contact | None) -> str:
    """Return the normalized value; '' when it is invalid."""
    if contact is None:
        return ""
    if kind == "email":
        return text.email(contact.value)
    value = text.squeeze(contact.value)
    return value if len(value) <= 50 and value.isprintable() else ""


def _is_blocked(lead: Lead, lookup: ContactLookup, value: str) -> bool:
    """Return whether the person, or the new address, is on the do-not-contact list."""
    address = value if lookup.kind == "email" else lead.email
    (known,) = never_contact.candidates([lead.person_id])
    return bool(never_contact.blocked(lead.workspace_id, [known._replace(email=address)]))


def cancel(workspace: Workspace, run_id: int) -> Enrichment:
    """Cancel the run and release its remaining credits. Values already found stay."""
    with locks.changing(workspace.id) as current:
        run = get_owned(Enrichment, workspace, run_id, lock=True)
        _end(workspace, run, "cancel")
        current.flush()
        return run


def get(workspace: Workspace, run_id: int) -> Enrichment:
    """Return the run, or raise NotFound."""
    return get_owned(Enrichment, workspace, run_id)


def page(workspace: Workspace, list_id: int | None = None) -> sa.Select[Any]:
    """Select the runs, all or those of a list."""
    query = sa.select(Enrichment).where(Enrichment.workspace_id == workspace.id)
    return query if list_id is None else query.where(Enrichment.list_id == list_id)


def lookups(workspace: Workspace, run_id: int) -> sa.Select[Any]:
    """Select all lookups of a run in the order in which they are made."""
    run = get_owned(Enrichment, workspace, run_id)
    return sa.select(ContactLookup).where(ContactLookup.enrichment_id == run.id)


def latest(workspace: Workspace, list_id: int) -> Enrichment | None:
    """Return the newest run of a list, if any."""
    return session().scalars(page(workspace, list_id).order_by(Enrichment.id.desc()).limit(1)).first()


def lookups_of_leads(workspace: Workspace, lead_ids: Sequence[int]) -> dict[tuple[int, str], ContactLookup]:
    """Return the newest lookup of each value of these people."""
    mine = (ContactLookup.workspace_id == workspace.id, in_list(ContactLookup.lead_id, lead_ids))
    query = sa.select(ContactLookup).where(*mine).order_by(ContactLookup.id)
    return {(one.lead_id or 0, one.kind): one for one in session().scalars(query)}


def refund(workspace: Workspace, address: str) -> int:
    """Refund a bought address that is dead, once; return the credits. Inside a transaction."""
    query = sa.select(ContactLookup).where(
        ContactLookup.workspace_id == workspace.id,
        ContactLookup.kind == "email",
        ContactLookup.value == address,
        ContactLookup.credits > 0,
        ContactLookup.refunded_at.is_(None),
    )
    total = 0
    for lookup in session().scalars(query.order_by(ContactLookup.id).with_for_update()).all():
        ref, note = f"bounce:{lookup.id}", f"{address} bounced"
        if credits.refund(workspace, lookup.credits, ref=ref, purpose="email", note=note):
            lookup.refunded_at = workspace.now()
            run = session().get_one(Enrichment, lookup.enrichment_id, with_for_update=True, populate_existing=True)
            run.credits -= lookup.credits
            total += lookup.credits
    return total

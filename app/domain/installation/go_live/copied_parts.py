"""What is copied from a sandbox: settings, documents, plays, do-not-contact entries, and people whom members added.

Each part copies a batch of rows after an id and returns the id to continue from. Secrets, simulated people and activity
in the sandbox are not copied.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import in_list, insert, session
from app.domain.autopilot import documents, setup_state
from app.domain.leads import leads, lists
from app.domain.people import identities
from app.domain.people.exclusions import never_contact
from app.domain.people.people import COLUMNS, CUSTOM, Merge, ProfileFields
from app.domain.people.sources import Source
from app.domain.platform import jobs
from app.domain.privacy import unsubscribe
from app.models.autopilot import DocVersion, Play, PlayStatus, PlayTemplate, ProfileState
from app.models.campaigns import CampaignLead, CampaignTemplate
from app.models.leads import Lead, LeadList, ListType, NeverContact, NeverContactKind
from app.models.people import DataSource, IdentityKind, Person, PersonValue, SourceKind
from app.models.workspaces import CopiedRow, GoLive, Workspace

BATCH = 500
BROUGHT = (SourceKind.FILE, SourceKind.HAND, SourceKind.API)  # by members or API clients, not the simulation
SETTINGS = ("merge", "lawful_basis", "contact_rules", "contact_caps", "blackouts", "opt_out_holds_company")
ANSWERS = (
    *("step", "website", "description", "profile", "profile_state", "customer_types", "customer_type_id", "targets"),
    *("channel", "country", "offer", "rules"),
)
STEERING = (
    *("rank", "angle", "name", "pitch", "why", "strategy", "reaches", "chips", "written_by", "note"),
    *("channel", "steps", "written", "written_from", "credits_per_lead"),
)
TEMPLATES: Sequence[tuple[str, Any, Sequence[str]]] = (
    ("template", PlayTemplate, ("name", "channel", "steps")),
    ("campaign_template", CampaignTemplate, ("name", "sequence", "branches")),
)
WRITTEN = (PlayStatus.REVIEW, PlayStatus.SCHEDULED, PlayStatus.RUNNING, PlayStatus.STOPPED)
SIMULATED_REASONS = ("Asked not to be contacted.", unsubscribe.REASON)


@dataclass(frozen=True)
class Copying:
    """A running copy from the sandbox into the live workspace, which its transaction locks."""

    live: Workspace
    sandbox: Workspace
    run: GoLive

    def known(self, kind: str, source_ids: Sequence[int]) -> dict[int, int]:
        """Return, by source id, the ids of the copies of those rows that were copied before."""
        query = sa.select(CopiedRow.source_id, CopiedRow.copy_id).where(
            CopiedRow.workspace_id == self.live.id, CopiedRow.kind == kind, in_list(CopiedRow.source_id, source_ids)
        )
        return {row.source_id: row.copy_id for row in session().execute(query)}

    def note(self, kind: str, pairs: Mapping[int, int]) -> None:
        """Record the ids of these rows' copies."""
        common = {"workspace_id": self.live.id, "kind": kind}
        rows = [{**common, "source_id": old, "copy_id": new} for old, new in pairs.items()]
        if rows:
            session().execute(insert(CopiedRow).on_conflict_do_nothing(), rows)

    def count(self, part: str, number: int) -> None:
        """Add to the number of copied rows of the part."""
        self.run.copied = {**self.run.copied, part: self.run.copied.get(part, 0) + number}


def copy_settings(copying: Copying) -> int | None:
    """Copy settings that are set in the sandbox and not in the live workspace."""
    live, sandbox = copying.live, copying.sandbox
    before: dict[str, list[Any]] = {}
    for name in SETTINGS:
        ours, theirs = getattr(live, name), getattr(sandbox, name)
        if not ours and theirs:
            before[name] = [ours, theirs]
            setattr(live, name, theirs)
    copying.run.before = {**(copying.run.before or {}), **before} or None
    copying.count("settings", len(before))
    return None


def copy_documents(copying: Copying) -> int | None:
    """Copy the newest version of each document, unless the live workspace has its own."""
    for theirs in documents.every(copying.sandbox):
        ours = documents.find(copying.live, theirs.kind)
        if copying.known("document", [theirs.id]) or (ours and not _is_copy(copying, "document", ours.id)):
            continue
        made = documents.save(copying.live, theirs.kind, theirs.markdown, by_autopilot=theirs.by_autopilot)
        copying.note("document", {theirs.id: made.id})
        copying.count("documents", 1)
    return None


def _is_copy(copying: Copying, kind: str, copy_id: int) -> bool:
    query = sa.select(CopiedRow.source_id).where(
        CopiedRow.workspace_id == copying.live.id, CopiedRow.kind == kind, CopiedRow.copy_id == copy_id
    )
    return session().scalar(query.limit(1)) is not None


def copy_plays(copying: Copying) -> int | None:
    """Copy the business profile, the templates, and the plays without their simulated people, to be approved again."""
    theirs, ours = setup_state.find(copying.sandbox), setup_state.locked(copying.live)
    if theirs and theirs.profile_state == ProfileState.DONE and ours.profile_state == ProfileState.NONE:
        for name in ANSWERS:
            setattr(ours, name, getattr(theirs, name))
        copying.run.before = {**(copying.run.before or {}), "profile": [None, ours.profile]}
    plays = sa.select(Play).where(Play.workspace_id == copying.sandbox.id, Play.status.in_(WRITTEN)).order_by(Play.id)
    for play in session().scalars(plays).all():
        if play.steps and not copying.known("play", [play.id]):
            kept = {name: getattr(play, name) for name in STEERING}
            made = Play(
                **kept,
                workspace_id=copying.live.id,
                status=PlayStatus.REVIEW,
                log=[],
                launch={},
                created_at=copying.live.now(),
            )
            _add(copying, "play", "plays", play.id, made)
    for kind, model, columns in TEMPLATES:
        theirs_of = sa.select(model).where(model.workspace_id == copying.sandbox.id).order_by(model.id)
        for template in session().scalars(theirs_of).all():
            if not copying.known(kind, [template.id]):
                words = {name: getattr(template, name) for name in columns}
                made_of = model(workspace_id=copying.live.id, created_at=copying.live.now(), **words)
                _add(copying, kind, "templates", template.id, made_of)
    return None


def _add(copying: Copying, kind: str, part: str, source_id: int, made: Any) -> None:
    session().add(made)
    session().flush()
    copying.note(kind, {source_id: made.id})
    copying.count(part, 1)


def copy_never_contact(copying: Copying) -> int | None:
    """Copy do-not-contact entries made by members, files and API calls, not those caused by simulated people."""
    query = (
        sa.select(NeverContact)
        .where(
            NeverContact.workspace_id == copying.sandbox.id,
            NeverContact.source == "",
            NeverContact.id > copying.run.after,
        )
        .order_by(NeverContact.id)
        .limit(BATCH)
    )
    batch = session().scalars(query).all()
    known = copying.known("never_contact", [one.id for one in batch])
    left_out = _simulated(copying.sandbox, batch)
    wanted = {(one.kind, one.value): one for one in batch if one.id not in known and one.id not in left_out}
    if wanted:
        at, live_id = copying.live.now(), copying.live.id
        rows = [
            {"kind": one.kind, "value": one.value, "label": one.label, "reason": one.reason, "until": one.until}
            for one in wanted.values()
        ]
        new = (
            insert(NeverContact)
            .on_conflict_do_nothing()
            .returning(NeverContact.id, NeverContact.kind, NeverContact.value)
        )
        made = session().execute(new, [{**row, "workspace_id": live_id, "created_at": at} for row in rows]).all()
        copying.note("never_contact", {wanted[row.kind, row.value].id: row.id for row in made})
        copying.count("never_contact", len(made))
        if made:
            ids = sorted(row.id for row in made)
            jobs.add(copying.live, never_contact.LEAVING, str(ids[0]), {"first": ids[0], "last": ids[-1]})
    copying.run.done += len(batch)
    return batch[-1].id if len(batch) == BATCH else None


def _simulated(sandbox: Workspace, entries: Sequence[NeverContact]) -> set[int]:
    """Return the ids of entries for a simulated person, or caused by a simulated reply or bounce."""
    kinds = {NeverContactKind.EMAIL: IdentityKind.EMAIL, NeverContactKind.PERSON: IdentityKind.PROFILE}
    named = {
        identities.Identity(kinds[NeverContactKind(one.kind)], one.value): one for one in entries if one.kind in kinds
    }
    owners = identities.owners(sandbox.id, set(named))
    brought = _sources_to_copy(sandbox)
    query = sa.select(Person.id, Person.source_id).where(in_list(Person.id, list(owners.values())))
    source_of = {row.id: row.source_id for row in session().execute(query)}
    errors = {one.reason for one in entries if one.reason}
    said = sa.select(CampaignLead.error).where(CampaignLead.workspace_id == sandbox.id, CampaignLead.error.in_(errors))
    by_engine = {*SIMULATED_REASONS, *session().scalars(said.distinct())} if errors else set(SIMULATED_REASONS)
    return {
        entry.id
        for identity, entry in named.items()
        if entry.reason in by_engine or (identity in owners and source_of.get(owners[identity]) not in brought)
    }


def copy_people(copying: Copying) -> int | None:
    """Copy a batch of the people who were imported or typed into the copies of their lists."""
    brought = _sources_to_copy(copying.sandbox)
    query = _people(copying.sandbox, list(brought)).where(Lead.id > copying.run.after).order_by(Lead.id).limit(BATCH)
    batch = session().scalars(query).unique().all()
    told = _replaced_values([lead.person_id for lead in batch], brought)
    by_list: defaultdict[int, list[Person]] = defaultdict(list)
    for lead in batch:
        by_list[lead.list_id or 0].append(lead.person)
    for list_id, people in by_list.items():
        into = _list(copying, list_id)
        if into is None:
            continue
        result = leads.AddResult()
        for source, given in _profiles(people, brought, told).items():
            leads.upsert(copying.live, into, given, result, source, Merge.FILL)
        copying.count("people", result.added)
    copying.run.done += len(batch)
    return batch[-1].id if len(batch) == BATCH else None


def _people(sandbox: Workspace, source_ids: Sequence[int]) -> sa.Select[Any]:
    """Select the leads of people whom members or API clients added to the sandbox."""
    return (
        sa.select(Lead)
        .join(Lead.person)
        .join(LeadList, LeadList.id == Lead.list_id)
        .where(Lead.workspace_id == sandbox.id, Lead.deleted_at.is_(None), LeadList.deleted_at.is_(None))
        .where(Person.erased_at.is_(None), in_list(Person.source_id, source_ids))
    )


def _list(copying: Copying, list_id: int) -> LeadList | None:
    """Return the list's copy, created for its first person; None if the copy was deleted in the live workspace."""
    theirs = lists.get_list(copying.sandbox, list_id)
    known = copying.known("list", [list_id]).get(list_id)
    if known is None:
        made = lists.create_list(copying.live, theirs.name, ListType(theirs.type), theirs.lawful_basis)
        copying.note("list", {list_id: made.id})
        copying.count("lists", 1)
        return made
    found = session().get(LeadList, known)
    return found if found is not None and found.deleted_at is None else None


def _sources_to_copy(sandbox: Workspace) -> dict[int, Source]:
    query = sa.select(DataSource).where(DataSource.workspace_id == sandbox.id, DataSource.kind.in_(BROUGHT))
    return {row.id: Source(SourceKind(row.kind), row.name, row.lawful_basis) for row in session().scalars(query)}


def _replaced_values(
    person_ids: Sequence[int], brought: Mapping[int, Source]
) -> dict[tuple[int, str], tuple[Any, int]]:
    """Return values that members imported and that the simulation has replaced since."""
    query = sa.select(PersonValue).where(
        in_list(PersonValue.person_id, person_ids), PersonValue.taken, in_list(PersonValue.source_id, list(brought))
    )
    rows = session().scalars(query.order_by(PersonValue.id))
    return {(row.person_id, row.field): (row.value, row.source_id or 0) for row in rows}


def _profiles(
    people: Sequence[Person], brought: Mapping[int, Source], told: Mapping[tuple[int, str], tuple[Any, int]]
) -> dict[Source, list[ProfileFields]]:
    """Return the imported profiles of these people, by source; each profile names its person."""
    found: dict[Source, list[ProfileFields]] = {}
    for person in people:
        values: dict[str, Any] = {name: getattr(person, name) for name in COLUMNS}
        values |= {CUSTOM + name: value for name, value in person.custom_fields.items()}
        by_source: defaultdict[Source, ProfileFields] = defaultdict(dict)
        for name, value in values.items():
            source_id = person.origins.get(name, {}).get("source", person.source_id)
            if source_id not in brought:
                value, source_id = told.get((person.id, name), ("", 0))
            if value in ("", None):
                continue
            fields = by_source[brought[source_id]]
            if name.startswith(CUSTOM):
                fields.setdefault("custom_fields", {})[name.removeprefix(CUSTOM)] = value
            else:
                fields[name] = value
        whole = {name: value for fields in by_source.values() for name, value in fields.items()}
        named = {name: whole[name] for name in ("public_id", "email") if whole.get(name)}
        first = brought[person.source_id or 0]
        if not named:
            continue
        by_source[first] |= named
        if person.tags:
            by_source[first]["tags"] = list(person.tags)
        for source in sorted(by_source, key=lambda one: one != first):
            found.setdefault(source, []).append({**named, **by_source[source]})
    return found


def total(sandbox: Workspace, parts: Sequence[str]) -> int:
    """Return how many rows the parts that are copied in batches have."""
    number = 0
    if "never_contact" in parts:
        entries = sa.select(sa.func.count()).select_from(NeverContact)
        number += (
            session().scalar(entries.where(NeverContact.workspace_id == sandbox.id, NeverContact.source == "")) or 0
        )
    if "people" in parts:
        number += people_of(sandbox)
    return number


def people_of(sandbox: Workspace) -> int:
    """Return how many leads of the sandbox were added by members or API clients."""
    places = _people(sandbox, list(_sources_to_copy(sandbox))).with_only_columns(
        sa.func.count(), maintain_column_froms=True
    )
    return session().scalar(places) or 0


def has(sandbox: Workspace) -> dict[str, int]:
    """Return how much there is to copy of each part."""
    of = sandbox.id
    count = sa.select(sa.func.count())
    plays = count.select_from(Play).where(Play.workspace_id == of, Play.status.in_(WRITTEN))
    saved = [count.select_from(model).where(model.workspace_id == of) for _, model, _ in TEMPLATES]
    kinds = sa.select(sa.func.count(DocVersion.kind.distinct())).where(DocVersion.workspace_id == of)
    entries = count.select_from(NeverContact)
    return {
        "settings": sum(bool(getattr(sandbox, name)) for name in SETTINGS),
        "documents": session().scalar(kinds) or 0,
        "plays": sum(session().scalar(query) or 0 for query in (plays, *saved)),
        "never_contact": session().scalar(entries.where(NeverContact.workspace_id == of, NeverContact.source == ""))
        or 0,
        "people": people_of(sandbox),
    }


# In this order: do-not-contact entries come before people, so that no one who is on that list is added.
PARTS: dict[str, Callable[[Copying], int | None]] = {
    "settings": copy_settings,
    "documents": copy_documents,
    "plays": copy_plays,
    "never_contact": copy_never_contact,
    "people": copy_people,
}

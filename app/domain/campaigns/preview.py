"""Preview unsaved campaigns: the messages, the audience and the duration."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session
from app.domain.campaigns import branch_validation, validation
from app.domain.campaigns.validation import Problems
from app.domain.conversations import meeting_links
from app.domain.leads import lists
from app.domain.ledger import variants
from app.domain.people import condition_facts, connections
from app.domain.rules import limits, message_templates
from app.domain.rules.message_templates import Draw
from app.domain.rules.next_step import LeadStatus
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import OTHERWISE, WHEN, Flow, side_at, side_of
from app.domain.rules.sequences.step_keys import key_of
from app.domain.rules.step_kinds import STEPS
from app.domain.rules.variants import assignment
from app.models.accounts import Account, Channel
from app.models.campaigns import Campaign, CampaignLead, Connection
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace

SHOWN = 25  # people of the list to choose from
_COLUMNS = ("first_name", "last_name", "headline", "position", "company_name", "location")


@dataclass(frozen=True)
class RenderedStep:
    """A step as one person gets it; `problems` says what would hold it back."""

    type: str
    parts: Sequence[str]
    subject: str
    problems: Sequence[str] = field(default=())
    variant: str = ""  # the variant's key, when the step has several
    others: Sequence["RenderedStep"] = field(default=())  # the texts they do not get
    gets: bool = True  # False: their path leads past the step
    typed: Sequence[str] = field(default=())  # hints: this person's values, typed as fixed text
    only_if: str = ""  # why they get it, or a condition still open, such as `accepted within 7 days`
    signature: str = ""  # of the mailbox that sends the step


def preview_people(workspace: Workspace, list_id: int, chosen: int = 0) -> list[Lead]:
    """Return the first people of a list, and the chosen one wherever they are in it."""
    query = lists.query_list(workspace, list_id)
    found = list(session().scalars(query.order_by(Lead.id).limit(SHOWN)))
    if chosen and all(lead.id != chosen for lead in found):
        found += session().scalars(query.where(Lead.id == chosen)).all()
    return found


def preview(
    sequence: Sequence[Mapping[str, Any]],
    lead: Any,
    senders: Sequence[Account],
    had: Mapping[int, str] = assignment.NONE,
) -> list[RenderedStep]:
    """Render every step for this person from the first sender that can take it; other senders stand in.

    `had` holds the variants they have a text of, by the step's key.
    """
    said = []
    signature = next((one.signature for one in senders if one.channel == Channel.EMAIL), "")
    for number, step in enumerate(sequence):
        key = key_of(sequence, number)
        theirs, mine = assignment.text_for(step, lead.person_id, key, had)
        others = [one["key"] for one in assignment.variants_of(step) if one["key"] != mine]
        texts = [_rendered(assignment.with_variant(step, other), key, lead, senders, other) for other in others]
        said.append(replace(_rendered(theirs, key, lead, senders, mine), others=texts, signature=signature))
    return said


def _rendered(step: Mapping[str, Any], key: int, lead: Any, senders: Sequence[Account], variant: str) -> RenderedStep:
    """Render one text of the step of that key."""
    kind = STEPS[step["type"]]
    able = [(one.name, one.address) for one in senders if kind.channel in ("", one.channel)]
    sender_name, address = able[0] if able else ("", "")
    message, subject = step.get("message", ""), step.get("subject", "")
    known, draw = message_templates.values(lead, sender_name, address), Draw(lead.person_id, key)
    if message_templates.asks_for_meeting(message):
        link = meeting_links.in_preview(lead.workspace_id, lead.person_id, variant, kind.channel)
        known[message_templates.MEETING] = link
    body, title = message_templates.fill(message, known, draw), message_templates.fill_line(subject, known, draw)
    problems = [
        *message_templates.problems(message, mail=kind.name == "email"),
        *message_templates.problems(subject, whole=True),
    ]
    missing = dict.fromkeys([*body.missing, *title.missing])
    if missing and not problems:
        problems = [f"No value for {', '.join(missing)} and no fallback. This message would be held."]
    problems += _too_long(kind.name, body.parts, title.parts[0], senders)
    typed = _typed(f"{subject}\n{message}", lead, sender_name)
    return RenderedStep(kind.name, body.parts, title.parts[0], problems, variant, typed=typed)


def _typed(said: str, lead: Any, sender: str) -> list[str]:
    """Return hints about this person's first name and company where they stand in the text instead of a variable."""
    plain = re.sub(r"\{\{[^{}]*\}\}", "", said)
    own = {name: getattr(lead, name) for name in ("first_name", "company_name")}
    return [
        f"“{value}” is typed, so everyone gets it. Use {name} instead."
        for name, value in own.items()
        if len(value) > 2 and value not in sender and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", plain)
    ]


def on_path(
    said: Sequence[RenderedStep],
    flow: Flow,
    lead: Any,
    senders: Sequence[Account],
    at: datetime,
    place: CampaignLead | None = None,
) -> list[RenderedStep]:
    """Return the rendered steps of the flow, each with whether the person gets it; `place` is theirs in the campaign.

    Where that hangs on a connection request, they get both sides, each with its condition.
    """
    first = {str(sender.channel): sender.id for sender in reversed(senders)}
    social, mailbox = first.get(Channel.SOCIAL), first.get(Channel.EMAIL)
    row = place or SimpleNamespace(person_id=lead.person_id, account_id=social, mailbox_id=mailbox)
    known = connections.known(lead.workspace_id, {lead.person_id: row.account_id}) if not place else set()
    connection = place.connection if place else Connection.ACCEPTED if lead.person_id in known else Connection.NONE
    facts, mail = condition_facts.of_one(flow, row, at), bool(lead.email)
    standing = LeadStatus(row.account_id, row.mailbox_id, connection, None, None, False, mail, None, facts=facts)
    unreached: dict[str, str] = {
        Channel.SOCIAL: "" if lead.public_id else conditions.in_words({"is": "has_profile"}),
        Channel.EMAIL: "" if lead.email else conditions.in_words({"is": "has_email"}),
    }
    paths = []
    for index, one in enumerate(said):
        unsure, missing = [], unreached.get(STEPS[one.type].channel, "")
        asked = [(name, branch["when"], side_at(branch, index)) for name, branch in flow.around(index)]
        if when := flow.sequence[index].get("when"):
            asked.append(("", when, WHEN))
        for name, when, side in asked:
            took = side_of(place.route, name) if place else ""
            words = conditions.in_words(when, holds=side == WHEN)
            holds = conditions.foresee(when, standing, at, may_accept=bool(lead.public_id))
            if took or holds is not None:
                missing = missing or (words if (took or (WHEN if holds else OTHERWISE)) != side else "")
            else:
                unsure.append(words)
        paths.append(replace(one, gets=not missing, only_if=missing or " and ".join(unsure)))
    return paths


def preview_for(
    workspace: Workspace,
    campaign_id: int,
    lead_id: int,
    sequence: Sequence[Mapping[str, Any]] | None = None,
    branches: Sequence[Mapping[str, Any]] | None = None,
) -> list[RenderedStep]:
    """Render the campaign's steps, or the given ones, for this lead of the workspace."""
    campaign, problems = get_owned(Campaign, workspace, campaign_id), Problems()
    lead = session().scalar(
        sa.select(Lead).where(Lead.workspace_id == workspace.id, Lead.id == lead_id, Lead.deleted_at.is_(None))
    )
    if lead is None:
        problems.add("leadId", "Lead not found in this workspace.")
    query = sa.select(Account).where(Account.workspace_id == workspace.id).order_by(Account.id)
    known = list(session().scalars(query))
    flow = Flow.of(campaign) if sequence is None else _checked(campaign, sequence, branches, known, problems)
    problems.done()
    mine = campaign.sender_ids
    named = sorted((one for one in known if one.id in mine), key=lambda one: mine.index(one.id))
    channels = {one.channel for one in named}
    senders = [*named, *(one for one in known if one.channel not in channels)]
    place = campaign_lead_of(campaign, lead)
    said = preview(flow.sequence, lead, senders, variants_had(place))
    return on_path(said, flow, lead, senders, workspace.now(), place)


def campaign_lead_of(campaign: Campaign, lead: Lead | None) -> CampaignLead | None:
    """Return the campaign lead of this lead, once they joined the campaign."""
    ours = (CampaignLead.campaign_id == campaign.id, CampaignLead.lead_id == (lead.id if lead else 0))
    return session().scalar(sa.select(CampaignLead).where(*ours))


def variants_had(place: CampaignLead | None) -> Mapping[int, str]:
    """Return the variants of the texts that this campaign lead got, by step; nothing for who has not joined."""
    return variants.had([place.id]).get(place.id, {}) if place else {}


def _checked(
    campaign: Campaign,
    sequence: Sequence[Mapping[str, Any]],
    branches: Sequence[Mapping[str, Any]] | None,
    known: list[Account],
    problems: Problems,
) -> Flow:
    """Return the given steps as they are stored; without branches of their own they keep the campaign's."""
    if branches is None:
        branches = (campaign.branches or ()) if len(sequence) == len(campaign.sequence) else ()
    else:
        branches = branch_validation.check_branches(branches, len(sequence), problems.add)
    return Flow(validation.check_sequence(sequence, known, problems, branches=branches), branches)


def _too_long(kind: str, parts: Sequence[str], subject: str, senders: Sequence[Account]) -> list[str]:
    """Return the problems of texts that are too long once the variables are filled in."""
    longest = max((len(part) for part in parts), default=0)
    sizes = ("text", longest, longest_note(senders, kind)), ("subject", len(subject), STEPS[kind].max_subject)
    said = "The {} has {} characters with variables filled in; the maximum is {}."
    return [said.format(what, size, most) for what, size, most in sizes if size > most]


def gaps(workspace: Workspace, list_id: int, sequence: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return, by variable, for how many people of the list it has neither value nor fallback."""
    texts = [text for step in sequence for both in assignment.texts(step) for text in both]
    names = sorted({name for text in texts for name in message_templates.needed(text)}.intersection(_COLUMNS))
    if not names:
        return {}
    sums = [sa.func.sum(sa.case((sa.func.trim(getattr(Person, name)) == "", 1), else_=0)) for name in names]
    query = (
        sa.select(*sums)
        .join(Lead, Lead.person_id == Person.id)
        .where(Lead.list_id == list_id, Lead.workspace_id == workspace.id)
    )
    found = session().execute(query).one()
    return {name: int(number) for name, number in zip(names, found, strict=True) if number}


def variables(found: Sequence[Lead]) -> list[str]:
    """Return the variables that texts may use: the standard ones and these people's custom fields."""
    custom = sorted({name for lead in found for name in (lead.custom_fields or {})})
    return [*message_templates.VARIABLES, *(message_templates.CUSTOM + name for name in custom[:12])]


@dataclass(frozen=True)
class Outlook:
    """How many first actions go out a day, and of which kind."""

    a_day: limits.Pace
    openers: str


def outlook(sequence: Sequence[Mapping[str, Any]], senders: Sequence[Account], at: datetime) -> Outlook:
    """Return the upper bounds of what a draft will do: limits are treated as reached."""
    first = next((STEPS[step["type"]] for step in sequence if STEPS[step["type"]].reaches), None)
    budget = first.budget if first else ""
    a_day = limits.pace(budget, senders, at) if budget else limits.Pace(0, 0)
    openers = "" if first is None else "connection requests" if first.name == "connection_request" else "first messages"
    return Outlook(a_day, openers)


def longest_note(senders: Sequence[Account], kind: str) -> int:
    """Return how many characters the text of a step may have with these senders."""
    social = [sender for sender in senders if sender.channel == Channel.SOCIAL]
    if kind == "connection_request" and not all(sender.has_sales_navigator for sender in social):
        return 200
    return STEPS[kind].max_text

"""Drafts read together: each text once, with what differs per person; exactly what was shown is approved."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.domain.approvals import approvals, bulk
from app.domain.approvals.approvals import Filters
from app.domain.rules import message_templates
from app.domain.rules.sequences.step_keys import place_of
from app.models.approvals import Approval, ApprovalStatus
from app.models.workspaces import User, Workspace

MOST = bulk.MOST_IDS  # drafts on one page
_HOLE = re.compile("\ue000([0-9]+)\ue001")  # private-use characters mark where a person's own value belongs


@dataclass(frozen=True)
class Piece:
    """A piece of a text; with a label it is this person's own value, which differs among those of its group."""

    text: str
    label: str = ""


Text = Sequence[Piece]


@dataclass(frozen=True)
class Read:
    """One draft shown in full. `mark` is sent back with the decision and identifies the text that was read."""

    id: int
    mark: str
    lead: Any
    sender: str
    subject: Text
    parts: Sequence[Text]
    own: Sequence[tuple[str, str]]  # the group's labels, with this person's values


@dataclass(frozen=True)
class Group:
    """Drafts of one step and one text; they differ in the values of `labels` only."""

    campaign: Any
    kind: str
    place: int | None
    drafts: Sequence[Read]
    labels: Sequence[str]
    known: bool  # the same text was approved for others before

    @property
    def senders(self) -> list[str]:
        """Return the names of the senders, each once."""
        return list(dict.fromkeys(one.sender for one in self.drafts if one.sender))


@dataclass(frozen=True)
class Reading:
    """Waiting drafts: in groups, those with a warning (decided one by one), and how many more wait."""

    groups: Sequence[Group]
    warned: Sequence[Any]
    more: int

    @property
    def shown(self) -> int:
        """Return how many drafts can be approved together."""
        return sum(len(group.drafts) for group in self.groups)


def look(workspace: Workspace, campaign_ids: Collection[int] | None = None) -> Reading:
    """Return the waiting drafts as they are read together, those that are due first; at most MOST of them."""
    query = approvals.page(workspace, Filters(status=ApprovalStatus.PENDING))
    if campaign_ids is not None:
        query = query.where(Approval.campaign_id.in_(campaign_ids))
    total = session().scalar(sa.select(sa.func.count()).select_from(query.order_by(None).subquery())) or 0
    rows = session().execute(query.order_by(Approval.due_at, Approval.id).limit(MOST)).all()
    alike: dict[Any, list[tuple[Any, _Cut]]] = {}
    for row in rows:
        if not row.Approval.warned:
            cut, step = _cut(row.Approval), (row.Approval.campaign_id, row.Approval.step)
            alike.setdefault((step, row.Approval.kind, cut.shared), []).append((row, cut))
    before = {step: _approved_last(*step) for step in {step for step, *_ in alike}}
    groups = [_group(members, before[step] == shared) for (step, _, shared), members in alike.items()]
    groups.sort(key=lambda group: (group.known, group.campaign.id, group.place or 0, -len(group.drafts)))
    return Reading(groups, [row for row in rows if row.Approval.warned], total - len(rows))


def repeated(drafts: Sequence[Approval]) -> set[int]:
    """Return the ids of drafts whose text equals the previous draft's, apart from the person's own values."""
    said = [(one.campaign_id, one.step, one.kind, _cut(one).shared) for one in drafts]
    return {one.id for one, mine, before in zip(drafts[1:], said[1:], said, strict=False) if mine == before}


@dataclass(frozen=True)
class _Cut:
    """A text with holes where the person's own values stand, and those values with their labels."""

    shared: tuple[str, str, tuple[str, ...]]  # subject, text, and the labels of the holes
    values: tuple[str, ...]


def _cut(approval: Approval) -> _Cut:
    known = {fact["text"]: fact["label"] for fact in approval.facts if fact["kind"] == "field" and fact["text"]}
    written = " ".join(one["text"] for one in approval.opener["sentences"]) if approval.opener else ""
    if written:
        known[written] = "Opener"
    labels: list[str] = []
    values: list[str] = []

    def hole(found: re.Match[str]) -> str:
        labels.append(known[found[0]])
        values.append(found[0])
        return f"\ue000{len(values) - 1}\ue001"

    subject, text = approval.subject, approval.text
    if known and "\ue000" not in f"{subject}{text}":
        every = "|".join(re.escape(value) for value in sorted(known, key=len, reverse=True))
        own = re.compile(rf"(?<!\w)(?:{every})(?!\w)")
        subject, text = own.sub(hole, subject), own.sub(hole, text)
    return _Cut((subject, text, tuple(labels)), tuple(values))


def _approved_last(campaign_id: int, step: int) -> Any:
    """Return the shared text of the last approval of this step; None if none was approved."""
    approved = Approval.status.in_([ApprovalStatus.APPROVED, ApprovalStatus.DONE])
    query = sa.select(Approval).where(Approval.campaign_id == campaign_id, Approval.step == step, approved)
    found = session().scalars(query.order_by(Approval.decided_at.desc(), Approval.id.desc()).limit(1)).first()
    return _cut(found).shared if found else None


def _group(members: Sequence[tuple[Any, _Cut]], known: bool) -> Group:
    (row, first), *_ = members
    subject, text, names = first.shared
    differing = [number for number in range(len(names)) if len({cut.values[number] for _, cut in members}) > 1]
    columns: dict[tuple[str, ...], int] = {}  # a value that occurs twice in the text is one column
    for number in differing:
        columns.setdefault((names[number], *(cut.values[number] for _, cut in members)), number)
    drafts = []
    for of, cut in members:
        labels = {number: names[number] for number in differing}
        parts = [_pieces(part, cut.values, labels) for part in message_templates.split(text)]
        shown = [(names[number], cut.values[number]) for number in columns.values()]
        title = _pieces(subject, cut.values, labels)
        drafts.append(Read(of.Approval.id, bulk.mark(of.Approval), of.Lead, of.name or "", title, parts, shown))
    place = place_of(row.Campaign.sequence, row.Approval.step)
    return Group(row.Campaign, row.Approval.kind, place, drafts, [label for label, *_ in columns], known)


def _pieces(text: str, values: Sequence[str], labels: Mapping[int, str]) -> Text:
    """Fill the holes of a text; what is the same for all people of the group carries no label."""
    pieces: list[Piece] = []
    for number, piece in enumerate(_HOLE.split(text)):
        label = labels.get(int(piece), "") if number % 2 else ""
        said = values[int(piece)] if number % 2 else piece
        if pieces and not label and not pieces[-1].label:
            said = pieces.pop().text + said
        if said:
            pieces.append(Piece(said, label))
    return pieces


def approve(workspace: Workspace, read: Mapping[int, str], by: User | None = None) -> list[bulk.Result]:
    """Approve the drafts of these ids that still are what was read, by their marks."""
    return bulk.bulk(workspace, list(read), "approve", by, read=read)

"""Learning: rules that edits suggested, and changes in the ranking of angles; each can be taken back."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, table_args
from app.core.state_machine import Machine, move


class LearntRuleStatus(StrEnum):
    """Where a learnt rule stands. `later`: asked again after more edits; `off`: it held, and was taken back."""

    PROPOSED = "proposed"
    LATER = "later"
    NEVER = "never"
    ON = "on"
    OFF = "off"


class LearntRule(Numbered, Base):
    """A rule that edits of drafts suggested, with these drafts and what was decided about it.

    `words` are the rule as the writer reads it, `detail` what it is about; values of people are blank in both.
    """

    __tablename__ = "learnt_rule"
    __noun__ = "learnt rule"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "words"))

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    kind: Mapped[str]
    detail: Mapped[list[str]]
    words: Mapped[str]
    status: Mapped[str] = mapped_column(default=LearntRuleStatus.PROPOSED)
    drafts: Mapped[list[int]]  # whose edits taught it, newest first
    edits: Mapped[int]  # how many these are
    rewritten: Mapped[int] = mapped_column(default=0)  # drafts that waited when it was accepted
    proposed_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="SET NULL"))


class RankingChange(Numbered, Base):
    """An angle that moved in the order of plays, with the evidence that moved it.

    What was undone is evidence that no longer counts; the numbers say how much of it there was.
    """

    __tablename__ = "ranking_change"
    __noun__ = "ranking change"
    __table_args__ = table_args(sa.Index("ix_ranking_change_workspace_id_angle", "workspace_id", "angle", "id"))

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    angle: Mapped[str]
    place_before: Mapped[int]
    place_after: Mapped[int]
    people: Mapped[int]
    replies: Mapped[int]
    positive: Mapped[int]
    negative: Mapped[int]
    good: Mapped[int]
    bad: Mapped[int]
    at: Mapped[datetime]
    undone_at: Mapped[datetime | None]


L = LearntRuleStatus
_DECIDED = "This rule is {state}."
LEARNT_RULE = Machine(
    "status",
    LearntRuleStatus,
    {
        "accept": move([L.PROPOSED, L.LATER, L.NEVER, L.OFF], L.ON, _DECIDED, "It already applies."),
        "later": move([L.PROPOSED], L.LATER, _DECIDED, "You can only put off a proposed rule."),
        "never": move([L.PROPOSED, L.LATER], L.NEVER, _DECIDED, "Take it back instead."),
        "take_back": move([L.ON], L.OFF, _DECIDED, "You can only take back a rule that applies."),
    },
)

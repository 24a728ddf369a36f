"""The CRM of a workspace: its contacts, the lists that are followed, and the activities written to it."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Personal


class Way(StrEnum):
    """The direction of a flow."""

    IN = "in"
    OUT = "out"


class CrmConnection(Numbered, Base):
    """The CRM that a workspace connected as a service, and its settings.

    `event_cursor` is the last event checked for activities. `named` numbers the updates of the do-not-contact list from
    the CRM; `naming` says that a contact changed since the last one.
    """

    __tablename__ = "crm_connection"
    __noun__ = "CRM"
    __stays__ = "the CRM is connected again on the other server, with the key of its service"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), unique=True)
    service: Mapped[str]
    account: Mapped[str]  # the CRM's id of the account; another account has other contacts
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)  # if not the default
    owners: Mapped[dict[str, Any]] = mapped_column(default=dict)  # names by the CRM's id
    event_cursor: Mapped[int]
    person_cursor: Mapped[int] = mapped_column(default=0)  # the last contact whose values were compared
    compare_at: Mapped[datetime | None]  # when our values are next compared with the CRM's
    naming: Mapped[bool] = mapped_column(default=True)
    named: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]


class CrmFlow(Numbered, IndexedOfWorkspace, Base):
    """The progress of one direction of a connection. A pass goes through all stages, one page per turn.

    `turns` changes whenever the position does. `passes` numbers the passes: rows with an older number are gone there.
    """

    __tablename__ = "crm_flow"
    __stays__ = "how far a CRM sync has come; connect the CRM again on the other server"
    __table_args__ = table_args(
        sa.UniqueConstraint("connection_id", "way"),
        partial_index("ix_crm_flow_due_at", "due_at", where="due_at IS NOT NULL"),
    )

    connection_id: Mapped[int] = mapped_column(sa.ForeignKey("crm_connection.id", ondelete="CASCADE"))
    way: Mapped[str] = mapped_column(info={"words": Way})
    stage: Mapped[str] = mapped_column(default="")  # '' between two passes
    cursor: Mapped[str] = mapped_column(default="")
    # the followed list that is being read; with an empty cursor, the last one that was read
    place: Mapped[int] = mapped_column(default=0)
    passes: Mapped[int] = mapped_column(default=0)
    turns: Mapped[int] = mapped_column(default=0)
    since: Mapped[datetime | None]  # the pass reads changes since then; None: it reads everything
    begun_at: Mapped[datetime | None]
    whole_at: Mapped[datetime | None]  # when the last full pass began
    done_at: Mapped[datetime | None]
    read: Mapped[int] = mapped_column(default=0)  # contacts in this pass
    note: Mapped[str] = mapped_column(default="")  # what the flow waits for
    error: Mapped[str] = mapped_column(default="")  # what a person has to repair
    due_at: Mapped[datetime | None]
    claimed_until: Mapped[datetime | None]


class CrmContact(Numbered, OfWorkspace, Base):
    """A contact of the CRM, as last read or written, and the person of the workspace that it belongs to."""

    __tablename__ = "crm_contact"
    __personal__ = Personal(("email", "person_id"), "Your CRM.", ("email", "values", "stage", "status"))
    __stays__ = "read again once the CRM is connected"
    __table_args__ = table_args(
        sa.UniqueConstraint("connection_id", "external_id"),
        sa.Index("ix_crm_contact_workspace_id_email", "workspace_id", "email"),
        sa.Index("ix_crm_contact_person_id", "person_id"),
    )

    connection_id: Mapped[int] = mapped_column(sa.ForeignKey("crm_connection.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="SET NULL"))
    external_id: Mapped[str]
    email: Mapped[str]
    values: Mapped[dict[str, Any]]  # values by the names in ports.crm.FIELDS
    owner_id: Mapped[str] = mapped_column(default="")
    stage: Mapped[str] = mapped_column(default="")
    status: Mapped[str] = mapped_column(default="")
    company_id: Mapped[str] = mapped_column(default="")
    opted_out: Mapped[bool] = mapped_column(default=False)
    customer: Mapped[bool] = mapped_column(default=False)
    open_deal: Mapped[bool] = mapped_column(default=False)
    deal_pass: Mapped[int] = mapped_column(default=0)  # the last pass that found an open deal
    seen_pass: Mapped[int] = mapped_column(default=0)
    changed_at: Mapped[datetime | None]  # by the CRM's clock


class CrmCompany(Numbered, OfWorkspace, Base):
    """A company of the CRM. People are matched to it by its domain."""

    __tablename__ = "crm_company"
    __stays__ = "read again once the CRM is connected"
    __table_args__ = table_args(
        sa.UniqueConstraint("connection_id", "external_id"),
        sa.Index("ix_crm_company_workspace_id_domain", "workspace_id", "domain"),
    )

    connection_id: Mapped[int] = mapped_column(sa.ForeignKey("crm_connection.id", ondelete="CASCADE"))
    external_id: Mapped[str]
    name: Mapped[str]
    domain: Mapped[str]  # registered; '' when it has none of its own
    stage: Mapped[str] = mapped_column(default="")
    customer: Mapped[bool] = mapped_column(default=False)
    open_deal: Mapped[bool] = mapped_column(default=False)
    deal_pass: Mapped[int] = mapped_column(default=0)
    seen_pass: Mapped[int] = mapped_column(default=0)


class CrmList(Numbered, IndexedOfWorkspace, Base):
    """A list of the CRM that a list here follows."""

    __tablename__ = "crm_list"
    __noun__ = "followed list"
    __stays__ = "a list is followed again once the CRM is connected"
    __table_args__ = table_args(sa.UniqueConstraint("connection_id", "external_id"))

    connection_id: Mapped[int] = mapped_column(sa.ForeignKey("crm_connection.id", ondelete="CASCADE"))
    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"), index=True)
    external_id: Mapped[str]
    name: Mapped[str]
    run: Mapped[int] = mapped_column(default=0)
    read_at: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]


class CrmMember(Numbered, IndexedOfWorkspace, Base):
    """A contact in a followed list. `person_id` is set once they were put into the list here."""

    __tablename__ = "crm_member"
    __personal__ = Personal(("person_id",), "A list in your CRM.", ("external_id",))
    __stays__ = "read again once the CRM is connected"
    __table_args__ = table_args(
        sa.UniqueConstraint("crm_list_id", "external_id"), sa.Index("ix_crm_member_person_id", "person_id")
    )

    crm_list_id: Mapped[int] = mapped_column(sa.ForeignKey("crm_list.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="SET NULL"))
    external_id: Mapped[str]
    run: Mapped[int]


class CrmActivityState(StrEnum):
    """Where an activity stands. `sending`: it may be in the CRM already, so it is looked up before it is repeated."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"


class CrmActivity(Numbered, OfWorkspace, Base):
    """An activity to write to the CRM, made from an event; `key` identifies it in the CRM."""

    __tablename__ = "crm_activity"
    __noun__ = "activity"
    __personal__ = Personal(
        ("person_id",), "Activities for your CRM, sent or due.", ("event", "kind", "subject", "text", "at")
    )
    __stays__ = "how far a CRM sync has come; connect the CRM again on the other server"
    __table_args__ = table_args(
        sa.UniqueConstraint("connection_id", "key"),
        sa.Index("ix_crm_activity_person_id", "person_id"),
        sa.Index("ix_crm_activity_workspace_id_id", "workspace_id", "id"),
        partial_index("ix_crm_activity_open", "connection_id", "id", where="state IN ('waiting', 'sending')"),
        partial_index("ix_crm_activity_failed", "connection_id", "id", where="state = 'failed'"),
    )

    connection_id: Mapped[int] = mapped_column(sa.ForeignKey("crm_connection.id", ondelete="CASCADE"))
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"))
    key: Mapped[str]
    event: Mapped[str]
    kind: Mapped[str]
    incoming: Mapped[bool]
    subject: Mapped[str]
    text: Mapped[str]
    at: Mapped[datetime]
    state: Mapped[str] = mapped_column(default=CrmActivityState.WAITING)
    external_id: Mapped[str] = mapped_column(default="")
    tries: Mapped[int] = mapped_column(default=0)  # tries that the CRM refused
    error: Mapped[str] = mapped_column(default="")
    sent_at: Mapped[datetime | None]

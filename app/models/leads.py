"""Lists, leads, do-not-contact entries and imports."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, table_args
from app.core.state_machine import Machine, move


class ListType(StrEnum):
    """What a list holds."""

    PEOPLE = "people"
    COMPANIES = "companies"
    EVENTS = "events"
    GROUPS = "groups"
    UNKNOWN = "unknown"


class LeadList(Numbered, Base):
    """A collection of leads. `lead_count` is kept in the transaction that adds or removes them."""

    __tablename__ = "lead_list"
    __noun__ = "list"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    type: Mapped[str] = mapped_column(default=ListType.PEOPLE)
    lead_count: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  # hidden everywhere; a job still deletes its leads


# Who an erased person is in rows that must stay so that the counts stay true. Not a valid public id.
ERASED = "Erased person"
_WITH: dict[str, dict[str, Any]] = {
    column: {f"{dialect}_where": sa.text(f"{column} <> ''") for dialect in ("sqlite", "postgresql")}
    for column in ("email", "phone")
}
PREFIXES = "text_pattern_ops"  # the index knows what a name begins with, whatever the database's language


class Lead(Numbered, Base):
    """A person in a list. `person` is the normalised public id: one lead per person and list."""

    __tablename__ = "lead"
    __table_args__ = table_args(
        sa.UniqueConstraint("list_id", "person"),
        sa.Index("ix_lead_list_id_id", "list_id", "id"),
        sa.Index("ix_lead_workspace_id_person", "workspace_id", "person"),
        sa.Index("ix_lead_workspace_id_email", "workspace_id", "email"),
        sa.Index("ix_lead_with_email", "list_id", **_WITH["email"]),
        sa.Index("ix_lead_with_phone", "list_id", **_WITH["phone"]),
        sa.Index("ix_lead_first_name", "workspace_id", "first_name", postgresql_ops={"first_name": PREFIXES}),
        sa.Index("ix_lead_last_name", "workspace_id", "last_name", postgresql_ops={"last_name": PREFIXES}),
        sa.Index("ix_lead_company_name", "workspace_id", "company_name", postgresql_ops={"company_name": PREFIXES}),
    )

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"))
    person: Mapped[str]
    public_id: Mapped[str] = mapped_column(default="")
    profile_url: Mapped[str] = mapped_column(default="")
    first_name: Mapped[str] = mapped_column(default="")
    last_name: Mapped[str] = mapped_column(default="")
    headline: Mapped[str] = mapped_column(default="")
    position: Mapped[str] = mapped_column(default="")
    company_name: Mapped[str] = mapped_column(default="")
    company_url: Mapped[str] = mapped_column(default="")
    location: Mapped[str] = mapped_column(default="")
    image_url: Mapped[str] = mapped_column(default="")
    email: Mapped[str] = mapped_column(default="")
    phone: Mapped[str] = mapped_column(default="")
    tags: Mapped[list[str]] = mapped_column(default=list)
    custom_fields: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  # hidden everywhere; kept, in no list, for past campaigns

    @property
    def name(self) -> str:
        """Return first and last name, or the public id without them."""
        return f"{self.first_name} {self.last_name}".strip() or self.public_id or ERASED


class NeverContactKind(StrEnum):
    """What an entry of the do-not-contact list names; of an erased person it holds only a keyed hash."""

    PERSON = "person"
    EMAIL = "email"
    DOMAIN = "domain"
    COMPANY = "company"
    ERASED = "erased"


class NeverContact(Numbered, Base):
    """A do-not-contact entry. `value` is normalized, `label` as it was typed."""

    __tablename__ = "never_contact"
    __noun__ = "do-not-contact entry"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "kind", "value"))

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    kind: Mapped[str]
    value: Mapped[str]
    label: Mapped[str]
    reason: Mapped[str] = mapped_column(default="")
    source: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # who keeps it up to date; '' by hand
    run: Mapped[int] = mapped_column(default=0, server_default=sa.text("0"))  # of that source, which named it last
    created_at: Mapped[datetime]


class ImportState(StrEnum):
    """Where an import stands."""

    MAPPING = "mapping"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


class LeadImport(Numbered, Base):
    """A CSV on its way into a list. The content is kept, compressed, until every row has been dealt with."""

    __tablename__ = "lead_import"
    __noun__ = "import"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="CASCADE"), index=True)
    file_name: Mapped[str]
    content: Mapped[bytes | None]
    encoding: Mapped[str] = mapped_column(default="utf-8-sig")
    delimiter: Mapped[str] = mapped_column(default=",")
    header_row: Mapped[int] = mapped_column(default=1)  # 0: the file begins with people at once
    header: Mapped[list[str]]
    mapping: Mapped[dict[str, Any]] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(default=ImportState.MAPPING)
    total: Mapped[int] = mapped_column(default=0)
    done: Mapped[int] = mapped_column(default=0)
    added: Mapped[int] = mapped_column(default=0)
    updated: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    invalid: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class ImportRefusal(Numbered, Base):
    """A row that was not imported, with the reason."""

    __tablename__ = "import_refusal"

    import_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_import.id", ondelete="CASCADE"), index=True)
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    row: Mapped[int]
    cells: Mapped[list[str]]
    reason: Mapped[str]


IMPORT = Machine(
    "state",
    ImportState,
    {
        "start": move([ImportState.MAPPING], ImportState.RUNNING, "This import is {state}. Upload the file again."),
        "finish": move([ImportState.RUNNING], ImportState.DONE, "Only a running import can finish."),
        "fail": move([ImportState.MAPPING, ImportState.RUNNING], ImportState.FAILED, "This import is {state}."),
        "cancel": move(
            [ImportState.MAPPING, ImportState.RUNNING], ImportState.CANCELED, "This import is already {state}."
        ),
    },
)


class SearchImportState(StrEnum):
    """Where the reading of a search stands; one that waits is running."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


class SearchImport(Numbered, Base):
    """A search of the network on its way into a list, one page at a time.

    `cursor` is where the next page begins at the provider, `pages` how many were taken: the two change together with
    the people of a page. The counts of people after `read` add up to it.
    """

    __tablename__ = "search_import"
    __noun__ = "search import"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="CASCADE"), index=True)
    account_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"), index=True)
    address: Mapped[str]
    kind: Mapped[str]
    most: Mapped[int]
    state: Mapped[str] = mapped_column(default=SearchImportState.RUNNING)
    cursor: Mapped[str] = mapped_column(default="")
    pages: Mapped[int] = mapped_column(default=0)
    total: Mapped[int | None]  # as the network counts them
    read: Mapped[int] = mapped_column(default=0)
    added: Mapped[int] = mapped_column(default=0)
    updated: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    invalid: Mapped[int] = mapped_column(default=0)
    waits_for: Mapped[str] = mapped_column(default="")  # why no page is read now; '' while one is
    waits_until: Mapped[datetime | None]
    failing_since: Mapped[datetime | None]  # when the provider was last reached
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class SearchRead(Numbered, Base):
    """People whom an account read in a search, written before the page is asked for: the limit has no other memory."""

    __tablename__ = "search_read"
    __table_args__ = table_args(sa.Index("ix_search_read_account_id_at", "account_id", "at"))

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    account_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    people: Mapped[int]


SEARCH_IMPORT = Machine(
    "state",
    SearchImportState,
    {
        "finish": move([SearchImportState.RUNNING], SearchImportState.DONE, "Only a running import can finish."),
        "fail": move([SearchImportState.RUNNING], SearchImportState.FAILED, "This import is {state}."),
        "cancel": move([SearchImportState.RUNNING], SearchImportState.CANCELED, "This import is already {state}."),
    },
)

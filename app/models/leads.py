"""Lists, leads, do-not-contact entries and imports."""

from datetime import date, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.associationproxy import AssociationProxy, association_proxy
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Leftovers
from app.core.state_machine import Machine, move
from app.models.people import Person


class ListType(StrEnum):
    """What a list contains: `people` or `companies`. The other values are accepted, too, but mean `people`."""

    PEOPLE = "people"
    COMPANIES = "companies"
    EVENTS = "events"
    GROUPS = "groups"
    UNKNOWN = "unknown"


class LeadList(Numbered, IndexedOfWorkspace, Base):
    """A collection of leads, or of companies. `lead_count` is kept in the transaction that adds or removes them."""

    __tablename__ = "lead_list"
    __noun__ = "list"

    name: Mapped[str]
    type: Mapped[str] = mapped_column(default=ListType.PEOPLE)
    lead_count: Mapped[int] = mapped_column(default=0)
    lawful_basis: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # '': the workspace's
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  # hidden everywhere; a job still deletes its leads


class Lead(Numbered, OfWorkspace, Base):
    """A person's place in a list: one lead per person and list. It shows the fields of the person."""

    __tablename__ = "lead"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("list_id", "person_id"),
        sa.Index("ix_lead_list_id_id", "list_id", "id"),
        sa.Index("ix_lead_workspace_id_id", "workspace_id", "id"),
        sa.Index("ix_lead_person_id", "person_id"),
    )

    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"))
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"))
    created_at: Mapped[datetime]
    deleted_at: Mapped[datetime | None]  # hidden everywhere; kept, in no list, for past campaigns

    person: Mapped[Person] = relationship(lazy="joined", innerjoin=True)

    name: AssociationProxy[str] = association_proxy("person", "name")
    public_id: AssociationProxy[str] = association_proxy("person", "public_id")
    profile_url: AssociationProxy[str] = association_proxy("person", "profile_url")
    first_name: AssociationProxy[str] = association_proxy("person", "first_name")
    last_name: AssociationProxy[str] = association_proxy("person", "last_name")
    headline: AssociationProxy[str] = association_proxy("person", "headline")
    position: AssociationProxy[str] = association_proxy("person", "position")
    company_name: AssociationProxy[str] = association_proxy("person", "company_name")
    company_url: AssociationProxy[str] = association_proxy("person", "company_url")
    location: AssociationProxy[str] = association_proxy("person", "location")
    image_url: AssociationProxy[str] = association_proxy("person", "image_url")
    email: AssociationProxy[str] = association_proxy("person", "email")
    phone: AssociationProxy[str] = association_proxy("person", "phone")
    tags: AssociationProxy[list[str]] = association_proxy("person", "tags")
    custom_fields: AssociationProxy[dict[str, Any]] = association_proxy("person", "custom_fields")


class ListedCompany(Numbered, IndexedOfWorkspace, Base):
    """A company in a list of companies, known by its domain, else by its name; one of the two may be ''."""

    __tablename__ = "listed_company"
    __noun__ = "company"
    __table_args__ = table_args(
        sa.Index("ix_listed_company_list_id_id", "list_id", "id"),
        sa.Index("ix_listed_company_name_key", "list_id", "name_key"),
        sa.Index(
            "ix_listed_company_domain",
            "list_id",
            "domain",
            unique=True,
            sqlite_where=sa.text("domain <> ''"),
            postgresql_where=sa.text("domain <> ''"),
        ),
    )

    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="CASCADE"))
    name: Mapped[str]
    domain: Mapped[str]  # registrable domain, as company holds use it
    name_key: Mapped[str]  # the name without its legal form
    created_at: Mapped[datetime]


class NeverContactKind(StrEnum):
    """What a do-not-contact entry refers to. `erased`: an erased person, of whom only a keyed hash is stored."""

    PERSON = "person"
    EMAIL = "email"
    DOMAIN = "domain"
    COMPANY = "company"
    ERASED = "erased"


class NeverContact(Numbered, OfWorkspace, Base):
    """A do-not-contact entry. `value` is normalized, `label` as it was typed."""

    __tablename__ = "never_contact"
    __noun__ = "do-not-contact entry"
    __table_args__ = table_args(
        sa.UniqueConstraint("workspace_id", "kind", "value"),
        partial_index("ix_never_contact_until", "until", where="until IS NOT NULL"),
    )

    kind: Mapped[str] = mapped_column(info={"words": NeverContactKind})
    value: Mapped[str]
    label: Mapped[str]
    reason: Mapped[str] = mapped_column(default="")
    until: Mapped[date | None]  # the last day on which it applies; None: forever
    source: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # who maintains it; '': members
    # The number of the source's last update that contained this entry.
    run: Mapped[int] = mapped_column(default=0, server_default=sa.text("0"))
    created_at: Mapped[datetime]


class ImportState(StrEnum):
    """The state of an import. `mapping`: uploaded in the dashboard, where a member has yet to match its columns."""

    MAPPING = "mapping"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


class LeadImport(Numbered, IndexedOfWorkspace, Base):
    """A CSV on its way into a list. The content is kept, compressed, until every row has been dealt with."""

    __tablename__ = "lead_import"
    __noun__ = "import"

    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="CASCADE"), index=True)
    file_name: Mapped[str]
    content: Mapped[bytes | None]
    encoding: Mapped[str] = mapped_column(default="utf-8-sig")
    delimiter: Mapped[str] = mapped_column(default=",")
    header_row: Mapped[int] = mapped_column(default=1)  # 0: the file has no header
    header: Mapped[list[str]]
    mapping: Mapped[dict[str, Any]] = mapped_column(default=dict)
    # The server default is for older imports, which always overwrote.
    merge: Mapped[str] = mapped_column(default="fill", server_default="overwrite")
    lawful_basis: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # '': the list's
    state: Mapped[str] = mapped_column(default=ImportState.MAPPING)
    total: Mapped[int] = mapped_column(default=0)
    done: Mapped[int] = mapped_column(default=0)
    added: Mapped[int] = mapped_column(default=0)
    updated: Mapped[int] = mapped_column(default=0)
    skipped: Mapped[int] = mapped_column(default=0)
    invalid: Mapped[int] = mapped_column(default=0)
    problems: Mapped[int] = mapped_column(default=0, server_default="0")  # invalid values in imported rows
    # The file's columns about who must not be contacted, as opt_outs.Survey; None: not examined yet
    opt_outs: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # {column: {value: meaning}}: the meanings that a member gave to values
    consent: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    opted_out: Mapped[int] = mapped_column(default=0, server_default="0")  # rows put on the do-not-contact list
    bounced: Mapped[int] = mapped_column(default=0, server_default="0")  # imported people whose address is on that list
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class ImportRefusal(Numbered, Base):
    """A row, or one value of a row, that was not imported, with the reason."""

    __tablename__ = "import_refusal"

    import_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_import.id", ondelete="CASCADE"), index=True)
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    row: Mapped[int]
    cells: Mapped[list[str]]
    reason: Mapped[str]
    # the value that was left out; '': the whole row
    field: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))


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
    """The state of a search import; an import that is waiting is `running`, too."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


class SearchImport(Numbered, IndexedOfWorkspace, Base):
    """A search of the network on its way into a list, one page at a time.

    `cursor` is the provider's cursor of the next page, `pages` counts the pages imported; both are stored together with
    a page's people. The counts below `read` add up to it.
    """

    __tablename__ = "search_import"
    __noun__ = "search import"

    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="CASCADE"), index=True)
    account_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"), index=True)
    # for a list of companies: the company whose people are searched
    company_id: Mapped[int | None] = mapped_column(sa.ForeignKey("listed_company.id", ondelete="SET NULL"), index=True)
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
    waits_for: Mapped[str] = mapped_column(default="")  # why no page is being read; '' while one is
    waits_until: Mapped[datetime | None]
    failing_since: Mapped[datetime | None]  # when the first of the current failures happened
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class SearchRead(Numbered, OfWorkspace, Base):
    """People that an account read in a search: the daily limit's only count, so it is written before the request."""

    __tablename__ = "search_read"
    __table_args__ = table_args(sa.Index("ix_search_read_account_id_at", "account_id", "at"))

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


class BulkState(StrEnum):
    """Where a change of many people stands."""

    RUNNING = "running"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    FAILED = "failed"


class BulkChange(Numbered, IndexedOfWorkspace, Base):
    """The progress of a change, in batches, of all people that a filter of a list matches.

    `after` is the last lead processed, `until` the newest lead when the change began: later ones are not changed.
    """

    __tablename__ = "bulk_change"
    __noun__ = "change"
    __stays__ = "kept for a few minutes, to undo changes"
    __leftovers__ = Leftovers.NAMES

    list_id: Mapped[int] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="CASCADE"), index=True)
    verb: Mapped[str]
    about: Mapped[dict[str, Any]] = mapped_column(default=dict)  # the filter, what the verb needs, names of undos
    until: Mapped[int]
    after: Mapped[int] = mapped_column(default=0)
    total: Mapped[int]
    done: Mapped[int] = mapped_column(default=0)
    changed: Mapped[int] = mapped_column(default=0)
    state: Mapped[str] = mapped_column(default=BulkState.RUNNING)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


BULK = Machine(
    "state",
    BulkState,
    {
        "finish": move([BulkState.RUNNING], BulkState.DONE, "Only a change that is in progress can finish."),
        "fail": move([BulkState.RUNNING, BulkState.UNDOING], BulkState.FAILED, "This change is {state}."),
        "undo": move([BulkState.DONE, BulkState.FAILED], BulkState.UNDOING, "This change is already {state}."),
        "undone": move([BulkState.UNDOING], BulkState.UNDONE, "Only a change being undone can end this way."),
    },
)


class SavedView(Numbered, OfWorkspace, Base):
    """A saved view: a table's filter, order and columns under a name that a member gave; only that member sees it."""

    __tablename__ = "saved_view"
    __leftovers__ = Leftovers.NAMES
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "user_id", "place", "name"))
    __noun__ = "view"

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    place: Mapped[str]  # the table: people, campaigns, …
    name: Mapped[str]
    query: Mapped[str]  # the page address's query string
    created_at: Mapped[datetime]

"""People: who they are, what is known of them, and where each value came from."""

from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Leftovers, Personal, ids

# The name of an erased person in rows that are kept so that counts stay correct.
ERASED = "Erased person"
PREFIXES = "text_pattern_ops"  # lets Postgres use the index for LIKE 'prefix%' in any locale


class Person(Numbered, OfWorkspace, Base):
    """One human being in one workspace. A lead is their place in a list.

    Every value came from `source_id` when the row was made, unless `origins` names another source for its column.
    """

    __tablename__ = "person"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.Index("ix_person_workspace_id_id", "workspace_id", "id"),
        sa.Index("ix_person_workspace_id_public_id", "workspace_id", "public_id"),
        sa.Index("ix_person_workspace_id_email", "workspace_id", "email"),
        sa.Index("ix_person_first_name", "workspace_id", "first_name", postgresql_ops={"first_name": PREFIXES}),
        sa.Index("ix_person_last_name", "workspace_id", "last_name", postgresql_ops={"last_name": PREFIXES}),
        sa.Index("ix_person_company_name", "workspace_id", "company_name", postgresql_ops={"company_name": PREFIXES}),
        partial_index(
            "ix_person_company_domain", "workspace_id", "company_domain", "name_key", where="company_domain <> ''"
        ),
        partial_index("ix_person_company_key", "workspace_id", "company_key", "name_key", where="company_key <> ''"),
        sa.Index("ix_person_by_name", "workspace_id", "first_name", "id"),  # in the language's order
        partial_index("ix_person_replied", "workspace_id", "replied_at", where="replied_at IS NOT NULL"),
    )

    public_id: Mapped[str] = mapped_column(default="")  # normalized; '' for a person known by email alone
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
    # The company as company holds and caps compare it: registrable domain, and name without its legal form.
    company_domain: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    company_key: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    # {said, domain, key}: the company that a member entered; `domain` and `key` both '': none
    company_by_hand: Mapped[dict[str, str] | None] = mapped_column(sa.JSON(none_as_null=True))
    # First and last name for suggestions of duplicates; '' for a name of one word, which many people share
    name_key: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    source_id: Mapped[int | None] = mapped_column(sa.ForeignKey("data_source.id", ondelete="SET NULL"), index=True)
    # {column or custom.name: {source, at, typed}}: values that came later than the row, or were typed by hand
    origins: Mapped[dict[str, Any]] = mapped_column(default=dict, info=ids({"source": "data_source"}))
    created_at: Mapped[datetime]
    # Their last answer in any campaign, or one marked by a member: a value of rules.contact_rules.Answer
    answer: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    replied_at: Mapped[datetime | None]
    come_back_at: Mapped[datetime | None]  # when they asked to be contacted again
    erased_at: Mapped[datetime | None]

    @property
    def name(self) -> str:
        """Return first and last name, or another identifier if there is no name."""
        return f"{self.first_name} {self.last_name}".strip() or self.handle or ERASED

    @property
    def handle(self) -> str:
        """Return what providers know the person by: the public id, or the address of a person without a profile."""
        return self.public_id or self.email

    @property
    def profile_link(self) -> str:
        """Return the address of their profile: the known one, or LinkedIn's for the public id."""
        return self.profile_url or (self.public_id and f"https://www.linkedin.com/in/{quote(self.public_id)}")


class IdentityKind(StrEnum):
    """The kind of identifier: a public profile id, LinkedIn's internal id (`member`), or an email address."""

    PROFILE = "profile"
    MEMBER = "member"
    EMAIL = "email"


class PersonIdentity(Base):
    """An identifier of a person; within a workspace it belongs to one person."""

    __tablename__ = "person_identity"
    __personal__ = Personal(
        ("person_id",), "Files, API calls and searches that named the person; `sources` lists them.", ("kind", "value")
    )
    __leftovers__ = Leftovers.NOTHING

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True, info={"words": IdentityKind})
    value: Mapped[str] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"), index=True)


class PersonTag(Base):
    """A tag of a person in lower case, for filters; `person.tags` holds the tags as shown."""

    __tablename__ = "person_tag"
    __personal__ = Personal(("person_id",), "Members, files, API calls and your rules for replies.", ("tag",))
    __leftovers__ = Leftovers.NOTHING

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    tag: Mapped[str] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(
        sa.ForeignKey("person.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )


class PersonValue(Numbered, IndexedOfWorkspace, Base):
    """A former value of a person, or one that was not accepted; the current values are in `person`."""

    __tablename__ = "person_value"
    __personal__ = Personal(
        ("person_id",),
        "Values that were replaced.",
        ("field", "value", "known_at", "ended_at", "taken"),
        source="source_id",
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(sa.Index("ix_person_value_person_id", "person_id", "field"))

    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"))
    field: Mapped[str]  # a column of `person`, or custom.name
    value: Mapped[Any] = mapped_column(sa.JSON)
    source_id: Mapped[int | None] = mapped_column(sa.ForeignKey("data_source.id", ondelete="SET NULL"), index=True)
    known_at: Mapped[datetime]  # since when we had it
    ended_at: Mapped[datetime]  # when another value replaced it, or when it was not accepted
    taken: Mapped[bool] = mapped_column(default=True)  # False: it never was the person's value here


class PersonMerge(Base):
    """A person who was merged into another. Their row stays, empty, so that their id still resolves."""

    __tablename__ = "person_merge"
    __leftovers__ = Leftovers.NOTHING

    person_id: Mapped[int] = mapped_column(
        sa.ForeignKey("person.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    into_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"), index=True)
    at: Mapped[datetime]


class NotSamePerson(Base):
    """Two people whom a member marked as different; the lower id comes first."""

    __tablename__ = "not_same_person"
    __personal__ = Personal(("person_id", "other_id"), "A member marked two people as different.", ("other_id",))
    __leftovers__ = Leftovers.NOTHING

    person_id: Mapped[int] = mapped_column(
        sa.ForeignKey("person.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    other_id: Mapped[int] = mapped_column(
        sa.ForeignKey("person.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )
    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)


class SourceKind(StrEnum):
    """Where values come from. `hand`: edited by a member. `earlier`: received before sources were recorded."""

    API = "api"
    FILE = "file"
    HAND = "hand"
    SEARCH = "search"
    CUSTOMERS = "customers"  # a payments or analytics source
    ENRICHMENT = "enrichment"
    CRM = "crm"
    NETWORK = "network"  # a message of the person, or their profile
    MERGE = "merge"
    EARLIER = "earlier"


class DataSource(Numbered, OfWorkspace, Base):
    """One place that values come from, such as a file, with the lawful basis for using them."""

    __tablename__ = "data_source"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "kind", "name", "lawful_basis"))

    kind: Mapped[str] = mapped_column(info={"words": SourceKind})
    name: Mapped[str] = mapped_column(default="")  # the file, the key, the member, the service
    lawful_basis: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]

"""CRMs: the contacts, companies, open deals and lists to read, and the contacts and activities to write."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, NamedTuple, Protocol, TypeVar

from app.ports.services import Credentials, ServiceAdapter

T = TypeVar("T")
CRMS = ("hubspot", "pipedrive")  # by the names of their services
# Columns of a person that are synchronized with a CRM, besides the email address, which identifies the person.
FIELDS = ("first_name", "last_name", "position", "company_name", "company_url", "location", "phone", "profile_url")


class ActivityKind(StrEnum):
    """What an activity is in a CRM."""

    EMAIL = "email"
    MESSAGE = "message"  # on the network
    MEETING = "meeting"
    NOTE = "note"


class Fill(StrEnum):
    """When to write a value of ours: if the CRM has none, or also over a value that no person typed in the CRM."""

    EMPTY = "fill"
    OURS = "ours"


@dataclass(frozen=True)
class CrmContact:
    """A contact as the CRM has it. `values` are those of FIELDS; `changed_at` is the CRM's own time."""

    id: str
    email: str
    values: Mapping[str, str] = field(default_factory=dict)
    owner_id: str = ""
    stage: str = ""
    status: str = ""
    opted_out: bool = False
    company_id: str = ""
    changed_at: datetime | None = None


@dataclass(frozen=True)
class CrmCompany:
    """A company as the CRM has it."""

    id: str
    name: str
    domain: str
    stage: str = ""


class CrmDeal(NamedTuple):
    """An open deal, with its contacts and companies."""

    id: str
    contact_ids: tuple[str, ...]
    company_ids: tuple[str, ...]


class CrmList(NamedTuple):
    """A list of contacts that the CRM keeps."""

    id: str
    name: str
    size: int | None


class CrmOwner(NamedTuple):
    """A CRM user who is responsible for contacts."""

    id: str
    name: str


class CrmPage(NamedTuple, Generic[T]):
    """A part of a long answer, and where the next begins; '' after the last."""

    things: Sequence[T]
    cursor: str = ""


@dataclass(frozen=True)
class NewContact:
    """A person to create as a contact in the CRM."""

    email: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Activity:
    """Something that happened with a contact. `key` is the same in every try, so that the CRM gets it only once."""

    key: str
    contact_id: str
    kind: ActivityKind
    at: datetime
    subject: str
    text: str
    incoming: bool = False


@dataclass
class Recorded:
    """The result of writing activities: the CRM's ids by key, and why others were refused for good."""

    ids: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CrmChange:
    """Values of ours for a contact, each with when it may be written."""

    contact_id: str
    values: Mapping[str, tuple[str, Fill]]


class Crm(ServiceAdapter, Protocol):
    """Speaks to one CRM. What writes may be repeated with the same arguments without a second effect."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Return which of FIELDS the CRM has."""

    @property
    def tells_typed(self) -> bool:
        """Return whether the CRM says which values a person typed, so that others may be replaced."""

    @property
    def customer_stages(self) -> tuple[str, ...]:
        """Return the stages of customers, until the workspace says otherwise."""

    def owners(self, credentials: Credentials, cursor: str) -> CrmPage[CrmOwner]:
        """Return a page of owners."""

    def contacts(self, credentials: Credentials, since: datetime | None, cursor: str) -> CrmPage[CrmContact]:
        """Return a page of the contacts that changed since then, or of all."""

    def contacts_by_id(self, credentials: Credentials, ids: Sequence[str]) -> Sequence[CrmContact]:
        """Return these contacts, at most 100, without those that are gone."""

    def companies(self, credentials: Credentials, since: datetime | None, cursor: str) -> CrmPage[CrmCompany]:
        """Return a page of the companies that changed since then, or of all."""

    def open_deals(self, credentials: Credentials, cursor: str) -> CrmPage[CrmDeal]:
        """Return a page of the open deals."""

    def lists(self, credentials: Credentials) -> Sequence[CrmList]:
        """Return the lists of contacts."""

    def members(self, credentials: Credentials, list_id: str, cursor: str) -> CrmPage[str]:
        """Return a page of the ids of a list's contacts; raise Refused for a list that is gone."""

    def create(self, credentials: Credentials, people: Sequence[NewContact]) -> Mapping[str, str]:
        """Make a contact for each address, at most 100, unless there is one; return their ids by address."""

    def change(self, credentials: Credentials, changes: Sequence[CrmChange]) -> Mapping[str, CrmContact]:
        """Write the values that may be written, of at most 50 contacts; return the contacts as they are then, by id."""

    def record(self, credentials: Credentials, activities: Sequence[Activity], maybe: Collection[str]) -> Recorded:
        """Write at most 100 activities of one kind. Those with a key in `maybe` may have been written before."""

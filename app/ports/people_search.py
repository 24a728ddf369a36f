"""People search: find people who match a targeting, and count them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from app.ports.services import Credentials

# What a search knows about a person beyond their profile, by the angle it looked with: the names in `facts`, and so the
# variables that a message of such a play may use, as in {{custom.opening}}. Each value reads well inside a sentence.
FACTS: Mapping[str, Mapping[str, str]] = {
    "new_role": {"started": "when they began, as in “September”"},
    "hiring": {"opening": "a role that their company looks for, as in “Customer Success Manager”"},
    "funded": {"round": "what their company raised, as in “Series A”", "round_month": "when, as in “September”"},
    "technology": {"technology": "what their company uses, as in “HubSpot”"},
    "news": {"news": "what their company was in the news for, as in “opening an office in Lyon”"},
    "site_visitors": {"visited_page": "the page a person of their company read, as in “pricing”"},
    "former_customers": {"ended": "when their subscription ended, as in “May”"},
}


@dataclass(frozen=True)
class PeopleQuery:
    """A people query: per row of the targeting (titles, companyType, size, location) the active labels.

    A row without labels restricts nothing. `angle` narrows to people for which a play's reason is true; '' for all.
    """

    rows: Mapping[str, Sequence[str]]
    angle: str = ""
    seed: int = 1  # of a sandbox workspace


@dataclass(frozen=True)
class FoundPerson:
    """A person as a search finds them. `facts` are the true words about them that a message may use, by name."""

    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    title: str
    company: str
    company_domain: str = ""
    headline: str = ""
    summary: str = ""
    location: str = ""
    industry: str = ""
    image_url: str = ""
    email: str = ""
    member_id: str = ""  # the network's own name of them, behind the public one
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FoundPeople:
    """Some of the people who match, and where the next ones begin; '' after the last."""

    people: Sequence[FoundPerson] = ()
    cursor: str = ""


class PeopleSearch(Protocol):
    """A directory of people. Every method may raise a ProviderError."""

    name: str
    """`sandbox` when its people are invented, else the service's name."""

    def count(self, wanted: PeopleQuery) -> int:
        """Return about how many people match; 0 only if none do."""

    def find(self, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """Return the next people in a stable order, at most `limit`, from the beginning or a cursor."""


@runtime_checkable
class PeopleService(Protocol):
    """A connected service in which people can be searched. Every method may raise a ProviderError."""

    @property
    def angles(self) -> Collection[str]:
        """Return the angles it can narrow to."""

    def count_people(self, credentials: Credentials, wanted: PeopleQuery) -> int:
        """Return about how many people match."""

    def find_people(self, credentials: Credentials, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """Find people as PeopleSearch does; leave out people without a profile, who cannot be contacted."""

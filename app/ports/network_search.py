"""Network search: read the people whom a search address of the network shows to an account, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from app.ports.people_search import FoundPerson
from app.ports.senders import AccountRef


class Product(StrEnum):
    """The product of the network in which a search was made; an account needs it to read the search."""

    CLASSIC = "classic"
    SALES_NAVIGATOR = "sales_navigator"
    RECRUITER = "recruiter"


@dataclass(frozen=True)
class SearchAddress:
    """A search as its address names it.

    `address` is the normalized address, `url` the search that is asked for. With `company`, the name in the address
    of a company's page or its number, that search is narrowed to people who work there.
    """

    kind: str
    product: Product
    address: str
    url: str
    company: str = ""


@dataclass(frozen=True)
class SearchPage:
    """Some people of a search, and where the next ones begin; '' after the last.

    `hidden` counts results that the network shows without a profile. `total` is its own count; None if it says none.
    """

    people: Sequence[FoundPerson] = ()
    cursor: str = ""
    total: int | None = None
    hidden: int = 0


class NetworkSearch(Protocol):
    """Searches of the network through an account. Every method may raise a ProviderError."""

    def read(self, account: AccountRef, search: SearchAddress, limit: int, cursor: str = "") -> SearchPage:
        """Read the next page, about `limit` people, from the beginning or a cursor."""

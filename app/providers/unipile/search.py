"""People search through a network account, in both versions of Unipile's API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core import text
from app.ports import Credentials, FoundPeople, FoundPerson, LoggedOut, PeopleQuery
from app.providers.http import HttpClient
from app.providers.industries import industries
from app.providers.ttl_cache import TtlCache
from app.providers.unipile.api import opened
from app.providers.unipile.client import Client, address_of, escaped, understood
from app.providers.unipile.found import found_person
from app.providers.unipile.parsing import Json, part, parts, word

WITHIN = 25.0  # seconds
AT_ONCE = 50  # people of one page
MOST_NAMES = 5  # of one row that are looked up; each costs the account a lookup of its own


@dataclass(frozen=True)
class _Account:
    """The account that searches, and how to call."""

    calls: Client
    later: bool
    id: str


class UnipileSearch:
    """A `ports.PeopleService`. Companies' sizes are no filter of the network's own search, and so restrict nothing."""

    angles = ("", "cold")

    def __init__(self, client: HttpClient) -> None:
        self._client = client
        self._ids = TtlCache[str]()

    def count_people(self, credentials: Credentials, wanted: PeopleQuery) -> int:
        account = self._account(credentials)
        page = self._page(account, wanted, 1, "")
        total = page.get("total_count", part(page, "paging").get("total_count"))
        return understood(lambda: int(total))

    def find_people(self, credentials: Credentials, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """See PeopleService. People the account may not see have no name there, and are left out."""
        page = self._page(self._account(credentials), wanted, min(limit, AT_ONCE), cursor)
        found = understood(lambda: [_person(one) for one in parts(page, "data", "items")])
        return FoundPeople([one for one in found if one], word(page, "next_cursor", "cursor"))

    def _account(self, credentials: Credentials) -> _Account:
        """Return the first account that can act; raise LoggedOut when none can."""
        accounts = opened(self._client, credentials.values, WITHIN).accounts()
        chosen = next((one for one in accounts if one.state == "running"), None)
        if chosen is None:
            raise LoggedOut(
                "No LinkedIn account can search right now. Connect an account to Unipile, or sign in again."
            )
        address, later = address_of(credentials.values["base_url"])
        return _Account(Client(self._client, address, credentials.values["api_key"], WITHIN), later, chosen.id)

    def _page(self, account: _Account, wanted: PeopleQuery, limit: int, cursor: str) -> Json:
        query = {"limit": limit, "cursor": cursor or None}
        asked = self._asked(account, wanted.rows)
        if account.later:
            path = f"/{escaped(account.id)}/linkedin/search/people"
            return account.calls.post(path, asked, once=False, **query)
        body = {"api": "classic", "category": "people", **asked}
        return account.calls.post("/linkedin/search", body, once=False, account_id=account.id, **query)

    def _asked(self, account: _Account, rows: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Return the rows as filters; a company kind without an industry becomes search words."""
        kinds = rows.get("companyType", ())
        named = list(dict.fromkeys(name for label in kinds for name in industries(label)))
        found = {
            "location": self._named(account, "LOCATION", rows.get("location", ())),
            "industry": self._named(account, "INDUSTRY", named),
        }
        asked: dict[str, Any] = {name: ids for name, ids in found.items() if ids}
        if titles := " OR ".join(f'"{title}"' for title in rows.get("titles", ())):
            asked["advanced_keywords"] = {"title": titles}
        if kinds and not found["industry"]:
            asked["keywords"] = " OR ".join(f'"{kind}"' for kind in kinds)
        return asked

    def _named(self, account: _Account, kind: str, labels: Sequence[str]) -> list[str]:
        """Return the network's ids of the labels, without unknown ones."""
        ids = [self._number(account, kind, label) for label in labels[:MOST_NAMES]]
        return list(dict.fromkeys(one for one in ids if one))

    def _number(self, account: _Account, kind: str, label: str) -> str:
        key = (kind, label.casefold())
        if (known := self._ids.get(key)) is not None:
            return known
        query: dict[str, str | int | None] = {"type": kind, "keywords": label, "limit": 1}
        if account.later:
            answer = account.calls.get(f"/{escaped(account.id)}/linkedin/search/parameters", **query)
        else:
            answer = account.calls.get("/linkedin/search/parameters", account_id=account.id, **query)
        found = understood(lambda: parts(answer, "data", "items"))
        return self._ids.keep(key, word(found[0], "id") if found else "")


def _person(found: Json) -> FoundPerson | None:
    """Return a person with a public name; None for others."""
    person = text.public_id(word(found, "public_identifier"))
    return found_person(found, person) if person else None

"""Searches of the network by their address, through an account of Unipile, in both versions of its API.

Version 1 has a cursor and, on the last page, still has one, so the number of results says where the end is. In
version 2 some searches have a cursor and the others an offset.
"""

from app.core import text
from app.ports import AccountRef, FoundPerson, LoggedOut, Product, Refused, SearchAddress, SearchPage
from app.providers.http import HttpClient
from app.providers.outbound import release_database
from app.providers.ttl_cache import TtlCache
from app.providers.unipile.client import Client, address_of, escaped, understood
from app.providers.unipile.failures import NOT_POSSIBLE
from app.providers.unipile.found import found_person
from app.providers.unipile.network import NOT_CONNECTED
from app.providers.unipile.parsing import Json, must, part, parts, word

WITHIN = 40.0  # seconds
LATER = {
    Product.CLASSIC: "linkedin/search",
    Product.SALES_NAVIGATOR: "linkedin/sales-navigator/search",
    Product.RECRUITER: "linkedin/recruiter/search",
}
UNKNOWN = "LinkedIn doesn't show this search to this account."
NO_COMPANY = "LinkedIn can't find this company."
_AT, _PAST = "offset:", "cursor:"  # what a cursor of ours begins with
_MEMBER = "AC"  # the network's own names of members; those of Recruiter begin otherwise and open no profile
_HIDDEN = "LinkedIn Member"  # the name of people whom the network doesn't show to this account


class UnipileNetworkSearch:
    """A `ports.NetworkSearch`."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client
        self._companies = TtlCache[str]()

    def read(self, account: AccountRef, search: SearchAddress, limit: int, cursor: str = "") -> SearchPage:
        release_database()
        if not account.settings.get("api_key"):
            raise LoggedOut(NOT_CONNECTED)
        address, later = address_of(account.settings["base_url"])
        calls = Client(self._client, address, account.settings["api_key"], WITHIN)
        body = {"url": self._url(calls, later, account.provider_ref, search)}
        try:
            if later:
                return _later(calls, account.provider_ref, search.product, body, limit, cursor)
            return _earlier(calls, account.provider_ref, body, limit, cursor)
        except Refused as refusal:
            raise Refused(_about(refusal, UNKNOWN)) from None

    def _url(self, calls: Client, later: bool, account: str, search: SearchAddress) -> str:
        """Return the address to search for, narrowed to the company's number if it names one."""
        if not search.company:
            return search.url
        number = search.company if search.company.isdecimal() else self._number(calls, later, account, search.company)
        return f"{search.url}{'&' if '?' in search.url else '?'}currentCompany=%5B%22{number}%22%5D"

    def _number(self, calls: Client, later: bool, account: str, name: str) -> str:
        if (known := self._companies.get((account, name))) is not None:
            return known
        path = f"/linkedin/company/{escaped(name)}"
        try:
            found = calls.get(f"/{escaped(account)}{path}") if later else calls.get(path, account_id=account)
        except Refused as refusal:
            raise Refused(_about(refusal, NO_COMPANY)) from None
        return self._companies.keep((account, name), understood(lambda: must(found, "id")))


def _about(refusal: Refused, unknown: str) -> str:
    """Return the sentence of a refusal, which may speak of a person."""
    return unknown if refusal.sentence == NOT_POSSIBLE["resource_not_found"] else refusal.sentence


def _earlier(calls: Client, account: str, body: Json, limit: int, cursor: str) -> SearchPage:
    page = calls.post(
        "/linkedin/search", body, once=False, account_id=account, limit=limit, cursor=cursor.removeprefix(_PAST) or None
    )
    paging = part(page, "paging")
    total, following = _number(paging, "total_count"), word(page, "cursor")
    read = (_number(paging, "start") or 0) + (_number(paging, "page_count") or 0)
    ended = not following or (total is not None and read >= total)
    return _page(page, "" if ended else _PAST + following, total)


def _later(calls: Client, account: str, product: Product, body: Json, limit: int, cursor: str) -> SearchPage:
    place: dict[str, str | int | None] = {}
    if cursor.startswith(_PAST):
        place = {"cursor": cursor.removeprefix(_PAST)}
    elif cursor:
        place = {"offset": int(cursor.removeprefix(_AT))}
    page = calls.post(f"/{escaped(account)}/{LATER[product]}", body, once=False, limit=limit, **place)
    found, total = understood(lambda: parts(page, "data")), _number(page, "total_count")
    if following := word(page, "next_cursor"):
        return _page(page, _PAST + following, total)
    read = int(place.get("offset") or 0) + len(found)
    more = bool(found) and not cursor.startswith(_PAST) and (len(found) >= limit if total is None else read < total)
    return _page(page, f"{_AT}{read}" if more else "", total)


def _page(page: Json, cursor: str, total: int | None) -> SearchPage:
    found = understood(lambda: [_person(one) for one in parts(page, "items", "data")])
    people = [one for one in found if one]
    return SearchPage(people, cursor, total, len(found) - len(people))


def _number(found: Json, name: str) -> int | None:
    value = found.get(name)
    return understood(lambda: int(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _person(found: Json) -> FoundPerson | None:
    """Return a person with a name; None for others. Who has no public name has the network's own."""
    if word(found, "type") not in ("", "PEOPLE") or word(found, "name", "display_name") in ("", _HIDDEN):
        return None
    public = word(found, "public_identifier") or _in_profile(word(found, "public_profile_url", "profile_url"))
    if person := text.public_id(public):
        return found_person(found, person)
    member = word(found, "id")
    own = f"https://www.linkedin.com/in/{member}"
    return found_person(found, text.public_id(member), own) if member.startswith(_MEMBER) else None


def _in_profile(url: str) -> str:
    return url if "/in/" in url else ""
